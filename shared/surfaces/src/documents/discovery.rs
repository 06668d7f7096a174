//! Documents that lead to all other documents and pages: the discovery map, texts and Agent Skills for
//! agents, and catalogs for crawlers.

mod catalogs;
mod limits;
mod map;
mod skills;
mod texts;

use crate::documents::DOCUMENTS;
use crate::pages::PAGES;
use crate::prelude::*;

// One item each, so that a function contains only what it serves.
pub use crate::openapi::OPENAPI;
pub use catalogs::{AGENTMAP, API_CATALOG};
pub use map::DISCOVERY_MAP;
pub use skills::{SKILL_FILE, SKILL_INDEX, SKILL_JSON, skill_files};
pub use texts::{AI_TEXT, LLMS, LLMS_FULL, ROBOTS, SECURITY_TXT};

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
