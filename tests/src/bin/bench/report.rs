//! The table that the bench prints, row by row as it is measured: what was measured, what it may be, and whether it
//! holds. What could not be measured is told apart from what holds, for silence is no proof. On a machine that does much
//! else, `BENCH_SLACK` says how many times longer than its limit a time may be.

use std::fmt::Display;
use std::time::Instant;

/// Widths of the columns, in characters.
const NAME: usize = 52;
const MEASURED: usize = 68;
const LIMIT: usize = 16;

/// How a measurement stands to its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Holds,
    Broken,
    NotMeasured,
    /// There is no limit; it is told for comparison.
    Told,
}

impl Standing {
    const fn of(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Broken }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Holds => "yes",
            Self::Broken => "NO",
            Self::NotMeasured => "not measured",
            Self::Told => "",
        }
    }
}

/// The table so far.
#[derive(Debug)]
pub(crate) struct Report {
    began: Instant,
    standings: Vec<Standing>,
    notes: Vec<String>,
    slack: f64,
}

impl Report {
    /// A table with its heading.
    pub(crate) fn new() -> Self {
        println!("{:<NAME$}  {:<MEASURED$}  {:<LIMIT$}  holds", "measurement", "measured", "limit");
        let slack = std::env::var("BENCH_SLACK").ok().and_then(|text| text.parse().ok()).unwrap_or(1.0);
        Self { began: Instant::now(), standings: Vec::new(), notes: Vec::new(), slack }
    }

    /// How many times longer than its limit a time may be.
    pub(crate) const fn slack(&self) -> f64 {
        self.slack
    }

    /// Begins a part of the table.
    pub(crate) fn part(&self, title: impl Display) {
        println!("\n{title} [{:.0} s]", self.began.elapsed().as_secs_f64());
    }

    /// A measurement that must stay below `limit`; both in `unit`. A time has its slack.
    pub(crate) fn below(&mut self, name: impl Display, measured: f64, limit: f64, unit: &str) {
        let limit = if ["s", "ms"].contains(&unit) { limit * self.slack } else { limit };
        let told = amount(measured, unit);
        self.row(name, told, format!("< {}", amount(limit, unit)), Standing::of(measured < limit));
    }

    /// A measurement that may reach `limit` and not pass it; `told` is how it is shown.
    pub(crate) fn at_most(&mut self, name: impl Display, measured: f64, limit: f64, told: impl Display) {
        self.row(name, told, format!("<= {limit}"), Standing::of(measured <= limit));
    }

    /// Something that either is so or is not.
    pub(crate) fn must(&mut self, name: impl Display, holds: bool, told: impl Display, limit: impl Display) {
        self.row(name, told, limit, Standing::of(holds));
    }

    /// A measurement without a limit.
    pub(crate) fn told(&mut self, name: impl Display, told: impl Display) {
        self.row(name, told, "", Standing::Told);
    }

    /// What has a limit and could not be measured, and why.
    pub(crate) fn not_measured(&mut self, name: impl Display, why: impl Display, limit: impl Display) {
        self.row(name, why, limit, Standing::NotMeasured);
    }

    /// A paragraph below the table.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    fn row(&mut self, name: impl Display, told: impl Display, limit: impl Display, standing: Standing) {
        let columns = [name.to_string(), told.to_string(), limit.to_string()];
        let line = format!(
            "{:<NAME$}  {:<MEASURED$}  {:<LIMIT$}  {}",
            columns[0],
            columns[1],
            columns[2],
            standing.word()
        );
        println!("{}", line.trim_end());
        self.standings.push(standing);
    }

    fn count(&self, standing: Standing) -> usize {
        self.standings.iter().filter(|one| **one == standing).count()
    }

    /// Prints what belongs below the table, and says whether no limit is broken.
    pub(crate) fn end(&self) -> bool {
        for note in &self.notes {
            println!("\n{note}");
        }
        let broken = self.count(Standing::Broken);
        println!(
            "\n{} limits hold, {broken} broken, {} not measured; {:.0} s",
            self.count(Standing::Holds),
            self.count(Standing::NotMeasured),
            self.began.elapsed().as_secs_f64()
        );
        broken == 0
    }
}

/// A number with its unit, as precise as it is worth reading.
pub(crate) fn amount(number: f64, unit: &str) -> String {
    let digits = match number.abs() {
        n if n >= 100.0 || n.fract() == 0.0 => 0,
        n if n >= 10.0 => 1,
        _ => 2,
    };
    format!("{number:.digits$} {unit}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_broken_limit_breaks_the_report() {
        let mut report = Report::new();
        report.below("fast", 2.9, 3.0, "s");
        report.at_most("cheap", 3.0, 3.0, "3 reads");
        report.not_measured("unbuilt", "not built", "<= 3");
        report.told("beside", "x");
        assert!(report.end());
        assert_eq!((report.count(Standing::Holds), report.count(Standing::NotMeasured)), (2, 1));
        report.below("slow", 3.0, 3.0, "s");
        assert!(!report.end());
    }

    #[test]
    fn numbers_are_as_precise_as_they_are_worth() {
        assert_eq!(
            [amount(1234.5, "rps"), amount(12.34, "ms"), amount(0.126, "ms")],
            ["1234 rps", "12.3 ms", "0.13 ms"]
        );
        assert_eq!([amount(3.0, "s"), amount(7.0, "")], ["3 s", "7"]);
    }
}
