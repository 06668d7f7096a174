//! Finds and repairs damage of the stored index. A damaged bucket is emptied, and its listings get a dirty
//! mark, so that they are indexed again. Until then, searches use the other buckets.

use super::bucket::Bucket;
use registry_model::{HashPrefix, Moment};
use registry_store::{Manifest, Store, StoreError};

/// Buckets read at the same time, so that a check needs only a few megabytes.
const BATCH: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Damage {
    Manifest,
    Buckets(Vec<HashPrefix>),
}

/// Reads the whole index. `None` if the index is valid, or if a build has just changed it, because a build reads what
/// it changes.
pub(super) async fn find(store: &Store) -> Result<Option<Damage>, StoreError> {
    let manifest = store.manifest().await?;
    if manifest.is_damaged {
        return Ok(Some(Damage::Manifest));
    }
    let prefixes: Vec<HashPrefix> = manifest.buckets.keys().copied().collect();
    let mut damaged = Vec::new();
    for some in prefixes.chunks(BATCH) {
        let mut unread = some.to_vec();
        for stored in store.buckets(some).await? {
            if Bucket::read(&stored.bytes).is_ok() {
                unread.retain(|prefix| *prefix != stored.prefix);
            }
        }
        damaged.append(&mut unread);
    }
    let unchanged = store.manifest().await?.version == manifest.version;
    Ok((unchanged && !damaged.is_empty()).then_some(Damage::Buckets(damaged)))
}

/// Marks the affected listings, then empties the damaged buckets, and returns the number of these buckets. If it fails
/// in between, the next build finds the damage again.
pub(super) async fn repair(store: &Store, damage: &Damage, now: Moment) -> Result<usize, StoreError> {
    let before = store.manifest().await?;
    let (mut after, emptied) = match damage {
        Damage::Manifest => (Manifest::default(), vec![HashPrefix::default()]),
        Damage::Buckets(prefixes) => (Manifest::clone(&before), prefixes.clone()),
    };
    let marked = store.mark_listed_dirty(|id| emptied.iter().any(|prefix| prefix.holds(id)), now).await?;
    after.version = before.version + 1;
    let empty = Bucket::default().write()?;
    after.buckets.extend(emptied.iter().map(|prefix| (*prefix, after.version)));
    let written: Vec<(HashPrefix, Vec<u8>)> = emptied.iter().map(|prefix| (*prefix, empty.clone())).collect();
    if store.replace_buckets(&before, &after, &written).await? {
        tracing::warn!(buckets = emptied.len(), listings = marked, "rebuilding a damaged index");
    }
    Ok(emptied.len())
}
