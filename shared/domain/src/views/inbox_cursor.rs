//! The cursor of an inbox: where a page begins, and the time up to which messages were already read before
//! the first page. So all pages of one visit mark the same messages as new.

use super::time_cursor;
use registry_model::Moment;
use registry_model::error::Problem;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxCursor {
    /// A position in the order of time.
    pub before: String,
    /// The time up to which messages were read before the first page.
    pub read_until: Option<Moment>,
}

impl InboxCursor {
    pub fn write(&self) -> String {
        let read_until = self.read_until.map(|at| at.as_millisecond().to_string()).unwrap_or_default();
        time_cursor::write(&format!("{}#{read_until}", self.before))
    }

    pub fn read(cursor: &str) -> Result<Self, Problem> {
        let place = time_cursor::read(cursor, "cursor")?;
        let (before, read_until) = place.rsplit_once('#').unwrap_or((&place, ""));
        let read_until = read_until.parse().ok().and_then(Moment::from_millisecond);
        let read = Self { before: before.to_owned(), read_until };
        // A position without its id, or an invalid time, was not issued here.
        if read.before.contains('#') && read.write() == cursor {
            Ok(read)
        } else {
            Err(time_cursor::foreign("cursor"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_survives_a_round_trip() {
        for read_until in [None, Moment::from_millisecond(1_795_132_800_001)] {
            let cursor = InboxCursor { before: "1795132800000#a#b".to_owned(), read_until };
            assert_eq!(InboxCursor::read(&cursor.write()).unwrap(), cursor);
        }
    }

    #[test]
    fn foreign_cursor_is_rejected() {
        for place in [
            "1795132800000#",
            "1795132800000#a",
            "1795132800000#a#x",
            "1795132800000#a#+5",
            "1795132800000#a#05",
        ] {
            assert!(InboxCursor::read(&time_cursor::write(place)).is_err(), "{place}");
        }
    }
}
