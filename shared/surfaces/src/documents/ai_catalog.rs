//! The catalog for ARD crawlers in two formats with the same entries. `/.well-known/ai-catalog.json` has the
//! strict format of the AI catalog (`specVersion` 1.0, no other fields). `/.well-known/ard.json` is JSON-LD.

use super::document::{Render, json};
use crate::ard::catalog_entry::{self, CatalogEntry};
use crate::prelude::*;
use registry_features::listing::active_page::{self, ActivePosition, PageQuery};
use registry_search::AbilityNames;

pub(super) const STRICT: &str = "/.well-known/ai-catalog.json";
const LINKED: &str = "/.well-known/ard.json";

/// Listings of each kind, the newest: the others are found through the search API, which is one of the entries.
const MAX_LISTED: u32 = 100;
const CONTEXT: &str = "https://agenticresourcediscovery.org/context/v1";

/// The links by which ARD clients find the catalogues (RFC 8288; ARD 0.9 and 0.91).
pub(super) const CATALOGUE_LINKS: [(&str, &str); 2] = [
    ("link", "</.well-known/ai-catalog.json>; rel=\"ai-catalog\""),
    ("link", "</.well-known/ard.json>; rel=\"ard\""),
];

/// The strict form (ard-spec, ai-catalog.schema.json: no other member at the top).
pub static AI_CATALOG: AnyDocument = AnyDocument {
    paths: &[STRICT],
    summary: "The catalog of this registry for ARD crawlers, with the 100 newest Live listings of each kind; `/api/ard/agents` has all. The `url` of an MCP server that has no card is its endpoint.",
    validator: |app, request| Ok(Some(validator(app, request.live, STRICT))),
    ..catalog(|app, _| Box::pin(with_head(app, ("specVersion", "1.0"))))
};

pub static LINKED_CATALOG: AnyDocument = AnyDocument {
    paths: &[LINKED],
    summary: "The same catalog as JSON-LD.",
    validator: |app, request| Ok(Some(validator(app, request.live, LINKED))),
    ..catalog(|app, _| Box::pin(with_head(app, ("@context", CONTEXT))))
};

const fn catalog(render: Render) -> AnyDocument {
    AnyDocument {
        media_type: "application/ai-catalog+json",
        max_age_s: Some(60),
        headers: &CATALOGUE_LINKS,
        shows_live: true,
        ..AnyDocument::of::<Map<String, Value>>(render)
    }
}

async fn with_head(app: &App, (name, value): (&str, &str)) -> Result<Bytes, Problem> {
    json(&json!({ name: value, "host": host(app), "entries": entries(app).await? }))
}

fn host(app: &App) -> Value {
    let settings = &app.settings;
    json!({ "displayName": settings.brand, "documentationUrl": settings.url("/discovery.json") })
}

fn validator(app: &App, live: Live, name: &str) -> CacheValidator {
    let (base_url, brand) = (&app.settings.base_url, &app.settings.brand);
    active_page::validator(app, live, &format!("{name}/{}/{base_url}/{brand}", registry_model::VERSION))
}

/// The registry's own listings are not repeated among the listings.
async fn entries(app: &App) -> Result<Vec<CatalogEntry>, Problem> {
    let newest = PageQuery { only: None, from: ActivePosition::default(), limit: MAX_LISTED };
    let page = active_page::Page::read(app, &newest).await?;
    let mut listings: Vec<_> = page.agents.into_iter().chain(page.mcps).collect();
    listings.sort_by_cached_key(|listing| std::cmp::Reverse(listing.list_position()));
    let mut entries = catalog_entry::own_entries(&app.settings);
    let own: HashSet<String> = entries.iter().map(|entry| entry.identifier.clone()).collect();
    let listed =
        listings.iter().map(|listing| CatalogEntry::of(listing, AbilityNames::default(), &app.settings));
    entries.extend(listed.filter(|entry| !own.contains(&entry.identifier)));
    Ok(entries)
}
