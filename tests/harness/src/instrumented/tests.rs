//! Tests that a replica lags behind, and that units are counted as AWS bills them.

use std::collections::HashMap;

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::types::{AttributeValue, Put, TransactWriteItem};
use local::engine::{self, Data, Embedded};
use registry::model::Clock;
use registry::store::table;

use super::{Observer, Units, as_function};

const TABLE: &str = "probe";

/// An item of the table and of its first index.
fn item(id: &str, sort: &str) -> HashMap<String, AttributeValue> {
    let attributes = [("pk", id), ("sk", sort), ("gsi1pk", "ACTIVE"), ("gsi1sk", id)];
    attributes.map(|(name, text)| (name.to_owned(), AttributeValue::S(text.to_owned()))).into()
}

async fn empty_engine() -> Embedded {
    let engine = Embedded::open(&Data::Memory, &Clock::System).unwrap();
    table::ensure(&engine::client(engine.clone()), TABLE).await.unwrap();
    engine
}

async fn put(client: &aws_sdk_dynamodb::Client, id: &str) -> Result<(), Option<String>> {
    let answer = client.put_item().table_name(TABLE).set_item(Some(item(id, "a"))).send().await;
    answer.map(drop).map_err(|error| error.code().map(str::to_owned))
}

/// The count of the items in the first index.
async fn listed(client: &aws_sdk_dynamodb::Client) -> i32 {
    let query = client.query().table_name(TABLE).index_name("gsi1");
    let query = query.key_condition_expression("gsi1pk = :pk");
    let query = query.expression_attribute_values(":pk", AttributeValue::S("ACTIVE".to_owned()));
    query.send().await.unwrap().count
}

#[tokio::test]
async fn replica_lags_behind_the_writes_of_functions() {
    let (observer, table, replica) = (Observer::default(), empty_engine().await, empty_engine().await);
    let client = observer.client(table.clone());
    let clock = Clock::manual("2026-11-20T12:00:00Z".parse().unwrap());
    observer.lag.start(table, replica, clock.clone());
    let is_found = async |is_consistent: bool| {
        let get = client.get_item().table_name(TABLE).consistent_read(is_consistent);
        let [pk, sk] = ["INBOX#1", "a"].map(|text| AttributeValue::S(text.to_owned()));
        get.key("pk", pk).key("sk", sk).send().await.unwrap().item.is_some()
    };
    let listed = async || listed(&client).await;
    as_function("talk", put(&client, "INBOX#1")).await.unwrap();
    assert_eq!((is_found(true).await, is_found(false).await, listed().await), (true, false, 0));
    clock.advance(std::time::Duration::from_millis(1));
    assert_eq!((is_found(false).await, listed().await), (true, 1));
    as_function("talk", put(&client, "INBOX#2")).await.unwrap();
    assert_eq!(listed().await, 1);
    observer.lag.settle();
    assert_eq!(listed().await, 2);
    put(&client, "4").await.unwrap();
    assert_eq!(listed().await, 3, "a test sees what it writes itself");
}

/// The units of one call: read and written.
async fn units<T>(observer: &Observer, call: impl Future<Output = T>) -> (f64, f64) {
    observer.meter.start();
    call.await;
    let Units { read, write } = observer.meter.stop();
    (read, write)
}

#[tokio::test]
async fn units_are_counted_as_aws_bills_them() {
    let observer = Observer::default();
    let client = observer.client(empty_engine().await);
    let sized = |id: &str, bytes: usize| {
        let mut item = item(id, "a");
        item.remove("gsi1pk");
        item.insert("text".to_owned(), AttributeValue::S("x".repeat(bytes)));
        item
    };
    let put_sized =
        |id: &str, bytes| client.put_item().table_name(TABLE).set_item(Some(sized(id, bytes))).send();
    assert_eq!(units(&observer, put_sized("small", 10)).await, (0.0, 1.0), "1 KB");
    assert_eq!(units(&observer, put_sized("large", 5000)).await, (0.0, 5.0), "5 KB");
    assert_eq!(units(&observer, put(&client, "indexed")).await, (0.0, 1.0 + 1.0), "its index is written too");

    // One unit per 4 KB, rounded up; half for an eventually consistent read. A read that finds no item counts too.
    for (id, is_consistent, read) in
        [("small", true, 1.0), ("large", true, 2.0), ("large", false, 1.0), ("nothing", false, 0.5)]
    {
        let key = item(id, "a").into_iter().filter(|(name, _)| name == "pk" || name == "sk").collect();
        let get = client.get_item().table_name(TABLE).set_key(Some(key)).consistent_read(is_consistent);
        assert_eq!(units(&observer, get.send()).await, (read, 0.0), "{id}");
    }

    let write = |id: &str, bytes| {
        let put = Put::builder().table_name(TABLE).set_item(Some(sized(id, bytes))).build().unwrap();
        TransactWriteItem::builder().put(put).build()
    };
    let both = Some(vec![write("third", 10), write("fourth", 1500)]);
    let transaction = client.transact_write_items().set_transact_items(both).send();
    assert_eq!(units(&observer, transaction).await, (0.0, 2.0 + 4.0), "twice the units of 1 KB and 2 KB");
    put(&client, "5").await.unwrap();
    assert_eq!(observer.meter.stop(), Units::default(), "nothing is counted while it is off");
}
