//! Prints one row for each measurement: its value, its limit, and whether the value is within the limit. If a
//! measurement failed, its row shows this. `BENCH_SLACK` multiplies the limits of times, for a busy machine.

use std::fmt::Display;
use std::time::Instant;

/// Widths of the columns, in characters.
const NAME: usize = 52;
const MEASURED: usize = 68;
const LIMIT: usize = 16;

/// The status of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Holds,
    Broken,
    NotMeasured,
    /// Without a limit, for comparison.
    Info,
}

impl Status {
    const fn of(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Broken }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Holds => "yes",
            Self::Broken => "NO",
            Self::NotMeasured => "not measured",
            Self::Info => "",
        }
    }
}

/// The printed table.
#[derive(Debug)]
pub(crate) struct Report {
    began: Instant,
    statuses: Vec<Status>,
    slack: f64,
}

impl Report {
    /// Prints the heading of a new table.
    pub(crate) fn new() -> Self {
        println!("{:<NAME$}  {:<MEASURED$}  {:<LIMIT$}  holds", "measurement", "measured", "limit");
        let slack = std::env::var("BENCH_SLACK").ok().and_then(|text| text.parse().ok()).unwrap_or(1.0);
        Self { began: Instant::now(), statuses: Vec::new(), slack }
    }

    /// The factor for limits of times.
    pub(crate) const fn slack(&self) -> f64 {
        self.slack
    }

    /// Starts a part of the table.
    pub(crate) fn part(&self, title: impl Display) {
        println!("\n{title} [{:.0} s]", self.began.elapsed().as_secs_f64());
    }

    /// A measurement that must be below `limit`, both in `unit`. The slack applies to times.
    pub(crate) fn below(&mut self, name: impl Display, measured: f64, limit: f64, unit: &str) {
        let limit = if ["s", "ms"].contains(&unit) { limit * self.slack } else { limit };
        let text = amount(measured, unit);
        self.row(name, text, format!("< {}", amount(limit, unit)), Status::of(measured < limit));
    }

    /// A measurement that must not exceed `limit`; `text` is its printed form.
    pub(crate) fn at_most(&mut self, name: impl Display, measured: f64, limit: f64, text: impl Display) {
        self.row(name, text, format!("<= {limit}"), Status::of(measured <= limit));
    }

    /// A condition that must hold.
    pub(crate) fn must(&mut self, name: impl Display, holds: bool, text: impl Display, limit: impl Display) {
        self.row(name, text, limit, Status::of(holds));
    }

    /// A measurement without a limit.
    pub(crate) fn info(&mut self, name: impl Display, text: impl Display) {
        self.row(name, text, "", Status::Info);
    }

    /// A measurement with a limit that could not be made, and why.
    pub(crate) fn not_measured(&mut self, name: impl Display, why: impl Display, limit: impl Display) {
        self.row(name, why, limit, Status::NotMeasured);
    }

    fn row(&mut self, name: impl Display, text: impl Display, limit: impl Display, status: Status) {
        let columns = [name.to_string(), text.to_string(), limit.to_string()];
        let line = format!(
            "{:<NAME$}  {:<MEASURED$}  {:<LIMIT$}  {}",
            columns[0],
            columns[1],
            columns[2],
            status.word()
        );
        println!("{}", line.trim_end());
        self.statuses.push(status);
    }

    fn count(&self, status: Status) -> usize {
        self.statuses.iter().filter(|one| **one == status).count()
    }

    /// Prints the summary; returns whether no limit is broken.
    pub(crate) fn finish(&self) -> bool {
        let broken = self.count(Status::Broken);
        println!(
            "\n{} limits hold, {broken} broken, {} not measured; {:.0} s",
            self.count(Status::Holds),
            self.count(Status::NotMeasured),
            self.began.elapsed().as_secs_f64()
        );
        broken == 0
    }
}

/// A number with its unit, rounded for reading.
pub(crate) fn amount(number: f64, unit: &str) -> String {
    let digits = match number.abs() {
        n if n >= 100.0 || n.fract() == 0.0 => 0,
        n if n >= 10.0 => 1,
        _ => 2,
    };
    format!("{number:.digits$} {unit}").trim_end().to_owned()
}
