//! Counts of what became of all documents: saved between runs, and printed as a summary at the end. Refusals are
//! grouped by code and field, since a source with one systematic fault has thousands of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::outcome::{Outcome, Refusal};
use super::sanitize::{DETAIL, NAME, sanitize};
use super::server_entry::Label;

/// How many examples are shown of one group of refusal.
const EXAMPLES_PER_GROUP: usize = 5;
/// How many groups of refusal are told apart; fields are named by strangers, too.
const MAX_GROUPS: usize = 100;

/// Counts of what became of documents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// By the registry's word: `queued`, `duplicate`, `active`.
    pub taken: BTreeMap<String, u64>,
    /// By reason.
    pub skipped: BTreeMap<String, u64>,
    /// By code and field.
    pub refused: BTreeMap<String, RefusalGroup>,
}

/// One group of refusal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusalGroup {
    /// How often.
    pub times: u64,
    /// The first few: name and detail.
    pub examples: Vec<(String, String)>,
}

impl Counts {
    /// Counts what became of a document.
    pub(super) fn add(&mut self, label: &Label, outcome: &Outcome) {
        match outcome {
            Outcome::Taken(how) => *self.taken.entry(sanitize(how, NAME)).or_default() += 1,
            Outcome::Skipped(why) => *self.skipped.entry((*why).to_owned()).or_default() += 1,
            Outcome::Refused(refusal) => {
                let mut group = group_name(refusal);
                if self.refused.len() >= MAX_GROUPS && !self.refused.contains_key(&group) {
                    "other reasons".clone_into(&mut group);
                }
                let group = self.refused.entry(group).or_default();
                group.times += 1;
                if group.examples.len() < EXAMPLES_PER_GROUP {
                    group
                        .examples
                        .push((sanitize(label.display_name(), NAME), sanitize(&refusal.detail, DETAIL)));
                }
            }
        }
    }

    /// How many were taken, refused and skipped.
    #[must_use]
    pub fn sums(&self) -> (u64, u64, u64) {
        let refused = self.refused.values().map(|group| group.times).sum();
        (self.taken.values().sum(), refused, self.skipped.values().sum())
    }

    /// How many there were.
    #[must_use]
    pub fn documents(&self) -> u64 {
        let (taken, refused, skipped) = self.sums();
        taken + refused + skipped
    }

    /// In one line.
    pub(super) fn one_line(&self) -> String {
        let (taken, refused, skipped) = self.sums();
        format!("taken {taken}, refused {refused}, skipped {skipped}")
    }

    /// As a text of several lines.
    #[must_use]
    pub fn text(&self) -> String {
        let (taken, refused, skipped) = self.sums();
        let mut text = String::new();
        for (name, sum, parts) in [("taken", taken, &self.taken), ("skipped", skipped, &self.skipped)] {
            let mut parts: Vec<(&String, &u64)> = parts.iter().collect();
            parts.sort_by_key(|(_, times)| std::cmp::Reverse(**times));
            let parts: Vec<String> = parts.iter().map(|(part, times)| format!("{part} {times}")).collect();
            let _ = writeln!(text, "{}", format!("{name:<8} {sum:>6}  {}", parts.join(", ")).trim_end());
        }
        let _ = writeln!(text, "{:<8} {refused:>6}", "refused");
        let mut groups: Vec<(&String, &RefusalGroup)> = self.refused.iter().collect();
        groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.times));
        for (name, group) in groups {
            let _ = writeln!(text, "\n{:>6} x {name}", group.times);
            for (label, detail) in &group.examples {
                let _ = writeln!(text, "         {label}: {detail}");
            }
            let more = group.times - group.examples.len() as u64;
            if more > 0 {
                let _ = writeln!(text, "         and {more} more");
            }
        }
        text
    }
}

/// The group of a refusal: its code and field, with places in lists left out (`remotes[2].url` is like any other).
fn group_name(refusal: &Refusal) -> String {
    let mut field = String::new();
    for (index, part) in refusal.field.as_deref().unwrap_or_default().split('[').enumerate() {
        match (index, part.split_once(']')) {
            (0, _) | (_, None) => field.push_str(part),
            (_, Some((_, rest))) => {
                field.push_str("[]");
                field.push_str(rest);
            }
        }
    }
    let code = sanitize(&refusal.code, NAME);
    if field.is_empty() { code } else { format!("{code} at `{}`", sanitize(&field, NAME)) }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn refusal(field: &str) -> Refusal {
        let (code, detail) = ("invalid".to_owned(), "Write\u{1b}[31m it\u{202e} so.".to_owned());
        Refusal { code, field: Some(field.to_owned()), detail, violations: Value::Null }
    }

    fn label(name: &str) -> Label {
        Label { name: Some(name.to_owned()), version: None, place: "line 1".to_owned() }
    }

    #[test]
    fn refusals_are_told_by_code_and_field() {
        let mut counts = Counts::default();
        for number in 0..7 {
            let field = format!("remotes[{number}].headers[0].name");
            counts.add(&label(&format!("a/{number}")), &Outcome::Refused(refusal(&field)));
        }
        counts.add(&label("a/7"), &Outcome::Refused(refusal("")));
        counts.add(&label("a/8"), &Outcome::Taken("queued".to_owned()));
        counts.add(&label("a/9"), &Outcome::Skipped("deleted"));
        assert_eq!((counts.sums(), counts.documents()), ((1, 8, 1), 10));
        let text = counts.text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..3],
            ["taken         1  queued 1", "skipped       1  deleted 1", "refused       8"]
        );
        assert_eq!(lines[4], "     7 x invalid at `remotes[].headers[].name`");
        assert_eq!(lines[5], "         a/0: Write [31m it  so.");
        assert_eq!(lines[10], "         and 2 more");
        assert_eq!(lines[12], "     1 x invalid");
    }

    #[test]
    fn strangers_cannot_make_unlimited_groups() {
        let mut counts = Counts::default();
        for number in 0..1000 {
            counts.add(&label("a/b"), &Outcome::Refused(refusal(&format!("field{number}"))));
        }
        assert_eq!((counts.refused.len(), counts.sums().1), (MAX_GROUPS + 1, 1000));
    }
}
