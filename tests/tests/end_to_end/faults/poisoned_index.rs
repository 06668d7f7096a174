//! A stored search index that is poisoned: bytes changed, cut off or gone, or the list of its buckets unreadable. Searches
//! go on with what can be read, and the next check of the function that builds it makes it whole.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use registry::app::App;
use registry::events::Bus;
use registry::model::Random;
use registry::search::{Query, Text};
use serde_json::{Value, json};
use tests::peers::{Peer, agents};
use tests::test_registry::{HOUR, TestOptions, TestRegistry};

use super::told;

/// Enough for several buckets.
const AGENTS: usize = 300;

/// The searcher of another process: one that starts now.
async fn found_by_another(registry: &TestRegistry) -> usize {
    let App { settings, store, clock, .. } = registry.app.clone();
    found(&App::new((*settings).clone(), store, Bus::Silent, clock, Random::seeded(1))).await
}

/// How many listings its search knows.
async fn found(app: &App) -> usize {
    let text = Text::parse("", "q").unwrap();
    let query = Query { text, kind: None, category: None, skip: 0, limit: 20 };
    app.search.find(&query, app.clock.now()).await.unwrap().total
}

fn bytes(bucket: &AttributeValue) -> Vec<u8> {
    bucket.as_b().unwrap().as_ref().to_vec()
}

/// What becomes of a stored item's bytes; nothing, where the item is lost.
type Poison = fn(Vec<u8>) -> Option<Vec<u8>>;

/// How a bucket's bytes are poisoned; nothing is left where the item goes.
const POISONS: [(&str, Poison); 6] = [
    ("a byte changed", |mut bytes| {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        Some(bytes)
    }),
    ("cut off", |bytes| Some(bytes[..bytes.len() / 2].to_vec())),
    ("other bytes", |bytes| Some(vec![0xff; bytes.len()])),
    ("a size of 4 GB", |mut bytes| {
        bytes[8..12].fill(0xff);
        Some(bytes)
    }),
    ("empty", |_| Some(Vec::new())),
    ("gone", |_| None),
];

#[tokio::test(flavor = "multi_thread")]
async fn searches_go_on_over_a_poisoned_index_and_it_is_built_anew() {
    let options = TestOptions::default().without_read_cache().with_setting("PROBE_WINDOW_CAP", 1000);
    let registry = TestRegistry::start_with(options).await;
    let peer = Peer::start(agents::fleet).await;
    for number in 0..AGENTS {
        registry.publish_card(&peer.url(&format!("/{number}/card.json"))).await;
    }
    registry.deliver_events().await;
    let whole = found(&registry.app).await;
    assert_eq!(whole, AGENTS);
    let mut least = whole;
    for (poison, change) in POISONS {
        let buckets = registry.items("INDEX#").await;
        let bucket = buckets.iter().find(|item| item.contains_key("bucket")).unwrap();
        let key = |name: &str| bucket[name].as_s().unwrap().as_str();
        match change(bytes(&bucket["bucket"])) {
            Some(bytes) => {
                let poisoned = AttributeValue::B(Blob::new(bytes));
                registry.overwrite(key("pk"), key("sk"), "bucket", poisoned).await;
            }
            None => registry.forget(key("pk"), key("sk")).await,
        }
        assert_eq!(found(&registry.app).await, whole, "{poison}: who has the index goes on with it");
        let rest = found_by_another(&registry).await;
        assert!((1..whole).contains(&rest), "{poison}: who starts now finds the rest: {rest}");
        least = least.min(rest);
        for path in ["/api/ard/search?q=adds+numbers", "/api/match?q=adds+numbers", "/v0.1/servers"] {
            assert_eq!(registry.get(path).await.status, 200, "{poison}: {path}");
        }

        registry.advance(HOUR);
        let report = registry.index().await;
        assert_eq!(report["damaged"], 1, "{poison}: {report}");
        assert_eq!(found_by_another(&registry).await, whole, "{poison}: it is whole again");
        assert_eq!(found(&registry.app).await, whole, "{poison}");
    }

    registry.overwrite("INDEX", "MANIFEST", "buckets", AttributeValue::S("[[".to_owned())).await;
    assert_eq!(found(&registry.app).await, whole, "who has the index goes on with it");
    assert_eq!(found_by_another(&registry).await, 0, "who starts now has none, and says so by no error");
    registry.advance(HOUR);
    assert_eq!(registry.index().await["come"], json!(AGENTS), "all of it is built anew");
    assert_eq!((found(&registry.app).await, found_by_another(&registry).await), (whole, whole));
    told(
        "a poisoned snapshot of the search index",
        &format!(
            "{} kinds of poison over {AGENTS} listings: 0 errors; warm processes found all {whole}, cold ones {least} \
             at least of one bucket's loss, 0 without a list of buckets; whole after one build each",
            POISONS.len() + 1
        ),
    );
}

/// What a change meets on its way into the index is mended at once, without waiting for the check.
#[tokio::test(flavor = "multi_thread")]
async fn a_build_that_meets_a_poisoned_bucket_mends_it() {
    let registry = TestRegistry::start_with(TestOptions::default().without_read_cache()).await;
    let peer = Peer::start(agents::fleet).await;
    registry.publish_card(&peer.url("/0/card.json")).await;
    registry.deliver_events().await;
    for poison in ["bucket", "buckets"] {
        let at = if poison == "bucket" { ("INDEX#00-00000000", "BUCKET") } else { ("INDEX", "MANIFEST") };
        registry.overwrite(at.0, at.1, poison, AttributeValue::S("poison".to_owned())).await;
        registry.publish_card(&peer.url(&format!("/{poison}/card.json"))).await;
        let delivered = registry.deliver_events().await;
        assert!(delivered.iter().any(|event: &Value| event["detail-type"] == "listing.queued"));
    }
    assert_eq!(found_by_another(&registry).await, 3);
}
