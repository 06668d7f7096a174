//! Tests a damaged search index: bytes are changed, cut off or missing, or the list of buckets cannot be
//! read. Search still uses the parts that can be read. The next run of the index function repairs the index.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use registry::model::Kind;
use serde_json::{Value, json};
use tests::fixtures::insert_live_listings;
use tests::test_registry::{HOUR, TestRegistry};

use super::print_row;
use crate::fixtures::{another_process, count_indexed, live_fleet};

/// Enough for several buckets.
const AGENTS: usize = 160;

/// The number of listings that a newly started process finds.
async fn count_in_new_process(registry: &TestRegistry) -> usize {
    count_indexed(&another_process(&registry.app)).await
}

/// Maps the bytes of a stored bucket to damaged bytes; `None` deletes the item.
type Damage = fn(Vec<u8>) -> Option<Vec<u8>>;

const DAMAGES: [(&str, Damage); 6] = [
    ("a byte changed", |mut bytes| {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        Some(bytes)
    }),
    ("truncated", |bytes| Some(bytes[..bytes.len() / 2].to_vec())),
    ("other bytes", |bytes| Some(vec![0xff; bytes.len()])),
    ("a size of 4 GB", |mut bytes| {
        bytes[9..13].fill(0xff);
        Some(bytes)
    }),
    ("empty", |_| Some(Vec::new())),
    ("deleted", |_| None),
];

#[tokio::test(flavor = "multi_thread")]
async fn search_works_on_a_damaged_index_until_its_repair() {
    let registry = TestRegistry::start().await;
    insert_live_listings(&registry.app, Kind::Agent, AGENTS).await;
    registry.app.store.mark_listed_dirty(|_| true, registry.now()).await.unwrap();
    registry.index().await;
    let whole = count_indexed(&registry.app).await;
    assert_eq!(whole, AGENTS);
    let mut least = whole;
    for (damage, change) in DAMAGES {
        let buckets = registry.items("INDEX#").await;
        let bucket = buckets.iter().find(|item| item.contains_key("bucket")).unwrap();
        let key = |name: &str| bucket[name].as_s().unwrap().as_str();
        match change(bucket["bucket"].as_b().unwrap().as_ref().to_vec()) {
            Some(bytes) => {
                let damaged = AttributeValue::B(Blob::new(bytes));
                registry.overwrite(key("pk"), key("sk"), "bucket", damaged).await;
            }
            None => registry.forget(key("pk"), key("sk")).await,
        }
        let loaded = count_indexed(&registry.app).await;
        assert_eq!(loaded, whole, "{damage}: a process that has the index keeps it");
        let rest = count_in_new_process(&registry).await;
        assert!((1..whole).contains(&rest), "{damage}: a new process finds the rest: {rest}");
        least = least.min(rest);
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
    print_row(
        "a damaged snapshot of the search index",
        &format!(
            "{} kinds of damage to {AGENTS} listings: 0 errors; warm processes found all {whole}, cold ones at least \
             {least} with one damaged bucket and 0 without a list of buckets; complete after one build each",
            DAMAGES.len() + 1
        ),
    );
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
