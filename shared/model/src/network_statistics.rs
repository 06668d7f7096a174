//! Statistics over all probed listings: what the network of agents and MCP servers looks like. They are counted once an
//! hour or once a day, and stored as one item.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Handshake, Kind, Moment};

/// More probed listings than these are counted once a day.
const COUNTED_HOURLY: u32 = 2_000;

/// Weeks of the trend that are stored: a year, and the current week.
const MAX_WEEKS: usize = 53;

/// The most frequent values of a figure, which are stored. The rest is stored as [`OTHER`].
const MAX_VALUES: usize = 40;
/// Values that are counted. Servers choose some of them, for example their protocol versions.
const MAX_COUNTED: usize = 10_000;
const MAX_VALUE_BYTES: usize = 40;
const OTHER: &str = "other";

/// The statistics of one count, and those of earlier weeks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkStatistics {
    /// When the count ended.
    pub as_of: Moment,
    pub agents: KindStatistics,
    pub mcps: KindStatistics,
    /// The last count of each week, the oldest first.
    pub weeks: Vec<NetworkWeek>,
}

/// The statistics of all agents or of all MCP servers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KindStatistics {
    /// Listings that were probed at least once and are not withdrawn. It is the denominator of `outcomes`.
    pub probed: u32,
    /// Listings that are Live.
    pub live: u32,
    /// By the outcome of the last probe.
    pub outcomes: Tallied,
    /// Listings whose last probe was not ok or whose checks failed, by the family of the first reason.
    pub reasons: Tallied,
    /// Listings whose last handshake was ok, by the protocol versions that they speak.
    pub versions: Tallied,
    /// Listings whose last handshake was ok, by what the handshake found.
    pub capabilities: Tallied,
    /// Live and gated listings, by whether callers must sign in.
    pub access: Tallied,
    /// Durations of the last handshakes that were ok.
    pub latency: Latency,
}

/// How many listings have each value. A listing can have several values, so the counts can add up to more than `of`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tallied {
    /// The denominator: the listings that were counted.
    pub of: u32,
    pub counts: BTreeMap<String, u32>,
}

impl Tallied {
    /// Adds a listing with these values.
    pub fn add<T: AsRef<str>>(&mut self, values: impl IntoIterator<Item = T>) {
        self.of += 1;
        for value in values {
            let value = value.as_ref();
            let has_room = self.counts.len() < MAX_COUNTED && is_plain(value);
            let key = if has_room || self.counts.contains_key(value) { value } else { OTHER };
            *self.counts.entry(key.to_owned()).or_default() += 1;
        }
    }

    /// Only the most frequent values, and the sum of the others.
    #[must_use]
    pub fn shortened(self) -> Self {
        let mut sorted = self.sorted();
        sorted.retain(|(value, _)| *value != OTHER);
        let rest = sorted.split_off(sorted.len().min(MAX_VALUES));
        let others = self.count(OTHER) + rest.into_iter().map(|(_, count)| count).sum::<u32>();
        let mut counts: BTreeMap<String, u32> =
            sorted.into_iter().map(|(value, count)| (value.to_owned(), count)).collect();
        if others > 0 {
            counts.insert(OTHER.to_owned(), others);
        }
        Self { of: self.of, counts }
    }

    /// The values with their counts, the most frequent first.
    pub fn sorted(&self) -> Vec<(&str, u32)> {
        let mut sorted: Vec<_> = self.counts.iter().map(|(value, count)| (value.as_str(), *count)).collect();
        sorted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        sorted
    }

    #[must_use]
    pub fn count(&self, value: &str) -> u32 {
        self.counts.get(value).copied().unwrap_or_default()
    }
}

/// Whether a value can be written into every document without escapes.
fn is_plain(value: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    value.len() <= MAX_VALUE_BYTES
        && value.bytes().all(is_plain)
        && value.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
}

/// Percentiles of handshake times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// The handshakes that were measured: the denominator.
    pub of: u32,
    /// Half of the handshakes took at most this many milliseconds. Null without handshakes.
    pub p50_ms: Option<u32>,
    /// 95 % of the handshakes took at most this many milliseconds. Null without handshakes.
    pub p95_ms: Option<u32>,
}

impl Latency {
    #[must_use]
    pub fn of(mut durations_ms: Vec<u32>) -> Self {
        durations_ms.sort_unstable();
        let at = |percent: usize| {
            let rank = (durations_ms.len() * percent).div_ceil(100).saturating_sub(1);
            durations_ms.get(rank).copied()
        };
        Self { of: u32::try_from(durations_ms.len()).unwrap_or(u32::MAX), p50_ms: at(50), p95_ms: at(95) }
    }
}

/// What the trend stores of one week.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NetworkWeek {
    /// The ISO week, such as `2026-W47`.
    pub week: String,
    /// When the last count of this week ended.
    #[schemars(with = "String")]
    pub as_of: Moment,
    pub agents: WeekOfKind,
    pub mcps: WeekOfKind,
}

