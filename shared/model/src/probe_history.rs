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
mod tests;
