//! The catalog for ARD crawlers in two formats with the same entries. `/.well-known/ai-catalog.json` has the
//! strict format of the AI catalog (`specVersion` 1.0, no other fields). `/.well-known/ard.json` is JSON-LD.

use std::collections::HashSet;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::document::{Document, DocumentRequest, NoQuery, Validity, json};
use crate::ard::catalog_entry::{self, CatalogEntry};
use registry_app::App;
use registry_domain::views::active_page::{self, ActivePosition, PageQuery};
use registry_model::cache::CacheValidator;
use registry_model::error::Problem;
use registry_search::AbilityNames;
use registry_store::Live;

pub(super) const MEDIA_TYPE: &str = "application/ai-catalog+json";
pub(super) const STRICT: &str = "/.well-known/ai-catalog.json";
pub(super) const LINKED: &str = "/.well-known/ard.json";

/// Listings of each kind, the newest: the others are found through the search API, which is one of the entries.
const MAX_LISTED: u32 = 100;
const CONTEXT: &str = "https://agenticresourcediscovery.org/context/v1";

/// `max-age` in seconds.
const KEPT_S: u32 = 60;

/// The links by which ARD clients find the catalogues (RFC 8288; ARD 0.9 and 0.91).
pub(super) const CATALOGUE_LINKS: [(&str, &str); 2] = [
    ("link", "</.well-known/ai-catalog.json>; rel=\"ai-catalog\""),
    ("link", "</.well-known/ard.json>; rel=\"ard\""),
];

/// The strict form (ard-spec, ai-catalog.schema.json: no other member at the top).
#[derive(Debug)]
pub(super) struct AiCatalog;

impl Document for AiCatalog {
    const PATHS: &'static [&'static str] = &[STRICT];
    const SUMMARY: &'static str = "The catalog of this registry for ARD crawlers, in the strict form.";
    const MEDIA_TYPE: &'static str = MEDIA_TYPE;
    const MAX_AGE_S: Option<u32> = Some(KEPT_S);
    const HEADERS: &'static [(&'static str, &'static str)] = &CATALOGUE_LINKS;
    const SHOWS_LIVE: bool = true;
    type Query = NoQuery;
    type Answer = Map<String, Value>;

    fn cache_validator(app: &App, request: &DocumentRequest<NoQuery>) -> Validity {
        Ok(Some(validator(app, request.live, STRICT)))
    }

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        json(&json!({ "specVersion": "1.0", "host": host(app), "entries": entries(app).await? }))
    }
}

#[derive(Debug)]
pub(super) struct LinkedCatalog;

impl Document for LinkedCatalog {
    const PATHS: &'static [&'static str] = &[LINKED];
    const SUMMARY: &'static str = "The same catalog as JSON-LD.";
    const MEDIA_TYPE: &'static str = MEDIA_TYPE;
    const MAX_AGE_S: Option<u32> = Some(KEPT_S);
    const HEADERS: &'static [(&'static str, &'static str)] = &CATALOGUE_LINKS;
    const SHOWS_LIVE: bool = true;
    type Query = NoQuery;
    type Answer = Map<String, Value>;

    fn cache_validator(app: &App, request: &DocumentRequest<NoQuery>) -> Validity {
        Ok(Some(validator(app, request.live, LINKED)))
    }

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        json(&json!({ "@context": CONTEXT, "host": host(app), "entries": entries(app).await? }))
    }
}

fn host(app: &App) -> Value {
    let settings = &app.settings;
    json!({ "displayName": settings.brand, "documentationUrl": settings.url("/discovery.json") })
}

fn validator(app: &App, live: Live, name: &str) -> CacheValidator {
    let (base_url, brand) = (&app.settings.base_url, &app.settings.brand);
    CacheValidator::weak(&format!("{name}/{}/{}/{base_url}/{brand}", live.version, registry_model::VERSION))
}

/// The registry's own listings are not repeated among the listings.
async fn entries(app: &App) -> Result<Vec<CatalogEntry>, Problem> {
    let newest = PageQuery { only: None, from: ActivePosition::default(), limit: MAX_LISTED };
    let page = active_page::read(app, &newest).await?;
    let mut listings: Vec<_> = page.agents.into_iter().chain(page.mcps).collect();
    listings.sort_by_cached_key(|listing| std::cmp::Reverse(listing.shown_at()));
    let mut entries = catalog_entry::own(&app.settings);
    let own: HashSet<String> = entries.iter().map(|entry| entry.identifier.clone()).collect();
    let listed =
        listings.iter().map(|listing| CatalogEntry::of(listing, AbilityNames::default(), &app.settings));
    entries.extend(listed.filter(|entry| !own.contains(&entry.identifier)));
    Ok(entries)
}
