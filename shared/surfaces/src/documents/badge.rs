//! `/badge/<name>`: an image about the registry or about one listing (`specification.md#badges`).

use crate::prelude::*;
use registry_features::listing::badge;

/// The listing of the badge.
#[derive(Debug, Deserialize, JsonSchema)]
struct About {
    /// The id of the listing. Without it, the badge shows only its own name, and no state.
    id: Option<String>,
}

const MEDIA_TYPE: &str = "image/svg+xml; charset=utf-8";

pub static BADGE: AnyDocument = AnyDocument {
    paths: &["/badge/{name}"],
    summary: "A badge. With an id, it shows the state of that listing; without an id, only its own name.",
    media_type: MEDIA_TYPE,
    // Short, because owners look at the badge just after going Live.
    max_age_s: Some(60),
    headers: badge::HEADERS,
    refusals: &[ErrorKind::NotFound],
    ..AnyDocument::of::<String>(|app, request| Box::pin(render(app, request))).with_query::<About>()
};

async fn render(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let name = request.path.rsplit('/').next().unwrap_or_default();
    let name = badge::name(name)?;
    let Some(id) = &request.query::<About>()?.id else { return Ok(badge::plain(&app.settings, name).into()) };
    // A page that embeds a badge shows an image even for an error.
    let settings = &app.settings;
    let unknown = || {
        Problem::listing_not_found(&settings.base_url, id).replaced_by(MEDIA_TYPE, badge::unknown(settings))
    };
    let known: ListingId = id.parse().map_err(|_| unknown())?;
    let listing = app.store.listing(&known).await?.ok_or_else(unknown)?;
    Ok(badge::badge_of_listing(&app.settings, name, &listing, app.oldest_proof()).into())
}
