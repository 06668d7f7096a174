//! Whether a listing is alive, as far as the registry knows. The state tells four things apart that a client would
//! otherwise see as "not Live" or not see at all.

use crate::prelude::*;
use registry_model::{Assessment, HISTORY_DAYS};

/// Whether a listing is alive, as far as the registry knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LivenessState {
    /// The last probe passed, and this proof has not expired.
    Proven,
    /// The last probe passed, but this proof has expired: the registry is late with the next probe.
    Stale,
    /// It was Live and the last probe failed. Further probes decide whether it is Live.
    Failing,
    /// It is not Live: for example, it never was, it is gated, or it was demoted or withdrawn.
    Absent,
}

impl LivenessState {
    /// The rule: the lane decides first, then the last probe, then the age of the proof. A proof from before
    /// `oldest_proof` has expired.
    pub fn of(listing: &Listing, oldest_proof: Moment) -> Self {
        if listing.lane != Lane::Active {
            Self::Absent
        } else if listing.schedule.failures > 0 {
            Self::Failing
        } else if listing.is_live(oldest_proof) {
            Self::Proven
        } else {
            Self::Stale
        }
    }
}

/// Whether a listing is Live, and its last probe passed with every blocking check. After a failed probe, the evidence is
/// still that of the last passed one.
pub fn is_clean(listing: &Listing, evidence: Option<&Assessment>, oldest_proof: Moment) -> bool {
    let state = LivenessState::of(listing, oldest_proof);
    state == LivenessState::Proven && evidence.is_some_and(Assessment::is_clean)
}

/// Whether a listing is alive, and what its probes found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Liveness {
    pub state: LivenessState,
    /// When it was last probed, whatever the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_at: Option<Moment>,
    /// The first of the probes in a row that failed. Absent if the last probe passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<Moment>,
    /// Percentage of the last 7 days outside of outages, at most since its first proof, restore or move. An outage begins with
    /// a failed probe or with the end of the last proof. Absent if not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uptime_7d_percent: Option<f64>,
    /// The same for the last 90 days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uptime_90d_percent: Option<f64>,
    /// Half of the last 32 passed handshakes took at most this many milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_p50_ms: Option<u32>,
    /// 95 % of the last 32 passed handshakes took at most this many milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_p95_ms: Option<u32>,
}

impl Liveness {
    pub fn of(listing: &Listing, oldest_proof: Moment, now: Moment) -> Self {
        // What was observed before a withdrawal says nothing about now.
        let history = Some(&listing.proof.history).filter(|_| listing.lane != Lane::Withdrawn);
        let lifetime = now.duration_since(oldest_proof);
        let expired = listing.proven_at().filter(|at| *at < oldest_proof).map(|at| at + lifetime);
        let down_since = expired.into_iter().chain(listing.schedule.failing_since).min();
        let uptime = |days| history?.uptime_percent(days, now, down_since);
        Self {
            state: LivenessState::of(listing, oldest_proof),
            asked_at: listing.last_asked(),
            failing_since: listing.schedule.failing_since,
            uptime_7d_percent: uptime(7),
            uptime_90d_percent: uptime(HISTORY_DAYS),
            latency_p50_ms: history.and_then(|history| history.latency_ms(50)),
            latency_p95_ms: history.and_then(|history| history.latency_ms(95)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_after_the_end_of_a_proof_is_no_uptime() {
        let day = |day: i64| Moment::from_second(day * 86_400).unwrap();
        let id = "agtpub_0123456789abcdef0123".parse().unwrap();
        let mut listing = Listing::new(id, "A".to_owned(), day(1));
        (listing.lane, listing.proof.last_ok_at) = (Lane::Active, Some(day(10)));
        listing.proof.history.add_passed(day(10), None, None);
        let at = |now: i64| Liveness::of(&listing, day(now - 7), day(now)).uptime_7d_percent;
        assert_eq!([16, 20].map(at), [Some(100.0), Some(57.14)], "the proof ended at day 17");
    }
}
