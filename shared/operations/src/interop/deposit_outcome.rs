//! How it went when a listing was used, as its users report it. Sums are exact, a source counts once an hour for a listing,
//! and what a listing says of itself counts for nothing.

use crate::bounded;
use crate::lookup;
use crate::prelude::*;
use registry_app::trails::is_itself;
use registry_domain::interop;
use registry_model::{Lane, Outcome, OutcomeTally, QUALITY_STEPS};
use registry_store::{Allowance, OutcomeDeposit};

const LONGEST_FROM: usize = 120;
const LONGEST_KIND: usize = 40;
const LONGEST_BODY: usize = 2000;
/// A use that took longer than a day was no call.
const LONGEST_LATENCY_MS: u32 = 86_400_000;

pub struct DepositOutcome;

/// How it went.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing that was used.
    #[serde(alias = "id")]
    listing_id: String,
    /// The id of the listing that it was used together with.
    listing_b: Option<String>,
    /// It did what it was asked; true where it is left out.
    ok: Option<bool>,
    /// How long it took, in milliseconds.
    #[schemars(range(max = 86_400_000))]
    latency_ms: Option<u32>,
    /// How well it did it, from 0 to 1; 0.7 for what was ok and 0.2 for what was not, where it is left out.
    #[schemars(range(min = 0.0, max = 1.0))]
    quality: Option<f64>,
    /// What it was used for, in a word or two.
    #[schemars(extend("format" = "public-text"), length(max = LONGEST_KIND))]
    kind: Option<String>,
    /// Who you are. It is shown as claimed, for nothing proves it.
    #[schemars(extend("format" = "public-text"), length(max = LONGEST_FROM))]
    from: Option<String>,
    /// What is to be said of it, in plain words; everybody may read it.
    #[schemars(extend("format" = "public-text"), length(max = LONGEST_BODY))]
    body: Option<String>,
}

/// What became of the report.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    /// The report as it was read.
    outcome: ShownOutcome,
    /// Whether it was counted.
    counted: bool,
    /// Why it was not: `self_report`, or `counted_within_the_hour`.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_counted_because: Option<&'static str>,
    /// All counted outcomes of the listing.
    tally: OutcomeTally,
    /// The mean time of those that told one, in milliseconds.
    mean_latency_ms: Option<u64>,
    /// From 0 to 1: 0.6 of the mean quality and 0.4 of the share that was ok.
    outcome_score: f64,
    /// What it means, in a sentence.
    note: String,
}

