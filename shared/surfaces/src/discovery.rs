//! Documents that lead to all other documents and pages: the discovery map, texts and Agent Skills for
//! agents, and catalogs for crawlers.

mod catalogs;
mod limits;
mod map;
mod skill_json;
mod skills;
mod texts;

use crate::documents::{AnyDocument, DOCUMENTS, SECURITY_TXT};
use crate::pages::PAGES;
use registry_model::settings::Settings;

pub use crate::openapi::OPENAPI;
pub use skills::skill_files;

/// Every document of this module, in the order in which lists show them.
pub static GUIDES: &[&AnyDocument] = &[
    &SKILL_JSON,
    &LLMS,
    &LLMS_FULL,
    &AI_TEXT,
    &DISCOVERY_MAP,
    &SKILL_INDEX,
    &SKILL_FILE,
    &API_CATALOG,
    &AGENTMAP,
    &ROBOTS,
];

// One item each, so that a function contains only what it serves.
pub static AGENTMAP: AnyDocument = AnyDocument::of::<catalogs::Agentmap>();
pub static AI_TEXT: AnyDocument = AnyDocument::of::<texts::AiText>();
pub static API_CATALOG: AnyDocument = AnyDocument::of::<catalogs::ApiCatalog>();
pub static DISCOVERY_MAP: AnyDocument = AnyDocument::of::<map::DiscoveryMap>();
pub static LLMS: AnyDocument = AnyDocument::of::<texts::Llms>();
pub static LLMS_FULL: AnyDocument = AnyDocument::of::<texts::LlmsFull>();
pub static ROBOTS: AnyDocument = AnyDocument::of::<texts::Robots>();
pub static SKILL_FILE: AnyDocument = AnyDocument::of::<skills::SkillFile>();
pub static SKILL_INDEX: AnyDocument = AnyDocument::of::<skills::SkillIndex>();
pub static SKILL_JSON: AnyDocument = AnyDocument::of::<skill_json::SkillJson>();

fn guides() -> impl Iterator<Item = &'static AnyDocument> {
    GUIDES.iter().copied().chain([&OPENAPI])
}

fn everything(settings: &Settings) -> impl Iterator<Item = &'static AnyDocument> {
    guides().chain(documents(settings)).chain(PAGES.iter().copied())
}

/// The documents that this registry has: without a contact, it has no security.txt.
fn documents(settings: &Settings) -> impl Iterator<Item = &'static AnyDocument> {
    let missing = if settings.operator_contact.is_none() { SECURITY_TXT.paths } else { &[] };
    DOCUMENTS.iter().copied().filter(move |document| document.paths != missing)
}
