//! `/prove`: how an owner proves that a listing is theirs, and how they change or withdraw it. With the id of a listing,
//! the page contains the places of its domain and a complete script.

use super::frame::{Frame, Section, html, page};
use crate::prelude::*;
use registry_features::operation::lookup;
use registry_features::trust::ownership::{Domains, Way};

const SCRIPT: &str = include_str!("../../assets/pages/prove.sh");

#[derive(Template)]
#[template(path = "prove.html")]
struct Page<'a> {
    frame: Frame<'a>,
    listing: Option<Listing>,
    /// Empty without a listing, or if the listing has no domain.
    ways: Vec<Way>,
    auth_document: String,
    script: String,
}

/// Which listing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
struct ProveQuery {
    /// The id of the listing. Without it, the page is a general guide.
    #[schemars(extend("format" = "listing-id"))]
    id: Option<String>,
}

pub(super) static PROVE: AnyDocument = AnyDocument {
    paths: &["/prove"],
    summary: "The guide for owners. It shows how to prove that a listing is yours, and how to change or withdraw it, \
        with a script to copy.",
    max_age_s: Some(60),
    refusals: &[ErrorKind::NotFound],
    ..page(|app, request| Box::pin(render(app, request))).with_query::<ProveQuery>()
};

async fn render(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let settings = &app.settings;
    let listing = match request.query::<ProveQuery>()?.id.as_deref().filter(|id| !id.is_empty()) {
        Some(id) => Some(lookup::listing(app, id).await?),
        None => None,
    };
    let ways = listing.as_ref().and_then(|listing| Domains::of(listing).ok());
    let description = "How to prove that a listing is yours, and how to change, withdraw or restore it.";
    html(&Page {
        frame: Frame::of(settings, Section::ForAgents, "/prove", "Prove and manage", description),
        ways: ways.map(|domains| domains.ways(app, None)).unwrap_or_default(),
        auth_document: settings.domain_proof_url.replace("{domain}", "<your domain>"),
        script: script(settings, listing.as_ref().map(|listing| &listing.id)),
        listing,
    })
}

/// The script; both values are safe between single quotes.
fn script(settings: &Settings, listing: Option<&ListingId>) -> String {
    let listing = listing.map_or("<listing_id>", ListingId::as_str);
    let registry = settings.base_url.trim_end_matches('/').replace('\'', "%27");
    SCRIPT.replace("{registry}", &registry).replace("{listing}", listing)
}
