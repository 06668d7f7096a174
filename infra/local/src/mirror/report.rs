//! What became of all documents: counts to be kept between runs, a text to be read, and every refusal as a line of
//! JSON. Names and details are strangers' words, and are shown without whatever could move a terminal.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::entry::Label;
use super::sender::{Fate, Refusal};

/// How many examples are shown of one sort of refusal.
const EXAMPLES: usize = 5;
/// How many sorts of refusal are told apart; fields are named by strangers, too.
const SORTS: usize = 100;
/// The longest name and detail that are shown, in characters.
const NAME: usize = 80;
const DETAIL: usize = 240;

/// Counts of what became of documents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// By the registry's word: `queued`, `duplicate`, `active`.
    pub taken: BTreeMap<String, u64>,
    /// By reason.
    pub skipped: BTreeMap<String, u64>,
    /// By code and field.
    pub refused: BTreeMap<String, Sort>,
}

/// One sort of refusal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sort {
    /// How often.
    pub times: u64,
    /// The first few: name and detail.
    pub examples: Vec<(String, String)>,
}

impl Tally {
    /// Counts what became of a document.
    pub(super) fn count(&mut self, label: &Label, fate: &Fate) {
        match fate {
            Fate::Taken(how) => *self.taken.entry(plain(how, NAME)).or_default() += 1,
            Fate::Skipped(why) => *self.skipped.entry((*why).to_owned()).or_default() += 1,
            Fate::Refused(refusal) => {
                let mut sort = sort(refusal);
                if self.refused.len() >= SORTS && !self.refused.contains_key(&sort) {
                    "other reasons".clone_into(&mut sort);
                }
                let sort = self.refused.entry(sort).or_default();
                sort.times += 1;
                if sort.examples.len() < EXAMPLES {
                    sort.examples.push((plain(label.shown(), NAME), plain(&refusal.detail, DETAIL)));
                }
            }
        }
    }

    /// How many were taken, refused and skipped.
    #[must_use]
    pub fn sums(&self) -> (u64, u64, u64) {
        let refused = self.refused.values().map(|sort| sort.times).sum();
        (self.taken.values().sum(), refused, self.skipped.values().sum())
    }

    /// How many there were.
    #[must_use]
    pub fn documents(&self) -> u64 {
        let (taken, refused, skipped) = self.sums();
        taken + refused + skipped
    }

    /// In one line.
    pub(super) fn in_short(&self) -> String {
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
        let mut sorts: Vec<(&String, &Sort)> = self.refused.iter().collect();
        sorts.sort_by_key(|(_, sort)| std::cmp::Reverse(sort.times));
        for (name, sort) in sorts {
            let _ = writeln!(text, "\n{:>6} x {name}", sort.times);
            for (label, detail) in &sort.examples {
                let _ = writeln!(text, "         {label}: {detail}");
            }
            let more = sort.times - sort.examples.len() as u64;
            if more > 0 {
                let _ = writeln!(text, "         and {more} more");
            }
        }
        text
    }
}

/// The sort of a refusal: its code and field, with places in lists left out (`remotes[2].url` is like any other).
fn sort(refusal: &Refusal) -> String {
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
    let code = plain(&refusal.code, NAME);
    if field.is_empty() { code } else { format!("{code} at `{}`", plain(&field, NAME)) }
}

/// A stranger's text on one line, without control and direction characters, at most `limit` characters long.
pub(super) fn plain(text: &str, limit: usize) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    let text: String = text.chars().map(|c| if hidden(c) { ' ' } else { c }).collect();
    registry::error::shorten(text.trim(), limit)
}

/// What a problem document says, set behind a colon; nothing where there is none.
pub(super) fn said(problem: &Value) -> String {
    problem["detail"].as_str().map(|detail| format!(": {}", plain(detail, DETAIL))).unwrap_or_default()
}

/// Every refusal as a line of JSON.
#[derive(Debug)]
pub(super) struct Refusals(Option<BufWriter<File>>);

impl Refusals {
    /// Opens the file, behind what is there if an earlier run is gone on with; without one, nothing is kept.
    pub(super) fn open(path: Option<&Path>, goes_on: bool) -> io::Result<Self> {
        let Some(path) = path else { return Ok(Self(None)) };
        let mut options = OpenOptions::new();
        options.create(true).write(true).append(goes_on).truncate(!goes_on);
        Ok(Self(Some(BufWriter::new(options.open(path)?))))
    }

    pub(super) fn write(&mut self, label: &Label, refusal: &Refusal) -> io::Result<()> {
        let Some(file) = &mut self.0 else { return Ok(()) };
        let mut line = json!(label);
        if let (Value::Object(line), Value::Object(more)) = (&mut line, json!(refusal)) {
            line.extend(more);
        }
        writeln!(file, "{line}")
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.0.as_mut().map_or(Ok(()), BufWriter::flush)
    }
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
    fn refusals_are_told_by_code_and_field() {
        let mut tally = Tally::default();
        for number in 0..7 {
            let field = format!("remotes[{number}].headers[0].name");
            tally.count(&label(&format!("a/{number}")), &Fate::Refused(refusal(&field)));
        }
        tally.count(&label("a/7"), &Fate::Refused(refusal("")));
        tally.count(&label("a/8"), &Fate::Taken("queued".to_owned()));
        tally.count(&label("a/9"), &Fate::Skipped("deleted"));
        assert_eq!((tally.sums(), tally.documents()), ((1, 8, 1), 10));
        let text = tally.text();
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
    fn strangers_cannot_make_endless_sorts() {
        let mut tally = Tally::default();
        for number in 0..1000 {
            tally.count(&label("a/b"), &Fate::Refused(refusal(&format!("field{number}"))));
        }
        assert_eq!((tally.refused.len(), tally.sums().1), (SORTS + 1, 1000));
    }

    #[test]
    fn the_file_is_begun_anew_or_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("refused.jsonl");
        for (goes_on, lines) in [(false, 1), (true, 2), (false, 1)] {
            let mut refusals = Refusals::open(Some(&path), goes_on).unwrap();
            refusals.write(&label("a/b"), &refusal("name")).unwrap();
            refusals.flush().unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(text.lines().count(), lines);
            let line: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
            assert_eq!(
                (&line["name"], &line["field"], &line["code"]),
                (&json!("a/b"), &json!("name"), &json!("invalid"))
            );
        }
    }
}
