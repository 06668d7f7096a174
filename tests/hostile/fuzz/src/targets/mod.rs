//! Fuzz targets. Each target parses bytes as the registry does, and panics if a guarantee is broken. The
//! fuzzer and the ordinary tests use the same targets, so that both check the corpus in the same way.

mod card;
mod cursor;
mod reply;
mod server_json;
mod url;

use std::fmt;

/// Reads bytes; panics if a guarantee is broken.
pub(super) type Reader = fn(&[u8]) -> Verdict;

/// All targets, by the name of their folder in the corpus.
pub(super) const TARGETS: [(&str, Reader); 5] = [
    ("agent_card", card::read),
    ("server_json", server_json::read),
    ("reply", reply::read),
    ("cursor", cursor::read),
    ("url", url::read),
];

/// The result for the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Accepted,
    /// Accepted by these readers of several.
    AcceptedBy(String),
    /// Refused with these codes.
    Refused(String),
}

impl Verdict {
    /// A refusal with each code once, in the order of discovery.
    fn refused<'a>(codes: impl IntoIterator<Item = &'a str>) -> Self {
        let mut distinct: Vec<&str> = Vec::new();
        for code in codes {
            if !distinct.contains(&code) {
                distinct.push(code);
            }
        }
        Self::Refused(distinct.join(","))
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

#[must_use]
pub(super) fn reader(name: &str) -> Option<Reader> {
    TARGETS.iter().find(|(target, _)| *target == name).map(|(_, reader)| *reader)
}

/// A fault about an untrusted text must be short.
fn assert_short(faults: &registry::model::TextFaults) {
    for text in [&faults.not_plain, &faults.injection].into_iter().flatten() {
        assert!(text.chars().count() < 400, "{text}");
    }
}
