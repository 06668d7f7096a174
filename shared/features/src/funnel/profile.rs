//! The profile from which the products for a listing are made. It also contains peers: matching Live listings
//! that the search index found.

use crate::prelude::*;
use registry_formats::document_texts;
use registry_model::Listed;
use registry_products::{Peer, Profile};
use registry_search::{Query, Text};
use registry_store::NamedListing;

pub async fn profile_of_listing(
    app: &App,
    (listing, evidence): &NamedListing,
    goals: &[String],
) -> Result<Profile, Problem> {
    let profile = Profile { goals: goals.to_vec(), ..Profile::of(listing, evidence.as_ref()) };
    let mut profile = with_documents(app, listing, profile).await?;
    profile.peers = peers(app, &profile).await?;
    Ok(profile)
}

/// Adds the definitions of its tools and the `server.json` that its publisher sent.
async fn with_documents(app: &App, listing: &Listing, profile: Profile) -> Result<Profile, Problem> {
    let mut profile = if profile.tools.is_empty() {
        profile
    } else {
        let seen = app.store.seen_tools(&listing.id).await?;
        let tools = seen.sets.first().into_iter().flat_map(|set| &set.tools);
        let definition = |hash: &str| seen.definitions.get(hash).map(String::as_str);
        let defined = tools.filter_map(|tool| Some((tool.name.as_str(), definition(&tool.hash)?)));
        profile.with_definitions(defined.filter(|(_, definition)| !document_texts::is_unfit_tool(definition)))
    };
    if listing.is_described() {
        let document = app.store.server_document(&listing.id).await?;
        profile.server_json = document.map(|document| document.server);
    }
    Ok(profile)
}

pub async fn profile_of_description(app: &App, described: Profile) -> Result<Profile, Problem> {
    Ok(Profile { peers: peers(app, &described).await?, ..described })
}

const MAX_PEERS: usize = 6;

/// Live listings that complement a profile, the best first. It leaves out the listing itself and its host.
async fn peers(app: &App, profile: &Profile) -> Result<Vec<Peer>, Problem> {
    let Some(text) = search_text(profile) else { return Ok(Vec::new()) };
    let (listed, limit) = (Listed::Live, MAX_PEERS * 3);
    let query = Query { text, kind: None, category: None, listed, skip: 0, limit };
    let found = app.search.find(&query, app.clock.now()).await?;
    let host = |url: &str| url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let own = profile.endpoint.as_deref().or(profile.card_url.as_deref()).and_then(host);
    let is_other = |listing: &Listing| {
        profile.listing_id.as_ref() != Some(&listing.id)
            && (own.is_none() || host(listing.endpoint.as_deref().unwrap_or_default()) != own)
    };
    let mut peers: Vec<Peer> =
        found.hits.iter().map(|hit| &*hit.listing).filter(|listing| is_other(listing)).map(peer).collect();
    // An agent needs tools, and a server needs agents that use it: the other kind first.
    peers.sort_by_key(|peer| peer.kind == profile.kind);
    peers.truncate(MAX_PEERS);
    Ok(peers)
}

fn search_text(profile: &Profile) -> Option<Text> {
    let abilities = profile.skills.iter().map(|skill| &skill.name);
    let abilities = abilities.chain(profile.tools.iter().map(|tool| &tool.name)).take(8);
    let texts = profile.goals.iter().take(3).chain(profile.description.iter()).chain(abilities);
    let text = texts.map(String::as_str).collect::<Vec<_>>().join(" ");
    let text = if text.is_empty() { profile.name.clone() } else { text };
    Text::parse(&text.chars().take(400).collect::<String>(), "goals").ok()
}

fn peer(listing: &Listing) -> Peer {
    Peer {
        listing_id: listing.id.clone(),
        kind: listing.likely_kind(),
        name: listing.texts.name.clone(),
        description: listing.texts.description.clone().unwrap_or_default(),
        url: listing.endpoint.clone().unwrap_or_else(|| listing.target().to_owned()),
    }
}
