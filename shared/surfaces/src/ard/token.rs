//! The positions in ARD page tokens. ARD requires that clients do not interpret a token.

use std::fmt;
use std::str::FromStr;

use registry_model::error::Problem;
use registry_model::{Cursor, ForeignCursor};

/// The deepest offset that a token may have.
const MAX_OFFSET: usize = 100_000;

/// The number of hits before the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HitsBefore(pub usize);

/// A position in the list: a number of rows after a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListPosition {
    /// The name after which rows are read; `None` from the first.
    pub after: Option<String>,
    /// How many of those rows lie before the page.
    pub rows: usize,
}

/// The position in a token; the start of the list without a token.
///
/// # Errors
/// 400: this registry did not issue the token.
pub(super) fn position<T: Default + fmt::Display + FromStr>(token: Option<&str>) -> Result<T, Problem> {
    let Some(token) = token.filter(|token| !token.is_empty()) else { return Ok(T::default()) };
    let cursor = token.parse::<Cursor<T>>().map_err(|_| {
        Problem::malformed(
            "`pageToken` must be the pageToken of an earlier page; leave it out for the first page.",
        )
    })?;
    Ok(cursor.0)
}

impl fmt::Display for HitsBefore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "hits:{}", self.0)
    }
}

impl FromStr for HitsBefore {
    type Err = ForeignCursor;

    fn from_str(text: &str) -> Result<Self, ForeignCursor> {
        text.strip_prefix("hits:").and_then(offset).map(Self).ok_or(ForeignCursor)
    }
}

impl fmt::Display for ListPosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "list:{}:{}", self.rows, self.after.as_deref().unwrap_or_default())
    }
}

impl FromStr for ListPosition {
    type Err = ForeignCursor;

    fn from_str(text: &str) -> Result<Self, ForeignCursor> {
        let (rows, after) =
            text.strip_prefix("list:").and_then(|text| text.split_once(':')).ok_or(ForeignCursor)?;
        let after = Some(after.to_owned()).filter(|after| !after.is_empty());
        Ok(Self { after, rows: offset(rows).ok_or(ForeignCursor)? })
    }
}

fn offset(text: &str) -> Option<usize> {
    text.parse().ok().filter(|offset| *offset <= MAX_OFFSET)
}

#[cfg(test)]
mod tests;
