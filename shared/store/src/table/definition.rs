//! The keys and indexes of the table as data. The local table is created from this data, and a test compares
//! the template for AWS with it. So the two tables cannot differ.

use std::time::Duration;

use aws_sdk_dynamodb::client::Waiters as _;
use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType,
    Projection, ProjectionType, ScalarAttributeType, TimeToLiveSpecification,
};
use aws_sdk_dynamodb::{Client, Error};

use super::attributes::{TTL_ATTRIBUTE, s};

/// Partition and sort key of the table, both strings.
pub const KEY: [&str; 2] = ["pk", "sk"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index {
    pub name: &'static str,
    /// Partition and sort key, both strings; an item without them is not in the index.
    pub key: [&'static str; 2],
    /// Whether it contains whole items, or only keys.
    pub whole_items: bool,
}

/// Items in the order they are shown: Active listings by kind, probes by outcome.
pub const SHOWN: Index = Index { name: "gsi1", key: ["gsi1pk", "gsi1sk"], whole_items: true };

/// What is due, by class and time. Keys only: one update claims a due listing and reads it.
pub const DUE: Index = Index { name: "gsi2", key: ["gsi2pk", "gsi2sk"], whole_items: false };

impl Index {
    /// The attributes of an item that is in this partition of the index.
    pub(crate) fn place(
        self,
        partition: impl Into<String>,
        sort: impl Into<String>,
    ) -> [(&'static str, AttributeValue); 2] {
        let [pk, sk] = self.key;
        [(pk, s(partition)), (sk, s(sort))]
    }
}

pub const INDEXES: [Index; 2] = [SHOWN, DUE];

/// The longest time in which DynamoDB creates a table.
const CREATION: Duration = Duration::from_secs(300);

/// Creates the table with its TTL where it does not exist. On AWS the template or an import does this.
pub async fn ensure(client: &Client, name: &str) -> Result<(), Error> {
    match create(client, name).await {
        Ok(()) => {
            // An error shows in the next request, too.
            let _created = client.wait_until_table_exists().table_name(name).wait(CREATION).await;
            let ttl = TimeToLiveSpecification::builder().attribute_name(TTL_ATTRIBUTE).enabled(true).build();
            client.update_time_to_live().table_name(name).time_to_live_specification(ttl?).send().await?;
            Ok(())
        }
        Err(Error::ResourceInUseException(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

async fn create(client: &Client, name: &str) -> Result<(), Error> {
    let mut request = client.create_table().table_name(name).billing_mode(BillingMode::PayPerRequest);
    for attribute in KEY.into_iter().chain(INDEXES.iter().flat_map(|index| index.key)) {
        request = request.attribute_definitions(string_attribute(attribute)?);
    }
    for index in INDEXES {
        request = request.global_secondary_indexes(secondary(index)?);
    }
    request.set_key_schema(Some(key_schema(KEY)?)).send().await?;
    Ok(())
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
    let projection = if index.whole_items { ProjectionType::All } else { ProjectionType::KeysOnly };
    GlobalSecondaryIndex::builder()
        .index_name(index.name)
        .set_key_schema(Some(key_schema(index.key)?))
        .projection(Projection::builder().projection_type(projection).build())
        .build()
}
