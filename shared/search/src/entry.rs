//! The index entry of a listing: its stems with weights, its words, and its embedding. The texts of a
//! listing are processed here each time the listing changes, so that a search only has to add numbers.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use url::Url;

use super::embedding::{self, Embedding};
use super::words::{display_name, name_and_owner, short_name, stem, words, words_of_name};
use registry_formats::{name_owner, registry_name};
use registry_model::{Assessment, Availability, Kind, Listing, ListingId, Moment};

/// Different words of a listing that are indexed. Each takes memory in every function that searches; the listings of the
/// relevance test have 163 on average.
const MAX_WORDS: usize = 320;
/// Bytes of these words. A bucket with some entries must stay far below the size of an item.
const MAX_WORD_BYTES: usize = 6 * 1024;
/// Characters of a word that are indexed.
const LONGEST_WORD: usize = 64;
/// Characters of a tag or of the name of a skill or tool that are stored for hits and facets.
const STORED_NAME: usize = 100;
const MAX_ABILITIES: usize = 40;
/// Characters of a skill's or tool's description that are indexed.
const ABILITY_TEXT: usize = 200;
/// Characters of a listing that are embedded. The model reads no longer texts.
const EMBEDDED: usize = 1200;
/// Names of skills and tools, and tags, stored for hits and facets.
const STORED_ABILITIES: usize = 24;

/// The searched texts of a listing. Its field names are part of [`IndexedText::content_hash`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IndexedText {
    /// May have the owner before a slash.
    pub name: String,
    pub title: String,
    pub description: String,
    pub category: String,
    pub tags: Vec<String>,
    pub abilities: Vec<(String, String)>,
}

impl IndexedText {
    pub fn of(listing: &Listing, evidence: Option<&Assessment>) -> Self {
        // If the namespace is only claimed, not verified, the listing is found only by the part after the slash.
        let searched = |name: &String| match listing.is_name_claimed() {
            true => name_owner::leaf(name).to_owned(),
            false => name.clone(),
        };
        let (name, title) = match &listing.ownership.server_name {
            Some(server_name) if *server_name != listing.texts.name => {
                (searched(server_name), listing.texts.name.clone())
            }
            Some(server_name) => (searched(server_name), String::new()),
            None => (listing.texts.name.clone(), String::new()),
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
            description: listing.texts.description.clone().unwrap_or_default(),
            category: String::new(),
            tags,
            abilities: skills
                .map(|skill| (skill.name.clone(), skill.description.clone()))
                .chain(tools.map(|tool| (tool.name.clone(), tool.description.clone())))
                .collect(),
        }
    }

    /// If it changes at a recheck, the listing must be indexed again.
    pub fn content_hash(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        Sha256::digest(text).iter().take(8).map(|b| format!("{b:02x}")).collect()
    }

    pub fn short_names(&self) -> Vec<String> {
        let names = [short_name(&self.name), short_name(&display_name(&self.name)), short_name(&self.title)];
        let names: BTreeSet<String> = names.into_iter().filter(|name| !name.is_empty()).collect();
        names.into_iter().collect()
    }

    /// Title and description. The model reads only the beginning, and takes as long for tags and abilities as for these.
    pub(super) fn embedded_text(&self) -> String {
        let title = if self.title.is_empty() { display_name(&self.name) } else { self.title.clone() };
        format!("{}. {}", without_numbers(&title), self.description).chars().take(EMBEDDED).collect()
    }
}

/// A number in a title says nothing about a subject, and listings that differ only by it share an embedding.
fn without_numbers(title: &str) -> String {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    title.split(' ').filter(|word| !is_number(word)).collect::<Vec<_>>().join(" ")
}

/// Further mentions of a word count less (BM25's k1).
const SATURATION: f32 = 0.8;

/// What filters, facets and hits need of a listing. The order of fields is the stored format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedListing {
    pub id: ListingId,
    pub kind: Kind,
    pub category: String,
    pub name: String,
    pub registry_name: String,
    pub tags: Vec<String>,
    pub abilities: Vec<String>,
    /// Its name and title as people type them: joined, and without `mcp server` at the end.
    pub short_names: Vec<String>,
    pub publisher: String,
    /// When its searched texts last changed, in milliseconds since the epoch.
    pub changed_at: i64,
    /// How it is shown. The bucket stores it apart from the entry, because nearly all entries are open.
    #[serde(skip, default = "open")]
    pub shown: Availability,
}

const fn open() -> Availability {
    Availability::OPEN
}

/// The first tags, and the names of the first skills or tools, as the index stores them. The whole skills and tools are
/// in the evidence, which is many times larger, so lists show only these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AbilityNames {
    pub tags: Vec<String>,
    pub names: Vec<String>,
}

impl IndexedListing {
    /// The order of lists: by name, then by id, since two listings may have one name. A name holds no space.
    pub(super) fn sort_key(&self) -> (&str, &str) {
        (&self.registry_name, self.id.as_str())
    }

