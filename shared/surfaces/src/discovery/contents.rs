//! What there is to read, as lists tell it. The documents of this room are declared here, apart from where they are
//! made, so that each of them can list all of them.

use crate::documents::{AnyDocument, DOCUMENTS};
use crate::pages::PAGES;

/// A document or page in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where it stands, as axum writes paths.
    pub paths: &'static [&'static str],
    /// What it is, in a sentence.
    pub summary: &'static str,
    /// Its media type.
    pub media_type: &'static str,
}

impl Entry {
    const fn json(paths: &'static [&'static str], summary: &'static str) -> Self {
        Self { paths, summary, media_type: "application/json" }
    }

    const fn text(paths: &'static [&'static str], summary: &'static str) -> Self {
        Self { paths, summary, media_type: "text/plain; charset=utf-8" }
    }

    /// How a document above or below this room is listed.
    #[must_use]
    pub const fn of(document: &AnyDocument) -> Self {
        Self { paths: document.paths, summary: document.summary, media_type: document.media_type }
    }

    /// Whether there is nothing to fill in in its first path.
    pub(super) fn is_plain(&self) -> bool {
        !self.path().contains('{')
    }

    /// Its first path, with `{name}` for what is to be filled in.
    pub(super) fn path(&self) -> String {
        self.paths.first().map(|path| path.replace("{*", "{")).unwrap_or_default()
    }
}

pub(super) const MAP: Entry = Entry::json(
    &["/discovery.json"],
    "The map of this registry: its endpoints, tools and documents, its offer, its limits, and how the probing goes.",
);
pub(super) const SKILL_JSON: Entry = Entry::json(
    &["/skill.json"],
    "The steps by which an agent lists itself and claims the founding offer, each as a request that can be sent.",
);
pub(super) const LLMS: Entry = Entry::text(
    &["/llms.txt"],
    "What this registry is and where to read on, for language models (llmstxt.org).",
);
pub(super) const LLMS_FULL: Entry = Entry::text(
    &["/llms-full.txt"],
    "Everything in one text: how to list, every operation with its arguments, every document, the limits.",
);
pub(super) const AI_TEXT: Entry = Entry::text(&["/ai.txt"], "What agents are asked to do here, in short.");
pub(super) const ROBOTS: Entry =
    Entry::text(&["/robots.txt"], "What crawlers may read, and for what (RFC 9309).");
pub(super) const AGENTMAP: Entry = Entry::json(
    &["/agentmap.json", "/.well-known/agentmap.json"],
    "Where agents find the cards, catalogues, search and feed of this registry.",
);
pub(super) const SKILL_FILE: Entry = Entry {
    paths: &["/skills/{name}"],
    summary: "An Agent Skill: how an agent does one thing with this registry, step by step.",
    media_type: "text/markdown; charset=utf-8",
};
pub(super) const SKILL_INDEX: Entry = Entry::json(
    &["/.well-known/agent-skills/index.json"],
    "The Agent Skills of this registry with their digests (discovery RFC 0.2.0).",
);
pub(super) const API_CATALOG: Entry = Entry {
    paths: &["/.well-known/api-catalog"],
    summary: "The APIs of this registry and what describes each (RFC 9727).",
    media_type: "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"",
};

/// The description of the API, which is made from all documents, these among them.
pub const OPENAPI: Entry = Entry::json(
    &["/openapi.json"],
    "The OpenAPI 3.1 description of every path: arguments, answers, examples and errors.",
);

/// What tells of everything else, the first to read first.
pub(super) const GUIDES: [Entry; 11] = [
    SKILL_JSON,
    LLMS,
    LLMS_FULL,
    AI_TEXT,
    MAP,
    OPENAPI,
    SKILL_INDEX,
    SKILL_FILE,
    API_CATALOG,
    AGENTMAP,
    ROBOTS,
];

/// The other documents, and the pages.
pub(super) fn documents() -> impl Iterator<Item = Entry> {
    [DOCUMENTS, PAGES].into_iter().flatten().copied().map(Entry::of)
}

/// What people read.
pub(super) fn pages() -> impl Iterator<Item = Entry> {
    PAGES.iter().copied().map(Entry::of)
}

/// Every document and page.
pub fn everything() -> impl Iterator<Item = Entry> {
    GUIDES.into_iter().chain(documents()).chain(pages())
}
