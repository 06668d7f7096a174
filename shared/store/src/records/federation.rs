//! The last answers of other registries, in one item for each registry. If a registry is removed from the
//! settings, its item is no longer read. Also stores how far imports have come.

use crate::prelude::*;
use registry_model::{ImportState, PeerRegistry, sha256_hex};

/// What a registry returned, under the digest of its URL.
pub(super) const PEER: KeyPattern = KeyPattern::new("FEDERATION", "PEER#");
/// How far the import of a directory has come, under the digest of its source.
pub(super) const IMPORT: Record<ImportState> = Record::new("IMPORTS", "", "import");

fn peer_key(url: &String) -> Key {
    PEER.one(sha256_hex(url))
}

fn import_key(source: &str) -> Key {
    IMPORT.one(sha256_hex(source))
}

fn to_item(peer: &PeerRegistry) -> Result<Item> {
    let mut item = peer_key(&peer.url).with([
        ("url", s(&peer.url)),
        ("name", s(&peer.name)),
        ("asked_at", ms(peer.asked_at)),
        ("referrals", to_blob(&peer.referrals)?),
    ]);
    let optional = [
        ("search_url", peer.search_url.as_ref().map(s)),
        ("answered_at", peer.answered_at.map(ms)),
        ("failure", peer.failure.as_ref().map(s)),
        ("lists_this", peer.lists_this.map(|lists_this| n(i64::from(lists_this)))),
    ];
    item.extend(optional.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    Ok(item)
}

fn peer_of(item: &Item) -> Result<PeerRegistry> {
    Ok(PeerRegistry {
        url: text(item, "url").to_owned(),
        name: text(item, "name").to_owned(),
        asked_at: moment(item, "asked_at").unwrap_or(Moment::UNIX_EPOCH),
        answered_at: moment(item, "answered_at"),
        search_url: some_text(item, "search_url"),
        failure: some_text(item, "failure"),
        lists_this: item.contains_key("lists_this").then(|| number(item, "lists_this") == 1),
        referrals: blob(item, "referrals")?,
    })
}

impl Store {
    /// Stores what a registry returned, over its earlier item.
    pub async fn keep_peer_registry(&self, peer: &PeerRegistry) -> Result<()> {
        self.put(to_item(peer)?).await
    }

    /// What the registries of these URLs returned, in no order; one that was never called is left out.
    pub async fn peer_registries(&self, urls: &[String]) -> Result<Vec<PeerRegistry>> {
        let items = self.batch_get(urls.iter().map(peer_key).collect(), Consistency::Eventual).await?;
        items.iter().map(peer_of).collect()
    }

    pub async fn import_state(&self, source: &str) -> Result<ImportState> {
        Ok(self.get(&IMPORT, &import_key(source)).await?.unwrap_or_default())
    }

    pub async fn keep_import_state(&self, source: &str, state: &ImportState) -> Result<()> {
        self.put(import_key(source).with([IMPORT.value(state)?])).await
    }
}
