use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes, Put, TransactWriteItem};
use registry::model::{Clock, Moment};
use registry::store::table;

use super::{PartitionMeter, WRITE_UNITS};
use crate::engine::{Data, Embedded, client};

const TABLE: &str = "registry";

struct Metered {
    client: Client,
    meter: PartitionMeter,
    clock: Clock,
}

/// A table whose keys may use this many write units, and three times as many read units, in a second.
async fn metered(write_units: f64) -> Metered {
    let clock = Clock::manual(Moment::from_second(1_800_000_000).unwrap());
    let meter = PartitionMeter::new(write_units / WRITE_UNITS, clock.clone());
    let engine = Embedded::open(&Data::Memory, &clock).unwrap();
    table::ensure(&client(engine.clone()), TABLE).await.unwrap();
    Metered { client: client(engine.with_partitions(meter.clone())), meter, clock }
}

fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

fn key(pk: &str, sk: &str) -> HashMap<String, AttributeValue> {
    HashMap::from([("pk".to_owned(), text(pk)), ("sk".to_owned(), text(sk))])
}

impl Metered {
    /// Puts an item; returns the code of the error.
    async fn put(&self, pk: &str, sk: &str, more: &[(&str, &str)]) -> Option<String> {
        let mut item = key(pk, sk);
        item.extend(more.iter().map(|(name, value)| ((*name).to_owned(), text(value))));
        let sent = self.client.put_item().table_name(TABLE).set_item(Some(item)).send().await;
        sent.err().map(|error| error.code().unwrap().to_owned())
    }

    /// Reads an item; returns the code of the error.
    async fn get(&self, pk: &str, sk: &str) -> Option<String> {
        let get = self.client.get_item().table_name(TABLE).set_key(Some(key(pk, sk))).consistent_read(true);
        get.send().await.err().map(|error| error.code().unwrap().to_owned())
    }

    fn keys(&self) -> Vec<(String, f64, f64)> {
        let hottest = self.meter.hottest(10).into_iter();
        hottest.map(|key| (key.key, key.peak_read, key.peak_write)).collect()
    }
}

fn throttled() -> Option<String> {
    Some("ThrottlingException".to_owned())
}

#[tokio::test]
async fn writes_above_the_limit_of_a_partition_key_are_throttled() {
    let registry = metered(3.0).await;
    for sk in ["a", "b", "c"] {
        assert_eq!(registry.put("HOT", sk, &[]).await, None);
    }
    assert_eq!(registry.meter.throttles(), 0);
    assert_eq!(registry.put("HOT", "d", &[]).await, throttled());
    assert!(registry.meter.throttles() > 0);
    assert_eq!(registry.put("COLD", "a", &[]).await, None, "each key has its own limit");
    assert_eq!(registry.get("HOT", "d").await, None, "reads have their own limit");
    registry.clock.advance(Duration::from_secs(1));
    assert_eq!(registry.put("HOT", "d", &[]).await, None);
}

#[tokio::test]
async fn reads_above_the_limit_of_a_partition_key_are_throttled() {
    let registry = metered(1.0).await;
    for _ in 0..3 {
        assert_eq!(registry.get("HOT", "a").await, None);
    }
    assert_eq!(registry.get("HOT", "b").await, throttled());
    registry.clock.advance(Duration::from_secs(1));
    assert_eq!(registry.get("HOT", "b").await, None);
}

#[tokio::test]
async fn units_above_the_limit_are_taken_from_the_next_seconds() {
    let registry = metered(2.0).await;
    let long = "x".repeat(5 * 1024);
    assert_eq!(registry.put("HOT", "a", &[("text", &long)]).await, None);
    for _ in 0..2 {
        registry.clock.advance(Duration::from_secs(1));
        assert_eq!(registry.put("HOT", "b", &[]).await, throttled());
    }
    registry.clock.advance(Duration::from_secs(1));
    assert_eq!(registry.put("HOT", "b", &[]).await, None);
}

