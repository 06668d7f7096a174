//! Finds and repairs damage of the stored index. A repair marks the listings of damaged buckets as dirty and removes these
//! buckets from the list, so that their listings are indexed again. Until then, searches use the other buckets.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use super::bucket::{Bucket, Unreadable};
use registry_model::{HashPrefix, ListingId, Moment, id_hash};
use registry_store::{Manifest, Store, StoreError, StoredBucket};

/// Buckets read at the same time, so that a check needs only a few megabytes.
const BATCH: usize = 16;
/// Buckets that are marked and removed together. A transaction allows 100 writes.
const MAX_REPAIRED: usize = 25;
/// If the list of buckets cannot be read, the new list has all prefixes of this length, so that each of them has few listings.
const NEW_LENGTH: u8 = 8;

/// Buckets that cannot be read, and the manifest that lists them. If the manifest cannot be read, it lists none.
#[derive(Debug)]
pub(super) struct Damage {
    pub(super) manifest: Arc<Manifest>,
    pub(super) buckets: Vec<HashPrefix>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Repair {
    pub(super) buckets: usize,
    /// Nothing is left to repair: there was enough time, and no other build changed the index.
    pub(super) is_complete: bool,
}

/// The listed buckets by whether this code can read them.
#[derive(Debug, Default)]
pub(super) struct Examined {
    pub(super) sound: HashMap<HashPrefix, Bucket>,
    /// In a format that only newer code can read.
    pub(super) newer: Vec<HashPrefix>,
    pub(super) damaged: Vec<HashPrefix>,
}

/// Examines what is stored for `prefixes` of a manifest. A bucket that is older than the manifest counts as damaged: it is
/// left from an earlier list of buckets.
///
/// If `is_light` is false, an entry without words counts as damaged, too: it was written while a search backend had them.
pub(super) fn examine(
    manifest: &Manifest,
    prefixes: &[HashPrefix],
    stored: Vec<StoredBucket>,
    is_light: bool,
) -> Examined {
    let mut stored: HashMap<HashPrefix, StoredBucket> =
        stored.into_iter().map(|bucket| (bucket.prefix, bucket)).collect();
    let mut examined = Examined::default();
    for prefix in prefixes {
        let listed = manifest.buckets.get(prefix).copied().unwrap_or_default();
        let found = stored.remove(prefix).filter(|bucket| bucket.version >= listed);
        match found.map(|bucket| Bucket::read(&bucket.bytes)) {
            Some(Ok(bucket)) if bucket.is_light() && !is_light => examined.damaged.push(*prefix),
            Some(Ok(bucket)) => drop(examined.sound.insert(*prefix, bucket)),
            Some(Err(Unreadable::Newer(_))) => examined.newer.push(*prefix),
            Some(Err(Unreadable::Damaged(_))) | None => examined.damaged.push(*prefix),
        }
    }
    examined
}

/// The ids in the sound buckets.
#[derive(Debug, Default)]
pub(super) struct Sound {
    pub(super) listed: Vec<ListingId>,
    /// Those whose embedding an older version computed.
    pub(super) outdated: Vec<ListingId>,
}

/// Reads the whole index. `None` if no bucket is damaged, or if a build has just changed the index, because a build reads
/// what it changes.
pub(super) async fn find_damage(
    store: &Store,
    is_light: bool,
    sound: &mut Sound,
) -> Result<Option<Damage>, StoreError> {
    let manifest = store.manifest().await?;
    let prefixes: Vec<HashPrefix> = manifest.buckets.keys().copied().collect();
    let mut buckets = Vec::new();
    for some in prefixes.chunks(BATCH) {
        let mut examined = examine(&manifest, some, store.buckets(some).await?, is_light);
        buckets.append(&mut examined.damaged);
        for entry in examined.sound.into_values().flat_map(|bucket| bucket.entries) {
            if entry.embedding.is_outdated() {
                sound.outdated.push(entry.listing.id.clone());
            }
            sound.listed.push(entry.listing.id);
        }
    }
    let is_damaged = manifest.is_damaged || !buckets.is_empty();
    let unchanged = store.manifest().await?.version == manifest.version;
    Ok((unchanged && is_damaged).then_some(Damage { manifest, buckets }))
}

/// Repairs some buckets, and more of them until the given time. A bucket is listed until all its listings are marked, so
/// after an error or a crash, the next check finds the rest.
pub(super) async fn repair(
    store: &Store,
    damage: Damage,
    now: Moment,
    until: Instant,
) -> Result<Repair, StoreError> {
    let mut repair = Repair::default();
    let Damage { manifest: mut before, buckets: mut damaged } = damage;
    if before.is_damaged {
        let version = before.version + 1;
        // None of these buckets is stored. So each counts as damaged until it is repaired.
        let buckets = prefixes_of_length(NEW_LENGTH).into_iter().map(|prefix| (prefix, version)).collect();
        let after = Manifest { version, buckets, is_damaged: false };
        if !store.replace_buckets(&before, &after, &[]).await? {
            return Ok(repair);
        }
        damaged = after.buckets.keys().copied().collect();
        before = Arc::new(after);
    }
    for some in damaged.chunks(MAX_REPAIRED) {
        if repair.buckets > 0 && Instant::now() >= until {
            return Ok(repair);
        }
        let chosen = |hash: u64| some.iter().any(|prefix| prefix.covers(hash));
        let listings = store.mark_listed_dirty(|id| chosen(id_hash(id)), now).await?;
        let mut after = Manifest { version: before.version + 1, ..Manifest::clone(&before) };
        after.buckets.retain(|prefix, _| !some.contains(prefix));
        if !store.replace_buckets(&before, &after, &[]).await? {
            return Ok(repair);
        }
        tracing::warn!(buckets = some.len(), listings, "rebuilding a damaged part of the index");
        repair.buckets += some.len();
        before = Arc::new(after);
    }
    Ok(Repair { is_complete: true, ..repair })
}

fn prefixes_of_length(length: u8) -> Vec<HashPrefix> {
    (0..length).fold(vec![HashPrefix::default()], |prefixes, _| {
        prefixes.into_iter().flat_map(|prefix| prefix.halves().into_iter().flatten()).collect()
    })
}
