//! Computes how well a listing connects other listings. A listing gets points for traits in its description
//! and in its last probe. Each trait counts once, so a text that repeats the same words gets no more points.

use registry_model::{Assessment, Listing};

/// A role that connects others: its name, what it does, and prefixes of the words that name it, separated by `|`.
type Role = (&'static str, &'static str, &'static str);

const ROLES: [Role; 5] = [
    ("router", "routes or bridges between peers", "router|routing|gateway|proxy|bridge|relay|broker"),
    (
        "directory",
        "lists or finds peers",
        "registry|registries|discovery|agent directory|server directory|directory of|agent finder",
    ),
    ("orchestrator", "orchestrates agents", "orchestrat|coordinat|multi agent|multiagent|swarm|delegat"),
    (
        "marketplace",
        "brings supply and demand together",
        "marketplace|hub|agent exchange|agent network|app store",
    ),
    ("federation", "joins other servers into one", "federat|aggregator|mesh|interop"),
];

const NAME_POINTS: u8 = 14;
const DESCRIPTION_POINTS: u8 = 8;
const ABILITY_POINTS: u8 = 4;
const MULTI_AGENT: u8 = 6;
const MANY_ABILITIES: u8 = 4;
const VERY_MANY_ABILITIES: u8 = 8;
const BOTH_PROTOCOLS: u8 = 6;
const VERSIONS: u8 = 4;
const PROVEN_NAME: u8 = 4;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Likeness {
    pub points: u8,
    pub traits: Vec<String>,
    /// The strongest role; `None` if it has none, and then no points.
    pub role: Option<&'static str>,
}

impl Likeness {
    /// Size and versions alone do not make a connector, so they count only in addition to a role.
    pub fn of(listing: &Listing, evidence: Option<&Assessment>) -> Self {
        let facts = evidence.map(|evidence| &evidence.verdict.facts);
        let name =
            folded(&[&listing.texts.name, listing.ownership.server_name.as_deref().unwrap_or_default()]);
        let description = folded(&[listing.texts.description.as_deref().unwrap_or_default()]);
        let abilities: Vec<&str> = facts.map_or_else(Vec::new, |facts| {
            let skills = facts.skills.iter().map(|skill| &*skill.name);
            skills.chain(facts.tools.iter().map(|tool| &*tool.name)).collect()
        });
        let named = folded(&abilities);

        let mut found = Self::default();
        let mut strongest = 0;
        for (role, does, words) in ROLES {
            let (points, place) = match () {
                () if mentions(&name, words) => (NAME_POINTS, "its name"),
                () if mentions(&description, words) => (DESCRIPTION_POINTS, "its description"),
                () if mentions(&named, words) => (ABILITY_POINTS, "a skill or tool name"),
                () => continue,
            };
            found.add(points, &format!("a word in {place} suggests that it {does}"));
            if points > strongest {
                (strongest, found.role) = (points, Some(role));
            }
        }
        if found.role.is_none() {
            return Self::default();
        }
        if strongest > ABILITY_POINTS && ROLES.iter().any(|(_, _, words)| mentions(&named, words)) {
            found.add(ABILITY_POINTS, "the name of a skill or tool names a role");
        }
        if listing.texts.category.id() == "multi-agent" {
            found.add(MULTI_AGENT, "its category is multi-agent");
        }
        match abilities.len() {
            25.. => found.add(VERY_MANY_ABILITIES, "it has 25 or more skills or tools"),
            10.. => found.add(MANY_ABILITIES, "it has 10 or more skills or tools"),
            _ => {}
        }
        let mentions_word = |word| [&name, &description, &named].into_iter().any(|text| mentions(text, word));
        if mentions_word("a2a") && mentions_word("mcp") {
            found.add(BOTH_PROTOCOLS, "it mentions both A2A and MCP");
        }
        if facts.is_some_and(|facts| facts.protocol_versions.len() > 1) {
            found.add(VERSIONS, "it supports several versions of its protocol");
        }
        if listing.has_proven_name() {
            found.add(PROVEN_NAME, "its name is proven");
        }
        found
    }

    fn add(&mut self, points: u8, what: &str) {
        self.points = (self.points + points).min(100);
        self.traits.push(format!("{what} (+{points})"));
    }
}

/// Lower-case words with one space before each, so that the prefix of a word can be found as a substring.
fn folded(texts: &[&str]) -> String {
    let lower = texts.join(" ").to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| format!(" {word}")).collect()
}

fn mentions(folded: &str, prefixes: &str) -> bool {
    let is_word_start = |at: usize| folded[..at].ends_with(' ');
    prefixes.split('|').any(|word| folded.match_indices(word).any(|(at, _)| is_word_start(at)))
}

#[cfg(test)]
mod tests;
