//! The one table: its keys and indexes as plain data, from which it is created locally and against which the
//! template is tested, so that the two cannot drift apart.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{BuildError, SdkError};
use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection,
    ProjectionType, ScalarAttributeType, TimeToLiveSpecification,
};

/// Partition and sort key of the table, both strings.
pub const KEY: [&str; 2] = ["pk", "sk"];

/// The attribute that holds the second (epoch) after which an item may be removed.
pub const TTL_ATTRIBUTE: &str = "ttl";

/// A secondary index: its name, its partition and sort key, and whether it carries whole items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index {
    /// Name of the index.
    pub name: &'static str,
    /// Partition and sort key, both strings; an item without them is not in the index.
    pub key: [&'static str; 2],
    /// Whole items, or keys only.
    pub whole_items: bool,
}

/// Rows in the order they are shown: Active listings by kind, probes by outcome.
pub const SHOWN: Index = Index { name: "gsi1", key: ["gsi1pk", "gsi1sk"], whole_items: true };

/// What is due to be probed, by class and time. Keys only: a due row is claimed, and read, by one update.
pub const DUE: Index = Index { name: "gsi2", key: ["gsi2pk", "gsi2sk"], whole_items: false };

/// All secondary indexes.
pub const INDEXES: [Index; 2] = [SHOWN, DUE];

/// Creates the table where it does not exist yet, with its TTL. On AWS the template does this.
///
/// # Errors
/// What the engine answered, unless it says that the table is there already.
pub async fn ensure(client: &Client, name: &str) -> Result<(), aws_sdk_dynamodb::Error> {
    let created = create(client, name).await;
    match created {
        Err(error) if !already_there(&error) => return Err(error.into()),
        _ => {}
    }
    let ttl = TimeToLiveSpecification::builder().attribute_name(TTL_ATTRIBUTE).enabled(true).build();
    if created_now(&created) {
        client.update_time_to_live().table_name(name).time_to_live_specification(ttl?).send().await?;
    }
    Ok(())
}

fn created_now<T, E>(created: &Result<T, E>) -> bool {
    created.is_ok()
}

fn already_there(error: &SdkError<CreateTableError>) -> bool {
    error.as_service_error().is_some_and(CreateTableError::is_resource_in_use_exception)
}

async fn create(client: &Client, name: &str) -> Result<(), SdkError<CreateTableError>> {
    let mut request = client.create_table().table_name(name).billing_mode(BillingMode::PayPerRequest);
    for attribute in KEY.into_iter().chain(INDEXES.iter().flat_map(|index| index.key)) {
        request = request
            .attribute_definitions(string_attribute(attribute).map_err(SdkError::construction_failure)?);
    }
    for element in key_schema(KEY).map_err(SdkError::construction_failure)? {
        request = request.key_schema(element);
    }
    for index in INDEXES {
        request = request.global_secondary_indexes(secondary(index).map_err(SdkError::construction_failure)?);
    }
    request.send().await.map(|_| ())
}

fn string_attribute(name: &str) -> Result<AttributeDefinition, BuildError> {
    AttributeDefinition::builder().attribute_name(name).attribute_type(ScalarAttributeType::S).build()
}

fn key_schema(key: [&str; 2]) -> Result<Vec<KeySchemaElement>, BuildError> {
    [KeyType::Hash, KeyType::Range]
        .into_iter()
        .zip(key)
        .map(|(role, name)| KeySchemaElement::builder().attribute_name(name).key_type(role).build())
        .collect()
}

fn secondary(index: Index) -> Result<GlobalSecondaryIndex, BuildError> {
    let carries = if index.whole_items { ProjectionType::All } else { ProjectionType::KeysOnly };
    GlobalSecondaryIndex::builder()
        .index_name(index.name)
        .set_key_schema(Some(key_schema(index.key)?))
        .projection(Projection::builder().projection_type(carries).build())
        .build()
}
