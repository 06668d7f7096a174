//! A Live listing as a node of the capability graph: what the listing can do, which protocols it uses, and at
//! which endpoints.

use crate::listing::{call_url, demo_url, listing_urn, status_url};
use crate::prelude::*;
use registry_model::{Assessment, EntryProtocol};
use registry_store::NamedListing;

/// Tools or skills shown for one listing.
const MAX_ABILITIES: usize = 40;

/// A listing, with what it can do and how to call it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CapabilityNode {
    /// Its URN in ARD.
    pub id: String,
    /// The listing.
    pub listing_id: ListingId,
    /// The name of the listing.
    pub name: String,
    /// Agent or MCP server.
    pub kind: Kind,
    /// The protocols in which the listing can be called. The usual protocol comes first.
    pub protocols: Vec<EntryProtocol>,
    /// Versions and bindings that the last passed probe proved, such as `a2a/1.0` and `jsonrpc`.
    pub proven: Vec<String>,
    /// The names of the tools of an MCP server, at most 40.
    pub mcp_tools: Vec<String>,
    /// The names of the skills of an agent, at most 40.
    pub a2a_skills: Vec<String>,
    /// The URLs of the listing.
    pub endpoints: Endpoints,
    /// The score of its trail; 0 without a trail.
    pub trail_score: f64,
    /// Whether its last probe was good and all blocking checks passed.
    pub clean: bool,
}

/// The URLs of a listing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Endpoints {
    /// Its MCP endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp: Option<String>,
    /// Its A2A endpoint for JSON-RPC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a2a: Option<String>,
    /// Its A2A endpoint for plain HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http: Option<String>,
    /// Its card, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<String>,
    /// Its status with the full evidence.
    pub status: String,
    /// A link to its demo.
    pub demo: String,
}

impl CapabilityNode {
    pub fn of((listing, evidence): &NamedListing, trail_score: f64, settings: &Settings) -> Self {
        let facts = evidence.as_ref().map(|evidence| &evidence.verdict.facts);
        let kind = listing.likely_kind();
        let endpoints = Endpoints::of(listing, evidence.as_ref(), settings);
        Self {
            id: listing_urn(listing.public_card_url(), kind, &listing.id),
            listing_id: listing.id.clone(),
            name: listing.texts.name.clone(),
            kind,
            protocols: endpoints.protocols(),
            proven: evidence.as_ref().map(|seen| seen.verdict.protocol_hints.clone()).unwrap_or_default(),
            mcp_tools: names(facts.into_iter().flat_map(|facts| &facts.tools).map(|tool| &tool.name)),
            a2a_skills: names(facts.into_iter().flat_map(|facts| &facts.skills).map(|skill| &skill.name)),
            endpoints,
            trail_score,
            clean: listing.schedule.failures == 0 && evidence.as_ref().is_some_and(Assessment::is_clean),
        }
    }
}

fn names<'a>(all: impl Iterator<Item = &'a String>) -> Vec<String> {
    all.take(MAX_ABILITIES).cloned().collect()
}

impl Endpoints {
    fn of(listing: &Listing, evidence: Option<&Assessment>, settings: &Settings) -> Self {
        let proven = |hint: &str| {
            evidence.is_some_and(|seen| seen.verdict.protocol_hints.iter().any(|known| known == hint))
        };
        let endpoint = || call_url(listing);
        let is_agent = listing.likely_kind() == Kind::Agent;
        let rest = proven("http+json");
        Self {
            mcp: (!is_agent).then(endpoint),
            a2a: (is_agent && (!rest || proven("jsonrpc"))).then(endpoint),
            http: (is_agent && rest).then(endpoint),
            card: listing.card_url.clone(),
            status: status_url(settings, &listing.id),
            demo: demo_url(settings, &listing.id),
        }
    }

    fn protocols(&self) -> Vec<EntryProtocol> {
        let known = [
            (EntryProtocol::Mcp, self.mcp.is_some()),
            (EntryProtocol::A2a, self.a2a.is_some()),
            (EntryProtocol::Http, self.http.is_some()),
            (EntryProtocol::Ard, true),
        ];
        known.into_iter().filter(|(_, is_known)| *is_known).map(|(protocol, _)| protocol).collect()
    }
}
