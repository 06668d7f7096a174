//! The table that the bench ends with: what was measured, what it may be, and whether it holds.
//! What could not be measured is told apart from what holds, for silence is no proof.

use std::fmt::Display;

/// How a measurement stands to its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Holds,
    Broken,
    NotMeasured,
    /// There is no limit; it is told for comparison.
    Told,
}

#[derive(Debug)]
struct Row {
    name: String,
    measured: String,
    limit: String,
    standing: Standing,
}

/// Everything measured, in the order in which it was.
#[derive(Debug, Default)]
pub(crate) struct Report {
    parts: Vec<(String, Vec<Row>)>,
    notes: Vec<String>,
}

impl Report {
    /// Begins a part of the table.
    pub(crate) fn part(&mut self, title: impl Into<String>) {
        let title = title.into();
        eprintln!("- {title}");
        self.parts.push((title, Vec::new()));
    }

    /// A measurement that must stay below `limit`; both in `unit`.
    pub(crate) fn below(&mut self, name: impl Into<String>, measured: f64, limit: f64, unit: &str) {
        let standing = if measured < limit { Standing::Holds } else { Standing::Broken };
        self.row(name, amount(measured, unit), format!("< {}", amount(limit, unit)), standing);
    }

    /// A measurement that may reach `limit` and not pass it; `told` is how it is shown.
    pub(crate) fn at_most(&mut self, name: impl Into<String>, measured: f64, limit: f64, told: impl Display) {
        let standing = if measured <= limit { Standing::Holds } else { Standing::Broken };
        self.row(name, told.to_string(), format!("<= {limit}"), standing);
    }

    /// Something that either is so or is not.
    pub(crate) fn must(&mut self, name: impl Into<String>, holds: bool, told: impl Display, limit: &str) {
        let standing = if holds { Standing::Holds } else { Standing::Broken };
        self.row(name, told.to_string(), limit.to_owned(), standing);
    }

    /// A measurement without a limit.
    pub(crate) fn told(&mut self, name: impl Into<String>, told: impl Display) {
        self.row(name, told.to_string(), String::new(), Standing::Told);
    }

    /// What has a limit and could not be measured, and why.
    pub(crate) fn not_measured(&mut self, name: impl Into<String>, why: &str, limit: &str) {
        self.row(name, why.to_owned(), limit.to_owned(), Standing::NotMeasured);
    }

    /// A paragraph below the table.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    fn row(&mut self, name: impl Into<String>, measured: String, limit: String, standing: Standing) {
        let row = Row { name: name.into(), measured, limit, standing };
        match self.parts.last_mut() {
            Some((_, rows)) => rows.push(row),
            None => self.parts.push((String::new(), vec![row])),
        }
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.parts.iter().flat_map(|(_, rows)| rows)
    }

    fn count(&self, standing: Standing) -> usize {
        self.rows().filter(|row| row.standing == standing).count()
    }

    /// Whether any limit is broken.
    pub(crate) fn is_broken(&self) -> bool {
        self.count(Standing::Broken) > 0
    }

    /// Prints the table.
    pub(crate) fn print(&self) {
        let width = |column: fn(&Row) -> &str, least: usize| {
            self.rows().map(|row| column(row).chars().count()).max().unwrap_or(0).max(least)
        };
        let name = width(|row| &row.name, "measurement".len());
        let measured = width(|row| &row.measured, "measured".len());
        let limit = width(|row| &row.limit, "limit".len());
        println!("{:<name$}  {:<measured$}  {:<limit$}  holds", "measurement", "measured", "limit");
        for (title, rows) in &self.parts {
            println!("\n{title}");
            for row in rows {
                let holds = match row.standing {
                    Standing::Holds => "yes",
                    Standing::Broken => "NO",
                    Standing::NotMeasured => "not measured",
                    Standing::Told => "",
                };
                let line = format!(
                    "{:<name$}  {:<measured$}  {:<limit$}  {holds}",
                    row.name, row.measured, row.limit
                );
                println!("{}", line.trim_end());
            }
        }
        for note in &self.notes {
            println!("\n{note}");
        }
        let (held, broken, open) =
            (self.count(Standing::Holds), self.count(Standing::Broken), self.count(Standing::NotMeasured));
        println!("\n{held} limits hold, {broken} broken, {open} not measured");
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
        let mut report = Report::default();
        report.below("fast", 2.9, 3.0, "s");
        report.at_most("cheap", 3.0, 3.0, "3 reads");
        report.not_measured("unbuilt", "not built", "<= 3");
        report.told("beside", "x");
        assert!(!report.is_broken());
        assert_eq!((report.count(Standing::Holds), report.count(Standing::NotMeasured)), (2, 1));
        report.below("slow", 3.0, 3.0, "s");
        assert!(report.is_broken());
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
