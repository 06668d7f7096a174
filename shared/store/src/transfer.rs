//! Moves all items of a table to another table: the items as text in pages, and the import of such pages. Items are moved
//! as they are, except keys that stay in a key service that the target may not use. The progress of an import is an item of the
//! target, so that nobody takes a part of a table for a whole one.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
use serde::{Deserialize, Serialize};

use super::attributes::{Item, blob, s, text, to_blob};
use super::batch_get::{Consistency, MAX_ATTEMPTS, pause_before};
use super::client::Store;
use super::error::StoreError;
use super::keys::{self, Key};
use super::signing_keys;

/// Items of a page. The embedded engine reads that many rows at once, whatever their size.
const ITEMS_PER_PAGE: i32 = 500;
/// The most items in one `BatchWriteItem` (DynamoDB API reference).
const ITEMS_PER_WRITE: usize = 25;

/// Items as text, and where the next page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemPage {
    /// One item in each line, in the JSON of DynamoDB.
    pub lines: String,
    pub contents: Contents,
    /// The key after which the next page begins; `None` at the end of the table.
    pub next: Option<ItemKey>,
}

/// The partition key and the sort key of an item.
pub type ItemKey = [String; 2];

/// What some pages contain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    pub items: u64,
    /// The partitions of keys whose private half is in a key service.
    pub keys_in_service: BTreeSet<String>,
}

impl Contents {
    pub fn add(&mut self, other: Self) {
        self.items += other.items;
        self.keys_in_service.extend(other.keys_in_service);
    }

    /// Whether the key of the evidence log is in a key service. Without it, the log cannot be continued.
    pub fn has_log_key_in_service(&self) -> bool {
        self.keys_in_service.contains(signing_keys::LOG_PARTITION)
    }

    fn count(&mut self, item: &Item) {
        self.items += 1;
        if signing_keys::is_in_service(text(item, "secret")) {
            self.keys_in_service.insert(text(item, "pk").to_owned());
        }
    }
}

/// How far an import has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnfinishedImport {
    /// Identifies the content that is imported.
    pub sha256: String,
    pub pages: u64,
}

impl Store {
    /// The items after `after`, with strong reads.
    pub async fn item_page(&self, after: Option<ItemKey>) -> Result<ItemPage, StoreError> {
        let after = after.map(|[pk, sk]| Key::new(pk, sk));
        let (items, next) = self.scan_up_to(Some(ITEMS_PER_PAGE), after).await?;
        let next = next.map(|key| [key.pk, key.sk]);
        let mut page = ItemPage { lines: String::new(), contents: Contents::default(), next };
        for item in items {
            page.contents.count(&item);
            page.lines.push_str(&serde_json::to_string(&serde_dynamo::Item::from(item))?);
            page.lines.push('\n');
        }
        Ok(page)
    }

    /// Writes the items of a page, over any that exist. Without the key service, the registry can no longer sign with the
    /// keys in it: a key for attestations is marked, because its public half is still needed, and the key for HTTP messages
    /// is left out. The registry then makes new keys.
    pub async fn put_page(&self, lines: &str, has_key_service: bool) -> Result<(), StoreError> {
        let mut items = Vec::new();
        for line in lines.lines() {
            let mut item: Item = serde_json::from_str::<serde_dynamo::Item>(line)?.into();
            if !has_key_service && signing_keys::is_in_service(text(&item, "secret")) {
                match text(&item, "pk") {
                    signing_keys::MESSAGE_PARTITION => continue,
                    signing_keys::PARTITION => {
                        let secret = signing_keys::left_behind(text(&item, "secret"));
                        item.insert("secret".to_owned(), s(secret));
                    }
                    _ => {}
                }
            }
            items.push(item);
        }
        for batch in items.chunks(ITEMS_PER_WRITE) {
            self.put_batch(batch).await?;
        }
        Ok(())
    }

    async fn put_batch(&self, items: &[Item]) -> Result<(), StoreError> {
        let put = |item: &Item| {
            let put = PutRequest::builder().set_item(Some(item.clone())).build()?;
            Ok(WriteRequest::builder().put_request(put).build())
        };
        let mut writes = items.iter().map(put).collect::<Result<Vec<_>, StoreError>>()?;
        for attempt in 0..MAX_ATTEMPTS {
            if attempt > 0 {
                tokio::time::sleep(pause_before(attempt)).await;
            }
            let answer = self.client.batch_write_item().request_items(&*self.table, writes).send().await?;
            match answer.unprocessed_items.unwrap_or_default().remove(&*self.table) {
                None => return Ok(()),
                Some(rest) if rest.is_empty() => return Ok(()),
                Some(rest) => writes = rest,
            }
        }
        Err(StoreError::Busy("a batch write left items unprocessed at every attempt".to_owned()))
    }

    pub async fn is_empty(&self) -> Result<bool, StoreError> {
        let (items, next) = self.scan_up_to(Some(1), None).await?;
        Ok(items.is_empty() && next.is_none())
    }

    /// The import that has begun and is not complete. Until it is, no registry may use the table.
    pub async fn unfinished_import(&self) -> Result<Option<UnfinishedImport>, StoreError> {
        let item = self.read(&keys::unfinished_import(), Consistency::Strong).await?;
        item.map(|item| blob(&item, "import")).transpose()
    }

    pub async fn record_import(&self, import: &UnfinishedImport) -> Result<(), StoreError> {
        self.put(keys::unfinished_import().with([("import", to_blob(import)?)])).await
    }

    pub async fn complete_import(&self) -> Result<(), StoreError> {
        self.delete(&keys::unfinished_import()).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::primitives::Blob;
    use aws_sdk_dynamodb::types::AttributeValue as Value;

    use super::super::attributes::n;
    use super::*;

    #[test]
    fn every_type_of_attribute_survives_as_text() {
        let item = Item::from(
            [
                ("pk", s("a\nb\u{1}\"ü")),
                ("number", n("12345678901234567890123456789012345678")),
                ("small", n("0.0000000001")),
                ("bytes", Value::B(Blob::new([0, 10, 255]))),
                ("list", Value::L(vec![s(""), Value::Bool(false), Value::Null(true)])),
                ("map", Value::M([("x".to_owned(), Value::Ss(vec!["1".to_owned()]))].into())),
                ("numbers", Value::Ns(vec!["1.50".to_owned()])),
                ("blobs", Value::Bs(vec![Blob::new([0])])),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
        let line = serde_json::to_string(&serde_dynamo::Item::from(item.clone())).unwrap();
        assert!(!line.contains('\n'), "{line}");
        assert_eq!(Item::from(serde_json::from_str::<serde_dynamo::Item>(&line).unwrap()), item);
    }
}
