//! The server descriptions (`server.json`) of a listing: the latest version, and earlier versions. They are separate from
//! the listing, because only the registry API needs them.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::prelude::*;
use registry_model::ServerDocument;

/// The latest server description of a listing.
pub(super) const SERVER: Record<ServerDocument> = Record::new(LISTING.prefix, "SERVER", "server");
/// An earlier version.
pub(super) const EARLIER_SERVER: Record<ServerDocument> = Record::new(LISTING.prefix, "SERVER#", "server");

/// After so many earlier versions, the oldest is replaced.
const MAX_EARLIER: u32 = 50;

/// A new version of a description. The version that it replaces is kept, if it is another one.
#[derive(Clone, Debug)]
pub struct DocumentChange {
    pub new: ServerDocument,
    pub replaced: Option<ServerDocument>,
}

pub(super) fn put(transaction: &mut Transaction, id: &ListingId, change: &DocumentChange) -> Result<()> {
    transaction.put(SERVER.of(id).with([SERVER.value(&change.new)?]));
    if let Some(replaced) = &change.replaced
        && replaced.version() != change.new.version()
    {
        let key = EARLIER_SERVER.one_of(id, format_args!("{:02}", replaced.number % MAX_EARLIER));
        transaction.put(key.with([EARLIER_SERVER.value(replaced)?]));
    }
    Ok(())
}

impl Store {
    /// The latest description of a listing that was published as one.
    pub async fn server_document(&self, id: &ListingId) -> Result<Option<ServerDocument>> {
        self.get(&SERVER, &SERVER.of(id)).await
    }

    /// The latest descriptions of listings. Pages are cached, so they must not contain an older description.
    pub async fn server_documents(&self, ids: &[ListingId]) -> Result<HashMap<ListingId, ServerDocument>> {
        let items = self.batch_get(SERVER.all(ids), Consistency::Strong).await?;
        let read = |item: &Item| -> Result<(ListingId, ServerDocument)> {
            let id = SERVER.listing_of(item);
            let id = id.ok_or_else(|| StoreError::Fault("the key of a description is invalid".into()))?;
            Ok((id, SERVER.read(item)?))
        };
        // One that cannot be read must not stop the page.
        let log = |error: &StoreError| tracing::error!(error = chain(&error), "a description cannot be read");
        Ok(items.iter().filter_map(|item| read(item).inspect_err(log).ok()).collect())
    }

    /// All stored versions of a description, the latest first. Each version is in it once.
    pub async fn server_versions(&self, id: &ListingId) -> Result<Vec<ServerDocument>> {
        let range = Range::Prefix(SERVER.sort.to_owned());
        let mut all = self.list(&SERVER, Query::of(SERVER.partition(id)).range(range).strong()).await?;
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
