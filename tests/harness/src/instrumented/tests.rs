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
    let key = |id: &str| item(id, "a").into_iter().filter(|(name, _)| name == "pk" || name == "sk").collect();
    let units = |read, write| Units { read, write };

    observer.meter.start();
    client.put_item().table_name(TABLE).set_item(Some(sized("small", 10))).send().await.unwrap();
    client.put_item().table_name(TABLE).set_item(Some(sized("large", 5000))).send().await.unwrap();
    // Rounded up to 1 KB and 5 KB.
    assert_eq!(observer.meter.stop(), units(0.0, 1.0 + 5.0));
    observer.meter.start();
    put(&client, "indexed").await.unwrap();
    // An index that contains the item is written too.
    assert_eq!(observer.meter.stop(), units(0.0, 1.0 + 1.0));

    // One unit per 4 KB, rounded up; half for an eventually consistent read. A read that finds no item counts too.
    for (id, is_consistent, read) in
        [("small", true, 1.0), ("large", true, 2.0), ("large", false, 1.0), ("nothing", false, 0.5)]
    {
        observer.meter.start();
        let get = client.get_item().table_name(TABLE).set_key(Some(key(id)));
        get.consistent_read(is_consistent).send().await.unwrap();
        assert_eq!(observer.meter.stop(), units(read, 0.0), "{id}");
    }

    observer.meter.start();
    let write = |id: &str, bytes| {
        let put = Put::builder().table_name(TABLE).set_item(Some(sized(id, bytes))).build().unwrap();
        TransactWriteItem::builder().put(put).build()
    };
    let both = vec![write("third", 10), write("fourth", 1500)];
    client.transact_write_items().set_transact_items(Some(both)).send().await.unwrap();
    // Twice the units of 1 KB and 2 KB.
    assert_eq!(observer.meter.stop(), units(0.0, 2.0 + 4.0));

    put(&client, "5").await.unwrap();
    assert_eq!(observer.meter.stop(), Units::default(), "nothing is counted while it is off");
}
