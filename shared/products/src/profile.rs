//! The input of a product: the texts, last probe, goals, and peers of a listing. It is a separate type from `Listing`,
//! because a demo can also be made for an agent that is not listed. The caller then describes the agent.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::fixes;
use super::preset::Preset;
use super::text::{address, slug};
use registry_model::{
    Assessment, Handshake, Kind, Listing, ListingId, Moment, ScorePart, SignIn, Skill, Tool,
};

/// A purchase stores its profile in one item, next to peers and texts.
const MAX_DEFINITION_BYTES: usize = 96 * 1024;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    pub listing_id: Option<ListingId>,
    pub kind: Kind,
    pub name: String,
    pub description: Option<String>,
    /// The name in its server description, such as `io.github.acme/weather`.
    pub server_name: Option<String>,
    pub version: Option<String>,
    pub endpoint: Option<String>,
    pub card_url: Option<String>,
    /// The field and the URL that publish it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<(String, String)>,
    pub website: Option<String>,
    pub category: String,
    pub protocol_versions: Vec<String>,
    pub skills: Vec<Skill>,
    pub tools: Vec<Tool>,
    /// The whole definitions of tools by their names, with schemas and annotations, where they are stored.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub definitions: BTreeMap<String, Value>,
    /// The hash of the tool set, which clients pin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_hash: Option<String>,
    /// The `server.json` as its publisher sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_json: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_in: Option<SignIn>,
    /// Set by the owner; may be empty.
    pub goals: Vec<String>,
    pub preset: Option<Preset>,
    pub proof: Option<Proof>,
    /// When a probe last proved it. `proof` is of the last probe, which can have failed.
    pub proven_at: Option<Moment>,
    /// Live listings that complement it, best first.
    pub peers: Vec<Peer>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    pub probed_at: Moment,
    pub handshake: Handshake,
    /// 0 to 100.
    pub score: u8,
    pub latency_ms: Option<u32>,
    /// Protocols seen, such as `a2a/1.0`, `jsonrpc`, `http+json`.
    pub protocol_hints: Vec<String>,
    pub parts: Vec<ScorePart>,
    /// Blocking ones first, then by lost points.
    pub weaknesses: Vec<Weakness>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Weakness {
    /// Stable name: a check, a reason's code, or a part of the score.
    pub id: String,
    pub blocking: bool,
    pub seen: String,
    pub fix: String,
    /// Lost points of the score; 0 where unknown.
    pub points: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    pub listing_id: ListingId,
    pub kind: Kind,
    pub name: String,
    pub description: String,
    pub url: String,
}

impl Profile {
    /// Without goals and peers, which the caller adds.
    pub fn of(listing: &Listing, evidence: Option<&Assessment>) -> Self {
        let facts = evidence.map(|evidence| &evidence.verdict.facts);
        // The URL of an agent is that of its card, which is no endpoint.
        let is_agent = listing.kind == Some(Kind::Agent);
        let tools = facts.map(|facts| facts.tools.clone()).unwrap_or_default();
        // A stranger can attach a name to a listing that was published by its URL.
        let server_name = listing.ownership.server_name.clone();
        let server_name = server_name.filter(|_| listing.is_described() || listing.has_proven_name());
        let mut proof = evidence.map(Proof::of);
        // The evidence of a failing listing is still that of its proof.
        if let (Some(proof), Some(failure)) = (&mut proof, &listing.proof.last_failure) {
            let (id, fix) = (failure.code.clone(), failure.fix.clone());
            let seen = format!("the last probe failed: {}", failure.seen);
            proof.weaknesses.insert(0, Weakness { id, blocking: true, seen, fix, points: 0 });
        }
        Self {
            listing_id: Some(listing.id.clone()),
            description: listing.texts.description.clone(),
            server_name,
            version: listing.texts.version.clone(),
            endpoint: listing.endpoint.clone().or_else(|| listing.url.clone().filter(|_| !is_agent)),
            card_url: listing.card_url.clone().or_else(|| listing.url.clone().filter(|_| is_agent)),
            published: listing.published_url().map(|(field, url)| (field.to_owned(), url)),
            website: listing.valid_website().map(str::to_owned),
            category: listing.texts.category.label().to_owned(),
            protocol_versions: facts.map(|facts| facts.protocol_versions.clone()).unwrap_or_default(),
            skills: facts.map(|facts| facts.skills.clone()).unwrap_or_default(),
            tools_hash: facts.and_then(|facts| facts.tools_hash.clone()),
            sign_in: facts.and_then(|facts| facts.sign_in.clone()),
            proof,
            proven_at: listing.proof.last_ok_at.max(listing.proof.sign_in_at),
            ..Self::unlisted(listing.likely_kind(), &listing.texts.name, None, tools)
        }
    }

