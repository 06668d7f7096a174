//! Stores reports about how well the use of a listing went. The sums are exact. Reports of the same source
//! about a listing count once an hour. If a listing reports about itself, the report does not count.

use crate::prelude::*;
use crate::review::hastened_rechecks;
use crate::trails::is_itself;
use registry_model::{Outcome, OutcomeTally, QUALITY_STEPS};

const MAX_FROM_CHARS: usize = 120;
const MAX_KIND_CHARS: usize = 40;
const MAX_BODY_CHARS: usize = 2000;
/// One day.
const MAX_LATENCY_MS: u32 = 86_400_000;

pub struct DepositOutcome;

/// The report.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing that you used.
    #[serde(alias = "id")]
    listing_id: String,
    /// The id of a second listing that you used together with it.
    listing_b: Option<String>,
    /// Whether the listing did what you requested.
    #[schemars(required)]
    ok: Option<bool>,
    /// The duration of the call in milliseconds, at most one day.
    #[schemars(range(max = 86_400_000))]
    latency_ms: Option<u32>,
    /// The quality of the result, from 0 to 1. Default: 0.7 if `ok` is true, otherwise 0.2.
    #[schemars(range(min = 0.0, max = 1.0))]
    quality: Option<f64>,
    /// What you used the listing for, in one or two words.
    #[schemars(extend("format" = "public-text"), length(max = MAX_KIND_CHARS))]
    kind: Option<String>,
    /// Your name. Nobody verifies it.
    #[schemars(extend("format" = "public-text"), length(max = MAX_FROM_CHARS))]
    from: Option<String>,
    /// A comment in plain text. The text is public.
    #[schemars(extend("format" = "public-text"), length(max = MAX_BODY_CHARS))]
    body: Option<String>,
}

/// The report and the listing's totals.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The report as stored. Absent if it was not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<ShownOutcome>,
    /// Whether the report was stored and counted.
    counted: bool,
    /// Why the report was not counted: `self_report` or `counted_within_the_hour`.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_counted_because: Option<&'static str>,
    /// The totals of all counted reports about the listing.
    tally: OutcomeTally,
    /// The mean latency in milliseconds, over the reports that contain a latency.
    mean_latency_ms: Option<u64>,
    /// From 0 to 1: 0.6 * mean quality + 0.4 * share of `ok`. Null without counted reports.
    outcome_score: Option<f64>,
    note: &'static str,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct ShownOutcome {
    /// `out_` and 24 hexadecimal digits.
    id: String,
    listing_id: ListingId,
    #[serde(skip_serializing_if = "Option::is_none")]
    listing_b: Option<ListingId>,
    /// Whether the listing did what was requested.
    ok: bool,
    /// From 0 to 1.
    quality: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_ms: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// The name of the reporter, unverified.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    at: Moment,
}

impl From<Outcome> for ShownOutcome {
    fn from(outcome: Outcome) -> Self {
        Self {
            quality: f64::from(outcome.quality) / f64::from(QUALITY_STEPS),
            id: outcome.id,
            listing_id: outcome.listing_id,
            listing_b: outcome.listing_b,
            ok: outcome.ok,
            latency_ms: outcome.latency_ms,
            kind: outcome.kind,
            from: outcome.from,
            body: outcome.body,
            at: outcome.at,
        }
    }
}

