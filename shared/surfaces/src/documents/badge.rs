//! `/badge/<name>`: an image about the registry or about one listing (`specification.md#badges`).

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Deserialize;

use super::document::{Document, DocumentRequest};
use registry_app::App;
use registry_domain::views::badge;
use registry_model::ListingId;
use registry_model::error::Problem;

#[derive(Debug)]
pub(super) struct Badge;

/// The listing of the badge.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct About {
    /// The id of the listing. Default: a badge of the registry that shows its own name.
    id: Option<String>,
}

impl Document for Badge {
    const PATHS: &'static [&'static str] = &["/badge/{name}"];
    const SUMMARY: &'static str = "A badge. With an id, it shows the state of that listing; without an id, \
        it is the badge of this registry.";
    const MEDIA_TYPE: &'static str = "image/svg+xml; charset=utf-8";
    // Short, because owners look at the badge just after going Live.
    const MAX_AGE_S: Option<u32> = Some(60);
    const HEADERS: &'static [(&'static str, &'static str)] = badge::HEADERS;
    const REFUSALS: &'static [u16] = &[404];
    type Query = About;
    type Answer = String;

    async fn render(app: &App, request: &DocumentRequest<About>) -> Result<Bytes, Problem> {
        let name = request.path.rsplit('/').next().unwrap_or_default();
        let name = badge::name(name)?;
        let Some(id) = &request.query.id else { return Ok(badge::plain(&app.settings, name).into()) };
        // A page that embeds a badge shows an image even for an error.
        let unknown =
            || Problem::listing_not_found(id).shown_as(Self::MEDIA_TYPE, badge::unknown(&app.settings));
        let known: ListingId = id.parse().map_err(|_| unknown())?;
        let listing = app.store.listing(&known).await?.ok_or_else(unknown)?;
        Ok(badge::of_listing(&app.settings, name, &listing, app.oldest_proof()).into())
    }
}
