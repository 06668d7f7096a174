//! Tests a search index with damaged buckets (bytes are changed or missing, or the list of buckets cannot be read), and one
//! with buckets of other formats, as during a rolling deployment or after a rollback. Search still uses the parts that can be
//! read. The next run of the index function repairs the index in small transactions. An interrupted repair loses nothing, and
//! its error does not stop the index from being updated. This code reads the format before its own, and leaves buckets alone
//! that newer code wrote.

use std::collections::{BTreeMap, HashSet};

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use registry::app::App;
use registry::model::HashPrefix;
use registry::search::bucket::Bucket;
use registry::search::embedding::WIDTH;
use registry::store::Manifest;
use sha2::{Digest as _, Sha256};
use tests::prelude::*;

use crate::fixtures::{another_process, count_indexed, live_fleet, query, with_index};

/// Enough for several buckets.
const AGENTS: usize = 160;

/// The number of listings that a newly started process finds.
async fn count_in_new_process(registry: &TestRegistry) -> usize {
    count_indexed(&another_process(&registry.app)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn search_works_on_a_damaged_index_until_its_repair() {
    let (registry, listings) = with_index(AGENTS).await;
    let whole = listings.len();
    // `every_damaged_byte_is_detected` tests all kinds of damage to the bytes of a bucket.
    for damage in ["a byte changed", "empty", "deleted"] {
        let buckets = registry.items("INDEX#").await;
        let bucket = buckets.iter().find(|item| item.contains_key("bucket")).unwrap();
        let key = |name: &str| bucket[name].as_s().unwrap().as_str();
        if damage == "deleted" {
            registry.forget(key("pk"), key("sk")).await;
        } else {
            let mut bytes = bucket["bucket"].as_b().unwrap().as_ref().to_vec();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            bytes.truncate(if damage == "empty" { 0 } else { usize::MAX });
            let damaged = AttributeValue::B(Blob::new(bytes));
            registry.overwrite(key("pk"), key("sk"), "bucket", damaged).await;
        }
        let loaded = count_indexed(&registry.app).await;
        assert_eq!(loaded, whole, "{damage}: a process that has the index keeps it");
        let rest = count_in_new_process(&registry).await;
        assert!((1..whole).contains(&rest), "{damage}: a new process finds the rest: {rest}");
        for path in ["/api/ard/search?q=adds+numbers", "/api/match?q=adds+numbers", "/v0.1/servers"] {
            assert_eq!(registry.get(path).await.status, 200, "{damage}: {path}");
        }

        registry.advance(HOUR);
        let report = registry.index().await;
        assert_eq!(report["damaged"], 1, "{damage}: {report}");
        assert_eq!(count_in_new_process(&registry).await, whole, "{damage}: the index is complete again");
        assert_eq!(count_indexed(&registry.app).await, whole, "{damage}");
    }

    registry.overwrite("INDEX", "MANIFEST", "buckets", AttributeValue::S("[[".to_owned())).await;
    assert_eq!(count_indexed(&registry.app).await, whole, "a process that has the index keeps it");
    assert_eq!(count_in_new_process(&registry).await, 0, "a new process finds no listings, without an error");
    registry.advance(HOUR);
    assert_eq!(registry.index().await["come"], json!(AGENTS), "the whole index is rebuilt");
    assert_eq!((count_indexed(&registry.app).await, count_in_new_process(&registry).await), (whole, whole));
}

/// An index update repairs the bucket that it writes, without waiting for the hourly check.
#[tokio::test(flavor = "multi_thread")]
async fn index_update_repairs_a_damaged_bucket() {
    let (registry, [peer, _servers], _) = live_fleet(1, 0).await;
    for damage in ["bucket", "buckets"] {
        let at = if damage == "bucket" { ("INDEX#00-00000000", "BUCKET") } else { ("INDEX", "MANIFEST") };
        registry.overwrite(at.0, at.1, damage, AttributeValue::S("damaged".to_owned())).await;
        registry.publish_card(&peer.url(&format!("/{damage}/card.json"))).await;
        let delivered = registry.deliver_events().await;
        assert!(delivered.iter().any(|event: &Value| event["detail-type"] == "listing.queued"));
    }
    assert_eq!(count_in_new_process(&registry).await, 3);
}

/// Enough for two buckets.
const IN_TWO_BUCKETS: usize = 200;

async fn stored_bytes(registry: &TestRegistry) -> Vec<(HashPrefix, Vec<u8>)> {
    let manifest = registry.app.store.manifest().await.unwrap();
    let prefixes: Vec<HashPrefix> = manifest.buckets.keys().copied().collect();
    let buckets = registry.app.store.buckets(&prefixes).await.unwrap();
    buckets.into_iter().map(|bucket| (bucket.prefix, bucket.bytes)).collect()
}

async fn overwrite(registry: &TestRegistry, prefix: HashPrefix, bytes: Vec<u8>) {
    let bytes = AttributeValue::B(Blob::new(bytes));
    registry.overwrite(&format!("INDEX#{prefix}"), "BUCKET", "bucket", bytes).await;
}

fn digest(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes)[..8].to_vec()
}

/// The format before had embeddings of another width.
#[tokio::test(flavor = "multi_thread")]
async fn index_of_the_format_before_is_read_and_rewritten() {
    let (registry, _) = with_index(IN_TWO_BUCKETS).await;
    for (prefix, bytes) in stored_bytes(&registry).await {
        let mut bucket = Bucket::read(&bytes).unwrap();
        bucket.entries.iter_mut().for_each(|entry| entry.embedding.parts = vec![1; 256]);
        // A byte with the number of the format, then a digest, then the packed entries.
        let packed = &bucket.write().unwrap()[9..];
        let before = [&[1], digest(&[&[1], packed].concat()).as_slice(), packed].concat();
        overwrite(&registry, prefix, before).await;
    }
    let app = &registry.app;
    assert_eq!(count_indexed(&another_process(app)).await, IN_TWO_BUCKETS);
    registry.advance(HOUR);
    let report = another_process(app).search.build().await.unwrap();
    assert_eq!((report.damaged, report.newer), (0, 0), "the format before is not damage");
    assert_eq!(report.come, IN_TWO_BUCKETS, "the check marks listings with embeddings of another width");
    for (_, bytes) in stored_bytes(&registry).await {
        let bucket = Bucket::read(&bytes).unwrap();
        assert!(bucket.entries.iter().all(|entry| entry.embedding.parts.len() == WIDTH));
    }
    assert_eq!(count_indexed(&another_process(app)).await, IN_TWO_BUCKETS);
    registry.advance(HOUR);
    assert_eq!(another_process(app).search.build().await.unwrap().come, 0, "nothing is left to do");
}

#[tokio::test(flavor = "multi_thread")]
async fn bucket_of_a_newer_format_is_left_as_it_is() {
    let (registry, _) = with_index(IN_TWO_BUCKETS).await;
    let app = &registry.app;
    let (prefix, sound) = stored_bytes(&registry).await.first().unwrap().clone();
    let packed = b"entries in a format of the future";
    let newer = [&[200], digest(&[&[200], packed.as_slice()].concat()).as_slice(), packed].concat();
    overwrite(&registry, prefix, newer.clone()).await;
    app.store.mark_listed_dirty(|_| true, registry.now()).await.unwrap();
    registry.advance(HOUR);
    let mut in_bucket = 0;
    for build in 0..2 {
        let report = another_process(app).search.build().await.unwrap();
        assert_eq!((report.damaged, report.newer), (0, 1), "build {build}");
        let marks = app.store.dirty_marks(None, 500).await.unwrap();
        assert!(!marks.is_empty() && marks.iter().all(|mark| prefix.matches(&mark.id)), "build {build}");
        in_bucket = marks.len();
        let others = if build == 0 { IN_TWO_BUCKETS - in_bucket } else { 0 };
        assert_eq!(report.come, others, "build {build}: the other listings are indexed");
        assert!(stored_bytes(&registry).await.contains(&(prefix, newer.clone())), "build {build}");
    }
    assert_eq!(count_indexed(app).await, IN_TWO_BUCKETS, "a process that has the index keeps its entries");
    assert_eq!(
        count_indexed(&another_process(app)).await,
        IN_TWO_BUCKETS - in_bucket,
        "a new process misses them"
    );

    // The newer code is back: it can read the bucket, and applies the marks.
    overwrite(&registry, prefix, sound).await;
    assert_eq!(another_process(app).search.build().await.unwrap().come, in_bucket);
    assert_eq!(count_indexed(&another_process(app)).await, IN_TWO_BUCKETS);
    assert!(app.store.dirty_marks(None, 1).await.unwrap().is_empty());
}

/// A transaction of the table allows 100 writes.
const BUCKETS: usize = 256;
const LISTINGS: usize = 60;

async fn found_ids(app: &App) -> HashSet<ListingId> {
    let found = app.search.find(&query("", 98), app.clock.now()).await.unwrap();
    found.hits.iter().map(|hit| hit.listing.id.clone()).collect()
}

/// All prefixes of the length at which there are `count` of them.
fn prefixes(count: usize) -> Vec<HashPrefix> {
    let mut prefixes = vec![HashPrefix::default()];
    while prefixes.len() < count {
        prefixes = prefixes.iter().flat_map(|prefix| prefix.halves().unwrap()).collect();
    }
    prefixes
}

/// Replaces the list of buckets by one of damaged buckets: of every second, the item is missing.
async fn damage(app: &App, prefixes: &[HashPrefix]) {
    let mut before = app.store.manifest().await.unwrap();
    // Not more than one transaction can write.
    for some in prefixes.chunks(64) {
        let version = before.version + 1;
        let listed = some.iter().map(|prefix| (*prefix, version));
        let mut buckets: BTreeMap<HashPrefix, u64> = before.buckets.clone();
        buckets.retain(|prefix, _| prefixes.contains(prefix));
        buckets.extend(listed);
        let after = Manifest { version, buckets, is_damaged: false };
        let damaged: Vec<_> = some.iter().step_by(2).map(|prefix| (*prefix, b"damaged".to_vec())).collect();
        assert!(app.store.replace_buckets(&before, &after, &damaged).await.unwrap());
        before = app.store.manifest().await.unwrap();
    }
}

/// A registry with Live listings in the index.
async fn indexed() -> (TestRegistry, HashSet<ListingId>) {
    let (registry, ids) = with_index(LISTINGS).await;
    let ids: HashSet<ListingId> = ids.into_iter().collect();
    assert_eq!(found_ids(&registry.app).await, ids);
    (registry, ids)
}

#[tokio::test(flavor = "multi_thread")]
async fn many_damaged_buckets_are_repaired_in_small_transactions() {
    let (registry, ids) = indexed().await;
    let app = &registry.app;
    damage(app, &prefixes(BUCKETS)).await;
    assert_eq!(found_ids(&another_process(app)).await.len(), 0);
    registry.advance(HOUR);
    let (report, calls) = registry.counted(app.search.build()).await;
    let report = report.unwrap();
    assert_eq!((report.damaged, report.come), (BUCKETS, LISTINGS));
    assert!(calls.of("TransactWriteItems") > BUCKETS as u64 / 25, "{calls:?}");
    assert_eq!(found_ids(&another_process(app)).await, ids);
    assert!(app.store.dirty_marks(None, 1).await.unwrap().is_empty());
    assert!(registry.items("INDEX#").await.len() < 4, "the damaged buckets are deleted");

    registry.advance(HOUR);
    assert_eq!(app.search.build().await.unwrap().damaged, 0, "a sound index is not repaired");
}

/// Ends the process after more and more steps of the repair, for damaged buckets and for a damaged list of buckets.
#[tokio::test(flavor = "multi_thread")]
async fn next_build_continues_an_interrupted_repair() {
    let (registry, ids) = indexed().await;
    let app = &registry.app;
    let mut left = HashSet::new();
    for is_list in [false, true] {
        damage(app, &prefixes(BUCKETS)).await;
        if is_list {
            let damaged = AttributeValue::S("[[".to_owned());
            registry.overwrite("INDEX", "MANIFEST", "buckets", damaged).await;
        }
        for steps in (0..8).map(|step| step * 40) {
            let process = another_process(app);
            let mut build = Box::pin(process.search.build());
            for _ in 0..steps {
                if futures::poll!(&mut build).is_ready() {
                    break;
                }
                tokio::task::yield_now().await;
            }
            drop(build);
            left.insert(app.store.manifest().await.unwrap().buckets.len());
        }
        another_process(app).search.build().await.unwrap();
        assert_eq!(found_ids(&another_process(app)).await, ids);
        assert!(app.store.dirty_marks(None, 1).await.unwrap().is_empty());
    }
    assert!(left.iter().any(|left| (50..BUCKETS).contains(left)), "no repair was interrupted: {left:?}");
}

/// Only a repair writes marks one by one.
#[tokio::test(flavor = "multi_thread")]
async fn build_with_a_failing_repair_indexes_its_marks() {
    let (registry, ids) = indexed().await;
    let app = &registry.app;
    let [low, high] = HashPrefix::default().halves().unwrap();
    damage(app, &[low]).await;
    app.store.mark_listed_dirty(|_| true, registry.now()).await.unwrap();
    registry.advance(HOUR);
    for attempt in 0..2 {
        let process = another_process(app);
        let result = registry.with_fault("PutItem", Fault::Throttle, 100, process.search.build()).await;
        assert!(result.is_err(), "build {attempt} reports the error of its repair");
        let sound: HashSet<ListingId> = ids.iter().filter(|id| high.matches(id)).cloned().collect();
        assert_eq!(found_ids(&another_process(app)).await, sound, "build {attempt}");
        let marks = app.store.dirty_marks(None, 100).await.unwrap();
        assert_eq!(marks.len(), LISTINGS - sound.len(), "the other listings keep their marks");
    }
    assert_eq!(another_process(app).search.build().await.unwrap().damaged, 1);
    assert_eq!(found_ids(&another_process(app)).await, ids);
}
