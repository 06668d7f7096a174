//! What other registries told: one item for each of them, so that a reading costs as many as there are. A registry that the
//! settings no longer name is not read any more.

use super::attributes::{Item, n, number, s, text};
use super::batch_get::Consistency;
use super::client::Store;
use super::error::StoreError;
use super::keys;
use registry_model::{Moment, PeerRegistry};

fn to_item(peer: &PeerRegistry) -> Result<Item, StoreError> {
    let mut item = keys::peer_registry(&peer.url).item();
    item.insert("url".to_owned(), s(&peer.url));
    item.insert("name".to_owned(), s(&peer.name));
    if let Some(search_url) = &peer.search_url {
        item.insert("search_url".to_owned(), s(search_url));
    }
    item.insert("asked_at".to_owned(), n(peer.asked_at.as_millisecond()));
    if let Some(at) = peer.answered_at {
        item.insert("answered_at".to_owned(), n(at.as_millisecond()));
    }
    if let Some(failure) = &peer.failure {
        item.insert("failure".to_owned(), s(failure));
    }
    if let Some(lists_this) = peer.lists_this {
        item.insert("lists_this".to_owned(), n(i64::from(lists_this)));
    }
    item.insert("referrals".to_owned(), s(serde_json::to_string(&peer.referrals)?));
    Ok(item)
}

fn peer_of(item: &Item) -> Result<PeerRegistry, StoreError> {
    let time =
        |name| Some(number(item, name)).filter(|millis| *millis > 0).and_then(Moment::from_millisecond);
    let some = |name| Some(text(item, name).to_owned()).filter(|text| !text.is_empty());
    Ok(PeerRegistry {
        url: text(item, "url").to_owned(),
        name: text(item, "name").to_owned(),
        asked_at: time("asked_at").unwrap_or(Moment::UNIX_EPOCH),
        answered_at: time("answered_at"),
        search_url: some("search_url"),
        failure: some("failure"),
        lists_this: item.contains_key("lists_this").then(|| number(item, "lists_this") == 1),
        referrals: serde_json::from_str(text(item, "referrals"))?,
    })
}

impl Store {
    /// Keeps what a registry told, in the place of what it told before.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn keep_peer_registry(&self, peer: &PeerRegistry) -> Result<(), StoreError> {
        self.client.put_item().table_name(&*self.table).set_item(Some(to_item(peer)?)).send().await?;
        Ok(())
    }

    /// What registries of these URLs told, in no order; one that was never asked is left out.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn peer_registries(&self, urls: &[String]) -> Result<Vec<PeerRegistry>, StoreError> {
        let keys = urls.iter().map(|url| keys::peer_registry(url).item()).collect();
        let items = self.batch_get(keys, Consistency::Eventual).await?;
        items.iter().map(peer_of).collect()
    }
}
