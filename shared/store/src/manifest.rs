//! Which buckets the search index has, as one value. Apart from the requests that read it, because the read cache holds it
//! and they read it through the cache.

use std::collections::BTreeMap;

use registry_model::{HashPrefix, ListingId, id_hash};

/// The version of each bucket, and of the whole index. Readers load only buckets whose version they do not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Grows with every change; 0 before the first.
    pub version: u64,
    /// The version of each bucket.
    pub buckets: BTreeMap<HashPrefix, u64>,
    /// The table's list of buckets cannot be read, so there are none here and the index must be built anew.
    pub is_damaged: bool,
}

impl Manifest {
    /// The bucket of an id; before the first build, the one bucket that holds every id.
    #[must_use]
    pub fn bucket_of(&self, id: &ListingId) -> HashPrefix {
        let hash = id_hash(id);
        self.buckets.keys().copied().find(|prefix| prefix.covers(hash)).unwrap_or_default()
    }
}