impl Operation for DepositOutcome {
    const NAME: &'static str = "deposit_outcome";
    const TITLE: &'static str = "Report an outcome";
    const DESCRIPTION: &'static str = "Reports whether a listing worked when you used it. Call it after each use. Pass \
        listing_id, ok, quality (0 to 1), latency_ms and a comment (body). One report per clock hour counts for each \
        source and listing, none of a listing about itself. Returns the listing's totals and outcome_score.";
    const PHRASES: &'static [&'static str] = &[
        "report that {id} worked",
        "report that {id} failed",
        "deposit a good outcome of {id}",
        "record the outcome of using {id}: it worked",
    ];
    const EFFECT: Effect = Effect::WRITES;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "ok": true, "quality": 0.9, "latency_ms": 420, "kind": "forecast", "from": "travel planner"}"#;
    const SUMMARY: &'static [&'static str] = &[
        "The {outcome.ok?good|failed} outcome {outcome.id} for {outcome.listing_id} | , reported by \"{outcome.from}\", | is stored and counts | , with a quality of {outcome.quality} | and {outcome.latency_ms} ms.",
        "{note}",
        "The outcome score is now {outcome_score}, from {tally.count#report}.",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Reports the result of using a listing and returns the listing's totals.",
        &["registry", "outcome", "quality", "interop"],
    )];
    const FAMILY: Option<Family> = Some(Family::INTEROP);
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let listing = lookup::visible_listing(app, &arguments.listing_id).await?;
        let listing_b = match &arguments.listing_b {
            None => None,
            Some(id) => Some(lookup::visible_listing(app, id).await?.id),
        };
        lookup::different(listing.id.as_str(), listing_b.as_ref().map_or("", ListingId::as_str))?;
        let ok = arguments.ok.ok_or_else(|| {
            let detail = "`ok` is required: true if the listing did what you requested, false if it failed.";
            Problem::invalid("ok", Code::MissingVerdict, detail)
        })?;
        if arguments.latency_ms.is_some_and(|latency| latency > MAX_LATENCY_MS) {
            let detail = "`latency_ms` must be at most 86400000 (one day).";
            return Err(Problem::invalid("latency_ms", Code::OutOfRange, detail));
        }
        let outcome = Outcome {
            id: format!("out_{}", app.random.hex(12)),
            listing_id: listing.id.clone(),
            listing_b,
            ok,
            quality: match arguments.quality {
                None => Outcome::usual_quality(ok),
                Some(quality) => thousandths(quality)?,
            },
            latency_ms: arguments.latency_ms,
            kind: optional_line("kind", arguments.kind.as_deref(), MAX_KIND_CHARS)?,
            from: optional_line("from", arguments.from.as_deref(), MAX_FROM_CHARS)?,
            body: optional_text("body", arguments.body.as_deref(), MAX_BODY_CHARS)?,
            at: app.clock.now(),
        };
        let source = app.caller_digest(caller).await?;
        let is_self_report = outcome.from.as_deref().is_some_and(|from| is_itself(from, &listing));
        let not_counted_because = if is_self_report {
            Some("self_report")
        } else {
            let allowance = app.allowance(LimitedAction::Outcome, &source, None);
            let is_counted = app.store.deposit_outcome(&outcome, &source, allowance).await?;
            if is_counted && !outcome.ok {
                hastened_rechecks::after_failure_report(app, &listing).await?;
            }
            (!is_counted).then_some("counted_within_the_hour")
        };
        let tally = app.store.outcomes_of(std::slice::from_ref(&listing.id)).await?;
        let tally = tally.get(&listing.id).copied().unwrap_or_default();
        Ok(Answer {
            counted: not_counted_because.is_none(),
            not_counted_because,
            outcome: not_counted_because.is_none().then(|| outcome.into()),
            tally,
            mean_latency_ms: tally.mean_latency_ms(),
            outcome_score: tally.score(),
            note: match not_counted_because {
                None => "The report is public; the operation `interop` shows the latest.",
                Some("self_report") => "Reports of a listing about itself are not counted or stored.",
                Some(_) => "Not stored: each source can report once per clock hour about a listing.",
            },
        })
    }
}

fn thousandths(quality: f64) -> Result<u16, Problem> {
    if !(0.0..=1.0).contains(&quality) {
        return Err(Problem::invalid("quality", Code::OutOfRange, "`quality` must be from 0 to 1."));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
    let thousandths = (quality * f64::from(QUALITY_STEPS)).round() as u16;
    Ok(thousandths)
}
