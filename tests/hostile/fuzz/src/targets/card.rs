//! Fuzz target: agent cards. Each stored field is limited, and the address guard checks the interface URLs.

use registry::formats::agent_card::{self, AgentCard, Binding, CardFault, OtherDocument};
use registry::formats::document_texts;
use registry::formats::limits::{LONGEST_DESCRIPTION, LONGEST_NAME, MAX_SKILLS, MAX_WORD_CHARS, MOST_TAGS};
use registry::model::protocol::MAX_URL_BYTES;

use super::{Verdict, assert_short, url};

/// Maximum number of reported faults per card.
const MAX_FAULTS: usize = 40;
/// Maximum characters of the `seen` text of a fault.
const MAX_SEEN: usize = 250;

pub(super) fn read(body: &[u8]) -> Verdict {
    if let Ok(document) = agent_card::document(body) {
        assert_short(&document_texts::of_card(&document));
    }
    match agent_card::read_body(body) {
        Ok(card) => {
            assert_limits(&card);
            if card.broken.is_empty() {
                Verdict::Accepted
            } else {
                Verdict::refused(card.broken.iter().map(|fault| fault.code))
            }
        }
        Err(CardFault::NotACard(OtherDocument { seen, .. })) => {
            assert!(!seen.is_empty() && seen.chars().count() <= MAX_SEEN, "{seen}");
            Verdict::refused(["not_a_card"])
        }
        Err(CardFault::Invalid(faults)) => {
            assert!(!faults.is_empty() && faults.len() <= MAX_FAULTS);
            Verdict::refused(faults.iter().map(|fault| fault.code))
        }
    }
}

fn assert_limits(card: &AgentCard) {
    // Truncated texts have one more character, for the ellipsis.
    let is_short = |text: &str, longest: usize| text.chars().count() <= longest + 1;
    assert!(!card.name.trim().is_empty() && is_short(&card.name, LONGEST_NAME));
    assert!(is_short(&card.description, LONGEST_DESCRIPTION));
    assert!(card.version.as_deref().is_none_or(|version| is_short(version, MAX_WORD_CHARS)));
    assert!(card.skills.len() <= MAX_SKILLS && !card.interfaces.is_empty() && card.interfaces.len() <= 20);
    assert!(card.broken.len() <= MAX_FAULTS && card.warnings.len() <= MAX_FAULTS);
    for fault in card.broken.iter().chain(&card.warnings) {
        assert!(fault.seen.chars().count() <= MAX_SEEN && fault.path.chars().count() <= 200, "{fault:?}");
    }
    for skill in &card.skills {
        assert!(skill.tags.len() <= MOST_TAGS && is_short(&skill.name, LONGEST_NAME));
        assert!(is_short(&skill.id, LONGEST_NAME) && is_short(&skill.description, LONGEST_DESCRIPTION));
    }
    for link in card.documentation_url.iter().chain(&card.provider_url) {
        assert!(link.len() <= MAX_URL_BYTES && (link.starts_with("https://") || link.starts_with("http://")));
    }
    for interface in &card.interfaces {
        assert!(interface.url.len() <= MAX_URL_BYTES);
        if interface.binding != Binding::Grpc {
            url::judge(&interface.url);
        }
    }
    for (index, dialect) in card.dialects.iter().enumerate() {
        assert!(!card.dialects[..index].contains(dialect));
    }
}
