//! The filter of the list (ARD Appendix A): conditions as text, joined by AND. Example: `type =
//! 'application/mcp-server-card+json' AND createdAfter > '2026-01-01'`.

use std::str::FromStr;

use jiff::civil::{Date, DateTime};

use super::filter::{Filter, Kinds};
use crate::prelude::*;

const FIELDS: &str = "displayName, type (or mediaType), publisherId (or publisher), createdAfter, updatedAfter, identifier, tags, capabilities, \
    version, metadata.<name>";
/// In characters.
pub(super) const MAX_CHARS: usize = 2000;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ListFilter {
    pub(super) values: Filter,
    /// The name must contain one text of each set.
    names: Vec<Vec<String>>,
    created_after: Option<Moment>,
    pub(super) updated_after: Option<Moment>,
}

impl ListFilter {
    pub(super) fn read(text: &str) -> Result<Self, Problem> {
        let mut read =
            Self { values: Filter::NONE, names: Vec::new(), created_after: None, updated_after: None };
        if text.chars().count() > MAX_CHARS {
            return Err(Problem::malformed(format!("`filter` is too long: at most {MAX_CHARS} characters.")));
        }
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (condition, after) = condition(rest)?;
            read = read.and(&condition)?;
            rest = joined(after)?;
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
        let name = listing.name.to_lowercase();
        let live_since = listing.live_since.unwrap_or(listing.listed_at);
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
fn joined(text: &str) -> Result<&str, Problem> {
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
mod tests {
    use super::*;

    #[test]
    fn conditions_of_a_list_filter_are_parsed() {
        let read = |text: &str| ListFilter::read(text).unwrap();
        let both = read("type = 'application/mcp-server-card+json' AND createdAfter > '2026-01-01'");
        assert_eq!(both.kinds(), Kinds::Only(Kind::Mcp));
        assert_eq!(both.created_after, Some("2026-01-01T00:00:00Z".parse().unwrap()));
        let both = read("updatedAfter=2026-01-01T10:00:00+02:00 and displayName:\"Weather, Maps\"");
        assert_eq!(both.updated_after, Some("2026-01-01T08:00:00Z".parse().unwrap()));
        assert_eq!(both.names, [["weather", "maps"]]);
        assert!(read("publisherId = 'acme.dev,b.dev' & metadata.category = other").looks_at_entries());
        assert!(!read("  ").looks_at_entries());
    }

    #[test]
    fn invalid_filter_is_rejected() {
        for text in [
            "type",
            "type =",
            "= 'x'",
            "type 'x'",
            "type = 'x",
            "type = 'x' OR type = 'y'",
            "type = 'x' AND",
            "secret = 'x'",
            "createdAfter > 'yesterday'",
            "type > 'x'",
            "updatedAt = '2026-01-01'",
            "metadata. = 'x'",
            "NOT type = 'x'",
            "*",
            "🦀 = 'x'",
            "'; DROP TABLE x; --",
        ] {
            assert!(ListFilter::read(text).is_err(), "{text}");
        }
        assert!(ListFilter::read(&"x".repeat(3000)).is_err());
    }
}
