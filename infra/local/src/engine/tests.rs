//! Tests the behavior of the engine that the store requires. The tests use the real SDK. They compare errors
//! by type and code, because messages differ between engines.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, ConditionCheck, GlobalSecondaryIndex, KeySchemaElement,
    KeyType, Projection, ProjectionType, Put, ScalarAttributeType, TimeToLiveSpecification,
    TransactWriteItem,
};
use registry::model::{Clock, Moment};

use super::{Data, Embedded, EngineError, client};

const TABLE: &str = "probe";

fn item(id: &str, sort: &str) -> HashMap<String, AttributeValue> {
    let text = |text: &str| AttributeValue::S(text.to_owned());
    HashMap::from([
        ("pk".to_owned(), text(id)),
        ("sk".to_owned(), text(sort)),
        ("lane".to_owned(), text("active")),
    ])
}

async fn create_table(client: &Client) {
    let attribute = |name: &str| {
        let definition = AttributeDefinition::builder().attribute_name(name);
        definition.attribute_type(ScalarAttributeType::S).build().unwrap()
    };
    let key =
        |name: &str, kind| KeySchemaElement::builder().attribute_name(name).key_type(kind).build().unwrap();
    let index = GlobalSecondaryIndex::builder()
        .index_name("by_lane")
        .key_schema(key("lane", KeyType::Hash))
        .key_schema(key("sk", KeyType::Range))
        .projection(Projection::builder().projection_type(ProjectionType::All).build())
        .build()
        .unwrap();
    client
        .create_table()
        .table_name(TABLE)
        .billing_mode(BillingMode::PayPerRequest)
        .attribute_definitions(attribute("pk"))
        .attribute_definitions(attribute("sk"))
        .attribute_definitions(attribute("lane"))
        .key_schema(key("pk", KeyType::Hash))
        .key_schema(key("sk", KeyType::Range))
        .global_secondary_indexes(index)
        .send()
        .await
        .unwrap();
    let ttl = TimeToLiveSpecification::builder().attribute_name("ttl").enabled(true).build().unwrap();
    client.update_time_to_live().table_name(TABLE).time_to_live_specification(ttl).send().await.unwrap();
}

async fn in_memory() -> Client {
    let client = client(Embedded::open(&Data::Memory, &Clock::System).unwrap());
    create_table(&client).await;
    client
}

async fn put(client: &Client, id: &str, sort: &str) {
    client.put_item().table_name(TABLE).set_item(Some(item(id, sort))).send().await.unwrap();
}

async fn get(client: &Client, id: &str) -> Option<HashMap<String, AttributeValue>> {
    let key = |text: &str| AttributeValue::S(text.to_owned());
    let get = client.get_item().table_name(TABLE).key("pk", key(id)).key("sk", key("a"));
    get.send().await.unwrap().item
}

#[tokio::test]
async fn items_are_read_by_key_and_by_index_in_order() {
    let client = in_memory().await;
    put(&client, "2", "b").await;
    put(&client, "1", "a").await;
    assert_eq!(get(&client, "1").await, Some(item("1", "a")));
    assert_eq!(get(&client, "3").await, None);
    let found = client
        .query()
        .table_name(TABLE)
        .index_name("by_lane")
        .key_condition_expression("lane = :lane")
        .expression_attribute_values(":lane", AttributeValue::S("active".to_owned()))
        .send()
        .await
        .unwrap();
    assert_eq!(found.items(), [item("1", "a"), item("2", "b")]);
}

#[tokio::test]
async fn failed_condition_has_its_own_error() {
    let client = in_memory().await;
    put(&client, "1", "a").await;
    let again = client.put_item().table_name(TABLE).set_item(Some(item("1", "a")));
    let error = again.condition_expression("attribute_not_exists(pk)").send().await.unwrap_err();
    assert!(error.as_service_error().unwrap().is_conditional_check_failed_exception());
}

