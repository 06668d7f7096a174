//! What is wrong with a document: the place, what was seen there, and what to write instead.
//! A stranger's document may hold a fault on each of its million lines, so a list of findings has an end.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::error::shorten;

/// The most findings told about one document.
const MOST: usize = 40;

/// One thing that is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// Where, such as `skills[2].id`.
    pub path: String,
    /// Stable `snake_case` code.
    pub code: &'static str,
    /// What stands there, cut short; `nothing` where the field is missing.
    pub seen: String,
    /// What to write instead.
    pub fix: String,
}

/// Why a document is not taken for an agent card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardFault {
    /// It is something else altogether.
    #[error("not an A2A agent card, but {seen}")]
    NotACard {
        /// What it looks like, such as "an HTML page".
        seen: String,
    },
    /// It is a card that no client could use; at least one finding.
    #[error("an agent card that no client can use: {}", List(.0))]
    Invalid(Vec<Finding>),
}

/// Findings on one line, for an error's text.
struct List<'a>(&'a [Finding]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, finding) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}`{}` is {}", finding.path, finding.seen)?;
        }
        Ok(())
    }
}

/// A list of findings that stops growing at [`MOST`].
#[derive(Clone, Debug, Default)]
pub(super) struct Findings(Vec<Finding>);

impl Findings {
    /// Adds a finding about `value`, which is `None` where the field is missing.
    pub(super) fn note(
        &mut self,
        path: impl Into<String>,
        code: &'static str,
        value: Option<&Value>,
        fix: impl Into<String>,
    ) {
        if self.0.len() < MOST {
            self.0.push(Finding { path: path.into(), code, seen: seen(value), fix: fix.into() });
        }
    }

    /// Takes over the findings of another list.
    pub(super) fn append(&mut self, other: Self) {
        self.0.extend(other.0);
        self.0.truncate(MOST);
    }

    /// True where nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The findings.
    pub(super) fn into_vec(self) -> Vec<Finding> {
        self.0
    }
}

/// A value in a few words, however large it is.
fn seen(value: Option<&Value>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(Value::Null) => "null".to_owned(),
        Some(Value::Bool(flag)) => flag.to_string(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::String(text)) if text.trim().is_empty() => "an empty text".to_owned(),
        Some(Value::String(text)) => format!("\"{}\"", shorten(text, 80)),
        Some(Value::Array(items)) if items.is_empty() => "an empty list".to_owned(),
        Some(Value::Array(items)) => format!("a list of {}", items.len()),
        Some(Value::Object(members)) if members.is_empty() => "an empty object".to_owned(),
        Some(Value::Object(members)) => {
            let names: Vec<String> = members.keys().take(6).map(|name| shorten(name, 30)).collect();
            format!("an object with {}", names.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_fault_tells_each_of_its_findings() {
        let mut findings = Findings::default();
        findings.note("name", "name_missing", None, "Give it a name.");
        findings.note("url", "interface_url_missing", Some(&json!("")), "Give it a URL.");
        let fault = CardFault::Invalid(findings.into_vec());
        assert_eq!(
            fault.to_string(),
            "an agent card that no client can use: `name` is nothing; `url` is an empty text"
        );
    }

    #[test]
    fn a_list_of_findings_has_an_end_and_short_words() {
        let mut findings = Findings::default();
        for _ in 0..1000 {
            findings.note("x", "x", Some(&json!("y".repeat(10_000))), "z");
        }
        let findings = findings.into_vec();
        assert_eq!(findings.len(), MOST);
        assert_eq!(findings[0].seen.chars().count(), 83);
    }

    #[test]
    fn values_are_named_by_what_they_are() {
        let told = [
            (json!(null), "null"),
            (json!("  "), "an empty text"),
            (json!(7), "7"),
            (json!([]), "an empty list"),
            (json!([1, 2]), "a list of 2"),
            (json!({"a": 1, "b": 2}), "an object with a, b"),
        ];
        for (value, words) in told {
            assert_eq!(seen(Some(&value)), words);
        }
    }
}
