//! The improvement log: what the registry's numbers of today say, as entries, each with what is asked of whom and the call
//! to make. Made when it is read; an entry without a number behind it does not stand.

use crate::prelude::*;
use crate::products::lessons::{self, Lessons, Rating, percent};
use registry_model::Sku;
use registry_model::settings::Settings;

/// Reasons of failed probes that have an entry.
const MOST_REASONS: usize = 5;

pub struct ImprovementLog;

/// Nothing needs to be said.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {}

/// The log.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    title: &'static str,
    updated_at: Moment,
    entries: Vec<Entry>,
    how_to_contribute: Vec<NextStep>,
}

/// What a number says.
#[derive(Debug, Serialize, JsonSchema)]
struct Entry {
    /// Stable while its subject is.
    id: String,
    /// `probes`, `funnel` or `ratings`.
    area: &'static str,
    /// What was learned.
    learned: String,
    /// The numbers behind it.
    #[schemars(with = "Map<String, Value>")]
    evidence: Value,
    /// What is asked, of whom it concerns.
    ask: String,
    /// The call that answers it.
    call: NextStep,
}

impl Operation for ImprovementLog {
    const NAME: &'static str = "improvement_log";
    const TITLE: &'static str = "Improvement log";
    const DESCRIPTION: &'static str = "Tells what the registry's numbers of today say and ask for: why probes fail and \
        the fix of each reason, where the funnel loses listings, how products are rated; and how to contribute.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = "{}";
    const PHRASES: &'static [&'static str] =
        &["show the improvement log", "what is being improved?", "how can I contribute an improvement?"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "improvement-log",
        name: "Improvement log",
        description: "Tells what the registry's numbers of today say, what is asked, and how to contribute.",
        tags: &["registry", "improvement", "statistics"],
    }];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/improvement-log").kept_for(30)];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, Arguments {}: Arguments) -> Result<Answer, Problem> {
        let learned = lessons::read(app).await?;
        let settings = &app.settings;
        let mut entries = probe_entries(&learned, settings);
        entries.extend(funnel_entry(&learned, settings));
        entries.extend(Sku::ALL.into_iter().filter_map(|sku| rating_entry(&learned, sku, settings)));
        Ok(Answer {
            ok: true,
            title: "Improvement log",
            updated_at: learned.at,
            entries,
            how_to_contribute: vec![demo_call(settings), feedback_call(settings), publish_call(settings)],
        })
    }
}

fn publish_call(settings: &Settings) -> NextStep {
    NextStep::post_own(
        "list_yourself",
        settings.url("/api/publish"),
        "Mend what check_status names, then publish the same again: it is probed anew.",
    )
}

fn demo_call(settings: &Settings) -> NextStep {
    NextStep::post_own(
        "take_demo",
        settings.url("/api/products/demo"),
        "Send {\"listing_id\": …} of a Live listing; the answer holds the draft of its feedback.",
    )
}

fn feedback_call(settings: &Settings) -> NextStep {
    NextStep::post_own(
        "leave_feedback",
        settings.url("/api/products/feedback"),
        "Five answers and a rating; the ratings are counted, and what you write is shown to nobody else.",
    )
}

fn probe_entries(learned: &Lessons, settings: &Settings) -> Vec<Entry> {
    let entry = |gap: lessons::Gap| Entry {
        id: format!("probes: {}", gap.reason),
        area: "probes",
        learned: format!(
            "`{}` ended {} probes today, {} percent of those not ok.",
            gap.reason, gap.count, gap.share_pct
        ),
        evidence: json!({ "count": gap.count, "not_ok": learned.not_ok(), "ok": learned.tally.handshakes[0] }),
        ask: gap.fix.unwrap_or_else(|| "Read what check_status says of your listing.".to_owned()),
        call: publish_call(settings),
    };
    learned.gaps().into_iter().take(MOST_REASONS).map(entry).collect()
}

fn funnel_entry(learned: &Lessons, settings: &Settings) -> Option<Entry> {
    let (demos, feedback) = (learned.demos(), learned.feedback());
    let share = percent(feedback, demos)?;
    let (ask, call) = if feedback < demos {
        ("Send the feedback that your demo drafted.", feedback_call(settings))
    } else {
        ("Take the demo of another product.", demo_call(settings))
    };
    Some(Entry {
        id: "funnel: demo to feedback".to_owned(),
        area: "funnel",
        learned: format!("{feedback} listings gave feedback on {demos} demos: {share} percent."),
        evidence: json!({
            "live": learned.live.agents + learned.live.mcps, "demos": demos, "feedback": feedback,
            "drafts": learned.drafts(), "seats_claimed": learned.live.funnel.seats_claimed,
        }),
        ask: ask.to_owned(),
        call,
    })
}

fn rating_entry(learned: &Lessons, sku: Sku, settings: &Settings) -> Option<Entry> {
    let Rating { ratings, average, distribution } = learned.rating(sku);
    let average = average?;
    Some(Entry {
        id: format!("ratings: {}", sku.as_str()),
        area: "ratings",
        learned: format!("{} has {average:.2} of 5 from {ratings} ratings.", sku.title()),
        evidence: json!({ "sku": sku, "ratings": ratings, "average": average, "distribution": distribution }),
        ask: format!("Say in product_one_ship what to change about {}.", sku.title()),
        call: feedback_call(settings),
    })
}
