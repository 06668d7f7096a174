//! How much a listing connects others, by a fixed table of traits over what it says of itself and what its last probe
//! found. A trait counts once, however often its words are repeated, so that repeating them gains nothing.

use crate::model::{Assessment, Listing};

/// A role by which a listing connects others: its name, what it does, and the beginnings of words that say so.
type Role = (&'static str, &'static str, &'static [&'static str]);

const ROLES: [Role; 5] = [
    (
        "router",
        "routes or bridges between peers",
        &["router", "routing", "gateway", "proxy", "bridge", "relay", "broker"],
    ),
    (
        "directory",
        "lists or finds peers",
        &[
            "registry",
            "registries",
            "discovery",
            "agent directory",
            "server directory",
            "directory of",
            "agent finder",
        ],
    ),
    (
        "orchestrator",
        "orchestrates agents",
        &["orchestrat", "coordinat", "multi agent", "multiagent", "swarm", "delegat"],
    ),
    (
        "marketplace",
        "brings offers and askers together",
        &["marketplace", "hub", "agent exchange", "agent network", "app store"],
    ),
    ("federation", "joins other servers into one", &["federat", "aggregator", "mesh", "interop"]),
];

/// A role that its name tells.
const IN_ITS_NAME: u8 = 14;
/// A role that its description tells, and its name does not.
const IN_ITS_DESCRIPTION: u8 = 8;
/// A skill or tool is named after a role.
const BY_AN_ABILITY: u8 = 4;
/// It is filed under multi-agent.
const MULTI_AGENT: u8 = 6;
/// It has ten skills or tools.
const MANY_ABILITIES: u8 = 4;
/// It has twenty-five skills or tools, instead.
const VERY_MANY_ABILITIES: u8 = 8;
/// It speaks of both A2A and MCP.
const BOTH_PROTOCOLS: u8 = 6;
/// It speaks two versions of its protocol.
const VERSIONS: u8 = 4;
/// It proved the name in its server description.
const PROVEN_NAME: u8 = 4;

/// How much a listing connects others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Likeness {
    /// 0 to 100.
    pub points: u8,
    /// What was found, each with its points.
    pub traits: Vec<String>,
    /// Its strongest role; `None` where it has none, and no points.
    pub role: Option<&'static str>,
}

impl Likeness {
    /// Of a listing with its evidence. Size and versions make nobody a connector, so they count beside a role only.
    #[must_use]
    pub fn of(listing: &Listing, evidence: Option<&Assessment>) -> Self {
        let facts = evidence.map(|evidence| &evidence.verdict.facts);
        let name = folded(&[&listing.name, listing.server_name.as_deref().unwrap_or_default()]);
        let description = folded(&[listing.description.as_deref().unwrap_or_default()]);
        let abilities: Vec<&str> = facts.map_or_else(Vec::new, |facts| {
            let skills = facts.skills.iter().map(|skill| &*skill.name);
            skills.chain(facts.tools.iter().map(|tool| &*tool.name)).collect()
        });
        let named = folded(&abilities);

        let mut found = Self::default();
        let mut strongest = 0;
        for (role, does, words) in ROLES {
            let (points, place) = match () {
                () if says(&name, words) => (IN_ITS_NAME, "in its name"),
                () if says(&description, words) => (IN_ITS_DESCRIPTION, "in its description"),
                () if says(&named, words) => (BY_AN_ABILITY, "by a skill or tool"),
                () => continue,
            };
            found.add(points, format!("{does}, {place}"));
            if points > strongest {
                (strongest, found.role) = (points, Some(role));
            }
        }
        if found.role.is_none() {
            return Self::default();
        }
        if strongest > BY_AN_ABILITY && ROLES.iter().any(|(_, _, words)| says(&named, words)) {
            found.add(BY_AN_ABILITY, "a skill or tool is named after it".to_owned());
        }
        if listing.category.id() == "multi-agent" {
            found.add(MULTI_AGENT, "filed under multi-agent".to_owned());
        }
        match abilities.len() {
            25.. => found.add(VERY_MANY_ABILITIES, "25 or more skills or tools".to_owned()),
            10.. => found.add(MANY_ABILITIES, "10 or more skills or tools".to_owned()),
            _ => {}
        }
        let speaks_of = |word| [&name, &description, &named].into_iter().any(|text| says(text, &[word]));
        if speaks_of("a2a") && speaks_of("mcp") {
            found.add(BOTH_PROTOCOLS, "speaks of both A2A and MCP".to_owned());
        }
        if facts.is_some_and(|facts| facts.protocol_versions.len() > 1) {
            found.add(VERSIONS, "several versions of its protocol".to_owned());
        }
        if listing.name_proof.is_some() {
            found.add(PROVEN_NAME, "a proven name".to_owned());
        }
        found
    }

    fn add(&mut self, points: u8, what: String) {
        self.points = (self.points + points).min(100);
        self.traits.push(format!("{what} (+{points})"));
    }
}

/// Lower-case words with one space before each, so that a beginning of a word is found as a text.
fn folded(texts: &[&str]) -> String {
    let lower = texts.join(" ").to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).fold(
        String::new(),
        |mut all, word| {
            all.push(' ');
            all.push_str(word);
            all
        },
    )
}

fn says(folded: &str, beginnings: &[&str]) -> bool {
    beginnings.iter().any(|word| folded.match_indices(word).any(|(at, _)| folded[..at].ends_with(' ')))
}
