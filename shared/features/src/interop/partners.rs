//! Finds listings that fit together. For an agent it finds matching MCP servers, and for an MCP server it
//! finds matching agents. It also finds matching pairs among the newest agents. It searches the index in
//! memory, so any number of pairs costs only a few reads of the table.

use std::collections::HashMap;

use super::CALLABLE;
use super::resolve::live_in_order;
use crate::listing::active_page::{ActivePosition, Page, PageQuery};
use crate::prelude::*;
use registry_search::{Query, Text};
use registry_store::NamedListing;

/// Characters of a listing's description that are used to search for partners.
const MAX_QUERY_CHARS: usize = 400;
/// Agents for which a request searches partners; each takes a search.
const MAX_AGENTS: u32 = 12;
const PARTNERS_PER_AGENT: usize = 2;

/// Two listings that may work together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Pair {
    /// The id of the agent.
    pub listing_a: ListingId,
    /// The id of an MCP server that matches the agent's description.
    pub listing_b: ListingId,
    /// The agent's name.
    pub name_a: String,
    /// The name of the MCP server.
    pub name_b: String,
    /// How well the server matches, 0 to 100.
    pub match_score: u8,
}

/// Live listings of the other kind that match a listing's description, the best first, each with what matched.
pub async fn suggestions(
    app: &App,
    (listing, evidence): &NamedListing,
    limit: usize,
) -> Result<Vec<(NamedListing, String)>, Problem> {
    let facts = evidence.as_ref().map(|evidence| &evidence.verdict.facts);
    let skills = facts.into_iter().flat_map(|facts| &facts.skills).map(|skill| skill.name.as_str());
    let tools = facts.into_iter().flat_map(|facts| &facts.tools).map(|tool| tool.name.as_str());
    let Some(text) = search_text(listing, skills.chain(tools).take(8)) else { return Ok(Vec::new()) };
    let kind = match listing.likely_kind() {
        Kind::Agent => Kind::Mcp,
        Kind::Mcp => Kind::Agent,
    };
    let query = Query { text, kind: Some(kind), category: None, listed: CALLABLE, skip: 0, limit: limit + 4 };
    let found = app.search.find(&query, app.clock.now()).await?;
    let apart = found.hits.into_iter().filter(|hit| are_apart(listing, &hit.listing)).take(limit);
    let (ids, reasons): (Vec<ListingId>, Vec<String>) =
        apart.map(|hit| (hit.listing.id.clone(), hit.reasons().join("; "))).unzip();
    let mut reasons: HashMap<&ListingId, String> = ids.iter().zip(reasons).collect();
    let live = live_in_order(app, &ids).await?;
    Ok(live.into_iter().filter_map(|peer| reasons.remove(&peer.0.id).map(|why| (peer, why))).collect())
}

/// Whether two listings have no host in common: listings of one owner at one host need no introduction.
fn are_apart(a: &Listing, b: &Listing) -> bool {
    let hosts = a.hosts();
    !b.hosts().iter().any(|host| hosts.contains(host))
}

fn search_text<'a>(listing: &'a Listing, abilities: impl Iterator<Item = &'a str>) -> Option<Text> {
    let texts: Vec<&str> = listing.texts.description.as_deref().into_iter().chain(abilities).collect();
    let text = if texts.is_empty() { listing.texts.name.clone() } else { texts.join(" ") };
    let text: String = text.chars().take(MAX_QUERY_CHARS).collect();
    Text::parse(&text, "listing_id").ok().filter(|text| !text.is_empty())
}

/// Pairs of a Live agent and a Live MCP server at different hosts, the best first.
pub async fn pairs(app: &App, limit: usize) -> Result<Vec<Pair>, Problem> {
    let newest = PageQuery { only: Some(Kind::Agent), from: ActivePosition::default(), limit: MAX_AGENTS };
    let agents = Page::read(app, &newest).await?.agents;
    let described = agents.iter().filter_map(|agent| Some((agent, search_text(agent, std::iter::empty())?)));
    let (agents, queries): (Vec<&Listing>, Vec<Query>) = described
        .map(|(agent, text)| {
            let (kind, limit) = (Some(Kind::Mcp), PARTNERS_PER_AGENT);
            (agent, Query { text, kind, category: None, listed: CALLABLE, skip: 0, limit })
        })
        .unzip();
    let hits = agents.into_iter().zip(app.search.candidates(&queries).await?);
    let rows = hits.flat_map(|(agent, hits)| hits.into_iter().map(move |(id, score)| (agent, id, score)));
    let mut found: Vec<(&Listing, ListingId, u8)> = rows.collect();
    found.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| (&a.0.id, &a.1).cmp(&(&b.0.id, &b.1))));
    let mut ids: Vec<ListingId> = found.iter().map(|(_, id, _)| id.clone()).collect();
    ids.sort_unstable();
    ids.dedup();
    let oldest_proof = app.oldest_proof();
    let servers = if ids.is_empty() { Vec::new() } else { app.store.listings(&ids).await? };
    let pair = |(agent, id, match_score): (&Listing, ListingId, u8)| {
        let fits = |server: &&Listing| server.is_live(oldest_proof) && are_apart(agent, server);
        let server = servers.iter().find(|server| server.id == id).filter(fits)?;
        let (name_a, name_b) = (agent.texts.name.clone(), server.texts.name.clone());
        Some(Pair { listing_a: agent.id.clone(), listing_b: id, name_a, name_b, match_score })
    };
    Ok(found.into_iter().filter_map(pair).take(limit).collect())
}