/// The main figures of agents or MCP servers in one week.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WeekOfKind {
    /// Listings that were probed: the denominator of `ok`.
    pub probed: u32,
    /// Listings whose last handshake was ok.
    pub ok: u32,
    /// Live listings.
    pub live: u32,
    /// Live or gated listings that need a sign-in.
    pub gated: u32,
    /// The median of the handshake times in milliseconds.
    pub p50_ms: Option<u32>,
}

impl WeekOfKind {
    fn of(statistics: &KindStatistics) -> Self {
        Self {
            probed: statistics.probed,
            ok: statistics.outcomes.count(Handshake::Ok.as_str()),
            live: statistics.live,
            gated: statistics.access.count("gated"),
            p50_ms: statistics.latency.p50_ms,
        }
    }
}

impl NetworkStatistics {
    /// A count, with the trend of the count before it. A later count of the same week replaces the earlier one.
    #[must_use]
    pub fn new(agents: KindStatistics, mcps: KindStatistics, before: Option<Self>, now: Moment) -> Self {
        let week = NetworkWeek {
            week: now.iso_week(),
            as_of: now,
            agents: WeekOfKind::of(&agents),
            mcps: WeekOfKind::of(&mcps),
        };
        let mut weeks = before.map(|before| before.weeks).unwrap_or_default();
        weeks.retain(|earlier| earlier.week != week.week);
        weeks.push(week);
        weeks.drain(..weeks.len().saturating_sub(MAX_WEEKS));
        Self { as_of: now, agents, mcps, weeks }
    }

    /// Whether they are to be counted again in the hour that contains `now`: a count reads every probed listing with its
    /// evidence, so many listings are counted only once a day.
    #[must_use]
    pub fn is_due(&self, now: Moment) -> bool {
        let hours = if self.agents.probed + self.mcps.probed > COUNTED_HOURLY { 24 } else { 1 };
        let hour = |at: Moment| at.as_second().div_euclid(3600);
        hour(now) - hour(self.as_of) >= hours
    }

    pub const fn of_kind(&self, kind: Kind) -> &KindStatistics {
        match kind {
            Kind::Agent => &self.agents,
            Kind::Mcp => &self.mcps,
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    #[test]
    fn many_listings_are_counted_once_a_day() {
        let at = |text: &str| text.parse::<Moment>().unwrap();
        let counted = |probed: u32| {
            let mcps = KindStatistics { probed, ..KindStatistics::default() };
            NetworkStatistics::new(KindStatistics::default(), mcps, None, at("2026-11-20T12:59:00Z"))
        };
        let is_due = |probed: u32, now: &str| counted(probed).is_due(at(now));
        assert!(is_due(2_000, "2026-11-20T13:00:00Z") && !is_due(2_000, "2026-11-20T12:59:59Z"));
        assert!(!is_due(2_001, "2026-11-21T11:59:59Z") && is_due(2_001, "2026-11-21T12:00:00Z"));
    }

    #[test]
    fn percentile_is_the_time_that_this_share_of_handshakes_did_not_exceed() {
        let latency = Latency::of((1..=200).rev().collect());
        assert_eq!((latency.of, latency.p50_ms, latency.p95_ms), (200, Some(100), Some(190)));
        assert_eq!(Latency::of(vec![7]), Latency { of: 1, p50_ms: Some(7), p95_ms: Some(7) });
        assert_eq!(Latency::of(Vec::new()), Latency::default());
    }

    #[test]
    fn values_beyond_the_limit_are_counted_together() {
        let mut versions = Tallied::default();
        // One server invents versions before the others are counted.
        versions.add((0..1000).map(|number| format!("9.{number}")));
        versions.add(["1.0", "0.3"]);
        versions.add(["1.0", "0.3", "0.2"]);
        for unusable in ["", "=1+1", "<b>", "1,0", "-1", &"x".repeat(41)] {
            versions.add([unusable]);
        }
        let versions = versions.shortened();
        assert_eq!((versions.of, versions.count("1.0"), versions.count("0.3")), (9, 2, 2));
        assert_eq!((versions.counts.len(), versions.count(OTHER)), (MAX_VALUES + 1, 6 + 1001 - 38));
        let none = Tallied::default().shortened();
        assert_eq!(none, Tallied::default());
    }

    #[test]
    fn trend_has_one_entry_for_each_of_the_last_53_weeks() {
        let begin: Moment = "2026-11-20T12:00:00Z".parse().unwrap();
        let mut statistics = None;
        for hours in (0..60 * 7 * 24).step_by(50) {
            let mcps = KindStatistics { live: hours, ..KindStatistics::default() };
            let now = begin + SignedDuration::from_hours(hours.into());
            statistics = Some(NetworkStatistics::new(KindStatistics::default(), mcps, statistics, now));
        }
        let weeks = statistics.unwrap().weeks;
        assert_eq!(
            (weeks.len(), weeks[0].week.as_str(), weeks[52].week.as_str()),
            (53, "2027-W02", "2028-W02")
        );
        assert!(weeks.windows(2).all(|pair| pair[0].mcps.live < pair[1].mcps.live), "{weeks:?}");
        assert_eq!(weeks[52].mcps.live, 10_050, "the last count of the week counts");
    }
}
