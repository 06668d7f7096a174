//! Exports all items of the table, and imports items. A line is one item: `{"Item": …}` in the JSON of DynamoDB. Exports of
//! DynamoDB to S3 and its imports from S3 have the same lines.

use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};

use super::signing_keys::{self, ATTESTATION_KEY, LOG_KEY};
use crate::prelude::*;

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
    #[error("line {0} cannot be imported")]
    Line(usize, #[source] Source),
    #[error("cannot write the export")]
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
            let invalid = |why: Source| TransferError::Line(number, why);
            let line = line.map_err(|error| invalid(error.into()))?;
            let line: Line = serde_json::from_str(&line).map_err(|error| invalid(error.into()))?;
            imported.items += 1;
            if let Some(item) = without_key_service(line.item.into()).map_err(|why| invalid(why.into()))? {
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
mod tests;
