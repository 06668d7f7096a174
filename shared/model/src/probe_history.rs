//! What the probes of a listing found in the last ninety days. It is small enough for the item of the listing, so that
//! every answer that shows the listing can show it without a further read.

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::Moment;

pub const HISTORY_DAYS: u32 = 90;

/// Outages and handshake times. Between two probes, the listing counts as the earlier probe found it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeHistory {
    /// The first `ok` probe that this history contains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since: Option<Moment>,
    /// The outages that ended, from the first failed probe to the next `ok`, in seconds since the epoch; the oldest first.
    #[serde(rename = "down", default, skip_serializing_if = "Vec::is_empty")]
    outages: Vec<(i64, i64)>,
    /// Durations of the latest `ok` handshakes in milliseconds, the oldest first.
    #[serde(rename = "ms", default, skip_serializing_if = "Vec::is_empty")]
    latencies: Vec<u32>,
}

impl ProbeHistory {
    pub const fn is_empty(&self) -> bool {
        self.since.is_none()
    }

    /// Adds an `ok` probe. `failing_since` is the first of the failed probes before it.
    pub fn add_passed(&mut self, now: Moment, failing_since: Option<Moment>, latency_ms: Option<u32>) {
        let watched = self.since.is_some();
        self.since.get_or_insert(now);
        if let Some(from) = failing_since.filter(|from| watched && *from < now) {
            self.outages.push((from.as_second(), now.as_second()));
        }
        let oldest = days_before(now, HISTORY_DAYS).as_second();
        self.outages.retain(|(_, to)| *to > oldest);
        // The two outages with the shortest time between them become one.
        while self.outages.len() > 16 {
            self.merge_nearest();
        }
        self.latencies.extend(latency_ms);
        self.latencies.drain(..self.latencies.len().saturating_sub(32));
    }

    /// The percentage of the last `days` in which the listing answered, with two decimals, rounded down. `None` until
    /// one day was observed. `failing_since` is the outage that has not ended.
    pub fn uptime_percent(&self, days: u32, now: Moment, failing_since: Option<Moment>) -> Option<f64> {
        let begins = self.since?.max(days_before(now, days));
        let observed = now.duration_since(begins);
        // A share of a shorter time is not shown.
        if observed < SignedDuration::from_hours(24) {
            return None;
        }
        let (begins, now) = (begins.as_second(), now.as_second());
        let open = failing_since.map(|from| (from.as_second(), now));
        let down: i64 = self
            .outages
            .iter()
            .copied()
            .chain(open)
            .map(|(from, to)| (to.min(now) - from.max(begins)).max(0))
            .sum();
        let up = (now - begins - down).max(0);
        let hundredths = up.saturating_mul(10_000) / (now - begins).max(1);
        u16::try_from(hundredths).ok().map(|hundredths| f64::from(hundredths) / 100.0)
    }

    /// The handshake time that this percentage of the latest `ok` handshakes did not exceed, in milliseconds.
    pub fn latency_ms(&self, percent: usize) -> Option<u32> {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
        sorted.get(rank).copied()
    }

    fn merge_nearest(&mut self) {
        let gap = |pair: &[(i64, i64)]| match pair {
            [(_, ended), (began, _)] => began - ended,
            _ => i64::MAX,
        };
        let nearest = self.outages.windows(2).enumerate().min_by_key(|(_, pair)| gap(pair));
        let Some((at, _)) = nearest else { return };
        let (_, to) = self.outages.remove(at + 1);
        if let Some(outage) = self.outages.get_mut(at) {
            outage.1 = to;
        }
    }
}

fn days_before(now: Moment, days: u32) -> Moment {
    now - SignedDuration::from_hours(24 * i64::from(days))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hour(hour: i64) -> Moment {
        Moment::from_second(1_000_000_000 + hour * 3600).unwrap()
    }

    /// The history of a listing that is watched from hour 0, with these outages.
    fn with_outages(outages: &[(i64, i64)]) -> ProbeHistory {
        let mut history = ProbeHistory::default();
        history.add_passed(hour(0), None, None);
        for (from, to) in outages {
            history.add_passed(hour(*to), Some(hour(*from)), None);
        }
        history
    }

    #[test]
    fn uptime_is_the_share_of_time_outside_of_outages() {
        let history = with_outages(&[(10, 20), (1000, 1010)]);
        assert_eq!(history.uptime_percent(90, hour(1100), None), Some(98.18), "20 of 1100 hours");
        assert_eq!(history.uptime_percent(7, hour(1100), None), Some(94.04), "10 of 168 hours");
        assert_eq!(history.uptime_percent(7, hour(1180), None), Some(100.0));
        assert_eq!(history.uptime_percent(7, hour(1100), Some(hour(1090))), Some(88.09), "20 of 168 hours");
        assert_eq!(history.uptime_percent(7, hour(2000), Some(hour(1020))), Some(0.0));
    }

    #[test]
    fn uptime_needs_a_day_of_observation() {
        let history = with_outages(&[]);
        assert_eq!(history.uptime_percent(7, hour(23), None), None);
        assert_eq!(history.uptime_percent(7, hour(24), None), Some(100.0));
        assert_eq!(ProbeHistory::default().uptime_percent(7, hour(24), None), None);
    }

    #[test]
    fn failures_before_the_first_success_are_not_an_outage() {
        let mut history = ProbeHistory::default();
        history.add_passed(hour(10), Some(hour(0)), None);
        assert_eq!(history.uptime_percent(7, hour(100), None), Some(100.0));
    }

    #[test]
    fn history_of_a_listing_that_fails_every_hour_stays_small() {
        let mut history = ProbeHistory::default();
        for at in 0..10_000 {
            history.add_passed(hour(2 * at), Some(hour(2 * at - 1)), Some(60_000));
        }
        let stored = serde_json::to_string(&history).unwrap();
        assert!(stored.len() < 700, "{} bytes: {stored}", stored.len());
        let uptime = history.uptime_percent(90, hour(20_000), None).unwrap();
        assert!(uptime < 50.0, "merged outages never look better than they were: {uptime}");
    }

    #[test]
    fn latency_percentiles_are_those_of_the_latest_handshakes() {
        let mut history = ProbeHistory::default();
        assert_eq!(history.latency_ms(50), None);
        for ms in (1..=64).rev() {
            history.add_passed(hour(0), None, Some(ms));
        }
        // The latest 32 took 1 to 32 ms.
        assert_eq!((history.latency_ms(50), history.latency_ms(95)), (Some(16), Some(31)));
    }
}
