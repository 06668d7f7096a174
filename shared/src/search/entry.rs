//! What the index knows of a Live listing: what it says of itself, and how much each word of it counts. All work on the
//! words is done here, once, when a listing goes Live or its words change; a search only adds up.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use url::Url;

use super::embedding::{self, Embedding};
use super::names::{display_name, name_and_owner, short_name};
use super::words::{stem, words, words_of_name};
use crate::formats::registry_name;
use crate::model::{Assessment, Kind, Listing, ListingId, Moment};

/// At most so many skills or tools are read.
const ABILITIES: usize = 40;
/// At most so many characters of what a skill or tool says of itself.
const ABILITY_TEXT: usize = 200;
/// At most so many characters of title and description stand for the embedding.
const BRIEF: usize = 1200;
/// At most so many characters, where tags and abilities are added.
const FULL: usize = 2000;
/// At most so many names of skills and tools are kept to be shown.
const KEPT_ABILITIES: usize = 24;

/// What a listing says of itself, as it is searched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IndexedText {
    /// Its name, perhaps with its owner before a slash.
    pub name: String,
    /// Its title, where it has one beside its name.
    pub title: String,
    /// What it is for.
    pub description: String,
    /// What it is filed under, in words.
    pub category: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Names and descriptions of its skills and tools.
    pub abilities: Vec<(String, String)>,
}

impl IndexedText {
    /// What a listing says, by its core and the evidence of its last probe.
    #[must_use]
    pub fn of(listing: &Listing, evidence: Option<&Assessment>) -> Self {
        let (name, title) = match &listing.server_name {
            Some(server_name) if *server_name != listing.name => (server_name.clone(), listing.name.clone()),
            _ => (listing.name.clone(), String::new()),
        };
        let facts = evidence.map(|evidence| &evidence.verdict.facts);
        let skills = facts.into_iter().flat_map(|facts| &facts.skills);
        let tools = facts.into_iter().flat_map(|facts| &facts.tools);
        let mut tags: Vec<String> = skills.clone().flat_map(|skill| skill.tags.iter().cloned()).collect();
        let mut seen = BTreeSet::new();
        tags.retain(|tag| seen.insert(tag.to_lowercase()));
        Self {
            name,
            title,
            description: listing.description.clone().unwrap_or_default(),
            category: String::new(),
            tags,
            abilities: skills
                .map(|skill| (skill.name.clone(), skill.description.clone()))
                .chain(tools.map(|tool| (tool.name.clone(), tool.description.clone())))
                .take(ABILITIES)
                .collect(),
        }
    }

    /// A hash that changes with what is text: over its fields by name, so that a new one which is empty changes nothing.
    #[must_use]
    pub fn content_hash(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        Sha256::digest(text).iter().take(8).map(|b| format!("{b:02x}")).collect()
    }

    /// Its name and title as a searcher may say them.
    #[must_use]
    pub fn short_names(&self) -> Vec<String> {
        let names = [short_name(&self.name), short_name(&display_name(&self.name)), short_name(&self.title)];
        let names: BTreeSet<String> = names.into_iter().filter(|name| !name.is_empty()).collect();
        names.into_iter().collect()
    }

    /// The two texts that stand for its embedding, each for a half: title and description, and these with tags and
    /// abilities. One alone is too narrow for what has forty tools, the other too broad for what says it in a line.
    fn gist(&self) -> [String; 2] {
        let title = if self.title.is_empty() { display_name(&self.name) } else { self.title.clone() };
        let brief: String = format!("{title}. {}", self.description).chars().take(BRIEF).collect();
        let tags: Vec<&str> = self.tags.iter().take(12).map(String::as_str).collect();
        let abilities: Vec<String> =
            self.abilities.iter().take(20).map(|(name, _)| name.replace(['_', '-'], " ")).collect();
        let mut full = brief.clone();
        for (more, end) in [(self.category.clone(), "."), (tags.join(", "), "."), (abilities.join(", "), "")]
        {
            if !more.is_empty() {
                full = format!("{full} {more}{end}");
            }
        }
        [brief, full.chars().take(FULL).collect()]
    }
}

/// How a field counts: the weight of a word in it, how much its length matters (0 not, 1 fully), and the usual length
/// of the field in words (the mean over the 9,942 listings on which search is measured).
struct Field {
    weight: f32,
    length_matters: f32,
    usual: f32,
}

