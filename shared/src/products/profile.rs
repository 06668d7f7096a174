//! What a product is made from: a listing's own words, its last proof, its goals, and who goes well with it. Apart from
//! `Listing`, because a demo may also be made of what a caller says of an agent that is not listed.

use crate::model::{Assessment, Category, Handshake, Kind, Listing, ListingId, Moment, Skill, Tool};

/// What is known of an agent or MCP server.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Its listing, where it has one.
    pub listing_id: Option<ListingId>,
    /// Agent or MCP server.
    pub kind: Kind,
    /// Its display name.
    pub name: String,
    /// What it is for, in its own words.
    pub description: Option<String>,
    /// The name in its server description, such as `io.github.acme/weather`.
    pub server_name: Option<String>,
    /// Its own version.
    pub version: Option<String>,
    /// The URL that answers its protocol.
    pub endpoint: Option<String>,
    /// The URL of its card.
    pub card_url: Option<String>,
    /// A page about it.
    pub website: Option<String>,
    /// What it is filed under, for people.
    pub category: String,
    /// Protocol versions that it speaks.
    pub protocol_versions: Vec<String>,
    /// Skills of an agent.
    pub skills: Vec<Skill>,
    /// Tools of an MCP server.
    pub tools: Vec<Tool>,
    /// What its owner wants it to reach; empty where none said.
    pub goals: Vec<String>,
    /// Its last proof, where it was probed.
    pub proof: Option<Proof>,
    /// Other Live listings that complement it, the best first.
    pub peers: Vec<Peer>,
}

/// What the last probe of a listing found.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// When.
    pub probed_at: Moment,
    /// Its outcome.
    pub handshake: Handshake,
    /// 0 to 100.
    pub score: u8,
    /// Milliseconds of the handshake.
    pub latency_ms: Option<u32>,
    /// Short machine-readable findings.
    pub signals: Vec<String>,
    /// What failed or is weak, the blocking first.
    pub weaknesses: Vec<Weakness>,
}

/// Something that a probe found wanting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weakness {
    /// Stable name: a check, a reason's code, or a part of the score.
    pub id: String,
    /// It keeps the listing from being Live.
    pub blocking: bool,
    /// What was seen.
    pub seen: String,
    /// What to do about it.
    pub fix: String,
}

/// Another Live listing that complements it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its listing.
    pub listing_id: ListingId,
    /// Agent or MCP server.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Where it answers.
    pub url: String,
}

impl Profile {
    /// The profile of a listing with its evidence; without goals and peers.
    #[must_use]
    pub fn of(listing: &Listing, evidence: Option<&Assessment>) -> Self {
        let facts = evidence.map(|evidence| &evidence.verdict.facts);
        Self {
            listing_id: Some(listing.id.clone()),
            kind: listing.shown_kind(),
            name: listing.name.clone(),
            description: listing.description.clone(),
            server_name: listing.server_name.clone(),
            version: listing.version.clone(),
            endpoint: listing.endpoint.clone().or_else(|| listing.url.clone()),
            card_url: listing.card_url.clone(),
            website: Some(listing.shown_website()).filter(|website| !website.is_empty()),
            category: listing.category.label().to_owned(),
            protocol_versions: facts.map(|facts| facts.protocol_versions.clone()).unwrap_or_default(),
            skills: facts.map(|facts| facts.skills.clone()).unwrap_or_default(),
            tools: facts.map(|facts| facts.tools.clone()).unwrap_or_default(),
            goals: Vec::new(),
            proof: evidence.map(Proof::of),
            peers: Vec::new(),
        }
    }
}

impl Profile {
    /// The profile of something that is not listed, as its owner describes it.
    #[must_use]
    pub fn described(kind: Kind, name: String, description: Option<String>, goals: Vec<String>) -> Self {
        let words: Vec<&str> = description.iter().map(String::as_str).collect();
        let category = Category::of(kind, &name, &words).label();
        Self {
            listing_id: None,
            kind,
            name,
            description,
            server_name: None,
            version: None,
            endpoint: None,
            card_url: None,
            website: None,
            category: category.to_owned(),
            protocol_versions: Vec::new(),
            skills: Vec::new(),
            tools: Vec::new(),
            goals,
            proof: None,
            peers: Vec::new(),
        }
    }
}

impl Proof {
    fn of(evidence: &Assessment) -> Self {
        let failed = evidence.checks.iter().filter(|check| !check.ok).map(|check| Weakness {
            id: check.id.to_string(),
            blocking: check.blocking,
            seen: check.detail.clone(),
            fix: String::new(),
        });
        let reasons = evidence.verdict.reasons.iter().map(|reason| Weakness {
            id: reason.code.clone(),
            blocking: evidence.verdict.handshake != Handshake::Ok,
            seen: reason.seen.clone(),
            fix: reason.fix.clone(),
        });
        let mut weaknesses: Vec<Weakness> = failed.chain(reasons).collect();
        weaknesses.sort_by_key(|weakness| !weakness.blocking);
        Self {
            probed_at: evidence.probed_at,
            handshake: evidence.verdict.handshake,
            score: evidence.score.value,
            latency_ms: evidence.verdict.latency_ms,
            signals: evidence.verdict.signals.clone(),
            weaknesses,
        }
    }
}
