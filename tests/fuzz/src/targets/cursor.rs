//! Cursors and page tokens, all with the same text: an accepted cursor writes back the same text, and its place in the store
//! has the form of a key.

use registry::a2a::page_token;
use registry::ard::token;
use registry::registry_api;
use registry::views::active_page::{Cursor, Place};
use registry::views::inbox_cursor::InboxCursor;
use registry::views::time_cursor;

use super::Verdict;

/// Maximum length of a key, in bytes: the limit of the store.
const LONGEST_KEY: usize = 1024;

pub(super) fn read(case: &[u8]) -> Verdict {
    let Ok(text) = std::str::from_utf8(case) else { return Verdict::refused(["not_text"]) };
    let results = [
        ("list", list(text)),
        ("feed", feed(text)),
        ("inbox", inbox(text)),
        ("tasks", tasks(text)),
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

fn list(text: &str) -> bool {
    let Ok(cursor) = Cursor::read(text) else { return false };
    for place in [&cursor.agents, &cursor.mcps] {
        if let Place::After(key) = place {
            assert_key(key);
        }
    }
    assert_eq!(cursor.write().as_deref(), Some(text));
    true
}

fn feed(text: &str) -> bool {
    let Ok(place) = time_cursor::read(text, "cursor") else { return false };
    assert_key(&place);
    assert_eq!(time_cursor::write(&place), text);
    true
}

fn inbox(text: &str) -> bool {
    let Ok(cursor) = InboxCursor::read(text) else { return false };
    assert_key(&cursor.before);
    assert_eq!(cursor.write(), text);
    true
}

fn tasks(text: &str) -> bool {
    let Ok(key) = page_token::decode(text) else { return false };
    assert_key(&key);
    assert_eq!(page_token::encode(&key), text);
    true
}

fn ard(text: &str) -> bool {
    if text.is_empty() {
        return false;
    }
    let hits = token::hits(Some(text));
    if let Ok(hits) = &hits {
        assert!(*hits <= 100_000);
        assert_eq!(token::after_hits(*hits), text);
    }
    let place = token::place(Some(text));
    if let Ok(place) = &place {
        assert!(place.rows <= 100_000);
        assert_eq!(token::at_place(place), text);
    }
    assert!(hits.is_err() || place.is_err(), "a token is of one kind");
    hits.is_ok() || place.is_ok()
}

fn servers(text: &str) -> bool {
    let Ok(cursor) = registry_api::Cursor::read(text) else { return false };
    if let registry_api::Cursor::Fallen(Some(key)) = &cursor {
        assert_key(key);
    }
    assert_eq!(cursor.write(), text);
    true
}
