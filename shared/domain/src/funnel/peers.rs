//! Who complements a listing: Live listings of the other kind, and of its own, that match what it says of itself. Found
//! by the search index, so that it costs one read however many are listed.

use std::sync::Arc;

use registry_app::App;
use registry_model::error::Problem;
use registry_model::{Kind, Listing};
use registry_products::{Peer, Profile};
use registry_search::{Query, Text};

const MOST: usize = 6;

pub(super) async fn of(app: &App, profile: &Profile) -> Result<Vec<Peer>, Problem> {
    Ok(listings(app, profile).await?.iter().map(|listing| peer(listing)).collect())
}

/// Live listings that complement a profile, the best first. It leaves out the listing itself and its host.
pub async fn listings(app: &App, profile: &Profile) -> Result<Vec<Arc<Listing>>, Problem> {
    let Some(text) = words(profile) else { return Ok(Vec::new()) };
    let query = Query { text, kind: None, category: None, skip: 0, limit: MOST * 3 };
    let found = app.search.find(&query, app.clock.now()).await?;
    let host = |url: &str| url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let own = profile.endpoint.as_deref().and_then(host);
    let is_other = |listing: &Listing| {
        profile.listing_id.as_ref() != Some(&listing.id)
            && (own.is_none() || host(listing.endpoint.as_deref().unwrap_or_default()) != own)
    };
    let mut peers: Vec<Arc<Listing>> =
        found.hits.into_iter().map(|hit| hit.listing).filter(|listing| is_other(listing)).collect();
    // What an agent lacks is a tool, and what a server lacks is somebody who uses it.
    peers.sort_by_key(|peer| peer.shown_kind() == profile.kind);
    peers.truncate(MOST);
    Ok(peers)
}

fn words(profile: &Profile) -> Option<Text> {
    let abilities = profile.skills.iter().map(|skill| &skill.name);
    let abilities = abilities.chain(profile.tools.iter().map(|tool| &tool.name)).take(8);
    let texts = profile.goals.iter().take(3).chain(profile.description.iter()).chain(abilities);
    let text = texts.map(String::as_str).collect::<Vec<_>>().join(" ");
    let text = if text.is_empty() { profile.name.clone() } else { text };
    Text::parse(&text.chars().take(400).collect::<String>(), "goals").ok()
}

fn peer(listing: &Listing) -> Peer {
    let kind: Kind = listing.shown_kind();
    Peer {
        listing_id: listing.id.clone(),
        kind,
        name: listing.name.clone(),
        description: listing.description.clone().unwrap_or_default(),
        url: listing.endpoint.clone().unwrap_or_else(|| listing.target().to_owned()),
    }
}