#[tokio::test]
async fn transaction_is_atomic_and_its_error_shows_the_failed_part() {
    let client = in_memory().await;
    let write = Put::builder().table_name(TABLE).set_item(Some(item("1", "a"))).build().unwrap();
    let check = ConditionCheck::builder()
        .table_name(TABLE)
        .set_key(Some(HashMap::from([
            ("pk".to_owned(), AttributeValue::S("other".to_owned())),
            ("sk".to_owned(), AttributeValue::S("a".to_owned())),
        ])))
        .condition_expression("attribute_exists(pk)")
        .build()
        .unwrap();
    let attempt = || {
        client
            .transact_write_items()
            .transact_items(TransactWriteItem::builder().put(write.clone()).build())
            .transact_items(TransactWriteItem::builder().condition_check(check.clone()).build())
            .send()
    };
    let SdkError::ServiceError(error) = attempt().await.unwrap_err() else { panic!() };
    let TransactWriteItemsError::TransactionCanceledException(cancelled) = error.err() else { panic!() };
    let codes: Vec<_> =
        cancelled.cancellation_reasons().iter().map(|reason| reason.code().unwrap()).collect();
    assert_eq!(codes, ["None", "ConditionalCheckFailed"]);
    assert_eq!(get(&client, "1").await, None);

    put(&client, "other", "a").await;
    attempt().await.unwrap();
    assert_eq!(get(&client, "1").await, Some(item("1", "a")));
}

#[tokio::test]
async fn invalid_request_is_a_validation_error() {
    let client = in_memory().await;
    let index = client.query().table_name(TABLE).index_name("ab").key_condition_expression("lane = :lane");
    let error = index
        .expression_attribute_values(":lane", AttributeValue::S("active".to_owned()))
        .send()
        .await
        .unwrap_err();
    assert_eq!(error.code(), Some("ValidationException"));
    let unsupported = client.list_backups().send().await.unwrap_err();
    assert_eq!(unsupported.code(), Some("ValidationException"));
}

#[tokio::test]
async fn expiry_of_items_follows_the_clock_of_the_registry() {
    let clock = Clock::manual(Moment::from_second(1_800_000_000).unwrap());
    let engine = Embedded::open(&Data::Memory, &clock).unwrap();
    let client = client(engine.clone());
    create_table(&client).await;
    let mut expiring = item("1", "a");
    expiring.insert("ttl".to_owned(), AttributeValue::N("1800000060".to_owned()));
    client.put_item().table_name(TABLE).set_item(Some(expiring)).send().await.unwrap();
    put(&client, "2", "a").await;

    assert_eq!(engine.sweep_expired(), Ok(0));
    assert!(get(&client, "1").await.is_some());
    clock.advance(Duration::from_secs(120));
    assert_eq!(engine.sweep_expired(), Ok(1));
    assert_eq!(get(&client, "1").await, None);
    assert!(get(&client, "2").await.is_some());
}

#[tokio::test]
async fn data_file_can_be_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let data = Data::File(folder.path().join("deep/er/registry.db"));
    {
        let client = client(Embedded::open(&data, &Clock::System).unwrap());
        create_table(&client).await;
        put(&client, "1", "a").await;
    }
    let client = client(Embedded::open(&data, &Clock::System).unwrap());
    assert_eq!(get(&client, "1").await, Some(item("1", "a")));
}

#[test]
fn error_contains_the_invalid_path() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "not a database, but long enough to look like the head of one........").unwrap();
    let open = |path| Embedded::open(&Data::File(path), &Clock::System).unwrap_err();
    assert!(matches!(open(file.clone()), EngineError::Open(name, _) if name == file.to_str().unwrap()));
    assert!(matches!(open(file.join("below/registry.db")), EngineError::Folder(..)));
}

#[tokio::test]
async fn busy_task_lets_other_tasks_run() {
    let client = in_memory().await;
    let busy = tokio::spawn(async move {
        for n in 0..50 {
            put(&client, &n.to_string(), "a").await;
        }
    });
    let mut turns = 0;
    while !busy.is_finished() {
        tokio::task::yield_now().await;
        turns += 1;
    }
    busy.await.unwrap();
    assert!(turns >= 50, "{turns} turns during 50 writes");
}