/// A report as others read it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct ShownOutcome {
    /// `out_` and 24 hexadecimal digits.
    id: String,
    listing_id: ListingId,
    #[serde(skip_serializing_if = "Option::is_none")]
    listing_b: Option<ListingId>,
    /// It did what it was asked.
    ok: bool,
    /// From 0 to 1.
    quality: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_ms: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// Who says so, as claimed.
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
    const TITLE: &'static str = "Report how it went";
    const DESCRIPTION: &'static str = "Reports how it went when you used a listing: ok, quality from 0 to 1, latency_ms, \
        and a few words. One report per source, listing and hour counts; what a listing says of itself does not. \
        Answers the listing's tally and its outcome_score.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: false, open_world: false };
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "ok": true, "quality": 0.9, "latency_ms": 420, "kind": "forecast", "from": "travel planner"}"#;
    const PHRASES: &'static [&'static str] = &[
        "deposit an outcome for {id}",
        "deposit a good outcome of {id}",
        "record the outcome of using {id}",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "deposit-outcome",
        name: "Report how it went",
        description: "Takes a report of how using a listing went, and answers its tally.",
        tags: &["registry", "outcome", "quality", "interop"],
    }];
    const ACTIONS: &'static [Action] = &[
        Action { path: "/api/products/interop", names: &["deposit_outcome", "outcome"] },
        Action { path: "/api/products/first-principles", names: &["deposit_outcome"] },
    ];
    const REFUSALS: &'static [u16] = &[404, 409];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let listing = lookup::listing(app, &arguments.listing_id).await?;
        if listing.lane == Lane::Withdrawn {
            return Err(Problem::listing_not_found(&arguments.listing_id));
        }
        let listing_b = match &arguments.listing_b {
            None => None,
            Some(id) => Some(lookup::listing(app, id).await?.id),
        };
        let outcome = read(app, &arguments, listing.id.clone(), listing_b)?;
        let source = caller.name();
        let is_of_itself = outcome.from.as_deref().is_some_and(|from| is_itself(from, &listing))
            || outcome.listing_b.as_ref() == Some(&listing.id);
        let not_counted_because = if is_of_itself {
            Some("self_report")
        } else {
            let rate = app.settings.outcome_rate;
            let act = Allowance { act: "outcome", caller: &source, host: None, rate };
            let act = app.settings.rate_limits.then_some(act);
            match app.store.deposit_outcome(&outcome, &source, act).await? {
                OutcomeDeposit::Counted => None,
                OutcomeDeposit::Again => Some("counted_within_the_hour"),
                OutcomeDeposit::Limited(used_up) => return Err(used_up.into()),
            }
        };
        let tally = app.store.outcomes_of(std::slice::from_ref(&listing.id)).await?;
        let tally = tally.get(&listing.id).copied().unwrap_or_default();
        Ok(Answer {
            ok: true,
            version: interop::VERSION,
            counted: not_counted_because.is_none(),
            not_counted_because,
            outcome: outcome.into(),
            tally,
            mean_latency_ms: tally.mean_latency_ms(),
            outcome_score: tally.score(),
            note: match not_counted_because {
                None => "It counts, and everybody may read it.",
                Some("self_report") => "What a listing says of itself is not counted and not kept.",
                Some(_) => {
                    "One report per source, listing and hour counts, and yours did already; this one is not kept."
                }
            }
            .to_owned(),
        })
    }
}

fn read(
    app: &App,
    arguments: &Arguments,
    listing_id: ListingId,
    listing_b: Option<ListingId>,
) -> Result<Outcome, Problem> {
    let ok = arguments.ok.unwrap_or(true);
    if arguments.latency_ms.is_some_and(|latency| latency > LONGEST_LATENCY_MS) {
        let detail = "`latency_ms` must be a day at most, in milliseconds.";
        return Err(Problem::invalid("latency_ms", "out_of_range", detail));
    }
    Ok(Outcome {
        id: format!("out_{}", app.random.hex(12)),
        listing_id,
        listing_b,
        ok,
        quality: match arguments.quality {
            None => Outcome::usual_quality(ok),
            Some(quality) => thousandths(quality)?,
        },
        latency_ms: arguments.latency_ms,
        kind: bounded::line("kind", arguments.kind.as_deref(), LONGEST_KIND)?,
        from: bounded::line("from", arguments.from.as_deref(), LONGEST_FROM)?,
        body: bounded::text("body", arguments.body.as_deref(), LONGEST_BODY)?,
        at: app.clock.now(),
    })
}

fn thousandths(quality: f64) -> Result<u16, Problem> {
    if !(0.0..=1.0).contains(&quality) {
        return Err(Problem::invalid("quality", "out_of_range", "`quality` must be from 0 to 1."));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1000")]
    let thousandths = (quality * f64::from(QUALITY_STEPS)).round() as u16;
    Ok(thousandths)
}

#[cfg(test)]
mod tests {
    use super::thousandths;

    #[test]
    fn a_quality_is_kept_in_thousandths() {
        assert_eq!(
            [0.0, 0.2, 0.9, 0.1234, 1.0].map(|quality| thousandths(quality).unwrap()),
            [0, 200, 900, 123, 1000]
        );
        for wrong in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(thousandths(wrong).unwrap_err().field.as_deref(), Some("quality"), "{wrong}");
        }
    }
}
