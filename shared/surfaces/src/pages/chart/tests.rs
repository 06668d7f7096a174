use super::*;
use registry_model::Moment;

#[test]
fn top_of_a_plot_is_a_round_number() {
    let tops = [0.0, 1.0, 3.0, 45.0, 51.0, 100.0, 101.0, 2400.0].map(|highest| top(&vec![(0.0, highest)]));
    assert_eq!(tops, [1, 1, 5, 50, 100, 100, 200, 5000]);
}

#[test]
fn points_are_scaled_to_the_plot() {
    let svg = line(&vec![(0.0, 0.0), (0.5, 5.0), (1.0, 10.0)]).drawing.to_string();
    assert!(svg.contains(r#"d="M0.0 100.0L500.0 50.0L1000.0 0.0""#), "{svg}");
    assert!(svg.contains(r#"d="M0.0 100.0h0M500.0 50.0h0M1000.0 0.0h0""#), "{svg}");
    let below = area(&vec![(0.25, 1.0), (1.0, 2.0)]).drawing.to_string();
    assert!(below.contains(r#"d="M250.0 50.0L1000.0 0.0L1000.0 100L250.0 100Z""#), "{below}");
}

#[test]
fn widths_of_the_parts_fill_the_whole_bar() {
    let svg = stacked(&[("good", 3), ("partial", 0), ("failed", 1)]).to_string();
    assert!(svg.contains(r#"<rect class="good" x="0.0" width="750.0" height="10"/>"#), "{svg}");
    assert!(svg.contains(r#"<rect class="failed" x="750.0" width="250.0" height="10"/>"#), "{svg}");
    assert!(!svg.contains("partial") && !stacked(&[("good", 0)]).to_string().contains("rect"));
    assert!(proportion("used", 9, 8).to_string().contains(r#"width="1000.0""#), "at most the whole bar");
}

#[test]
fn day_title_contains_state_and_latency() {
    let day = |probes, good, latency_ms| ProofDay {
        begins: Moment::UNIX_EPOCH,
        state: if good == probes { DayState::Good } else { DayState::Mixed },
        probes,
        good,
        latency_ms,
        reason: None,
    };
    assert_eq!(day_title(&day(1, 1, Some(40))), "1970-01-01: proven, 40 ms");
    assert_eq!(
        day_title(&day(3, 2, Some(40))),
        "1970-01-01: some probes proved it, some did not; 2 of 3 \
        probes proved it"
    );
    let svg = strip(&[day(1, 1, Some(40)), day(2, 1, None)]).to_string();
    assert!(
        svg.contains(r#"<rect class="good" x="0" y="0""#) && svg.contains(r#"class="mixed" x="10""#),
        "{svg}"
    );
}
