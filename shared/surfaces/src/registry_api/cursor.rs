//! The cursor of the server list: the name and the id of a listing, with a colon between them. The official
//! service uses the same form with name and version. Its guide shows cursors that are sent without encoding.

use super::query::malformed;
use registry_formats::server_json::is_name;
use registry_model::ListingId;
use registry_model::error::Problem;

/// Stands before a place among the servers that are no longer Live. A name has a slash, so none is mistaken for it.
const FALLEN: &str = "deleted";

/// Where a page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// After this place among what is Live: a name, a space and an id.
    Live(String),
    /// After this place among what fell (a time, `#` and an id), or at its beginning.
    Fallen(Option<String>),
}

impl Cursor {
    /// Reads a cursor that [`Cursor::write`] wrote.
    ///
    /// # Errors
    /// 400: this registry did not issue it.
    pub fn read(text: &str) -> Result<Self, Problem> {
        let is_id = |id: &str| id.parse::<ListingId>().is_ok();
        let is_time = |time: &str| time.len() == 13 && time.bytes().all(|b| b.is_ascii_digit());
        let read = match text.split_once(':') {
            Some((FALLEN, "")) => Some(Self::Fallen(None)),
            Some((FALLEN, place)) => place
                .split_once(':')
                .filter(|(time, id)| is_time(time) && is_id(id))
                .map(|(time, id)| Self::Fallen(Some(format!("{time}#{id}")))),
            Some((name, id)) if is_name(name) && is_id(id) => Some(Self::Live(format!("{name} {id}"))),
            _ => None,
        };
        read.ok_or_else(|| {
            let detail =
                "`cursor` must be the metadata.nextCursor of an earlier page; leave it out for the first.";
            malformed("cursor", "bad_cursor", detail.to_owned())
        })
    }

    pub fn write(&self) -> String {
        match self {
            Self::Live(place) => place.replace(' ', ":"),
            Self::Fallen(place) => {
                format!("{FALLEN}:{}", place.as_deref().unwrap_or_default().replace('#', ":"))
            }
        }
    }
}
