//! The one table of these documents. Functions serve from it, and tests compare it with the template and with what is
//! declared.

#![expect(missing_docs, reason = "a document is documented where it is written")]

use crate::documents::AnyDocument;

/// Every document of this room.
pub static GUIDES: &[&AnyDocument] = &[
    &AGENTMAP,
    &AI_TEXT,
    &API_CATALOG,
    &DISCOVERY_MAP,
    &LLMS,
    &LLMS_FULL,
    &ROBOTS,
    &SKILL_FILE,
    &SKILL_INDEX,
    &SKILL_JSON,
];

// One item each, so that a function holds no more than it serves.
pub static AGENTMAP: AnyDocument = AnyDocument::of::<super::agentmap::Agentmap>();
pub static AI_TEXT: AnyDocument = AnyDocument::of::<super::ai_text::AiText>();
pub static API_CATALOG: AnyDocument = AnyDocument::of::<super::api_catalog::ApiCatalog>();
pub static DISCOVERY_MAP: AnyDocument = AnyDocument::of::<super::map::DiscoveryMap>();
pub static LLMS: AnyDocument = AnyDocument::of::<super::llms::Llms>();
pub static LLMS_FULL: AnyDocument = AnyDocument::of::<super::llms_full::LlmsFull>();
pub static ROBOTS: AnyDocument = AnyDocument::of::<super::robots::Robots>();
pub static SKILL_FILE: AnyDocument = AnyDocument::of::<super::skill_file::SkillFile>();
pub static SKILL_INDEX: AnyDocument = AnyDocument::of::<super::agent_skills::SkillIndex>();
pub static SKILL_JSON: AnyDocument = AnyDocument::of::<super::skill_json::SkillJson>();

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::contents::{self, OPENAPI};

    #[test]
    fn what_is_declared_is_made() {
        let declared = contents::GUIDES.iter().filter(|entry| **entry != OPENAPI).map(|entry| entry.paths);
        let made = GUIDES.iter().map(|document| document.paths);
        let sorted = |paths: Vec<&'static [&'static str]>| {
            let mut paths = paths;
            paths.sort_unstable();
            paths
        };
        assert_eq!(sorted(declared.collect()), sorted(made.collect()));
        for document in GUIDES {
            let entry = contents::everything().find(|entry| entry.paths == document.paths).unwrap();
            assert_eq!((entry.summary, entry.media_type), (document.summary, document.media_type));
        }
    }
}
