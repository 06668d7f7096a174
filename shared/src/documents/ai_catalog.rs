//! The catalogue by which ARD crawlers take the registry in: `/.well-known/ai-catalog.json` in the strict form of the
//! AI catalogue (specVersion 1.0, nothing beside it) and `/.well-known/ard.json` as JSON-LD, with the same entries.

use std::collections::HashSet;

use bytes::Bytes;
use serde_json::{Value, json};

use super::agent_card::Document;
use crate::app::App;
use crate::ard::entry::{self, Entry};
use crate::error::Problem;
use crate::http::Validator;
use crate::listing::page::{self, Cursor};

/// The media type of both documents (AI catalogue).
pub const MEDIA_TYPE: &str = "application/ai-catalog+json";
/// Where the strict form stands.
pub const STRICT: &str = "/.well-known/ai-catalog.json";
/// Where the JSON-LD form stands.
pub const LINKED: &str = "/.well-known/ard.json";

/// At most so many listings of each kind, the newest: the rest is found by the search base among the entries.
const LISTED: u32 = 100;
const CONTEXT: &str = "https://agenticresourcediscovery.org/context/v1";

/// The strict form (ard-spec, ai-catalog.schema.json: no further member at the top).
///
/// # Errors
/// The table is busy.
pub async fn strict(app: &App) -> Result<Document, Problem> {
    made(app, STRICT, |app, entries| json!({ "specVersion": "1.0", "host": host(app), "entries": entries }))
        .await
}

/// The JSON-LD form.
///
/// # Errors
/// The table is busy.
pub async fn linked(app: &App) -> Result<Document, Problem> {
    made(app, LINKED, |app, entries| json!({ "@context": CONTEXT, "host": host(app), "entries": entries }))
        .await
}

fn host(app: &App) -> Value {
    let settings = &app.settings;
    json!({ "displayName": settings.brand, "documentationUrl": settings.url("/discovery.json") })
}

async fn made(app: &App, name: &str, form: impl Fn(&App, &[Entry]) -> Value) -> Result<Document, Problem> {
    let (settings, version) = (&app.settings, app.store.live().await?.version);
    let validator = Validator::weak(&format!(
        "{name}/{version}/{}/{}/{}",
        crate::VERSION,
        settings.base_url,
        settings.brand
    ));
    if let Some(body) = app.pages.get(name, &validator) {
        return Ok(Document { body, validator });
    }
    let body = Bytes::from(form(app, &entries(app).await?).to_string());
    app.pages.put(name, validator.clone(), body.clone());
    Ok(Document { body, validator })
}

/// The registry's own entries, and then the newest of what is Live; the registry's own listings are among its own.
async fn entries(app: &App) -> Result<Vec<Entry>, Problem> {
    let page = page::read(app, None, &Cursor::default(), LISTED).await?;
    let mut listings: Vec<_> = page.agents.into_iter().chain(page.mcps).collect();
    listings.sort_by_cached_key(|listing| std::cmp::Reverse(listing.shown_at()));
    let mut entries = entry::own(&app.settings);
    let own: HashSet<String> = entries.iter().map(|entry| entry.identifier.clone()).collect();
    let listed = listings.iter().map(|listing| Entry::of(listing, None, &app.settings));
    entries.extend(listed.filter(|entry| !own.contains(&entry.identifier)));
    Ok(entries)
}