#[tokio::test]
async fn entries_of_an_index_have_their_own_keys() {
    let registry = metered(100.0).await;
    let shown = |rank| [("gsi1pk", "ACTIVE#mcp"), ("gsi1sk", rank)];
    registry.put("LISTING#a", "CORE", &shown("1")).await;
    registry.put("LISTING#a", "CORE", &shown("1")).await;
    let unchanged = [("LISTING#a".to_owned(), 0.0, 2.0), ("gsi1 ACTIVE#mcp".to_owned(), 0.0, 1.0)];
    assert_eq!(registry.keys(), unchanged, "an equal entry is not written again");
    registry.put("LISTING#a", "CORE", &shown("2")).await;
    let query = registry.client.query().table_name(TABLE).index_name("gsi1");
    let query = query.key_condition_expression("gsi1pk = :pk");
    query.expression_attribute_values(":pk", text("ACTIVE#mcp")).send().await.unwrap();
    let moved = [("LISTING#a".to_owned(), 0.0, 3.0), ("gsi1 ACTIVE#mcp".to_owned(), 0.5, 3.0)];
    let mut keys = registry.keys();
    keys.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(keys, moved, "a moved entry is deleted and written");
}

#[tokio::test]
async fn batch_returns_throttled_keys_as_unprocessed() {
    let registry = metered(1.0).await;
    for _ in 0..3 {
        registry.get("HOT", "a").await;
    }
    registry.put("COLD", "a", &[]).await;
    let batch = |keys: &[&str]| {
        let keys = keys.iter().map(|pk| key(pk, "a")).collect();
        let keys = KeysAndAttributes::builder().set_keys(Some(keys)).consistent_read(true).build().unwrap();
        registry.client.batch_get_item().request_items(TABLE, keys).send()
    };
    let answer = batch(&["HOT", "COLD"]).await.unwrap();
    assert_eq!(answer.responses.unwrap()[TABLE], [key("COLD", "a")]);
    assert_eq!(answer.unprocessed_keys.unwrap()[TABLE].keys(), [key("HOT", "a")]);
    let refused = batch(&["HOT"]).await.unwrap_err();
    assert_eq!(refused.code(), Some("ThrottlingException"));
}

#[tokio::test]
async fn throttled_transaction_writes_nothing_and_names_its_key() {
    let registry = metered(1.0).await;
    registry.put("HOT", "a", &[]).await;
    let put = |pk| {
        let mut item = key(pk, "b");
        item.extend([("gsi1pk".to_owned(), text("INDEXED")), ("gsi1sk".to_owned(), text(pk))]);
        let put = Put::builder().table_name(TABLE).set_item(Some(item)).build().unwrap();
        TransactWriteItem::builder().put(put).build()
    };
    let send = || {
        registry.client.transact_write_items().transact_items(put("COLD")).transact_items(put("HOT")).send()
    };
    let refused = send().await.unwrap_err();
    let Some(TransactWriteItemsError::TransactionCanceledException(canceled)) = refused.as_service_error()
    else {
        panic!("{refused:?}")
    };
    let codes: Vec<&str> =
        canceled.cancellation_reasons().iter().map(|reason| reason.code().unwrap()).collect();
    assert_eq!(codes, ["None", "ThrottlingError"]);
    let missing = registry.client.get_item().table_name(TABLE).set_key(Some(key("COLD", "b")));
    assert_eq!(missing.send().await.unwrap().item, None);
    registry.clock.advance(Duration::from_secs(1));
    send().await.unwrap();
    let written =
        |name: &str| registry.meter.hottest(10).into_iter().find(|key| key.key == name).unwrap().write;
    assert_eq!(written("COLD"), 2.0, "a write of a transaction costs twice as much");
    assert_eq!(written("gsi1 INDEXED"), 2.0, "its two entries in an index cost one unit each");
}

#[tokio::test]
async fn report_begins_with_the_key_nearest_to_its_limit() {
    let registry = metered(100.0).await;
    for sk in ["a", "b", "c"] {
        registry.get("READ", sk).await;
        registry.clock.advance(Duration::from_millis(100));
    }
    registry.put("WRITTEN", "a", &[]).await;
    registry.put("WRITTEN", "b", &[]).await;
    registry.clock.advance(Duration::from_secs(1));
    registry.put("WRITTEN", "c", &[]).await;
    assert_eq!(registry.keys(), [("WRITTEN".to_owned(), 0.0, 2.0), ("READ".to_owned(), 3.0, 0.0)]);
    let hottest = registry.meter.hottest(1);
    assert_eq!(hottest.len(), 1);
    assert_eq!((hottest[0].write, hottest[0].throttles), (3.0, 0));
    assert!((hottest[0].share() - 2.0 / WRITE_UNITS).abs() < 1e-9);
    let report = registry.meter.report(2);
    let rows: Vec<&str> = report.lines().collect();
    assert!(rows[1].starts_with("WRITTEN") && rows[2].starts_with("READ"), "{report}");
    registry.meter.reset();
    assert_eq!(registry.keys(), []);
}
