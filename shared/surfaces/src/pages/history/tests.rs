use super::*;
use registry_model::Handshake;

const NOW: &str = "2026-11-20T12:00:00Z";

fn probe(time: &str, latency_ms: u32) -> ProbeRecord {
    ProbeRecord { latency_ms: Some(latency_ms), ..proof_days::tests::probe(time, Handshake::Ok, None) }
}

fn drawn(probes: &[ProbeRecord]) -> Option<(Plot, String)> {
    let begins = "2026-08-23T00:00:00Z".parse().unwrap();
    let day = ProofDay { begins, state: DayState::Good, probes: 1, good: 1, latency_ms: None, reason: None };
    latency(probes, &[day], NOW.parse().unwrap())
}

#[test]
fn latency_line_starts_at_the_first_handshake() {
    let mut probes = vec![
        probe("2026-11-20T12:00:00Z", 40),
        probe("2026-11-18T12:00:00Z", 100),
        probe("2026-11-16T12:00:00Z", 0),
    ];
    let (plot, first_day) = drawn(&probes).unwrap();
    assert_eq!((first_day.as_str(), plot.top), ("2026-11-16", 100));
    let svg = plot.drawing.to_string();
    assert!(svg.contains("M0.0 100.0L500.0 0.0L1000.0 60.0"), "{svg}");
    probes[1].ok = false;
    assert!(drawn(&probes).is_none(), "two handshakes make no line");
}

#[test]
fn chart_is_not_drawn_if_probes_cover_only_a_few_hours() {
    let probes = ["11:00", "10:00", "09:00"].map(|time| probe(&format!("2026-11-20T{time}:00Z"), 40));
    assert!(drawn(&probes).is_none());
}
