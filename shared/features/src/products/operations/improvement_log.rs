//! The improvement log: the problems that today's statistics show. Each entry contains what to do and the
//! call to make. The log is generated on each read.

use crate::prelude::*;
use crate::products::lessons::{self, Lessons, Rating};

pub struct ImprovementLog;

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    title: &'static str,
    updated_at: Moment,
    /// At most 5 of the area `probes`, the most frequent ones.
    entries: Vec<Entry>,
    how_to_contribute: Vec<NextStep>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Entry {
    /// The stable id of the problem.
    id: String,
    /// `probes`, `funnel` or `ratings`.
    area: &'static str,
    /// The finding.
    learned: String,
    /// The numbers that support the finding.
    #[schemars(with = "Map<String, Value>")]
    evidence: Value,
    /// What to do.
    ask: String,
    call: NextStep,
}

impl Operation for ImprovementLog {
    const NAME: &'static str = "improvement_log";
    const TITLE: &'static str = "Improvement log";
    const DESCRIPTION: &'static str = "Returns problems that today's numbers of the registry show, and what \
        to do about each problem. The problems are: why probes do not pass, at which stage listings stop on the way \
        to a product, and products with an average rating below 4. Also returns how to contribute.";
    const PHRASES: &'static [&'static str] =
        &["show the improvement log", "what is being improved?", "how can I contribute an improvement?"];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] =
        &["Entries: {entries#}.", "[entries]{area}: {learned} | → {ask}"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Returns problems found in today's numbers, what to do about them, and how to \
            contribute.",
        &["registry", "improvement", "statistics"],
    )];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/improvement-log").cached_for(30)];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let learned = Lessons::read(app).await?;
        let settings = &app.settings;
        let mut entries = probe_entries(&learned, settings);
        entries.extend(funnel_entry(&learned, settings));
        entries.extend(Sku::ALL.into_iter().filter_map(|sku| rating_entry(&learned, sku, settings)));
        Ok(Answer {
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
        "Fix what check_status lists. Then publish the same listing again, if `next` in its status says so.",
    )
}

fn demo_call(settings: &Settings) -> NextStep {
    let note = "Send {\"listing_id\": …} of a Live listing. Before its feedback, the answer has a draft.";
    NextStep::take_demo(&settings.base_url, None, note)
}

fn feedback_call(settings: &Settings) -> NextStep {
    NextStep::post_own(
        "leave_feedback",
        settings.url("/api/products/feedback"),
        "Send `listing_id`, a rating and five answers. Ratings are counted. Your texts are not public.",
    )
}

fn probe_entries(learned: &Lessons, settings: &Settings) -> Vec<Entry> {
    let entry = |gap: lessons::Gap| Entry {
        id: format!("probes: {}", gap.reason),
        area: "probes",
        learned: format!(
            "Today {} ended with `{}`: {} % of all probes that were not ok.",
            counted(gap.count, "probe"),
            gap.reason,
            gap.share_pct
        ),
        evidence: json!({ "count": gap.count, "not_ok": learned.not_ok(), "ok": learned.tally.handshakes[0] }),
        ask: gap.fix.unwrap_or_else(|| "See check_status of your listing.".to_owned()),
        call: publish_call(settings),
    };
    learned.gaps().into_iter().take(5).map(entry).collect()
}

fn funnel_entry(learned: &Lessons, settings: &Settings) -> Option<Entry> {
    let (demos, feedback) = (learned.demos(), learned.feedback());
    if feedback >= demos {
        return None;
    }
    Some(Entry {
        id: "funnel: demo to feedback".to_owned(),
        area: "funnel",
        learned: format!(
            "{} gave feedback. Demos taken, one for each listing and product: {demos}.",
            counted(feedback, "listing")
        ),
        evidence: json!({
            "live": learned.live.agents + learned.live.mcps, "demos": demos, "feedback": feedback,
            "drafts": learned.drafts(), "seats_claimed": learned.live.funnel.seats_claimed,
        }),
        ask: "If your listing took a demo and sent no feedback yet, send it, in your own words.".to_owned(),
        call: feedback_call(settings),
    })
}

fn rating_entry(learned: &Lessons, sku: Sku, settings: &Settings) -> Option<Entry> {
    let Rating { ratings, average, distribution } = learned.rating(sku);
    let average = average.filter(|average| *average < 4.0)?;
    Some(Entry {
        id: format!("ratings: {}", sku.as_str()),
        area: "ratings",
        learned: format!(
            "The average rating of {} is {average:.2} of 5, from {}.",
            sku.title(),
            counted(ratings, "rating")
        ),
        evidence: json!({ "sku": sku, "ratings": ratings, "average": average, "distribution": distribution }),
        ask: format!("Write in product_one_ship what to change about {}.", sku.title()),
        call: feedback_call(settings),
    })
}
