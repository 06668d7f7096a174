//! A fault of an agent card: its place, the value at this place, and the fix. The number of reported faults
//! is limited, because an untrusted document may have millions of faults.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::likeness::OtherDocument;
use registry_model::error::shorten;

const MAX_VIOLATIONS: usize = 40;

/// A fault of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CardViolation {
    /// The place, such as `skills[2].id`.
    pub path: String,
    /// Stable `snake_case` code.
    pub code: &'static str,
    /// The value there, shortened; `nothing` where the field is missing.
    pub seen: String,
    /// What to write instead.
    pub fix: String,
}

/// Why a document is not accepted as an agent card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardFault {
    /// It is another document.
    #[error("not an A2A agent card, but {}", .0.seen)]
    NotACard(OtherDocument),
    /// No client could use the card; at least one violation.
    #[error("an agent card that no client can use: {}", in_one_line(.0))]
    Invalid(Vec<CardViolation>),
}

/// Violations on one line, for an error's text.
fn in_one_line(violations: &[CardViolation]) -> String {
    let lines = violations.iter().map(|violation| format!("`{}` is {}", violation.path, violation.seen));
    lines.collect::<Vec<_>>().join("; ")
}

#[derive(Clone, Debug, Default)]
pub(super) struct CardViolations(Vec<CardViolation>);

impl CardViolations {
    /// Adds a violation by its code and its fix; `value` is `None` where the field is missing.
    pub(super) fn note(
        &mut self,
        path: impl Into<String>,
        (code, fix): (&'static str, impl Into<String>),
        value: Option<&Value>,
    ) {
        if self.0.len() < MAX_VIOLATIONS {
            self.0.push(CardViolation { path: path.into(), code, seen: summary(value), fix: fix.into() });
        }
    }

    pub(super) fn append(&mut self, other: Self) {
        self.0.extend(other.0);
        self.0.truncate(MAX_VIOLATIONS);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn into_vec(self) -> Vec<CardViolation> {
        self.0
    }
}

/// The violations of a card that can be used.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Clients with static types refuse the card.
    pub(super) broken: CardViolations,
    /// Working agents break the rule.
    pub(super) warnings: CardViolations,
}

impl Findings {
    pub(super) const fn warnings_if(&mut self, is_warning: bool) -> &mut CardViolations {
        if is_warning { &mut self.warnings } else { &mut self.broken }
    }
}

/// A value in a few words.
fn summary(value: Option<&Value>) -> String {
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
mod tests;
