//! Page tokens: opaque to the client, as ARD requires, and checked when they come back, because anyone can
//! send one.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::ArdError;

/// The deepest offset that a token may have.
const DEEPEST: usize = 100_000;

/// The token of the page after `hits` hits.
#[must_use]
pub fn after_hits(hits: usize) -> String {
    URL_SAFE_NO_PAD.encode(format!("hits:{hits}"))
}

/// How many hits lie before the page.
///
/// # Errors
/// 400: this registry did not issue the token.
pub fn hits(token: Option<&str>) -> Result<usize, ArdError> {
    let Some(token) = token.filter(|token| !token.is_empty()) else { return Ok(0) };
    let count = read(token, "hits:").and_then(|count| count.parse().ok());
    // A number may also be read from `+1` and `01`, which nobody was given.
    count.filter(|count| *count <= DEEPEST && after_hits(*count) == token).ok_or_else(foreign)
}

/// A position in the list: a number of rows after a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The name after which rows are read; `None` from the first.
    pub after: Option<String>,
    /// How many of those rows lie before the page.
    pub rows: usize,
}

/// The token that goes on at a place of the list.
#[must_use]
pub fn at_place(place: &Place) -> String {
    URL_SAFE_NO_PAD.encode(format!("list:{}:{}", place.rows, place.after.as_deref().unwrap_or_default()))
}

/// At which place of the list the page begins.
///
/// # Errors
/// 400: this registry did not issue the token.
pub fn place(token: Option<&str>) -> Result<Place, ArdError> {
    let Some(token) = token.filter(|token| !token.is_empty()) else { return Ok(Place::default()) };
    let written = read(token, "list:").ok_or_else(foreign)?;
    let (rows, after) = written.split_once(':').ok_or_else(foreign)?;
    let rows = rows.parse().ok().filter(|rows| *rows <= DEEPEST).ok_or_else(foreign)?;
    let place = Place { after: Some(after.to_owned()).filter(|after| !after.is_empty()), rows };
    if at_place(&place) == token { Ok(place) } else { Err(foreign()) }
}

fn read(token: &str, sort: &str) -> Option<String> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
    text.strip_prefix(sort).map(str::to_owned)
}

fn foreign() -> ArdError {
    ArdError::invalid(
        "`pageToken` must be the pageToken of an earlier page; leave it out for the first page.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_survives_a_round_trip() {
        assert_eq!(hits(Some(&after_hits(40))).unwrap(), 40);
        for there in [Place::default(), Place { after: Some("org.example/Größe: x".to_owned()), rows: 7 }] {
            assert_eq!(place(Some(&at_place(&there))).unwrap(), there);
        }
        assert_eq!((hits(None).unwrap(), place(Some("")).unwrap()), (0, Place::default()));
    }

    #[test]
    fn a_foreign_token_is_refused() {
        for token in [
            "nonsense!",
            "e30",
            &at_place(&Place::default()),
            &after_hits(DEEPEST + 1),
            &URL_SAFE_NO_PAD.encode("hits:-1"),
            &URL_SAFE_NO_PAD.encode("hits:+1"),
            &URL_SAFE_NO_PAD.encode("hits:01"),
        ] {
            assert!(hits(Some(token)).is_err(), "{token}");
        }
        assert!(place(Some(&after_hits(1))).is_err());
        assert!(place(Some(&URL_SAFE_NO_PAD.encode("list:+1:a"))).is_err());
    }
}
