//! What is fuzzed: each target reads bytes as the registry does and panics where a promise about them is broken. The
//! fuzzer and the ordinary tests share it, so that the corpus is held to the same promises by both.

mod card;
mod cursor;
mod reply;
mod server_json;
mod url;

use std::fmt;

/// Reads bytes; panics where a promise is broken.
pub(super) type Reader = fn(&[u8]) -> Verdict;

/// All of them, by the name of their folder in the corpus.
pub(super) const TARGETS: [(&str, Reader); 5] = [
    ("agent_card", card::read),
    ("server_json", server_json::read),
    ("reply", reply::read),
    ("cursor", cursor::read),
    ("url", url::read),
];

/// What came of the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// They were taken.
    Accepted,
    /// They were taken by these readers of several.
    AcceptedBy(String),
    /// They were refused, with these codes.
    Refused(String),
}

impl Verdict {
    /// A refusal with every code once, in the order in which they were found.
    fn refused<'a>(codes: impl IntoIterator<Item = &'a str>) -> Self {
        let mut once: Vec<&str> = Vec::new();
        for code in codes {
            if !once.contains(&code) {
                once.push(code);
            }
        }
        Self::Refused(once.join(","))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted => formatter.write_str("accepted"),
            Self::AcceptedBy(readers) => write!(formatter, "accepted {readers}"),
            Self::Refused(codes) => write!(formatter, "refused {codes}"),
        }
    }
}

/// The target of this name.
#[must_use]
pub(super) fn reader(name: &str) -> Option<Reader> {
    TARGETS.iter().find(|(known, _)| *known == name).map(|(_, reader)| *reader)
}

/// What is told of a stranger's texts is a line, and no flood.
fn hold_short(faults: &registry::model::TextFaults) {
    for told in [&faults.not_plain, &faults.injection].into_iter().flatten() {
        assert!(told.chars().count() < 400, "{told}");
    }
}
