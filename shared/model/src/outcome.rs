//! The outcomes that users report after they used a listing, and the totals of these outcomes. The totals are
//! whole numbers, so that concurrent additions are exact.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use super::{ListingId, Moment};

pub const QUALITY_STEPS: u16 = 1000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// `out_` and 24 hexadecimal digits.
    pub id: String,
    pub listing_id: ListingId,
    /// The listing that it was used together with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing_b: Option<ListingId>,
    pub ok: bool,
    pub quality: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u32>,
    /// What it was used for, in one word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The reporter, as it names itself; not verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    pub at: Moment,
}

impl Outcome {
    /// The quality in thousandths for a report without one.
    pub const fn usual_quality(ok: bool) -> u16 {
        if ok { 700 } else { 200 }
    }
}

/// The totals of a listing's outcomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OutcomeTally {
    /// How many there are.
    pub count: u64,
    /// The number of outcomes that are ok.
    pub ok: u64,
    /// The sum of the qualities of all outcomes, in thousandths. It is shown as the qualities are, each from 0 to 1.
    #[serde(serialize_with = "as_qualities")]
    #[schemars(with = "f64")]
    pub quality_sum: u64,
    /// The number of outcomes that include a latency.
    pub timed: u64,
    /// The sum of these latencies, in milliseconds.
    pub latency_ms_sum: u64,
}

fn as_qualities<S: Serializer>(thousandths: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(*thousandths as f64 / f64::from(QUALITY_STEPS))
}

impl OutcomeTally {
    /// From 0 to 1 in thousandths: 0.6 of the mean quality and 0.4 of the share that was ok; `None` without outcomes.
    pub fn score(&self) -> Option<f64> {
        (self.count > 0).then(|| {
            let quality = self.quality_sum as f64 / f64::from(QUALITY_STEPS) / self.count as f64;
            let score = 0.6 * quality + 0.4 * (self.ok as f64 / self.count as f64);
            (score * 1000.0).round() / 1000.0
        })
    }

    /// In milliseconds; `None` where no report includes a latency.
    pub fn mean_latency_ms(&self) -> Option<u64> {
        self.latency_ms_sum.checked_div(self.timed)
    }

    pub fn with(&self, outcome: &Outcome) -> Self {
        Self {
            count: self.count + 1,
            ok: self.ok + u64::from(outcome.ok),
            quality_sum: self.quality_sum + u64::from(outcome.quality),
            timed: self.timed + u64::from(outcome.latency_ms.is_some()),
            latency_ms_sum: self.latency_ms_sum + u64::from(outcome.latency_ms.unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_combines_quality_and_success_rate() {
        let tally =
            |count, ok, quality_sum| OutcomeTally { count, ok, quality_sum, ..OutcomeTally::default() };
        let score = |count, ok, quality_sum| tally(count, ok, quality_sum).score().unwrap();
        assert_eq!(tally(0, 0, 0).score(), None, "no outcome is not a bad outcome");
        // One with the usual quality: 0.6 * 0.7 + 0.4 * 1 = 0.82.
        assert!((score(1, 1, 700) - 0.82).abs() < 1e-12);
        // Three, two of them ok, of 0.9, 0.7 and 0.2: 0.6 * 1.8 / 3 + 0.4 * 2 / 3 = 0.36 + 0.26667, in thousandths.
        assert!((score(3, 2, 1800) - 0.627).abs() < 1e-12);
        // All perfect is 1, and one that failed as usual 0.6 * 0.2 = 0.12.
        assert!((score(5, 5, 5000) - 1.0).abs() < 1e-12);
        assert!((score(1, 0, 200) - 0.12).abs() < 1e-12);
    }
}
