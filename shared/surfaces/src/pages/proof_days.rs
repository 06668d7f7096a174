//! Ninety days of proofs. For each UTC day, this module returns what the probes found. For a day without a
//! probe, it returns whether an earlier proof was still valid.

use crate::prelude::*;
use registry_model::{Handshake, ProbeRecord, string_enum};

pub(super) const DAYS: i64 = 90;

const DAY_S: i64 = 86_400;

string_enum! {
    /// With the classes of the style sheet.
    pub(super) enum DayState {
        /// Every probe was good: the handshake was `ok` and the checks were clean.
        Good = "good",
        /// Some probes were good.
        Mixed = "mixed",
        /// No probe was good; at least one was `ok` or `partial`.
        Partial = "partial",
        /// At least one probe failed, the others found nothing to ask.
        Failed = "failed",
        Skipped = "skipped",
        /// Not probed; the last probe before was good and its proof was still valid.
        Proven = "proven",
        Unproven = "unproven",
        /// Before it was listed, or no probe of that time is kept.
        Unknown = "unknown",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProofDay {
    /// Midnight, UTC.
    pub(super) begins: Moment,
    pub(super) state: DayState,
    pub(super) probes: usize,
    pub(super) good: usize,
    /// Of the last handshake of the day.
    pub(super) latency_ms: Option<u32>,
    /// Of the last probe that was not good.
    pub(super) reason: Option<String>,
}

/// From the oldest to `now`. `probes` are the newest first; if older ones were cut (`is_cut`), nothing is
/// known of the days before them. A proof is valid for `proof_valid_for`.
pub(super) fn days(
    listing: &Listing,
    probes: &[ProbeRecord],
    is_cut: bool,
    now: Moment,
    proof_valid_for: SignedDuration,
) -> Vec<ProofDay> {
    let mut by_day: BTreeMap<i64, Vec<&ProbeRecord>> = BTreeMap::new();
    for probe in probes {
        by_day.entry(day_of(probe.probed_at)).or_default().push(probe);
    }
    let oldest = probes.last().map(|probe| day_of(probe.probed_at)).filter(|_| is_cut);
    let known_from = oldest.unwrap_or_else(|| day_of(listing.listed_at));
    let today = day_of(now);
    let mut last: Option<&ProbeRecord> = None;
    // What was found before the days that are shown proves the first of them.
    for (_, earlier) in by_day.range(..=today - DAYS) {
        last = earlier.first().copied().or(last);
    }
    (today - DAYS + 1..=today)
        .map(|day| {
            let begins = Moment::from_second(day * DAY_S).unwrap_or(now);
            let Some(probes) = by_day.get(&day) else {
                let is_proven =
                    last.is_some_and(|last| last.is_proof() && last.probed_at + proof_valid_for > begins);
                let state = match (is_proven, day < known_from) {
                    (true, _) => DayState::Proven,
                    (false, true) => DayState::Unknown,
                    (false, false) => DayState::Unproven,
                };
                return ProofDay { begins, state, probes: 0, good: 0, latency_ms: None, reason: None };
            };
            last = probes.first().copied();
            ProofDay::of(begins, probes)
        })
        .collect()
}

fn day_of(at: Moment) -> i64 {
    at.as_second().div_euclid(DAY_S)
}

impl ProofDay {
    fn of(begins: Moment, probes: &[&ProbeRecord]) -> Self {
        let good = probes.iter().filter(|probe| probe.is_proof()).count();
        let any = |outcome| probes.iter().any(|probe| probe.handshake == outcome);
        let state = if good == probes.len() {
            DayState::Good
        } else if good > 0 {
            DayState::Mixed
        } else if any(Handshake::Ok) || any(Handshake::Partial) {
            DayState::Partial
        } else if any(Handshake::Fail) {
            DayState::Failed
        } else {
            DayState::Skipped
        };
        Self {
            begins,
            state,
            probes: probes.len(),
            good,
            latency_ms: probes.iter().find_map(|probe| probe.latency_ms),
            reason: probes.iter().find_map(|probe| probe.reason.clone()),
        }
    }
}

impl DayState {
    pub(super) const EXPLAINED: [Self; 6] =
        [Self::Good, Self::Proven, Self::Mixed, Self::Partial, Self::Failed, Self::Unproven];

    pub(super) const fn in_words(self) -> &'static str {
        match self {
            Self::Good => "proven",
            Self::Mixed => "some probes proved it, some did not",
            Self::Partial => "answered, but not proven",
            Self::Failed => "failed",
            Self::Skipped => "nothing to probe",
            Self::Proven => "not probed, last proof recent",
            Self::Unproven => "not probed",
            Self::Unknown => "no data",
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);

    fn at(text: &str) -> Moment {
        text.parse().unwrap()
    }

    fn listing(listed_at: &str) -> Listing {
        Listing::new("agent-a".parse().unwrap(), "A".to_owned(), at(listed_at))
    }

    pub(in crate::pages) fn probe(time: &str, handshake: Handshake, reason: Option<&str>) -> ProbeRecord {
        ProbeRecord {
            id: "agent-a".parse().unwrap(),
            kind: Kind::Agent,
            target: String::new(),
            ok: handshake == Handshake::Ok,
            latency_ms: Some(40),
            score: 50,
            signals: Vec::new(),
            handshake,
            protocol_hints: Vec::new(),
            probed_at: at(time),
            code: None,
            reason: reason.map(str::to_owned),
        }
    }

    /// The states of the last days, the oldest first.
    fn states<const N: usize>(listed: &str, probes: &[ProbeRecord], is_cut: bool) -> [DayState; N] {
        let all = days(&listing(listed), probes, is_cut, at("2026-11-20T12:00:00Z"), WEEK);
        assert_eq!(all.len(), 90);
        assert_eq!((all[0].begins, all[89].begins), (at("2026-08-23T00:00:00Z"), at("2026-11-20T00:00:00Z")));
        std::array::from_fn(|day| all[90 - N + day].state)
    }

    #[test]
    fn state_of_a_day_follows_from_its_probes() {
        use DayState::{Failed, Good, Mixed, Partial, Skipped, Unproven};
        let probes = [
            probe("2026-11-20T11:00:00Z", Handshake::Ok, None),
            probe("2026-11-19T23:59:59.999Z", Handshake::Fail, Some("timeout")),
            probe("2026-11-19T00:00:00Z", Handshake::Ok, None),
            probe("2026-11-18T10:00:00Z", Handshake::Ok, Some("check no_injection failed")),
            probe("2026-11-17T10:00:00Z", Handshake::Skip, Some("stdio only")),
            probe("2026-11-16T11:00:00Z", Handshake::Fail, Some("card fail 404 (no card)")),
            probe("2026-11-16T10:00:00Z", Handshake::Partial, Some("auth")),
            probe("2026-11-15T10:00:00Z", Handshake::Fail, Some("timeout")),
        ];
        assert_eq!(
            states("2026-11-14T09:00:00Z", &probes, false),
            [Unproven, Failed, Partial, Skipped, Partial, Mixed, Good]
        );
        let all = days(&listing("2026-11-14T09:00:00Z"), &probes, false, at("2026-11-20T12:00:00Z"), WEEK);
        let mixed = &all[88];
        assert_eq!((mixed.probes, mixed.good, mixed.latency_ms), (2, 1, Some(40)));
        assert_eq!(mixed.reason.as_deref(), Some("timeout"));
    }

    #[test]
    fn proof_is_valid_for_a_week_or_until_the_next_probe() {
        use DayState::{Failed, Good, Proven, Unknown, Unproven};
        let proof = probe("2026-11-10T12:00:00Z", Handshake::Ok, None);
        let listed = "2026-11-10T11:00:00Z";
        let found = states(listed, std::slice::from_ref(&proof), false);
        // Good until noon of the 17th.
        assert_eq!(
            found,
            [
                Unknown, Good, Proven, Proven, Proven, Proven, Proven, Proven, Proven, Unproven, Unproven,
                Unproven
            ]
        );
        let failed = probe("2026-11-13T12:00:00Z", Handshake::Fail, Some("timeout"));
        let found = states(listed, &[failed, proof], false);
        assert_eq!(found[..6], [Unknown, Good, Proven, Proven, Failed, Unproven]);
        let _: [DayState; 12] = found;
    }

    #[test]
    fn days_after_an_earlier_proof_are_proven_and_days_without_data_are_unknown() {
        let early = probe("2026-08-22T12:00:00Z", Handshake::Ok, None);
        let found: [DayState; 90] = states("2026-01-01T00:00:00Z", &[early], false);
        assert_eq!((found[0], found[6], found[7]), (DayState::Proven, DayState::Proven, DayState::Unproven));
        let late = probe("2026-11-19T12:00:00Z", Handshake::Ok, None);
        let found: [DayState; 3] = states("2026-01-01T00:00:00Z", &[late], true);
        assert_eq!(found, [DayState::Unknown, DayState::Good, DayState::Proven]);
    }
}
