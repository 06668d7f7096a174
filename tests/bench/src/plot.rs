//! Draws line charts as SVG. Both axes are logarithmic. A value that stays the same is a horizontal line. A
//! value that grows in proportion to the number of listings is a diagonal line.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Size of one panel.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 300.0;
/// Margins for the title, the axis labels, and the line names on the right.
const TOP: f64 = 34.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 270.0;
const BOTTOM: f64 = 26.0;
/// Distance between two line names.
const LEADING: f64 = 14.0;

const COLOURS: [&str; 8] =
    ["#4269d0", "#b5730a", "#d1403f", "#2a8c7f", "#3a9a3a", "#a04fa8", "#8a5a2b", "#5d6a76"];
const DASHES: [&str; 2] = ["none", "5 3"];

/// A line over sizes.
#[derive(Clone, Debug)]
pub(crate) struct Line<'a> {
    /// The name of the line.
    pub(crate) name: &'a str,
    /// Size and value; both are positive.
    pub(crate) points: Vec<(f64, f64)>,
}

/// Lines with a common unit.
#[derive(Clone, Debug)]
pub(crate) struct Panel<'a> {
    /// The unit, as a heading.
    pub(crate) title: &'a str,
    /// The lines.
    pub(crate) lines: Vec<Line<'a>>,
}

/// Panels below each other. A line has the same colour in each.
pub(crate) fn svg(panels: &[Panel<'_>]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for line in panels.iter().flat_map(|panel| &panel.lines) {
        if !names.contains(&line.name) {
            names.push(line.name);
        }
    }
    let (width, height) = (LEFT + WIDTH + RIGHT, (TOP + HEIGHT + BOTTOM) * panels.len() as f64);
    let mut svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11" fill="#333"><rect width="100%" height="100%" fill="#fff"/>"##
    );
    for (number, panel) in panels.iter().enumerate() {
        let down = (TOP + HEIGHT + BOTTOM) * number as f64 + TOP;
        let _ = write!(svg, r#"<g transform="translate({LEFT} {down})">"#);
        draw(&mut svg, panel, &names);
        svg.push_str("</g>");
    }
    svg + "</svg>\n"
}

fn draw(svg: &mut String, panel: &Panel<'_>, names: &[&str]) {
    let all = || panel.lines.iter().flat_map(|line| &line.points);
    let across = Decades::around(all().map(|point| point.0));
    let up = Decades::around(all().map(|point| point.1));
    let _ = write!(svg, r#"<text x="0" y="-12" font-size="14">{}, by Live listings</text>"#, panel.title);
    for (value, share) in across.marks() {
        let x = share * WIDTH;
        let _ = write!(svg, r##"<path d="M{x:.1} 0V{HEIGHT}" stroke="#ddd"/>"##);
        let _ = write!(svg, r#"<text x="{x:.1}" y="{}" text-anchor="middle">{value}</text>"#, HEIGHT + 16.0);
    }
    for (value, share) in up.marks() {
        let y = HEIGHT - share * HEIGHT;
        let _ = write!(svg, r##"<path d="M0 {y:.1}H{WIDTH}" stroke="#ddd"/>"##);
        let _ = write!(svg, r#"<text x="-6" y="{:.1}" text-anchor="end">{value}</text>"#, y + 4.0);
    }
    let mut ends = Vec::new();
    for line in &panel.lines {
        let place = names.iter().position(|name| *name == line.name).unwrap_or(0);
        let colour = COLOURS[place % COLOURS.len()];
        let dash = DASHES[place / COLOURS.len() % DASHES.len()];
        let at = |point: &(f64, f64)| (across.share(point.0) * WIDTH, HEIGHT - up.share(point.1) * HEIGHT);
        let points: Vec<String> = line.points.iter().map(at).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = write!(
            svg,
            r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-dasharray="{dash}"/>"#,
            points.join(" ")
        );
        ends.push((line.points.last().map_or(0.0, |point| at(point).1), line.name, colour));
    }
    // The names are at the ends of their lines, moved apart where lines meet.
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut next = 0.0_f64;
    for (y, name, colour) in ends {
        let place = y.max(next);
        next = place + LEADING;
        let _ = write!(
            svg,
            r#"<path d="M{} {y:.1}L{} {place:.1}" stroke="{colour}" stroke-width="0.6" fill="none"/><text x="{}" y="{:.1}" fill="{colour}">{name}</text>"#,
            WIDTH + 3.0,
            WIDTH + 18.0,
            WIDTH + 22.0,
            place + 4.0
        );
    }
}

/// An axis between powers of ten.
struct Decades {
    from: i32,
    to: i32,
}

impl Decades {
    fn around(numbers: impl Iterator<Item = f64>) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "the logarithm of a finite number")]
        let decades: BTreeSet<i32> = numbers
            .filter(|number| *number > 0.0)
            .flat_map(|number| [number.log10().floor() as i32, number.log10().ceil() as i32])
            .collect();
        let from = decades.first().copied().unwrap_or(0);
        Self { from, to: decades.last().copied().unwrap_or(1).max(from + 1) }
    }

    /// The position of a number on the axis, from 0 to 1.
    fn share(&self, number: f64) -> f64 {
        (number.log10() - f64::from(self.from)) / f64::from(self.to - self.from)
    }

    fn marks(&self) -> impl Iterator<Item = (f64, f64)> {
        (self.from..=self.to).map(|decade| 10_f64.powi(decade)).map(move |value| (value, self.share(value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_values_are_drawn_as_a_level_line() {
        let line = |name, values: [f64; 2]| Line { name, points: vec![(1e3, values[0]), (1e5, values[1])] };
        let lines = vec![line("level", [1.0, 1.0]), line("steep", [1.0, 100.0])];
        let svg = svg(&[Panel { title: "Units", lines }]);
        assert!(svg.contains(r#"points="0.0,300.0 560.0,300.0""#), "{svg}");
        assert!(svg.contains(r#"points="0.0,300.0 560.0,0.0""#), "{svg}");
        assert!(svg.contains(">level<") && svg.contains(">steep<") && svg.contains(">100000<"), "{svg}");
    }

    #[test]
    fn axis_starts_and_ends_at_a_power_of_ten() {
        let axis = Decades::around([0.3, 40.0].into_iter());
        assert_eq!((axis.from, axis.to), (-1, 2));
        assert!((axis.share(1.0) - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!(Decades::around([10.0].into_iter()).to, 2, "the axis is never empty");
    }
}
