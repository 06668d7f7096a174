//! Page cursors: a position in a list, as base64url. Clients do not interpret a cursor. Anyone can send one, so a
//! cursor is checked when it comes back.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::Moment;
use crate::error::{Code, Problem};

/// A cursor that stands for a position. The `Display` and `FromStr` of the position are its text form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor<T>(pub T);

/// The text is not a cursor that this registry issued for this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignCursor;

impl<T: fmt::Display> fmt::Display for Cursor<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&URL_SAFE_NO_PAD.encode(self.0.to_string()))
    }
}

/// Each position has exactly one cursor, so that caches and logs can compare cursors.
impl<T: fmt::Display + FromStr> FromStr for Cursor<T> {
    type Err = ForeignCursor;

    fn from_str(text: &str) -> Result<Self, ForeignCursor> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| ForeignCursor)?;
        let position = String::from_utf8(bytes).map_err(|_| ForeignCursor)?;
        let cursor = Self(position.parse().map_err(|_| ForeignCursor)?);
        if cursor.to_string() == text { Ok(cursor) } else { Err(ForeignCursor) }
    }
}

impl<T: fmt::Display + FromStr> Cursor<T> {
    /// The position of the argument `cursor`. `member` is the name under which answers contain the cursor.
    ///
    /// # Errors
    /// 422: this registry did not issue the cursor.
    pub fn position(cursor: Option<&str>, member: &str) -> Result<Option<T>, Problem> {
        let foreign = |_| {
            let detail =
                format!("`cursor` must be the {member} of an earlier page; leave it out for the first page.");
            Problem::invalid("cursor", Code::BadCursor, detail)
        };
        cursor.map(|text| text.parse::<Self>().map(|cursor| cursor.0).map_err(foreign)).transpose()
    }
}

/// The sort key of an item in a list that is sorted by time: 13 digits of milliseconds, `#`, an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeKey(String);

text_type!(TimeKey, InvalidTimeKey, "not the sort key of an item in a list by time", |key: String| {
    let is_time = |time: &str| time.len() == 13 && time.bytes().all(|b| b.is_ascii_digit());
    // DynamoDB allows no longer sort key.
    let is_key = key.len() <= 1024 && key.split_once('#').is_some_and(|(time, _)| is_time(time));
    is_key.then_some(key)
});

/// A position in an inbox. All pages of a visit have the same `read_until`, so they mark the same messages as new.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxPosition {
    /// The sort key of the last message of the previous page.
    pub before: String,
    /// The time up to which messages were read before the first page.
    pub read_until: Option<Moment>,
}

impl fmt::Display for InboxPosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}#", self.before)?;
        self.read_until.map_or(Ok(()), |at| at.as_millisecond().fmt(formatter))
    }
}

impl FromStr for InboxPosition {
    type Err = ForeignCursor;

    fn from_str(text: &str) -> Result<Self, ForeignCursor> {
        let (before, read_until) = text.rsplit_once('#').ok_or(ForeignCursor)?;
        let TimeKey(before) = before.parse::<TimeKey>().map_err(|_| ForeignCursor)?;
        Ok(Self { before, read_until: read_until.parse().ok().and_then(Moment::from_millisecond) })
    }
}
