//! Which documents have a name, by hashes of their names in one column: to go through all of them takes microseconds, and
//! a table of the names themselves would take more memory than the names do.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::entry::IndexedListing;

/// Hashes that are compared at once.
const AT_ONCE: usize = 64;

#[derive(Clone, Debug, Default)]
pub(super) struct NameHashes {
    hashes: Vec<u32>,
    documents: Vec<u32>,
}

impl NameHashes {
    pub(super) fn push(&mut self, document: u32, listing: &IndexedListing) {
        let mut hashes: Vec<u32> =
            listing.whole_names().chain(listing.short_names.iter().map(String::as_str)).map(hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        self.documents.extend(std::iter::repeat_n(document, hashes.len()));
        self.hashes.extend(hashes);
    }

    pub(super) fn shrink(&mut self) {
        self.hashes.shrink_to_fit();
        self.documents.shrink_to_fit();
    }

    /// The documents with a name of the hash of one of these, by number and each once.
    pub(super) fn documents(&self, names: [&str; 2]) -> impl Iterator<Item = usize> {
        let [one, other] = names.map(hash);
        let is_asked = |found: u32| found == one || found == other;
        let mut documents: Vec<u32> = Vec::new();
        for (hashes, of) in self.hashes.chunks(AT_ONCE).zip(self.documents.chunks(AT_ONCE)) {
            // Without a branch for each, which a processor does for several at once; hardly any chunk has one.
            if hashes.iter().fold(false, |any, found| any | is_asked(*found)) {
                let found = hashes.iter().zip(of).filter(|(found, _)| is_asked(**found));
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
    #[expect(clippy::cast_possible_truncation, reason = "half of a hash is one, too")]
    let half = hasher.finish() as u32;
    half
}