const NAME: Field = Field { weight: 2.0, length_matters: 0.3, usual: 2.3 };
const OWNER: Field = Field { weight: 0.5, length_matters: 0.3, usual: 2.5 };
const TITLE: Field = Field { weight: 2.0, length_matters: 0.3, usual: 2.8 };
const DESCRIPTION: Field = Field { weight: 1.0, length_matters: 0.6, usual: 16.7 };
const CATEGORY: Field = Field { weight: 0.5, length_matters: 0.3, usual: 2.2 };
const TAGS: Field = Field { weight: 0.7, length_matters: 0.5, usual: 5.2 };
const ABILITY_NAMES: Field = Field { weight: 0.3, length_matters: 0.7, usual: 23.5 };
const ABILITY_TEXTS: Field = Field { weight: 0.15, length_matters: 0.8, usual: 112.2 };

/// A further mention of a word counts less (BM25's k1).
const SATURATION: f32 = 0.8;

/// What the index shows, filters and counts a listing by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedListing {
    /// Its id.
    pub id: ListingId,
    /// Agent or MCP server.
    pub kind: Kind,
    /// The id of what it is filed under.
    pub category: String,
    /// Its display name.
    pub name: String,
    /// The name under which the registry API knows it.
    pub registry_name: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Names of its skills and tools.
    pub abilities: Vec<String>,
    /// Its name and title as a searcher may say them: joined, and without `mcp server` at the end.
    pub short_names: Vec<String>,
    /// The host at which it is served.
    pub publisher: String,
    /// When what it says last changed, in milliseconds since the epoch.
    pub changed_at: i64,
}

/// What the index keeps of a Live listing.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexEntry {
    /// What it is shown, filtered and counted by.
    pub listing: IndexedListing,
    /// Each stem of its words, with its weight from 0 to 1 in 65,535 parts.
    pub stems: Vec<(String, u16)>,
    /// Each word of it as it is written.
    pub words: Vec<String>,
    /// What it is about.
    pub embedding: Embedding,
}

impl IndexEntry {
    /// The entry of a listing that says `text`.
    #[must_use]
    pub fn of(listing: &Listing, text: &IndexedText, changed_at: Moment) -> Self {
        let indexed = IndexedListing {
            id: listing.id.clone(),
            kind: listing.shown_kind(),
            category: listing.category.id().to_owned(),
            name: listing.name.clone(),
            registry_name: registry_name::of(listing),
            tags: text.tags.iter().take(KEPT_ABILITIES).cloned().collect(),
            abilities: text.abilities.iter().take(KEPT_ABILITIES).map(|(name, _)| name.clone()).collect(),
            short_names: text.short_names(),
            publisher: publisher(listing),
            changed_at: changed_at.as_millisecond(),
        };
        Self::from_text(indexed, text)
    }

    /// The entry of whatever says `text`.
    #[must_use]
    pub fn from_text(listing: IndexedListing, text: &IndexedText) -> Self {
        let (stems, words) = weighed(text);
        Self { listing, stems, words, embedding: embedding::of(&text.gist()) }
    }
}

/// The host at which a listing is served.
fn publisher(listing: &Listing) -> String {
    let url = Url::parse(listing.shown_card_url()).ok();
    url.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
}

/// The stems of what is text with their weights, and its words.
fn weighed(text: &IndexedText) -> (Vec<(String, u16)>, Vec<String>) {
    let (name, owner) = name_and_owner(&text.name);
    let abilities = text.abilities.iter().take(ABILITIES);
    let names = abilities.clone().map(|(name, _)| name.replace('_', " ")).collect::<Vec<_>>().join(" ");
    let texts = abilities.map(|(_, text)| text.chars().take(ABILITY_TEXT).collect::<String>());
    let texts = texts.collect::<Vec<_>>().join(" ");
    let fields: [(Field, Vec<String>); 8] = [
        (NAME, words_of_name(name)),
        (OWNER, words(owner)),
        (TITLE, words(&text.title)),
        (DESCRIPTION, words(&text.description)),
        (CATEGORY, words(&text.category)),
        (TAGS, words(&text.tags.join(" "))),
        (ABILITY_NAMES, words_of_name(&names)),
        (ABILITY_TEXTS, words(&texts)),
    ];
    let mut weights: BTreeMap<String, f32> = BTreeMap::new();
    let mut written = BTreeSet::new();
    for (field, words) in fields {
        let length = words.len() as f32 / field.usual;
        let each = field.weight / (1.0 - field.length_matters + field.length_matters * length);
        for word in words {
            *weights.entry(stem(&word)).or_default() += each;
            written.insert(word);
        }
    }
    let stems = weights.into_iter().map(|(stem, x)| (stem, part(x / (SATURATION + x)))).collect();
    (stems, written.into_iter().collect())
}

/// A number from 0 to 1 in 65,535 parts.
fn part(of_one: f32) -> u16 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 65,535")]
    let part = (of_one.clamp(0.0, 1.0) * f32::from(u16::MAX)).round() as u16;
    part
}
