//! All ways to call one listing, with the preferred protocol first. They are made from the evidence of the
//! last probe of the listing.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::call::{self, Call};
use super::node::CapabilityNode;
use crate::prelude::*;
use registry_model::protocol::ARD_BASE;
use registry_model::{EntryProtocol, Facts, Random, Tool};
use registry_search::is_stop_word;
use registry_store::NamedListing;

/// What a caller wants from a listing: plain words, or the name of a tool or skill.
#[derive(Clone, Copy, Debug, Default)]
pub struct CapabilityRequest<'a> {
    pub words: &'a str,
    pub tool: Option<&'a str>,
    pub skill: Option<&'a str>,
}

/// The complete calls of a listing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Invocation {
    /// The URN of the listing.
    pub node_id: String,
    /// The listing.
    pub listing_id: ListingId,
    /// The name of the listing.
    pub name: String,
    /// The protocol of the call to send first. It is the preferred protocol, if the listing speaks it.
    pub first: EntryProtocol,
    /// The protocols in which the listing can be called. `first` comes first.
    pub protocols: Vec<EntryProtocol>,
    /// A call of an MCP tool. If no tool is known: of `tools/list`, or of a server without tools, of its first request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp: Option<Call>,
    /// An A2A message over JSON-RPC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a2a: Option<Call>,
    /// An A2A message over plain HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http: Option<Call>,
    /// A search for the name of the listing at this registry.
    pub ard: Call,
}

impl Invocation {
    pub fn of(
        node: &CapabilityNode,
        (listing, evidence): &NamedListing,
        wish: CapabilityRequest<'_>,
        prefer: EntryProtocol,
        settings: &Settings,
        random: &Random,
    ) -> Self {
        let verdict = evidence.as_ref().map(|evidence| &evidence.verdict);
        let facts = verdict.map(|verdict| &verdict.facts);
        let has_tools = verdict.is_none_or(|verdict| verdict.signals.iter().all(|one| one != "no_tools"));
        let proven = |family: &str| {
            let mut versions = node.proven.iter().filter_map(|hint| hint.strip_prefix(family));
            versions.next().or(listing.proof.era.as_deref()).unwrap_or_default().to_owned()
        };
        let message_id = || format!("msg-{}", random.hex(8));
        let (version, text) = (proven("a2a/"), message_text(wish, facts));
        let mcp = |url: &str| call::mcp(url, &proven("mcp/"), tool(wish, facts), has_tools);
        let mcp = node.endpoints.mcp.as_deref().map(mcp);
        let a2a = |url: &str| call::a2a(url, &version, &message_id(), &text);
        let a2a = node.endpoints.a2a.as_deref().map(a2a);
        let http = |url: &str| call::a2a_rest(url, &version, &message_id(), &text);
        let http = node.endpoints.http.as_deref().and_then(http);
        let mut protocols = node.protocols.clone();
        protocols.sort_by_key(|protocol| *protocol != prefer);
        Self {
            node_id: node.id.clone(),
            listing_id: node.listing_id.clone(),
            name: node.name.clone(),
            first: protocols.first().copied().unwrap_or(EntryProtocol::Ard),
            protocols,
            mcp,
            a2a,
            http,
            ard: call::ard(&settings.url(&format!("{ARD_BASE}search")), &node.name),
        }
    }

    /// A listing as a node, and its calls with the protocol of its kind first.
    pub fn usual(app: &App, listing: &NamedListing, trail: f64, words: &str) -> (CapabilityNode, Self) {
        let node = CapabilityNode::of(listing, trail, &app.settings);
        let prefer = match node.kind {
            Kind::Agent => EntryProtocol::A2a,
            Kind::Mcp => EntryProtocol::Mcp,
        };
        let wish = CapabilityRequest { words, ..CapabilityRequest::default() };
        let invocation = Self::of(&node, listing, wish, prefer, &app.settings, &app.random);
        (node, invocation)
    }

    pub fn call(&self) -> &Call {
        let call = match self.first {
            EntryProtocol::Mcp => self.mcp.as_ref(),
            EntryProtocol::A2a => self.a2a.as_ref(),
            EntryProtocol::Http => self.http.as_ref(),
            EntryProtocol::Ard | EntryProtocol::Dns => None,
        };
        call.unwrap_or(&self.ard)
    }
}

/// Compares names of tools or skills; ignores case and separators.
pub(super) fn is_same_name(a: &str, b: &str) -> bool {
    let folded = |name: &str| -> String {
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    folded(a) == folded(b)
}

/// The named tool; otherwise the tool that has most words of the request in its name and description. Among equals, the
/// tool with the fewest other words; without a word in common, the first tool.
fn tool<'a>(wish: CapabilityRequest<'_>, facts: Option<&'a Facts>) -> Option<&'a Tool> {
    let tools = &facts?.tools;
    if let Some(named) = wish.tool.and_then(|name| tools.iter().find(|tool| is_same_name(&tool.name, name))) {
        return Some(named);
    }
    // Each of these words is compared with each word of each tool.
    let wanted = words(wish.words, 50);
    let rank = |(at, tool): &(usize, &Tool)| {
        let words = words(&format!("{} {}", tool.name, tool.description), usize::MAX);
        let is_shared = |wanted: &&String| words.iter().any(|word| is_same_word(word, wanted));
        let shared = wanted.iter().filter(is_shared).count();
        (shared, Reverse(if shared == 0 { 0 } else { words.len() }), Reverse(*at))
    };
    tools.iter().enumerate().max_by_key(rank).map(|(_, tool)| tool)
}

/// The different ones of the first words of a text in lowercase, without words such as "the" and "to".
fn words(text: &str, most: usize) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| !word.is_empty() && !is_stop_word(word)).take(most).collect()
}

/// Also other forms of a word, such as `add` and `adds`.
fn is_same_word(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    short == long || short.len() >= 3 && long.len() - short.len() <= 3 && long.starts_with(short)
}

fn message_text(wish: CapabilityRequest<'_>, facts: Option<&Facts>) -> String {
    let skills = facts.map(|facts| facts.skills.as_slice()).unwrap_or_default();
    let named = wish.skill.and_then(|name| {
        skills.iter().find(|skill| is_same_name(&skill.name, name) || is_same_name(&skill.id, name))
    });
    match (wish.words, named) {
        ("", Some(skill)) => format!("What do you need to know for this: {}?", skill.name),
        ("", None) => "What can you do?".to_owned(),
        (words, Some(skill)) => format!("{}: {words}", skill.name),
        (words, None) => words.to_owned(),
    }
}

/// How a protocol is used here.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Adapter {
    /// The protocol.
    pub protocol: EntryProtocol,
    /// What an invocation contains for this protocol.
    pub gives: &'static str,
    /// From which facts the call is built.
    pub from: &'static str,
}

pub fn adapters() -> Vec<Adapter> {
    use EntryProtocol::{A2a, Ard, Dns, Http, Mcp};
    let adapters = [
        (
            Mcp,
            "tools/call if a tool is known, with the handshake that the protocol revision needs",
            "the revision and the tools that the last passed probe found",
        ),
        (A2a, "SendMessage over JSON-RPC (message/send before 1.0)", "the version of the last passed probe"),
        (Http, "the same message over A2A's REST binding", "the binding of the last passed probe, if REST"),
        (Ard, "a search for the name of the listing", "the ARD endpoint of this registry"),
        (Dns, "no call: use another protocol", "nothing: probes do not read DNS records"),
    ];
    adapters.map(|(protocol, gives, from)| Adapter { protocol, gives, from }).to_vec()
}

#[cfg(test)]
mod tests;
