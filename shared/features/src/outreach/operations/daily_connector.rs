//! The connector of the day (`specification.md#connector-daily-pick`): a Live listing that connects other
//! listings. The answer contains the pick, the draft of the message, the rules and earlier days. The first read that
//! finds one decides the pick of that day. Only the scheduled job sends messages.

use crate::outreach::connector_day::{self, MIN_LIKENESS, MIN_LIVE_SCORE};
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

/// How connectors are found and contacted.
#[derive(Debug, Serialize, JsonSchema)]
struct Playbook {
    goal: String,
    definition_of_connector_class: Vec<String>,
    daily_ritual_15_min: Vec<String>,
    where_to_find_more: Vec<Source>,
    quality_over_quota: Thresholds,
    promote_to_active_when: Vec<String>,
}

/// A place where connectors are found.
#[derive(Debug, Serialize, JsonSchema)]
struct Source {
    source: String,
    how: String,
}

/// The thresholds that a connector of the day must reach. If no listing reaches them, the day is a research day without
/// a connector.
#[derive(Debug, Serialize, JsonSchema)]
struct Thresholds {
    /// The minimum of `connector_likeness`, from 0 to 100.
    min_connector_likeness: u8,
    /// The minimum of `live_score`, from 0 to 10: the score of the last probe, divided by 10.
    min_live_score: u8,
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
            playbook: playbook(&app.settings),
            laws: laws(&app.settings),
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

fn playbook(settings: &Settings) -> Playbook {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let source = |source: &str, how: String| Source { source: source.to_owned(), how };
    Playbook {
        goal: "Each day, contact one Live listing that connects its users to agents and MCP servers (a \
            connector).".to_owned(),
        definition_of_connector_class: texts(&[
            "It forwards requests between agents or servers: a router, gateway, proxy, bridge, relay or \
             broker.",
            "It lists or finds agents or servers: a registry, a discovery service or a directory.",
            "It orchestrates agents: an orchestrator, coordinator, swarm or delegator.",
            "It connects providers and users of agents: a marketplace or hub.",
            "It combines several servers into one: a federation, aggregator or mesh.",
        ]),
        daily_ritual_15_min: texts(&[
            "Read about the connector of the day: its traits and its last probe.",
            "Call the partner yourself, at its endpoint, and see what it does.",
            "Read the replies of earlier partners at /api/products/reply-capture.",
            "On a research day, publish one connector that is not listed yet.",
        ]),
        where_to_find_more: vec![
            source(
                "this registry",
                format!("GET {} and read the Live listings", settings.url("/api/match?q=multi-agent+gateway")),
            ),
            source(
                "the official MCP registry",
                "GET https://registry.modelcontextprotocol.io/v0.1/servers?search=gateway and publish the servers that are not listed here"
                    .to_owned(),
            ),
            source(
                "agents by their well-known cards",
                format!(
                    "Find /.well-known/agent-card.json at the site of a hub, and POST the URL of the card to \
                     {}",
                    settings.url("/api/publish")
                ),
            ),
        ],
        quality_over_quota: Thresholds {
            min_connector_likeness: MIN_LIKENESS,
            min_live_score: MIN_LIVE_SCORE,
        },
        promote_to_active_when: texts(&[
            "Its last probe is ok and no blocking check fails.",
            "Its weekly rechecks are ok.",
        ]),
    }
}

/// The rules for messages to connectors and invitations.
pub(super) fn laws(settings: &Settings) -> Vec<String> {
    vec![
        "At most one connector message is sent in a UTC day.".to_owned(),
        format!("A listing receives at most one invitation within {} days.", settings.outreach_pause_days),
        "Only Live listings with clean checks receive invitations.".to_owned(),
        "A listing that has opted out receives no invitation until its owner opts in.".to_owned(),
        "On a research day (no listing reaches the thresholds), no connector message is sent.".to_owned(),
    ]
}
