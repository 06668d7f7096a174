//! Finds documents by their names. Only hashes of the names are stored.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Hashes that are compared together.
const CHUNK: usize = 64;

/// Finds documents by name. Scanning all hashes takes microseconds; a map would take more memory than the names.
#[derive(Clone, Debug, Default)]
pub(super) struct NameHashes {
    hashes: Vec<u32>,
    documents: Vec<u32>,
}

impl NameHashes {
    pub(super) fn push<'a>(&mut self, document: u32, names: impl Iterator<Item = &'a str>) {
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
