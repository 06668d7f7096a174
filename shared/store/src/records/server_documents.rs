//! The server descriptions (`server.json`) of a listing: the latest version, and earlier versions. They are separate from
//! the listing, because only the registry API needs them.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::table::prelude::*;
use registry_model::ServerDocument;

/// A new version of a description. The version that it replaces is kept, if it is another one.
#[derive(Clone, Debug)]
pub struct DocumentChange {
    pub new: ServerDocument,
    pub replaced: Option<ServerDocument>,
}

pub(crate) fn keep(transaction: &mut Transaction, id: &ListingId, change: &DocumentChange) -> Result<()> {
    let put = |key: keys::Key, document: &ServerDocument| -> Result<Item> {
        Ok(key.with([("server", to_blob(document)?)]))
    };
    transaction.put(put(keys::SERVER.of(id), &change.new)?);
    if let Some(replaced) = &change.replaced
        && replaced.version() != change.new.version()
    {
        transaction.put(put(keys::earlier_server(id, replaced.number), replaced)?);
    }
    Ok(())
}

impl Store {
    /// The latest description of a listing that was published as one.
    pub async fn server_document(&self, id: &ListingId) -> Result<Option<ServerDocument>> {
        self.read_blob(&keys::SERVER.of(id), "server").await
    }

    /// The latest descriptions of listings. Pages are cached, so they must not contain an older description.
    pub async fn server_documents(&self, ids: &[ListingId]) -> Result<HashMap<ListingId, ServerDocument>> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let keys = ids.iter().map(|id| keys::SERVER.of(id)).collect();
        let items = self.batch_get(keys, Consistency::Strong).await?;
        let read = |item: &Item| -> Result<(ListingId, ServerDocument)> {
            let id = keys::LISTING.listing_of(item);
            let id = id.ok_or_else(|| StoreError::Fault("the key of a description is invalid".to_owned()))?;
            Ok((id, blob(item, "server")?))
        };
        // One that cannot be read must not stop the page.
        let log = |error: &StoreError| tracing::error!(%error, "a description cannot be read");
        Ok(items.iter().filter_map(|item| read(item).inspect_err(log).ok()).collect())
    }

    /// All stored versions of a description, the latest first. Each version is in it once.
    pub async fn server_versions(&self, id: &ListingId) -> Result<Vec<ServerDocument>> {
        let query =
            Query::of(keys::SERVER.partition(id)).range(Range::Prefix(keys::SERVER.sort.to_owned())).strong();
        let mut all: Vec<ServerDocument> = self.query_blobs(query, "server").await?;
        all.sort_by_key(|document| Reverse(document.number));
        // Earlier ones under another name are of another owner.
        let name = all.first().and_then(|latest| latest.server.get("name").cloned());
        let mut known = HashSet::new();
        all.retain(|document| {
            document.server.get("name") == name.as_ref() && known.insert(document.version().to_owned())
        });
        Ok(all)
    }
}
