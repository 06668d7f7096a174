//! The connector of the day (`specification.md#connector-daily-pick`): a Live listing that connects other
//! listings. The answer contains the pick, the draft of the message, the rules and earlier days. The first read that
//! finds one decides the pick of that day. Only the scheduled job sends messages.

use crate::outreach::connector_day;
use crate::outreach::connector_row::{self, Playbook};
use crate::prelude::*;
use registry_model::ConnectorPick;
use registry_store::ConnectorDay;

pub struct DailyConnector;

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    playbook: Playbook,
    /// The listing chosen for the current UTC day. Once a listing is chosen, the choice does not change during the day.
    today: ConnectorPick,
    /// The rules for outreach messages.
    laws: Vec<String>,
    prep: Prep,
    automation: Automation,
    /// The choices of earlier days, newest first; at most 30.
    history: Vec<PastDay>,
    updated_at: Moment,
}

/// The state of today's message.
#[derive(Debug, Serialize, JsonSchema)]
struct Prep {
    /// Whether the message is already in the inbox of the chosen listing.
    already: bool,
    /// Always false: the registry sends its operator nothing.
    operator_notified: bool,
    note: String,
}

/// Which steps are automatic.
#[derive(Debug, Serialize, JsonSchema)]
struct Automation {
    ranking: bool,
    draft: bool,
    durable_log: bool,
    cron_prep: bool,
    email_targets: bool,
    email_operator_digest: bool,
}

/// A day, and the listing chosen for it.
#[derive(Debug, Serialize, JsonSchema)]
struct PastDay {
    day: String,
    /// Null on a research day (a day on which no listing was chosen).
    partner_id: Option<String>,
    partner_name: Option<String>,
    connector_likeness: u8,
    /// `touched`, `not_touched` or `research`.
    status: &'static str,
    /// When the message was sent to the chosen listing.
    prepped_at: Option<Moment>,
}

impl Operation for DailyConnector {
    const NAME: &'static str = "daily_connector";
    const TITLE: &'static str = "Connector of the day";
    const VERSION: Option<&'static str> = Some(registry_model::VERSION);
    const DESCRIPTION: &'static str = "Returns the connector of the current UTC day. A connector is a \
        listing that connects others, such as a router or directory; the registry chooses at most one \
        Live listing a day. Also returns the reasons for the choice, a draft of the message, the \
        thresholds and the choices of earlier days.";
    const PHRASES: &'static [&'static str] =
        &["who is the connector of the day?", "show the daily connector", "what is today's connector pick?"];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] =
        &[r#"The connector of {today.day} is "{today.partner.name}" | : {today.why}"#, "{prep.note}"];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/connectors/daily")];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let (today, days) = connector_day::days(app).await?;
        let shown = usize::try_from(connector_day::SHOWN_DAYS).unwrap_or(usize::MAX);
        Ok(Answer {
            playbook: connector_row::playbook(&app.settings),
            laws: connector_row::laws(&app.settings),
            prep: Prep { already: today.touched_at.is_some(), operator_notified: false, note: note(&today) },
            automation: Automation {
                ranking: true,
                draft: true,
                durable_log: true,
                cron_prep: true,
                email_targets: false,
                email_operator_digest: false,
            },
            history: days.iter().filter(|day| day.pick.day != today.pick.day).take(shown).map(past).collect(),
            updated_at: today.touched_at.unwrap_or(today.picked_at),
            today: today.pick,
        })
    }
}

fn note(today: &ConnectorDay) -> String {
    match (&today.pick.partner, today.touched_at) {
        (None, _) => "No message is sent: no listing was chosen so far (a research day).".to_owned(),
        (Some(_), Some(at)) => {
            format!("The draft was delivered to the Talk inbox of the chosen listing at {at}.")
        }
        (Some(_), None) => {
            "The hourly job delivers the draft to the Talk inbox of the chosen listing, if this listing is \
                Live and has not opted out, and the budget of the day is not used up."
                .to_owned()
        }
    }
}

fn past(day: &ConnectorDay) -> PastDay {
    let partner = day.pick.partner.as_ref();
    PastDay {
        day: day.pick.day.clone(),
        partner_id: partner.map(|partner| partner.id.to_string()),
        partner_name: partner.map(|partner| partner.name.clone()),
        connector_likeness: day.pick.connector_likeness,
        status: match (partner, day.touched_at) {
            (None, _) => "research",
            (Some(_), Some(_)) => "touched",
            (Some(_), None) => "not_touched",
        },
        prepped_at: day.touched_at,
    }
}
