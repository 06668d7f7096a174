//! The throughput of single partition keys. DynamoDB serves at most 3,000 read units and 1,000 write units per second for
//! one partition key, of the table and of each index, and throttles what exceeds this. A local engine has no partitions.
//! Burst capacity and adaptive capacity are left out, because they do not help a key that is always hot.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dynoxide::actions::get_item::GetItemRequest;
use dynoxide::types::{
    TRANSACTIONAL_CAPACITY_FACTOR, item_size, read_capacity_units_with_consistency,
    table_write_capacity_units, write_capacity_units,
};
use dynoxide::{AttributeValue, Database, Item};
use registry::model::Clock;
use registry::store::table::{self, Index};
use serde::Deserialize;
use serde_json::{Value, json};

use super::dispatch;
use super::instrumented::acts_of;

/// Read units per second and partition key (DynamoDB developer guide, "Burst and adaptive capacity").
pub const READ_UNITS: f64 = 3000.0;
/// Write units per second and partition key.
pub const WRITE_UNITS: f64 = 1000.0;

/// What requests consumed at one partition key.
#[derive(Clone, Debug, PartialEq)]
pub struct HotKey {
    /// The partition key. That of an index comes after the name of the index.
    pub key: String,
    /// The most read units in one second.
    pub peak_read: f64,
    /// The most write units in one second.
    pub peak_write: f64,
    /// All read units.
    pub read: f64,
    /// All write units.
    pub write: f64,
    /// Accesses that were throttled.
    pub throttles: u64,
}

impl HotKey {
    /// The peak as a share of DynamoDB's limit: of reads or of writes, whichever is higher.
    #[must_use]
    pub fn share(&self) -> f64 {
        (self.peak_read / READ_UNITS).max(self.peak_write / WRITE_UNITS)
    }
}

/// Counts the units of each partition key and throttles those above the limit. Clones share the counts.
#[derive(Clone, Debug)]
pub struct PartitionMeter {
    /// The share of DynamoDB's limits that is allowed; 0.1 allows 300 read units and 100 write units.
    share: f64,
    clock: Clock,
    keys: Arc<Mutex<BTreeMap<String, Usage>>>,
}

#[derive(Debug, Default)]
struct Usage {
    read: Rate,
    write: Rate,
    throttles: u64,
}

#[derive(Debug, Default)]
struct Rate {
    /// The second of the last request.
    second: i64,
    /// Units consumed in this second.
    used: f64,
    /// Units above the limits of earlier seconds. A request may exceed the limit, but the next ones wait for it.
    owed: f64,
    peak: f64,
    total: f64,
}

impl Rate {
    fn at(&mut self, second: i64, limit: f64) -> &mut Self {
        if second > self.second {
            let allowed = limit * (second - self.second) as f64;
            self.owed = (self.owed + self.used - allowed).max(0.0);
            (self.second, self.used) = (second, 0.0);
        }
        self
    }

