//! Fuzz target: cursors and page tokens. The same text is parsed as each of them. If a cursor is accepted, it
//! is written back as the same text, and its place in the store has the form of a key.

use registry::ard::token::{HitsBefore, ListPosition};
use registry::listing::active_page::{ActivePosition, KindPosition};
use registry::model::{Cursor, InboxPosition, TimeKey};
use registry::registry_api;

use super::Verdict;

/// Maximum length of a key, in bytes: the limit of the store.
const LONGEST_KEY: usize = 1024;

pub(super) fn read(case: &[u8]) -> Verdict {
    let Ok(text) = std::str::from_utf8(case) else { return Verdict::refused(["not_text"]) };
    let results = [
        ("list", list(text)),
        ("feed and tasks", by_time(text)),
        ("inbox", inbox(text)),
        ("ard", ard(text)),
        ("servers", servers(text)),
    ];
    let readers: Vec<&str> =
        results.iter().filter(|(_, accepted)| *accepted).map(|(reader, _)| *reader).collect();
    if readers.is_empty() { Verdict::refused(["foreign"]) } else { Verdict::AcceptedBy(readers.join(",")) }
}

fn assert_key(key: &str) {
    assert!(key.len() <= LONGEST_KEY, "{} bytes", key.len());
    let time = key.split_once('#').map(|(time, _)| time);
    assert!(time.is_some_and(|time| time.len() == 13 && time.bytes().all(|b| b.is_ascii_digit())), "{key}");
}

/// The position, after a check that it is written as the same text.
fn position<T: std::fmt::Display + std::str::FromStr>(text: &str) -> Option<T> {
    let cursor: Cursor<T> = text.parse().ok()?;
    assert_eq!(cursor.to_string(), text);
    Some(cursor.0)
}

fn list(text: &str) -> bool {
    let Some(position) = position::<ActivePosition>(text) else { return false };
    for place in [&position.agents, &position.mcps] {
        if let KindPosition::After(key) = place {
            assert_key(key);
        }
    }
    true
}

fn by_time(text: &str) -> bool {
    let Some(key) = position::<TimeKey>(text) else { return false };
    assert_key(key.as_str());
    true
}

fn inbox(text: &str) -> bool {
    let Some(position) = position::<InboxPosition>(text) else { return false };
    assert_key(&position.before);
    true
}

fn ard(text: &str) -> bool {
    let hits = position::<HitsBefore>(text);
    assert!(hits.is_none_or(|hits| hits.0 <= 100_000));
    let place = position::<ListPosition>(text);
    assert!(place.as_ref().is_none_or(|place| place.rows <= 100_000));
    assert!(hits.is_none() || place.is_none(), "a token is of one kind");
    hits.is_some() || place.is_some()
}

fn servers(text: &str) -> bool {
    let Ok(cursor) = registry_api::Cursor::read(text) else { return false };
    if let registry_api::Cursor::Deleted(Some(key)) | registry_api::Cursor::Packages(Some(key)) = &cursor {
        assert_key(key);
    }
    assert_eq!(cursor.write(), text);
    true
}
