//! The outcome of each document, and the counts of all outcomes. The counts are saved between runs and printed at the
//! end. Refusals are grouped by code and field, because one systematic fault of a source causes thousands of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::sanitize::{MAX_DETAIL, MAX_NAME, sanitize};
use super::server_entry::Label;

const EXAMPLES_PER_GROUP: usize = 5;
/// Limited, because the documents, which are not trusted, choose the field names.
const MAX_GROUPS: usize = 100;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// The status from the registry: `queued`, `duplicate`, `active`; `valid` in a dry run.
    Accepted(String),
    /// By the registry or, before it is sent, by the parser.
    Refused(Refusal),
    /// Not sent, with the reason.
    Skipped(&'static str),
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Refusal {
    /// Stable code of the problem.
    pub(super) code: String,
    /// The invalid member.
    pub(super) field: Option<String>,
    /// Human-readable explanation.
    pub(super) detail: String,
    /// All violated rules, if the registry lists them.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub(super) violations: Value,
}

impl Refusal {
    /// For an entry that is not a document, so it is not sent.
    pub(super) fn unsent(code: &str, detail: String) -> Self {
        Self { code: code.to_owned(), field: None, detail, violations: Value::Null }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    #[serde(rename = "taken")]
    pub accepted: BTreeMap<String, u64>,
    /// By reason.
    pub skipped: BTreeMap<String, u64>,
    pub refused: BTreeMap<String, RefusalGroup>,
}

/// Refusals with the same code and field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusalGroup {
    pub times: u64,
    /// The first five: name and detail.
    pub examples: Vec<(String, String)>,
}

impl Counts {
    pub(super) fn add(&mut self, label: &Label, outcome: &Outcome) {
        match outcome {
            Outcome::Accepted(status) => {
                *self.accepted.entry(sanitize(status, MAX_NAME)).or_default() += 1;
            }
            Outcome::Skipped(reason) => *self.skipped.entry((*reason).to_owned()).or_default() += 1,
            Outcome::Refused(refusal) => {
                let mut group = group_name(refusal);
                if self.refused.len() >= MAX_GROUPS && !self.refused.contains_key(&group) {
                    "other reasons".clone_into(&mut group);
                }
                let group = self.refused.entry(group).or_default();
                group.times += 1;
                if group.examples.len() < EXAMPLES_PER_GROUP {
                    let name = sanitize(label.display_name(), MAX_NAME);
                    group.examples.push((name, sanitize(&refusal.detail, MAX_DETAIL)));
                }
            }
        }
    }

    /// The numbers of accepted, refused and skipped documents.
    pub fn sums(&self) -> (u64, u64, u64) {
        let refused = self.refused.values().map(|group| group.times).sum();
        (self.accepted.values().sum(), refused, self.skipped.values().sum())
    }

    pub fn documents(&self) -> u64 {
        let (accepted, refused, skipped) = self.sums();
        accepted + refused + skipped
    }

    pub(super) fn one_line(&self) -> String {
        let (accepted, refused, skipped) = self.sums();
        format!("accepted {accepted}, refused {refused}, skipped {skipped}")
    }

    /// The summary that the command prints.
    pub fn text(&self) -> String {
        let (accepted, refused, skipped) = self.sums();
        let mut text = String::new();
        for (name, sum, parts) in
            [("accepted", accepted, &self.accepted), ("skipped", skipped, &self.skipped)]
        {
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

/// Code and field, without list indices, so that `remotes[2].url` and `remotes[0].url` share a group.
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
    let code = sanitize(&refusal.code, MAX_NAME);
    if field.is_empty() { code } else { format!("{code} at `{}`", sanitize(&field, MAX_NAME)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(field: &str) -> Refusal {
        let (code, detail) = ("invalid".to_owned(), "Write\u{1b}[31m it\u{202e} so.".to_owned());
        Refusal { code, field: Some(field.to_owned()), detail, violations: Value::Null }
    }

    fn label(name: &str) -> Label {
        Label { name: Some(name.to_owned()), version: None, place: "line 1".to_owned() }
    }

    #[test]
    fn refusals_are_grouped_by_code_and_field() {
        let mut counts = Counts::default();
        for number in 0..7 {
            let field = format!("remotes[{number}].headers[0].name");
            counts.add(&label(&format!("a/{number}")), &Outcome::Refused(refusal(&field)));
        }
        counts.add(&label("a/7"), &Outcome::Refused(refusal("")));
        counts.add(&label("a/8"), &Outcome::Accepted("queued".to_owned()));
        counts.add(&label("a/9"), &Outcome::Skipped("deleted"));
        assert_eq!((counts.sums(), counts.documents()), ((1, 8, 1), 10));
        let text = counts.text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..3],
            ["accepted      1  queued 1", "skipped       1  deleted 1", "refused       8"]
        );
        assert_eq!(lines[4], "     7 x invalid at `remotes[].headers[].name`");
        assert_eq!(lines[5], "         a/0: Write [31m it  so.");
        assert_eq!(lines[10], "         and 2 more");
        assert_eq!(lines[12], "     1 x invalid");
    }

    #[test]
    fn number_of_groups_is_limited() {
        let mut counts = Counts::default();
        for number in 0..1000 {
            counts.add(&label("a/b"), &Outcome::Refused(refusal(&format!("field{number}"))));
        }
        assert_eq!((counts.refused.len(), counts.sums().1), (MAX_GROUPS + 1, 1000));
    }
}