    /// An agent or server that is not listed, from a description by hand.
    pub fn unlisted(kind: Kind, name: &str, description: Option<&str>, tools: Vec<Tool>) -> Self {
        Self {
            listing_id: None,
            kind,
            name: name.to_owned(),
            description: description.map(str::to_owned).filter(|text| !text.trim().is_empty()),
            server_name: None,
            version: None,
            endpoint: None,
            card_url: None,
            published: None,
            website: None,
            category: String::new(),
            protocol_versions: Vec::new(),
            skills: Vec::new(),
            tools,
            definitions: BTreeMap::new(),
            tools_hash: None,
            server_json: None,
            sign_in: None,
            goals: Vec::new(),
            preset: None,
            proof: None,
            proven_at: None,
            peers: Vec::new(),
        }
    }

    /// Adds definitions of tools, as many as fit. Each is a name and the JSON of a tool from `tools/list`.
    #[must_use]
    pub fn with_definitions<'a>(self, definitions: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut bytes = 0;
        let mut fitting = BTreeMap::new();
        for (name, definition) in definitions {
            bytes += definition.len();
            if bytes > MAX_DEFINITION_BYTES {
                break;
            }
            if let Ok(definition) = serde_json::from_str(definition) {
                fitting.insert(name.to_owned(), definition);
            }
        }
        Self { definitions: fitting, ..self }
    }

    /// The name of its folder and skill: from its name, else its host, else its id, else its kind.
    pub fn slug(&self) -> String {
        let host = || {
            let url = url::Url::parse(&address(self.endpoint.as_deref())?).ok()?;
            slug(url.host_str()?)
        };
        let id = || slug(self.listing_id.as_ref()?.as_str());
        let kind = if self.kind == Kind::Agent { "agent" } else { "mcp-server" };
        slug(&self.name).or_else(host).or_else(id).unwrap_or_else(|| kind.to_owned())
    }
}

impl Proof {
    pub fn of(evidence: &Assessment) -> Self {
        let verdict = &evidence.verdict;
        // The lost points of the part `checks` are those of a failed check; what each of several brings is not known.
        let lost = evidence.score.breakdown.iter().find(|part| part.id == "checks");
        let lost = lost.map_or(0, |part| part.of.saturating_sub(part.points));
        let is_only = evidence.checks.iter().filter(|check| !check.ok).count() == 1;
        let failed = evidence.checks.iter().filter(|check| !check.ok).map(|check| Weakness {
            id: check.id.clone(),
            blocking: check.blocking,
            seen: check.detail.clone(),
            fix: fixes::fix_of_check(&check.id).to_owned(),
            points: if is_only { lost } else { 0 },
        });
        let is_good = matches!(verdict.handshake, Handshake::Ok | Handshake::Skip);
        // Warnings follow the faults, so only the first reason is certain to be a fault.
        let reasons = verdict.reasons.iter().enumerate().map(|(at, reason)| Weakness {
            id: reason.code.clone(),
            blocking: at == 0 && !is_good,
            seen: reason.seen.clone(),
            fix: reason.fix.clone(),
            points: 0,
        });
        // A part of the score that only repeats a reason or a failed check is no weakness of its own.
        let is_repeated = |part: &ScorePart| match part.id.as_str() {
            "handshake" => !verdict.reasons.is_empty(),
            "checks" => true,
            _ => false,
        };
        let kind = verdict.facts.kind.unwrap_or(Kind::Agent);
        let parts = evidence.score.breakdown.iter();
        let parts = parts.filter(|part| part.points < part.of && !is_repeated(part)).map(|part| Weakness {
            id: part.id.clone(),
            blocking: false,
            seen: format!("{} ({} of {} points)", part.why.trim_end_matches('.'), part.points, part.of),
            fix: fixes::fix_of_part(&part.id, kind, &part.why),
            points: part.of - part.points,
        });
        let mut weaknesses: Vec<Weakness> = failed.chain(reasons).chain(parts).collect();
        weaknesses.sort_by_key(|weakness| (!weakness.blocking, u8::MAX - weakness.points));
        Self {
            probed_at: evidence.probed_at,
            handshake: verdict.handshake,
            score: evidence.score.value,
            latency_ms: verdict.latency_ms,
            protocol_hints: verdict.protocol_hints.clone(),
            parts: evidence.score.breakdown.clone(),
            weaknesses,
        }
    }
}
