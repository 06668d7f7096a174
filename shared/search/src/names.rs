//! The forms of a listing's name that a search compares: without the owner, as separate words, as people type
//! it, and hashed. Indexing and ranking use the same forms.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::entry::IndexedListing;
use super::words::words;

/// The name without its owner, and the owner: `io.github.acme/weather`, `com.acme.weather`, `@acme/weather`.
pub(super) fn name_and_owner(name: &str) -> (&str, &str) {
    let name = name.trim_start_matches('@');
    if let Some((owner, name)) = name.split_once('/') {
        return (name, owner);
    }
    match name.rsplit_once('.') {
        Some((owner, last)) if owner.contains('.') && !name.contains(' ') => (last, owner),
        _ => (name, ""),
    }
}

/// A name as words, without its owner: `acme/cloudWatch-logs` as `cloud Watch logs`.
pub(super) fn display_name(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or_default();
    let mut shown = String::with_capacity(name.len() + 4);
    let mut before = ' ';
    for c in name.chars() {
        if c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
            shown.push(' ');
        }
        shown.push(if c.is_alphanumeric() { c } else { ' ' });
        before = c;
    }
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The letters and digits of a name, without a suffix such as `mcp server`.
pub(super) fn short_name(name: &str) -> String {
    let joined = words(name).concat();
    let suffixes = ["mcpserver", "mcp", "server"];
    let bare = suffixes.iter().find_map(|suffix| joined.strip_suffix(suffix)).filter(|bare| !bare.is_empty());
    bare.map(str::to_owned).unwrap_or(joined)
}

/// Hashes that are compared together.
const CHUNK: usize = 64;

/// Finds documents by name. Scanning all hashes takes microseconds; a map would take more memory than the names.
#[derive(Clone, Debug, Default)]
pub(super) struct NameHashes {
    hashes: Vec<u32>,
    documents: Vec<u32>,
}

impl NameHashes {
    pub(super) fn push(&mut self, document: u32, listing: &IndexedListing) {
        let names = [listing.name.as_str(), &listing.registry_name, listing.id.as_str()].into_iter();
        let names = names.chain(listing.short_names.iter().map(String::as_str));
        let mut hashes: Vec<u32> = names.map(hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        self.documents.extend(std::iter::repeat_n(document, hashes.len()));
        self.hashes.extend(hashes);
    }

    pub(super) fn shrink(&mut self) {
        self.hashes.shrink_to_fit();
        self.documents.shrink_to_fit();
    }

    /// The documents that may have one of these names, by number and each once.
    pub(super) fn documents(&self, names: [&str; 2]) -> impl Iterator<Item = usize> {
        let [one, other] = names.map(hash);
        let matches = |found: u32| found == one || found == other;
        let mut documents: Vec<u32> = Vec::new();
        for (hashes, of) in self.hashes.chunks(CHUNK).zip(self.documents.chunks(CHUNK)) {
            // Without a branch per hash, so that the compiler can vectorize it; few chunks contain a match.
            if hashes.iter().fold(false, |any, found| any | matches(*found)) {
                let found = hashes.iter().zip(of).filter(|(found, _)| matches(**found));
                documents.extend(found.map(|(_, document)| *document));
            }
        }
        documents.dedup();
        documents.into_iter().map(|document| document as usize)
    }
}

fn hash(name: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    for byte in name.bytes() {
        byte.to_ascii_lowercase().hash(&mut hasher);
    }
    #[expect(clippy::cast_possible_truncation, reason = "half of a hash is a hash")]
    let half = hasher.finish() as u32;
    half
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_name_is_split_into_name_and_owner() {
        assert_eq!(name_and_owner("io.github.acme/weather"), ("weather", "io.github.acme"));
        assert_eq!(name_and_owner("com.acme.weather"), ("weather", "com.acme"));
        assert_eq!(name_and_owner("@acme/weather"), ("weather", "acme"));
        assert_eq!(name_and_owner("weather"), ("weather", ""));
    }

    #[test]
    fn short_names_keep_only_letters_and_digits() {
        assert_eq!(display_name("acme/cloudWatch-logs"), "cloud Watch logs");
        assert_eq!(short_name("Weather MCP Server"), "weather");
        assert_eq!(short_name("MCP"), "mcp");
    }
}
