//! The cursor of lists in order of time, the newest first: the last sort key of the previous page, encoded.
//! Feeds and inboxes share it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use registry_model::error::Problem;

pub fn write(place: &str) -> String {
    URL_SAFE_NO_PAD.encode(place)
}

/// Reads what [`write`] wrote; `member` is the name of the cursor in the answers.
pub fn read(cursor: &str, member: &str) -> Result<String, Problem> {
    let refuse = || foreign(member);
    let bytes = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| refuse())?;
    let place = String::from_utf8(bytes).map_err(|_| refuse())?;
    let sound = place.len() <= 300
        && place
            .split_once('#')
            .is_some_and(|(millis, _)| millis.len() == 13 && millis.bytes().all(|b| b.is_ascii_digit()));
    if sound { Ok(place) } else { Err(refuse()) }
}

pub(super) fn foreign(member: &str) -> Problem {
    let detail =
        format!("`cursor` must be the {member} of an earlier page; leave it out for the first page.");
    Problem::invalid("cursor", "bad_cursor", detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_survives_a_round_trip() {
        assert_eq!(read(&write("1795132800000#agent-a"), "cursor").unwrap(), "1795132800000#agent-a");
    }

    #[test]
    fn foreign_cursor_is_rejected() {
        for place in ["", "x", "17951328#a", "1795132800000", &format!("1795132800000#{}", "x".repeat(300))] {
            assert!(read(&write(place), "cursor").is_err(), "{place}");
        }
        assert!(read("no base64!", "cursor").is_err());
    }
}