    /// The names that a search compares with a whole query.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let names = [self.name.as_str(), &self.registry_name, self.id.as_str()];
        names.into_iter().chain(self.short_names.iter().map(String::as_str))
    }

    pub(super) fn ability_names(&self) -> AbilityNames {
        AbilityNames { tags: self.tags.clone(), names: self.abilities.clone() }
    }
}

#[cfg(test)]
impl IndexedListing {
    /// An open MCP server without texts.
    pub(super) fn example(id: &str) -> Self {
        Self {
            id: id.parse().unwrap(),
            kind: Kind::Mcp,
            category: "other".to_owned(),
            name: String::new(),
            registry_name: String::new(),
            tags: Vec::new(),
            abilities: Vec::new(),
            short_names: Vec::new(),
            publisher: String::new(),
            changed_at: 0,
            shown: Availability::OPEN,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct IndexEntry {
    pub listing: IndexedListing,
    /// Stems with their weights, from 0 to 1 in steps of 1/65,535.
    pub stems: Vec<(String, u16)>,
    pub words: Vec<String>,
    pub embedding: Embedding,
}

impl IndexEntry {
    pub fn of(listing: &Listing, shown: Availability, text: &IndexedText, changed_at: Moment) -> Self {
        let indexed = IndexedListing {
            id: listing.id.clone(),
            kind: listing.likely_kind(),
            category: listing.texts.category.id().to_owned(),
            name: match &listing.ownership.server_name {
                Some(name) if listing.is_name_claimed() && *name == listing.texts.name => {
                    name_owner::leaf(name).to_owned()
                }
                _ => listing.texts.name.clone(),
            },
            registry_name: registry_name::name_of_listing(listing),
            tags: stored(text.tags.iter()),
            abilities: stored(text.abilities.iter().map(|(name, _)| name)),
            short_names: text.short_names(),
            publisher: publisher(listing),
            changed_at: changed_at.as_millisecond(),
            shown,
        };
        Self::from_text(indexed, text)
    }

    /// The same entry without what only a search backend needs. Lists and facets stay complete.
    pub(super) fn light(self) -> Self {
        Self { stems: Vec::new(), words: Vec::new(), embedding: Embedding::elsewhere(), ..self }
    }

    pub fn from_text(listing: IndexedListing, text: &IndexedText) -> Self {
        let (stems, words) = weighted_stems(text);
        Self { listing, stems, words, embedding: embedding::embed(&text.embedded_text()) }
    }
}

fn stored<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    names.take(STORED_ABILITIES).map(|name| name.chars().take(STORED_NAME).collect()).collect()
}

fn publisher(listing: &Listing) -> String {
    let url = Url::parse(listing.public_card_url()).ok();
    url.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
}

fn weighted_stems(text: &IndexedText) -> (Vec<(String, u16)>, Vec<String>) {
    let (name, owner) = name_and_owner(&text.name);
    let abilities = text.abilities.iter().take(MAX_ABILITIES);
    let names = abilities.clone().map(|(name, _)| name.replace('_', " ")).collect::<Vec<_>>().join(" ");
    let texts = abilities.map(|(_, text)| text.chars().take(ABILITY_TEXT).collect::<String>());
    let texts = texts.collect::<Vec<_>>().join(" ");
    // The fields of BM25F, each with its weight, its length normalization (0 none, 1 full), its mean length in words (over the
    // 9,942 listings of the relevance test), and its words.
    let fields: [(f32, f32, f32, Vec<String>); 8] = [
        (2.0, 0.3, 2.3, words_of_name(name)),
        (0.5, 0.3, 2.5, words(owner)),
        (2.0, 0.3, 2.8, words(&text.title)),
        (1.0, 0.6, 16.7, words(&text.description)),
        (0.5, 0.3, 2.2, words(&text.category)),
        (0.7, 0.5, 5.2, words(&text.tags.join(" "))),
        (0.3, 0.7, 23.5, words_of_name(&names)),
        (0.15, 0.8, 112.2, words(&texts)),
    ];
    let mut weights: BTreeMap<String, f32> = BTreeMap::new();
    let (mut written, mut bytes) = (BTreeSet::new(), 0);
    for (weight, length_norm, mean_length, words) in fields {
        let length = words.len() as f32 / mean_length;
        let each = weight / (1.0 - length_norm + length_norm * length);
        for word in words {
            let word: String = word.chars().take(LONGEST_WORD).collect();
            let has_room = written.len() < MAX_WORDS && bytes + word.len() <= MAX_WORD_BYTES;
            if has_room || written.contains(&word) {
                *weights.entry(stem(&word)).or_default() += each;
                let length = word.len();
                bytes += if written.insert(word) { length } else { 0 };
            }
        }
    }
    let stems = weights.into_iter().map(|(stem, x)| (stem, quantised(x / (SATURATION + x)))).collect();
    (stems, written.into_iter().collect())
}

/// From 0 to 1 in steps of 1/65,535.
fn quantised(of_one: f32) -> u16 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 65,535")]
    let part = (of_one.clamp(0.0, 1.0) * f32::from(u16::MAX)).round() as u16;
    part
}
