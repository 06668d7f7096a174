//! Exports all items of the table, and imports items. A line is one item: `{"Item": …}` in the JSON of DynamoDB. Exports of
//! DynamoDB to S3 and its imports from S3 have the same lines.

use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};

use crate::prelude::*;
use crate::records::signing_keys::{self, ATTESTATION_KEY, LOG_KEY};

/// Items of a page. The embedded engine reads that many rows at once, whatever their size.
const ITEMS_PER_PAGE: i32 = 500;

#[derive(Serialize, Deserialize)]
struct Line {
    #[serde(rename = "Item")]
    item: serde_dynamo::Item,
}

/// Why an export or an import stopped.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    #[error("line {0} cannot be imported: {1}")]
    Line(usize, String),
    #[error("cannot write the export: {0}")]
    Output(#[from] io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// Lines that were read.
    pub items: u64,
    /// Items that did not exist and were written.
    pub written: u64,
}

impl Store {
    /// Writes every item to `out`, one in each line. Returns the number of items.
    pub async fn export_items(&self, mut out: impl Write) -> Result<u64, TransferError> {
        let (mut count, mut after) = (0, None);
        loop {
            let (items, next) = self.scan_up_to(Some(ITEMS_PER_PAGE), after).await?;
            for item in items {
                let line = serde_json::to_string(&Line { item: item.into() }).map_err(StoreError::from)?;
                writeln!(out, "{line}")?;
                count += 1;
            }
            after = next;
            if after.is_none() {
                out.flush()?;
                return Ok(count);
            }
        }
    }

    /// Writes the items of an export. An item that exists stays as it is: so an older export brings back what is missing,
    /// but no token that was revoked since. The same import can be repeated.
    pub async fn import_items(&self, input: impl BufRead) -> Result<Imported, TransferError> {
        let mut imported = Imported::default();
        for (number, line) in (1..).zip(input.lines()) {
            let invalid = |why: String| TransferError::Line(number, why);
            let line = line.map_err(|error| invalid(error.to_string()))?;
            let line: Line = serde_json::from_str(&line).map_err(|error| invalid(error.to_string()))?;
            imported.items += 1;
            if let Some(item) =
                without_key_service(line.item.into()).map_err(|why| invalid(why.to_owned()))?
            {
                imported.written += u64::from(self.put_new(item).await?);
            }
        }
        Ok(imported)
    }
}

/// The item in a table whose registry has no key service. It can no longer sign with the keys in the service: a key for
/// attestations is marked, because its public half is still needed, and the key for HTTP messages is left out. The registry
/// then makes new keys.
fn without_key_service(mut item: Item) -> Result<Option<Item>, &'static str> {
    if !signing_keys::is_in_service(text(&item, "secret")) {
        return Ok(Some(item));
    }
    match text(&item, "pk") {
        pk if pk == LOG_KEY.prefix => Err(
            "the private key of the evidence log is in AWS KMS and cannot leave it, and no other key can continue the log",
        ),
        pk if pk == ATTESTATION_KEY.prefix => {
            let secret = signing_keys::left_behind(text(&item, "secret"));
            item.insert("secret".to_owned(), s(secret));
            Ok(Some(item))
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::primitives::Blob;
    use aws_sdk_dynamodb::types::AttributeValue as Value;

    use super::*;
    use crate::table::attributes::n;

    fn item(attributes: &[(&str, Value)]) -> Item {
        attributes.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    #[test]
    fn every_type_of_attribute_survives_as_text() {
        let item = item(&[
            ("pk", s("a\nb\u{1}\"ü")),
            ("number", n("12345678901234567890123456789012345678")),
            ("small", n("0.0000000001")),
            ("bytes", Value::B(Blob::new([0, 10, 255]))),
            ("list", Value::L(vec![s(""), Value::Bool(false), Value::Null(true)])),
            ("map", Value::M([("x".to_owned(), Value::Ss(vec!["1".to_owned()]))].into())),
            ("numbers", Value::Ns(vec!["1.50".to_owned()])),
            ("blobs", Value::Bs(vec![Blob::new([0])])),
        ]);
        let line = serde_json::to_string(&Line { item: item.clone().into() }).unwrap();
        assert!(!line.contains('\n') && line.contains(r#""bytes":{"B":"AAr/"}"#), "{line}");
        assert_eq!(Item::from(serde_json::from_str::<Line>(&line).unwrap().item), item);
    }

    #[test]
    fn keys_of_a_key_service_are_not_imported_as_keys() {
        let key = |pk: &str, secret: &str| item(&[("pk", s(pk)), ("secret", s(secret))]);
        let imported = |pk: &str, secret: &str| without_key_service(key(pk, secret));
        assert_eq!(imported("KEY#LOG", "PRIVATE+KEY+x"), Ok(Some(key("KEY#LOG", "PRIVATE+KEY+x"))));
        assert_eq!(imported("KEY#ES256", "service:a"), Ok(Some(key("KEY#ES256", "left:service:a"))));
        assert_eq!(imported("KEY#MESSAGE", "service:b"), Ok(None));
        assert!(imported("KEY#LOG", "service:c").unwrap_err().contains("cannot leave it"));
    }
}
