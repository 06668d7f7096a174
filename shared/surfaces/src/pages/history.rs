//! The history of a listing on its page: a strip of ninety days, a summary in words, and the handshake times.

use super::chart::{self, Drawing, Plot, Points};
use super::proof_days::{self, DayState, ProofDay};
use super::when::When;
use crate::prelude::*;
use registry_model::ProbeRecord;

/// Probes to read: a Live listing has up to four a day if few listings are Live, and more while it fails.
pub(super) const MAX_PROBES: i32 = 600;

/// The fewest latencies that make a line, and the shortest time that is drawn.
const MIN_LATENCIES: usize = 3;
const MIN_SPAN: SignedDuration = SignedDuration::from_hours(48);

pub(super) struct History {
    pub(super) strip: Drawing,
    pub(super) summary: String,
    pub(super) first_day: String,
    pub(super) explained: Vec<DayState>,
    /// The handshake times, and the first day of them.
    pub(super) latency: Option<(Plot, String)>,
}

impl History {
    pub(super) fn of(app: &App, listing: &Listing, probes: &[ProbeRecord]) -> Self {
        let now = app.clock.now();
        let is_cut = usize::try_from(MAX_PROBES).is_ok_and(|most| probes.len() >= most);
        let days = proof_days::days(listing, probes, is_cut, now, app.settings.recheck_interval());
        let occurs = |state: &DayState| days.iter().any(|day| day.state == *state);
        Self {
            strip: chart::strip(&days),
            summary: summary(listing, probes, &days, is_cut, now),
            first_day: days.first().map(|day| day.begins.utc_day()).unwrap_or_default(),
            explained: DayState::EXPLAINED.into_iter().filter(occurs).collect(),
            latency: latency(probes, &days, now),
        }
    }
}

fn summary(listing: &Listing, all: &[ProbeRecord], days: &[ProofDay], is_cut: bool, now: Moment) -> String {
    let has_sign_in = all.iter().any(|probe| probe.is_proof() && !probe.ok);
    let (probes, good): (usize, usize) =
        days.iter().fold((0, 0), |sum, day| (sum.0 + day.probes, sum.1 + day.good));
    let probed = days.iter().filter(|day| day.probes > 0).count();
    let probed_text = match probes {
        0 => "No probes.".to_owned(),
        1 if good == 1 && has_sign_in => "One probe, which found correct sign-in metadata.".to_owned(),
        1 => format!("One probe, which {}.", if good == 1 { "passed" } else { "did not pass" }),
        _ => {
            let found = match good {
                0 => "none passed".to_owned(),
                _ if has_sign_in => format!("{good} passed or found correct sign-in metadata"),
                _ if good == probes => "all passed".to_owned(),
                _ => format!("{good} passed"),
            };
            let latest = if is_cut { "The latest " } else { "" };
            format!("{latest}{probes} probes on {}; {found}.", counted(probed, "day"))
        }
    };
    if !is_cut && now.duration_since(listing.listed_at) < SignedDuration::from_hours(24 * proof_days::DAYS) {
        let listed = When::of(listing.listed_at, now).in_words();
        format!("{probed_text} It was listed {listed}, so there is no older data.")
    } else {
        probed_text
    }
}

/// `None` if there are too few handshakes, or they are too close together.
fn latency(probes: &[ProbeRecord], days: &[ProofDay], now: Moment) -> Option<(Plot, String)> {
    let begins = days.first()?.begins;
    let is_shown = |probe: &&ProbeRecord| probe.ok && probe.probed_at >= begins;
    let measured: Vec<(Moment, u32)> = probes
        .iter()
        .rev()
        .filter(is_shown)
        .filter_map(|probe| Some((probe.probed_at, probe.latency_ms?)))
        .collect();
    let first = measured.first()?.0;
    let all = now.duration_since(first);
    if measured.len() < MIN_LATENCIES || all < MIN_SPAN {
        return None;
    }
    let fraction = |at: Moment| at.duration_since(first).as_secs_f64() / all.as_secs_f64();
    let points: Points = measured.iter().map(|(at, ms)| (fraction(*at), f64::from(*ms))).collect();
    Some((chart::line(&points), first.utc_day()))
}

#[cfg(test)]
mod tests;