    fn add(&mut self, units: f64) {
        self.used += units;
        self.total += units;
        self.peak = self.peak.max(self.used);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

/// What an answer to a read consumed. The items are not parsed.
#[derive(Debug, Default, Deserialize)]
struct ReadAnswer {
    #[serde(rename = "ConsumedCapacity", default)]
    consumed: Consumed,
}

#[derive(Debug, Default, Deserialize)]
struct Consumed {
    #[serde(rename = "CapacityUnits", default)]
    units: f64,
}

/// Units of an access to a partition key.
type Charge = (String, f64);

impl PartitionMeter {
    /// A meter that allows this share of DynamoDB's limits in each second of `clock`.
    #[must_use]
    pub fn new(share: f64, clock: Clock) -> Self {
        Self { share, clock, keys: Arc::default() }
    }

    /// The `most` keys with the highest peaks, the highest first.
    #[must_use]
    pub fn hottest(&self, most: usize) -> Vec<HotKey> {
        let keys = self.lock();
        let mut hottest: Vec<HotKey> = keys
            .iter()
            .map(|(key, usage)| HotKey {
                key: key.clone(),
                peak_read: usage.read.peak,
                peak_write: usage.write.peak,
                read: usage.read.total,
                write: usage.write.total,
                throttles: usage.throttles,
            })
            .collect();
        hottest.sort_by(|one, other| other.share().total_cmp(&one.share()));
        hottest.truncate(most);
        hottest
    }

    /// The hottest keys as a table of text.
    #[must_use]
    pub fn report(&self, most: usize) -> String {
        let mut lines = vec![format!(
            "{:<44} {:>9} {:>9} {:>11} {:>11} {:>9}",
            "hottest partition keys", "read/s", "write/s", "read units", "write units", "throttles"
        )];
        lines.extend(self.hottest(most).iter().map(|key| {
            format!(
                "{:<44} {:>9.1} {:>9.1} {:>11.0} {:>11.0} {:>9}",
                key.key, key.peak_read, key.peak_write, key.read, key.write, key.throttles
            )
        }));
        lines.join("\n")
    }

    /// Accesses that were throttled, of all keys.
    #[must_use]
    pub fn throttles(&self) -> u64 {
        self.lock().values().map(|usage| usage.throttles).sum()
    }

    /// Forgets what was counted.
    pub fn reset(&self) {
        self.lock().clear();
    }

    /// DynamoDB's answer: the engine's, or that the request is throttled.
    pub(super) fn answer(&self, database: &Database, operation: &str, body: &[u8]) -> (u16, String) {
        let Ok(request) = serde_json::from_slice::<Value>(body) else {
            return dispatch::answer(database, operation, body);
        };
        match operation {
            "GetItem" | "Query" => self.read(database, operation, request),
            "BatchGetItem" => self.batch(database, request),
            "PutItem" | "UpdateItem" | "DeleteItem" | "TransactWriteItems" => {
                self.write(database, operation, &request, body)
            }
            // Scans and changes of the table are not requests of callers.
            _ => dispatch::answer(database, operation, body),
        }
    }

    fn read(&self, database: &Database, operation: &str, mut request: Value) -> (u16, String) {
        let keys = keys_of(operation, &request);
        if !self.throttled(Access::Read, &keys).is_empty() {
            return throttling("Read");
        }
        request["ReturnConsumedCapacity"] = json!("TOTAL");
        let (status, answer) = dispatch::answer(database, operation, request.to_string().as_bytes());
        let read: ReadAnswer = serde_json::from_str(&answer).unwrap_or_default();
        self.charge(Access::Read, keys.into_iter().map(|key| (key, read.consumed.units)));
        (status, answer)
    }

    /// A batch returns the throttled keys as unprocessed. It is throttled only if all of them are.
    fn batch(&self, database: &Database, mut request: Value) -> (u16, String) {
        let throttled = self.throttled(Access::Read, &keys_of("BatchGetItem", &request));
        let mut unprocessed = json!({});
        let mut consistent = false;
        let mut requested: BTreeMap<String, usize> = BTreeMap::new();
        for (name, table) in request["RequestItems"].as_object_mut().into_iter().flatten() {
            consistent = table["ConsistentRead"] == json!(true);
            let Some(keys) = table["Keys"].as_array_mut() else { continue };
            let (refused, allowed): (Vec<Value>, Vec<Value>) =
                keys.drain(..).partition(|key| throttled.contains(partition_key(key)));
            for key in &allowed {
                *requested.entry(partition_key(key).to_owned()).or_default() += 1;
            }
            *keys = allowed;
            if !refused.is_empty() {
                unprocessed[name] = json!({ "Keys": refused, "ConsistentRead": consistent });
            }
        }
        if requested.is_empty() && !throttled.is_empty() {
            return throttling("Read");
        }
        let (status, answer) = dispatch::answer(database, "BatchGetItem", request.to_string().as_bytes());
        if status != 200 {
            return (status, answer);
        }
        let mut body: Value = serde_json::from_str(&answer).unwrap_or_default();
        let units = |size| read_capacity_units_with_consistency(size, consistent);
        let mut charges = Vec::new();
        let tables = body["Responses"].as_object().into_iter().flatten();
        for item in tables.filter_map(|(_, items)| items.as_array()).flatten() {
            let key = partition_key(item).to_owned();
            let size = serde_json::from_value::<Item>(item.clone()).map_or(0, |item| item_size(&item));
            if let Some(left) = requested.get_mut(&key) {
                *left = left.saturating_sub(1);
            }
            charges.push((key, units(size)));
        }
        // A key without an item costs the minimum.
        charges.extend(requested.into_iter().map(|(key, left)| (key, left as f64 * units(0))));
        self.charge(Access::Read, charges);
        if unprocessed.as_object().is_some_and(|tables| !tables.is_empty()) {
            body["UnprocessedKeys"] = unprocessed;
        }
        (200, body.to_string())
    }

    fn write(&self, database: &Database, operation: &str, request: &Value, body: &[u8]) -> (u16, String) {
        let is_transaction = operation == "TransactWriteItems";
        let actions: Vec<(&str, &Value)> = if is_transaction {
            let items = request["TransactItems"].as_array().into_iter().flatten();
            items
                .flat_map(|item| item.as_object().into_iter().flatten())
                .map(|(kind, action)| (kind.as_str(), action))
                .collect()
        } else {
            vec![(operation, request)]
        };
        let before: Vec<Option<Item>> = actions.iter().map(|(_, action)| stored(database, action)).collect();
        // The place of an item in an index after an update is not known yet.
        let mut keys = keys_of(operation, request);
        for ((_, action), before) in actions.iter().zip(&before) {
            let put: Option<Item> = serde_json::from_value(action["Item"].clone()).ok();
            for index in table::INDEXES {
                let places = [before.as_ref(), put.as_ref()].into_iter().flatten();
                keys.extend(places.filter_map(|item| Some(entry(index, item)?.key())));
            }
        }
        let throttled = self.throttled(Access::Write, &keys);
        if !throttled.is_empty() && is_transaction {
            return canceled(&actions, &throttled);
        }
        if !throttled.is_empty() {
            return throttling("Write");
        }
        let (status, answer) = dispatch::answer(database, operation, body);
        let factor = if is_transaction { TRANSACTIONAL_CAPACITY_FACTOR } else { 1.0 };
        for ((kind, action), before) in actions.iter().zip(&before) {
            let unchanged = status != 200 || *kind == "ConditionCheck";
            let after = if unchanged { before.clone() } else { stored(database, action) };
            self.charge(Access::Write, write_charges(action, before.as_ref(), after.as_ref(), factor));
        }
        (status, answer)
    }

    /// The keys that may not be accessed in this second. Counts a throttle for each of them.
    fn throttled(&self, access: Access, keys: &[String]) -> BTreeSet<String> {
        let second = self.clock.now().as_second();
        let mut usages = self.lock();
        let mut throttled = BTreeSet::new();
        for key in keys {
            let usage = usages.entry(key.clone()).or_default();
            let (rate, limit) = match access {
                Access::Read => (&mut usage.read, READ_UNITS * self.share),
                Access::Write => (&mut usage.write, WRITE_UNITS * self.share),
            };
            let rate = rate.at(second, limit);
            if rate.owed + rate.used >= limit && throttled.insert(key.clone()) {
                usage.throttles += 1;
            }
        }
        throttled
    }

    fn charge(&self, access: Access, charges: impl IntoIterator<Item = Charge>) {
        let second = self.clock.now().as_second();
        let mut usages = self.lock();
        for (key, units) in charges {
            let usage = usages.entry(key).or_default();
            match access {
                Access::Read => usage.read.at(second, READ_UNITS * self.share).add(units),
                Access::Write => usage.write.at(second, WRITE_UNITS * self.share).add(units),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Usage>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The accessed partition keys, with the index before the key of an index.
fn keys_of(operation: &str, request: &Value) -> Vec<String> {
    let acts = acts_of(operation, request).into_iter();
    acts.map(|act| match act.index {
        Some(index) => format!("{index} {}", act.partition),
        None => act.partition,
    })
    .collect()
}

fn partition_key(item: &Value) -> &str {
    item["pk"]["S"].as_str().unwrap_or_default()
}

/// The item that an action writes or checks, as it is stored now.
fn stored(database: &Database, action: &Value) -> Option<Item> {
    let named = if action["Key"].is_object() { &action["Key"] } else { &action["Item"] };
    let key = table::KEY.map(|name| (name.to_owned(), named[name].clone()));
    let key = key.into_iter().map(|(name, value)| Some((name, serde_json::from_value(value).ok()?)));
    let request = GetItemRequest {
        table_name: action["TableName"].as_str()?.to_owned(),
        key: key.collect::<Option<_>>()?,
        consistent_read: Some(true),
        ..GetItemRequest::default()
    };
    database.get_item(request).ok()?.item
}

/// What an index contains of an item.
struct Entry<'a> {
    index: Index,
    place: [&'a str; 2],
    content: Vec<(&'a String, &'a AttributeValue)>,
}

impl Entry<'_> {
    fn key(&self) -> String {
        format!("{} {}", self.index.name, self.place[0])
    }

    fn units(&self) -> f64 {
        write_capacity_units(self.content.iter().map(|(name, value)| name.len() + value.size()).sum())
    }

    fn same_content(&self, other: &Entry<'_>) -> bool {
        self.content.len() == other.content.len()
            && self.content.iter().all(|pair| other.content.contains(pair))
    }
}

fn entry(index: Index, item: &Item) -> Option<Entry<'_>> {
    let text = |name: &str| match item.get(name) {
        Some(AttributeValue::S(text)) => Some(text.as_str()),
        _ => None,
    };
    let [pk, sk] = index.key;
    let place = [text(pk)?, text(sk)?];
    let is_key = |name: &str| table::KEY.contains(&name) || index.key.contains(&name);
    let content = item.iter().filter(|(name, _)| index.whole_items || is_key(name)).collect();
    Some(Entry { index, place, content })
}

/// The units of one write: at the table, and at each index where it changes an entry. A moved entry costs a write at
/// both places. In a transaction, only the write at the table costs more (`factor`): DynamoDB updates the indexes afterwards, and
/// real tables report one unit for the entry of a put that costs two.
fn write_charges(action: &Value, before: Option<&Item>, after: Option<&Item>, factor: f64) -> Vec<Charge> {
    let named = if action["Key"].is_object() { &action["Key"] } else { &action["Item"] };
    let units = table_write_capacity_units(before.map(item_size), after.map(item_size));
    let mut charges = vec![(partition_key(named).to_owned(), units * factor)];
    for index in table::INDEXES {
        let [before, after] = [before, after].map(|item| item.and_then(|item| entry(index, item)));
        match (before, after) {
            (None, None) => {}
            (Some(only), None) | (None, Some(only)) => charges.push((only.key(), only.units())),
            (Some(old), Some(new)) if old.place != new.place => {
                charges.extend([old, new].map(|entry| (entry.key(), entry.units())));
            }
            (Some(old), Some(new)) if old.same_content(&new) => {}
            (Some(old), Some(new)) => charges.push((new.key(), old.units().max(new.units()))),
        }
    }
    charges
}

/// What DynamoDB answers for a table on demand; the SDK retries it.
fn throttling(kind: &str) -> (u16, String) {
    let reason = format!("Table{kind}KeyRangeThroughputExceeded");
    let body = json!({
        "__type": "com.amazon.coral.availability#ThrottlingException",
        "message": "Throughput exceeds the current capacity of your table or index.",
        "throttlingReasons": [{ "reason": reason }],
    });
    (400, body.to_string())
}

/// A throttled transaction is canceled. The SDK does not retry this, but the store does.
fn canceled(actions: &[(&str, &Value)], throttled: &BTreeSet<String>) -> (u16, String) {
    let is_throttled = |action: &Value| {
        [&action["Key"], &action["Item"]].into_iter().any(|key| throttled.contains(partition_key(key)))
    };
    let any = actions.iter().any(|(_, action)| is_throttled(action));
    let reasons: Vec<Value> = actions
        .iter()
        .enumerate()
        // A throttled index is reported at the first action.
        .map(|(at, (_, action))| is_throttled(action) || (!any && at == 0))
        .map(|throttled| json!({ "Code": if throttled { "ThrottlingError" } else { "None" } }))
        .collect();
    let body = json!({
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "message": "Transaction cancelled, please refer cancellation reasons for specific reasons",
        "CancellationReasons": reasons,
    });
    (400, body.to_string())
}

#[cfg(test)]
mod tests;
