//! Charts as SVG, drawn on the server. They are visible without a script, get their colors from the style
//! sheet, and use the available width. Labels are HTML text next to the chart, so that they keep their size.

use std::fmt::{self, Write as _};

use askama::filters::HtmlSafe;

use super::proof_days::{DayState, ProofDay};

/// Units of the view box.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 100.0;

/// SVG that contains no foreign text.
#[derive(Clone, Debug, Default)]
pub(super) struct Drawing(String);

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl HtmlSafe for Drawing {}

/// Distance from the left (0 to 1) and height.
pub(super) type Points = Vec<(f64, f64)>;

#[derive(Clone, Debug)]
pub(super) struct Plot {
    pub(super) drawing: Drawing,
    pub(super) top: u64,
}

/// A cell per day. Good days differ from failed ones by position, too, not only by color.
pub(super) fn strip(days: &[ProofDay]) -> Drawing {
    let mut svg = String::from(
        r#"<svg class="strip" viewBox="0 0 900 40" preserveAspectRatio="none" aria-hidden="true">"#,
    );
    for (day, at) in days.iter().zip((0..).step_by(10)) {
        let (top, height) = match day.state {
            DayState::Good | DayState::Mixed => (0, 40),
            DayState::Proven => (26, 14),
            DayState::Partial => (14, 26),
            DayState::Failed => (0, 22),
            DayState::Skipped | DayState::Unproven => (34, 6),
            DayState::Unknown => (38, 2),
        };
        let _ = write!(
            svg,
            r#"<rect class="{}" x="{at}" y="{top}" width="8" height="{height}"><title>{}</title></rect>"#,
            day.state.as_str(),
            day_title(day)
        );
    }
    Drawing(svg + "</svg>")
}

fn day_title(day: &ProofDay) -> String {
    let date = day.begins.utc_day();
    let words = day.state.in_words();
    match (day.probes, day.latency_ms) {
        (0, _) => format!("{date}: {words}"),
        (1, Some(ms)) => format!("{date}: {words}, {ms} ms"),
        (1, None) => format!("{date}: {words}"),
        (probes, _) => format!("{date}: {words}; {} of {probes} probes proved it", day.good),
    }
}

pub(super) fn line(points: &Points) -> Plot {
    plot(points, |path| {
        // A dot is a line of no length with round ends: a circle would be stretched with the plot.
        let dots: String = path.split('L').map(|point| format!("M{point}h0")).collect();
        format!(r#"<path class="line" d="M{path}"/><path class="dots" d="{dots}"/>"#)
    })
}

pub(super) fn area(points: &Points) -> Plot {
    let [first, last] =
        [points.first(), points.last()].map(|point| point.map_or(0.0, |point| point.0) * WIDTH);
    plot(points, |path| {
        format!(
            r#"<path class="below" d="M{path}L{last:.1} {HEIGHT}L{first:.1} {HEIGHT}Z"/><path class="line" d="M{path}"/>"#
        )
    })
}

/// `body` draws the points, which are joined by `L`.
fn plot(points: &Points, body: impl Fn(&str) -> String) -> Plot {
    let top = top(points);
    let at = |(x, y): &(f64, f64)| format!("{:.1} {:.1}", x * WIDTH, HEIGHT - y / top as f64 * HEIGHT);
    let body = body(&points.iter().map(at).collect::<Vec<_>>().join("L"));
    let svg = format!(
        r#"<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><path class="rule" d="M0 0H{WIDTH}M0 {}H{WIDTH}M0 {HEIGHT}H{WIDTH}"/>{body}</svg>"#,
        HEIGHT / 2.0
    );
    Plot { drawing: Drawing(svg), top }
}

/// The smallest 1, 2 or 5 times a power of ten that no point exceeds.
fn top(points: &Points) -> u64 {
    let highest = points.iter().map(|point| point.1).fold(1.0, f64::max);
    let mut unit = 1;
    loop {
        for round in [unit, 2 * unit, 5 * unit] {
            if round as f64 >= highest {
                return round;
            }
        }
        unit *= 10;
    }
}

/// Parts side by side that fill the bar; empty parts are left out.
pub(super) fn stacked(parts: &[(&'static str, u32)]) -> Drawing {
    let all: u32 = parts.iter().map(|part| part.1).sum();
    let mut svg = String::from(
        r#"<svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">"#,
    );
    let mut before = 0;
    for (class, count) in parts.iter().filter(|part| part.1 > 0) {
        let at = |count: u32| f64::from(count) / f64::from(all) * WIDTH;
        let _ = write!(
            svg,
            r#"<rect class="{class}" x="{:.1}" width="{:.1}" height="10"/>"#,
            at(before),
            at(*count)
        );
        before += count;
    }
    Drawing(svg + "</svg>")
}

pub(super) fn proportion(class: &'static str, part: u32, of: u32) -> Drawing {
    stacked(&[(class, part.min(of)), ("rest", of.saturating_sub(part))])
}

#[cfg(test)]
mod tests;
