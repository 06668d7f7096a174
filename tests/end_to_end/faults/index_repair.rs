//! Tests the repair of a search index of which many buckets are damaged. The repair proceeds in small transactions. An
//! interrupted repair loses nothing. An error of a repair does not stop the index from being updated.

use std::collections::{BTreeMap, HashSet};

use registry::app::App;
use registry::model::{HashPrefix, ListingId};
use registry::store::Manifest;
use tests::instrumented::Fault;
use tests::test_registry::{HOUR, TestRegistry};

use crate::fixtures::{another_process, query, with_index};

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
            let damaged = aws_sdk_dynamodb::types::AttributeValue::S("[[".to_owned());
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
        registry.observer.faults.arm("PutItem", Fault::Throttle, 100);
        let result = another_process(app).search.build().await;
        registry.observer.faults.disarm();
        assert!(result.is_err(), "build {attempt} reports the error of its repair");
        let sound: HashSet<ListingId> = ids.iter().filter(|id| high.holds(id)).cloned().collect();
        assert_eq!(found_ids(&another_process(app)).await, sound, "build {attempt}");
        let marks = app.store.dirty_marks(None, 100).await.unwrap();
        assert_eq!(marks.len(), LISTINGS - sound.len(), "the other listings keep their marks");
    }
    assert_eq!(another_process(app).search.build().await.unwrap().damaged, 1);
    assert_eq!(found_ids(&another_process(app)).await, ids);
}
