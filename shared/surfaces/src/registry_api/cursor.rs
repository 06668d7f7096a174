//! The cursor of the server list: the name and the id of a listing, with a colon between them. The official
//! service uses the same form with name and version. Its guide shows cursors that are sent without encoding.

use super::query::malformed;
use crate::prelude::*;
use registry_formats::server_json::is_name;

/// Before a place among the packages, and before one among the servers that are no longer Live. A name has a slash, so
/// none is mistaken for it.
const PACKAGES: &str = "packages";
const DELETED: &str = "deleted";

/// Where a page begins: in which part of the list, and after which place in it. Without a place, at its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// Live and gated servers. A place is a name, a space and an id.
    Live(Option<String>),
    /// Servers that run on the machine of their user. A place is a time, `#` and an id.
    Packages(Option<String>),
    /// Servers that are no longer listed. A place is a time, `#` and an id.
    Deleted(Option<String>),
}

impl Cursor {
    /// Reads a cursor that [`Cursor::write`] wrote.
    ///
    /// # Errors
    /// 400: this registry did not issue it.
    pub fn read(text: &str) -> Result<Self, Problem> {
        let is_id = |id: &str| id.parse::<ListingId>().is_ok();
        let is_time = |time: &str| time.len() == 13 && time.bytes().all(|b| b.is_ascii_digit());
        let place = |place: &str| match place.split_once(':') {
            Some((time, id)) if is_time(time) && is_id(id) => Some(Some(format!("{time}#{id}"))),
            None if place.is_empty() => Some(None),
            _ => None,
        };
        let read = match text.split_once(':') {
            Some((PACKAGES, rest)) => place(rest).map(Self::Packages),
            Some((DELETED, rest)) => place(rest).map(Self::Deleted),
            Some((name, id)) if is_name(name) && is_id(id) => Some(Self::Live(Some(format!("{name} {id}")))),
            _ => None,
        };
        read.ok_or_else(|| {
            let detail =
                "`cursor` must be the metadata.nextCursor of an earlier page; leave it out for the first.";
            malformed("cursor", "bad_cursor", detail.to_owned())
        })
    }

    pub fn write(&self) -> String {
        let text = |place: &Option<String>| place.as_deref().unwrap_or_default().replace([' ', '#'], ":");
        match self {
            Self::Live(place) => text(place),
            Self::Packages(place) => format!("{PACKAGES}:{}", text(place)),
            Self::Deleted(place) => format!("{DELETED}:{}", text(place)),
        }
    }
}
