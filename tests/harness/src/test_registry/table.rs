//! The whole table as plain JSON. This read is not part of the counted table calls. Tests use it to check
//! that a failed write changed nothing, or that a repeated event has no effect. Only tests scan the table.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use local::engine::{self, Data, Embedded};
use registry::model::Clock;
use registry::store::table;
use serde_json::{Map, Value, json};

use super::reply::without_machine_times;

/// Every item by its key, `pk sk`.
#[derive(Clone, Debug, PartialEq)]
pub struct Table(BTreeMap<String, Value>);

impl Table {
    pub(super) async fn read(client: &Client, name: &str) -> Self {
        let mut pages = client.scan().table_name(name).consistent_read(true).into_paginator().items().send();
        let mut items = BTreeMap::new();
        while let Some(item) = pages.next().await {
            let item: Map<String, Value> =
                item.unwrap().into_iter().map(|(name, value)| (name, plain(value))).collect();
            let key = format!("{} {}", item["pk"].as_str().unwrap(), item["sk"].as_str().unwrap());
            let sorted: BTreeMap<String, Value> = item.into_iter().collect();
            items.insert(key, json!(sorted));
        }
        Self(items)
    }

    /// The table without items whose key begins with one of `prefixes`.
    pub fn without(mut self, prefixes: &[&str]) -> Self {
        self.0.retain(|key, _| !prefixes.iter().any(|prefix| key.starts_with(prefix)));
        self
    }

    /// The table without durations that depend on the machine.
    pub fn without_machine_times(mut self) -> Self {
        for item in self.0.values_mut() {
            parse_json_texts(item);
            without_machine_times(item);
        }
        self
    }

    /// The table without items whose sort key begins with one of `prefixes`.
    pub fn without_sort_keys(mut self, prefixes: &[&str]) -> Self {
        let sort_key = |key: &str| key.split_once(' ').map_or("", |(_, sort_key)| sort_key).to_owned();
        self.0.retain(|key, _| !prefixes.iter().any(|prefix| sort_key(key).starts_with(prefix)));
        self
    }

    pub fn keys(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    pub fn items_under(&self, prefix: &str) -> Vec<&Value> {
        self.0.iter().filter(|(key, _)| key.starts_with(prefix)).map(|(_, item)| item).collect()
    }

    /// The items that differ, as lines; empty if the tables are equal.
    pub fn difference(&self, other: &Self) -> Vec<String> {
        let missing = |from: &Self, to: &Self, mark: char| -> Vec<String> {
            let only = from.0.iter().filter(|(key, item)| to.0.get(*key) != Some(item));
            only.map(|(key, item)| format!("{mark} {key}: {item}")).collect()
        };
        [missing(self, other, '-'), missing(other, self, '+')].concat()
    }
}

/// A copy of a table, in a new engine that expires its items by `clock`.
pub(super) async fn copied(client: &Client, name: &str, clock: &Clock) -> Embedded {
    let engine = Embedded::open(&Data::Memory, clock).unwrap();
    let copy = engine::client(engine.clone());
    table::ensure(&copy, name).await.unwrap();
    let mut items = client.scan().table_name(name).consistent_read(true).into_paginator().items().send();
    while let Some(item) = items.next().await {
        copy.put_item().table_name(name).set_item(Some(item.unwrap())).send().await.unwrap();
    }
    engine
}

fn plain(value: AttributeValue) -> Value {
    match value {
        AttributeValue::S(text) => Value::String(text),
        AttributeValue::N(number) => serde_json::from_str(&number).unwrap(),
        AttributeValue::Bool(truth) => Value::Bool(truth),
        AttributeValue::Null(_) => Value::Null,
        AttributeValue::L(items) => items.into_iter().map(plain).collect(),
        AttributeValue::M(members) => {
            members.into_iter().map(|(name, value)| (name, plain(value))).collect::<Map<_, _>>().into()
        }
        other => Value::String(format!("{other:?}")),
    }
}

/// Parses JSON texts in place: evidence and records are stored as text.
fn parse_json_texts(value: &mut Value) {
    match value {
        Value::String(text) if text.starts_with('{') => {
            if let Ok(inner) = serde_json::from_str(text) {
                *value = inner;
            }
        }
        Value::Object(members) => members.values_mut().for_each(parse_json_texts),
        _ => {}
    }
}
