//! The filters of ARD. That of a query (§7.1) contains paths into an entry, and the accepted values for each path. Every field
//! of an entry can be filtered. If no entry has a path, the filter matches nothing. That of the list (Appendix A) is a text of
//! conditions with AND between them. Example: `type = 'application/mcp-server-card+json' AND createdAfter > '2026-01-01'`.

use std::str::FromStr;

use jiff::civil::{Date, DateTime};

use crate::prelude::*;
use registry_model::protocol::{AGENT_CARD_MEDIA_TYPE, SERVER_CARD_MEDIA_TYPE};

const MAX_PATHS: usize = 8;
const MAX_VALUES_PER_PATH: usize = 64;
/// For a path and for a value.
const MAX_CHARS: usize = 200;

pub(super) fn schema() -> Value {
    json!({
        "type": ["object", "null"],
        "description": "Paths into an entry, with the accepted values.",
        "maxProperties": MAX_PATHS,
        "propertyNames": { "minLength": 1, "maxLength": MAX_CHARS },
        "additionalProperties": values_schema(),
    })
}

pub(super) fn values_schema() -> Value {
    let value = json!({ "type": ["string", "number", "boolean"], "maxLength": MAX_CHARS });
    json!({ "anyOf": [value, { "type": "array", "maxItems": MAX_VALUES_PER_PATH, "items": value }] })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kinds {
    Both,
    Only(Kind),
    Neither,
}

impl Kinds {
    pub(super) fn of_types<'a>(types: impl IntoIterator<Item = &'a str>) -> Self {
        let (mut agents, mut servers) = (false, false);
        for named in types {
            match named.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
                AGENT_CARD_MEDIA_TYPE | "application/agent-card+json" => agents = true,
                SERVER_CARD_MEDIA_TYPE => servers = true,
                _ => {}
            }
        }
        match (agents, servers) {
            (true, true) => Self::Both,
            (true, false) => Self::Only(Kind::Agent),
            (false, true) => Self::Only(Kind::Mcp),
            (false, false) => Self::Neither,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Filter {
    pub(super) kinds: Kinds,
    /// A path, and the values of which one must be present, in lower case.
    others: Vec<(String, HashSet<String>)>,
    /// All paths, including those that select the kinds.
    paths: usize,
}

impl Filter {
    pub(super) const NONE: Self = Self { kinds: Kinds::Both, others: Vec::new(), paths: 0 };

    pub(super) fn read(filter: &Value) -> Result<Self, Problem> {
        let constraints = match filter {
            Value::Null => return Ok(Self::NONE),
            Value::Object(constraints) => constraints,
            _ => {
                return Err(Problem::malformed(
                    "`query.filter` must be an object. Its keys are field paths, and its values are the \
                     accepted values.",
                ));
            }
        };
        let mut read = Self::NONE;
        for (path, values) in constraints {
            let values = values_of(values).ok_or_else(|| {
                let text = shorten(path, 80);
                Problem::malformed(format!("`query.filter`: `{text}` must be a value or a list of values."))
            })?;
            read = read.and(path, values)?;
        }
        Ok(read)
    }

    pub(super) fn and(mut self, path: &str, values: Vec<String>) -> Result<Self, Problem> {
        if path.is_empty() {
            return Err(Problem::malformed(
                "A path of a filter is empty. Name a field of an entry, such as `tags`.",
            ));
        }
        if self.paths >= MAX_PATHS {
            return Err(Problem::malformed(format!(
                "A filter can have at most {MAX_PATHS} paths. Remove the paths that you need least."
            )));
        }
        if values.len() > MAX_VALUES_PER_PATH {
            return Err(Problem::malformed(format!(
                "A path of a filter can have at most {MAX_VALUES_PER_PATH} values. Send the other values in \
                 another request."
            )));
        }
        let is_long = |text: &&str| text.chars().count() > MAX_CHARS;
        let long = values.iter().map(String::as_str).find(is_long).or(Some(path).filter(is_long));
        if let Some(long) = long {
            let text = shorten(long, 80);
            return Err(Problem::malformed(format!(
                "A path or value of a filter can have at most {MAX_CHARS} characters. Shorten or remove `{text}`."
            )));
        }
        self.paths += 1;
        if matches!(path, "type" | "mediaType") && self.kinds == Kinds::Both {
            self.kinds = Kinds::of_types(values.iter().map(String::as_str));
        } else {
            let accepted = values.into_iter().map(|value| value.to_lowercase()).collect();
            self.others.push((path.to_owned(), accepted));
        }
        Ok(self)
    }

    /// Whether more than the kind is constrained, so that entries must be read.
    pub(super) const fn looks_at_entries(&self) -> bool {
        !self.others.is_empty()
    }

    /// The constraint on the kind is not checked again.
    pub(super) fn matches(&self, entry: &Value) -> bool {
        self.others.iter().all(|(path, accepted)| {
            let found = values_at(entry, path);
            found.iter().any(|found| accepted.contains(&found.to_lowercase()))
        })
    }
}

fn values_of(values: &Value) -> Option<Vec<String>> {
    match values {
        Value::Array(values) => values.iter().map(scalar).collect(),
        one => scalar(one).map(|one| vec![one]),
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Lists are flattened; `publisher` is the second part of the URN.
fn values_at(entry: &Value, path: &str) -> Vec<String> {
    if path == "publisher" {
        let urn = entry["identifier"].as_str().unwrap_or_default();
        return urn.split(':').nth(2).map(str::to_owned).into_iter().collect();
    }
    let mut reached = vec![entry];
    for step in path.split('.') {
        reached = reached.into_iter().filter_map(|value| value.get(step)).flat_map(one_by_one).collect();
    }
    reached.into_iter().filter_map(scalar).collect()
}

fn one_by_one(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(values) => values.iter().collect(),
        one => vec![one],
    }
}

const FIELDS: &str = "displayName, type (or mediaType), publisherId (or publisher), createdAfter, updatedAfter, identifier, tags, capabilities, \
    version, metadata.<name>";
/// In characters.
pub(super) const MAX_LIST_FILTER_CHARS: usize = 2000;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ListFilter {
    values: Filter,
    /// The name must contain one text of each set.
    names: Vec<Vec<String>>,
    created_after: Option<Moment>,
    pub(super) updated_after: Option<Moment>,
}

impl ListFilter {
    pub(super) fn read(text: &str) -> Result<Self, Problem> {
        let mut read =
            Self { values: Filter::NONE, names: Vec::new(), created_after: None, updated_after: None };
        if text.chars().count() > MAX_LIST_FILTER_CHARS {
            return Err(Problem::malformed(format!(
                "`filter` is too long: at most {MAX_LIST_FILTER_CHARS} characters."
            )));
        }
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (condition, after) = condition(rest)?;
            read = read.and(&condition)?;
            rest = after_and(after)?;
        }
        Ok(read)
    }

    /// Whether the index cannot apply every condition.
    pub(super) const fn looks_at_entries(&self) -> bool {
        self.values.looks_at_entries() || !self.names.is_empty() || self.created_after.is_some()
    }

    pub(super) const fn kinds(&self) -> Kinds {
        self.values.kinds
    }

    /// Conditions on the kind and on the last change are not checked again.
    pub(super) fn matches(&self, listing: &Listing, entry: &Value) -> bool {
        let name = listing.texts.name.to_lowercase();
        let live_since = listing.proof.live_since.unwrap_or(listing.listed_at);
        self.names.iter().all(|any| any.iter().any(|part| name.contains(part)))
            && self.created_after.is_none_or(|after| live_since > after)
            && self.values.matches(entry)
    }

    fn and(mut self, condition: &Condition<'_>) -> Result<Self, Problem> {
        let Condition { field, later, value } = *condition;
        let values = value.split(',').map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let values: Vec<String> = values.collect();
        match (field, later) {
            ("createdAfter", _) | ("createdAt", true) => self.created_after = Some(moment(value)?),
            ("updatedAfter", _) | ("updatedAt", true) => self.updated_after = Some(moment(value)?),
            ("createdAt" | "updatedAt", false) => {
                return Err(Problem::malformed(format!("`filter`: `{field}` requires `>` and a time.")));
            }
            (field, true) => {
                return Err(Problem::malformed(format!("`filter`: `{}` requires `=`.", shorten(field, 80))));
            }
            ("displayName", _) => self.names.push(values.iter().map(|value| value.to_lowercase()).collect()),
            ("publisherId" | "publisher", _) => self.values = self.values.and("publisher", values)?,
            (field, _) if is_path(field) => self.values = self.values.and(field, values)?,
            (field, _) => {
                let field = shorten(field, 80);
                let detail = format!("`filter`: unknown field `{field}`. Supported: {FIELDS}.");
                return Err(Problem::malformed(detail));
            }
        }
        Ok(self)
    }
}

fn is_path(field: &str) -> bool {
    matches!(field, "type" | "mediaType" | "identifier" | "tags" | "capabilities" | "version")
        || field.strip_prefix("metadata.").is_some_and(|name| !name.is_empty())
}

struct Condition<'a> {
    field: &'a str,
    /// `>` rather than `=`.
    later: bool,
    value: &'a str,
}

/// The first condition of a text, and the rest of the text.
fn condition(text: &str) -> Result<(Condition<'_>, &str), Problem> {
    let unclear = || {
        Problem::malformed(format!(
            "`filter` cannot be parsed at `{}`. Write each condition as field = 'value', and join conditions \
             with AND.",
            shorten(text, 80)
        ))
    };
    let end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')))
        .ok_or_else(unclear)?;
    let (field, rest) = text.split_at(end);
    let rest = rest.trim_start();
    let (later, rest) = match rest.strip_prefix('>') {
        Some(rest) => (true, rest.strip_prefix('=').unwrap_or(rest)),
        None => (false, rest.strip_prefix('=').or_else(|| rest.strip_prefix(':')).ok_or_else(unclear)?),
    };
    let rest = rest.trim_start();
    let (value, after) = match rest.chars().next() {
        Some(quote @ ('\'' | '"')) => rest[1..].split_once(quote).ok_or_else(unclear)?,
        _ => rest.split_at(rest.find(|c: char| c.is_whitespace() || c == '&').unwrap_or(rest.len())),
    };
    if field.is_empty() || value.trim().is_empty() {
        return Err(unclear());
    }
    Ok((Condition { field, later, value }, after))
}

/// The text after the AND; empty at the end of the filter.
fn after_and(text: &str) -> Result<&str, Problem> {
    let rest = text.trim_start();
    if rest.is_empty() {
        return Ok("");
    }
    let word = rest.split(char::is_whitespace).next().unwrap_or_default();
    let after = if word.eq_ignore_ascii_case("AND") {
        &rest[word.len()..]
    } else {
        rest.strip_prefix('&').unwrap_or_default()
    };
    match after.trim_start() {
        "" => Err(Problem::malformed(
            "`filter`: join conditions with AND. OR and NOT are not supported. To accept several values of a \
             field, write 'a,b'.",
        )),
        next => Ok(next),
    }
}

/// A time with a zone, a time in UTC, or a day.
fn moment(text: &str) -> Result<Moment, Problem> {
    let utc =
        |civil: DateTime| civil.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|zoned| zoned.timestamp().into());
    let read =
        Moment::from_str(text).ok().or_else(|| text.parse::<DateTime>().ok().and_then(utc)).or_else(|| {
            text.parse::<Date>().ok().and_then(|day| utc(day.to_datetime(jiff::civil::Time::midnight())))
        });
    read.ok_or_else(|| {
        Problem::malformed(format!(
            "`filter`: `{}` is not an ISO 8601 time such as 2026-11-20T12:00:00Z.",
            shorten(text, 60)
        ))
    })
}

#[cfg(test)]
mod tests;
