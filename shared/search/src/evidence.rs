//! Raises hits by the evidence of their last handshake. It only decides among hits of equal relevance: all of it
//! together weighs less than one word.

use registry_model::{Listing, Moment};

/// The most that a fresh handshake and a full score add, as parts of the rank.
const FRESH: f32 = 0.01;
const SCORE: f32 = 0.01;
/// The age at which a handshake adds nothing, which is the oldest that a Live listing may have.
const WEEK_HOURS: f32 = 168.0;

pub(super) fn boosted(rank: f32, listing: &Listing, now: Moment) -> (f32, Vec<String>) {
    let Some(probe) = &listing.probe else { return (rank, Vec::new()) };
    #[expect(clippy::cast_possible_truncation, reason = "hours, within a week")]
    let hours = now.duration_since(probe.at).as_secs_f64() as f32 / 3600.0;
    let fresh = (1.0 - hours / WEEK_HOURS).clamp(0.0, 1.0);
    let score = f32::from(probe.score.min(100)) / 100.0;
    let mut boosts = Vec::new();
    if hours < 24.0 {
        boosts.push("its last handshake is less than a day old".to_owned());
    }
    if probe.score >= 90 {
        boosts.push(format!("its score is {} of 100", probe.score));
    }
    // Scaled so that the best possible evidence leaves the rank unchanged and it stays within 1.
    (rank * (1.0 + FRESH * fresh + SCORE * score) / (1.0 + FRESH + SCORE), boosts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::Handshake;
    use registry_model::LastProbe;

    fn probed(score: u8, hours_ago: i64) -> (Listing, Moment) {
        let now: Moment = "2026-11-20T12:00:00Z".parse().unwrap();
        let id = "agtpub_0123456789abcdef0123".parse().unwrap();
        let mut listing = Listing::new(id, "Weather".to_owned(), now);
        let at = now - jiff::SignedDuration::from_hours(hours_ago);
        let target = String::new();
        listing.probe = Some(LastProbe { handshake: Handshake::Ok, score, at, target, latency_ms: None });
        (listing, now)
    }

    #[test]
    fn evidence_decides_among_equals_and_no_more() {
        let rank = |score, hours| {
            let (listing, now) = probed(score, hours);
            boosted(0.5, &listing, now).0
        };
        assert!(rank(95, 1) > rank(95, 160) && rank(95, 1) > rank(50, 1));
        assert!((rank(100, 0) - 0.5).abs() < 1e-6, "the best evidence leaves the rank unchanged");
        assert!(rank(0, 10_000) > 0.48, "the worst loses two parts in a hundred");
        let (listing, now) = probed(95, 1);
        assert_eq!(boosted(0.5, &listing, now).1.len(), 2);
    }
}
