//! The manifest of the search index, as plain data. `records/search_index.rs` reads and writes it.

use std::collections::BTreeMap;

use registry_model::{HashPrefix, ListingId, id_hash};

/// The buckets of the search index. Readers load only buckets whose version they do not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Grows with every change; 0 before the first.
    pub version: u64,
    pub buckets: BTreeMap<HashPrefix, u64>,
    /// The list of buckets in the table cannot be read. So `buckets` is empty, and the index must be built again.
    pub is_damaged: bool,
}

impl Manifest {
    /// The bucket of an id. Buckets without entries are not stored: then it is the largest one beside the stored buckets.
    pub fn bucket_of(&self, id: &ListingId) -> HashPrefix {
        let hash = id_hash(id);
        if let Some(stored) = self.buckets.keys().copied().find(|prefix| prefix.covers(hash)) {
            return stored;
        }
        let mut free = HashPrefix::default();
        while self.buckets.keys().any(|stored| free.contains(*stored)) {
            let mut halves = free.halves().into_iter().flatten();
            let Some(half) = halves.find(|half| half.covers(hash)) else { break };
            free = half;
        }
        free
    }
}
