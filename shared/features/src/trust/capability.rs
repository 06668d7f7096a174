//! The hash of capabilities. Equal capabilities have the same hash, also if their order or form is different.
//! So two peers can check that they mean the same capabilities by a name.

use std::collections::BTreeSet;

use crate::prelude::*;
use registry_model::{Assessment, Handshake, sha256_hex};

const MAX_DESCRIPTION_CHARS: usize = 500;
/// Hexadecimal digits of the digest that are kept.
const HASH_DIGITS: usize = 24;

/// The kind of agent or server that has the capabilities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CapabilityKind {
    /// An agent.
    #[default]
    Agent,
    /// An MCP server.
    Mcp,
    /// An agent and an MCP server at one address.
    Dual,
    /// Several peers that are called one after the other.
    Pipeline,
}

/// Capabilities in their normal form: texts are trimmed, the description has at most 500 characters, and lists are
/// sorted and have no duplicates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Capability {
    pub name: String,
    pub kind: CapabilityKind,
    pub description: String,
    pub tools: Vec<String>,
    pub skills: Vec<String>,
    pub tags: Vec<String>,
}

impl Capability {
    /// Trims, sorts and removes duplicates.
    pub fn normalised(self) -> Self {
        let cut: String = self.description.trim().chars().take(MAX_DESCRIPTION_CHARS).collect();
        Self {
            name: self.name.trim().to_owned(),
            kind: self.kind,
            description: cut.trim_end().to_owned(),
            tools: normalised_list(self.tools),
            skills: normalised_list(self.skills),
            tags: normalised_list(self.tags),
        }
    }

    /// `None` if this probe completed no handshake, or read texts that the listing does not show.
    pub fn observed(listing: &Listing, evidence: &Assessment) -> Option<Self> {
        let is_ok = evidence.verdict.handshake == Handshake::Ok && !evidence.has_bad_texts();
        let facts = Some(&evidence.verdict.facts).filter(|_| is_ok)?;
        let observed = Self {
            name: listing.texts.name.clone(),
            kind: match listing.likely_kind() {
                Kind::Agent => CapabilityKind::Agent,
                Kind::Mcp => CapabilityKind::Mcp,
            },
            description: listing.texts.description.clone().unwrap_or_default(),
            tools: facts.tools.iter().map(|tool| tool.name.clone()).collect(),
            skills: facts.skills.iter().map(|skill| skill.id.clone()).collect(),
            tags: facts.skills.iter().flat_map(|skill| skill.tags.iter().cloned()).collect(),
        };
        Some(observed.normalised())
    }

    /// The text that is hashed: canonical JSON (RFC 8785).
    pub fn canonical(&self) -> Result<String, Problem> {
        serde_json_canonicalizer::to_string(self).map_err(|error| Problem::fault(error.to_string()))
    }

    /// `cap_` and the first 24 hexadecimal digits of the SHA-256 of the canonical text.
    pub fn hash(&self) -> Result<String, Problem> {
        Ok(format!("cap_{}", &sha256_hex(self.canonical()?)[..HASH_DIGITS]))
    }
}

fn normalised_list(list: Vec<String>) -> Vec<String> {
    let trimmed = list.into_iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    trimmed.collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests;
