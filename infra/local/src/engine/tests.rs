//! Tests what only the embedded engine does. That it behaves as the store requires is tested with every engine
//! (`tests/end_to_end/second_engine.rs`). The tests use the real SDK. They compare errors by type and code, because messages
//! differ between engines.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
};
use registry::model::Clock;

use super::{Data, Embedded, EngineError, client};

const TABLE: &str = "probe";

async fn in_memory() -> Client {
    let client = client(Embedded::open(&Data::Memory, &Clock::System).unwrap());
    let key = AttributeDefinition::builder().attribute_name("pk").attribute_type(ScalarAttributeType::S);
    let create = client.create_table().table_name(TABLE).billing_mode(BillingMode::PayPerRequest);
    create
        .attribute_definitions(key.build().unwrap())
        .key_schema(KeySchemaElement::builder().attribute_name("pk").key_type(KeyType::Hash).build().unwrap())
        .send()
        .await
        .unwrap();
    client
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
    assert_eq!(client.list_backups().send().await.unwrap_err().code(), Some("ValidationException"));
}

#[test]
fn error_contains_the_invalid_path() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "not a database, but long enough to look like the head of one........").unwrap();
    let open = |path| Embedded::open(&Data::File(path), &Clock::System).unwrap_err();
    assert!(matches!(open(file.clone()), EngineError::Open(name, _) if name == file.to_str().unwrap()));
    assert!(matches!(open(file.join("below/registry.db")), EngineError::Create(..)));
}

#[tokio::test]
async fn busy_task_lets_other_tasks_run() {
    let client = in_memory().await;
    let busy = tokio::spawn(async move {
        for n in 0..50 {
            let put = client.put_item().table_name(TABLE).item("pk", AttributeValue::S(n.to_string()));
            put.send().await.unwrap();
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
