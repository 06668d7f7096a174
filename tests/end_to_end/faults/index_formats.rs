//! Tests a search index whose buckets have different formats, as during a rolling deployment or after a rollback. This code
//! reads the format before its own. It leaves buckets alone that newer code wrote.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use registry::model::HashPrefix;
use registry::search::bucket::Bucket;
use registry::search::embedding::WIDTH;
use sha2::{Digest as _, Sha256};
use tests::test_registry::{HOUR, TestRegistry};

use crate::fixtures::{another_process, count_indexed, with_index};

/// Enough for two buckets.
const LISTINGS: usize = 200;

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
    let (registry, _) = with_index(LISTINGS).await;
    for (prefix, bytes) in stored_bytes(&registry).await {
        let mut bucket = Bucket::read(&bytes).unwrap();
        bucket.entries.iter_mut().for_each(|entry| entry.embedding.parts = vec![1; 256]);
        // A byte with the number of the format, then a digest, then the packed entries.
        let packed = &bucket.write().unwrap()[9..];
        let before = [&[1], digest(&[&[1], packed].concat()).as_slice(), packed].concat();
        overwrite(&registry, prefix, before).await;
    }
    let app = &registry.app;
    assert_eq!(count_indexed(&another_process(app)).await, LISTINGS);
    registry.advance(HOUR);
    let report = another_process(app).search.build().await.unwrap();
    assert_eq!((report.damaged, report.newer), (0, 0), "the format before is not damage");
    assert_eq!(report.come, LISTINGS, "the check marks listings with embeddings of another width");
    for (_, bytes) in stored_bytes(&registry).await {
        let bucket = Bucket::read(&bytes).unwrap();
        assert!(bucket.entries.iter().all(|entry| entry.embedding.parts.len() == WIDTH));
    }
    assert_eq!(count_indexed(&another_process(app)).await, LISTINGS);
    registry.advance(HOUR);
    assert_eq!(another_process(app).search.build().await.unwrap().come, 0, "nothing is left to do");
}

#[tokio::test(flavor = "multi_thread")]
async fn bucket_of_a_newer_format_is_left_as_it_is() {
    let (registry, _) = with_index(LISTINGS).await;
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
        assert!(!marks.is_empty() && marks.iter().all(|mark| prefix.holds(&mark.id)), "build {build}");
        in_bucket = marks.len();
        let others = if build == 0 { LISTINGS - in_bucket } else { 0 };
        assert_eq!(report.come, others, "build {build}: the other listings are indexed");
        assert!(stored_bytes(&registry).await.contains(&(prefix, newer.clone())), "build {build}");
    }
    assert_eq!(count_indexed(app).await, LISTINGS, "a process that has the index keeps its entries");
    assert_eq!(count_indexed(&another_process(app)).await, LISTINGS - in_bucket, "a new process misses them");

    // The newer code is back: it can read the bucket, and applies the marks.
    overwrite(&registry, prefix, sound).await;
    assert_eq!(another_process(app).search.build().await.unwrap().come, in_bucket);
    assert_eq!(count_indexed(&another_process(app)).await, LISTINGS);
    assert!(app.store.dirty_marks(None, 1).await.unwrap().is_empty());
}
