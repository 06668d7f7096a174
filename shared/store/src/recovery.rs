//! Brings listings back from a copy of the table, such as a backup. Only the items of listings come from the copy.
//! Everything else stays as it is in the table. So what was revoked, used or blocked after the copy was made does not
//! become valid again, and the evidence log does not become shorter. What was decided about a listing after the copy was
//! made is read from the log.

use std::collections::BTreeMap;

use super::attributes::{Item, n, s, text};
use super::batch_get::Consistency;
use super::client::Store;
use super::error::StoreError;
use super::leaves::{TOOLS, last_leaf, leaf_id};
use super::listing_item::{as_read, changed, listing_item, pointers};
use super::listings::rename;
use super::outreach::queue_for_outreach;
use super::reads::Query;
use super::search_index::mark_dirty;
use super::state_changes::{hold_endpoint, live};
use super::transaction::Transaction;
use super::{delistings, feed, hosts, keys};
use registry_model::{
    FeedItem, Listing, ListingId, LiveChange, LogEntry, LogEvent, LogTile, TILE_WIDTH, log_entries,
};

/// The reason of the leaf of a listing that is no longer Live because it came back from a copy.
const REASON: &str = "recovered";

/// The decisions in the log that are later than a copy of the table.
#[derive(Clone, Debug, Default)]
pub struct LaterDecisions(BTreeMap<ListingId, Vec<Decision>>);

#[derive(Clone, Debug)]
struct Decision {
    entry: LogEntry,
    leaf_id: String,
    /// None while the leaf is not in the tree.
    index: Option<u64>,
}

impl LaterDecisions {
    /// The last decision about a listing.
    pub fn last(&self, id: &ListingId) -> Option<&LogEntry> {
        self.of(id).last().map(|decision| &decision.entry)
    }

    fn of(&self, id: &ListingId) -> &[Decision] {
        self.0.get(id).map(Vec::as_slice).unwrap_or_default()
    }

    fn add(&mut self, leaf: &str, index: Option<u64>) -> Result<(), StoreError> {
        let entry: LogEntry = serde_json::from_str(leaf)?;
        if let Some(id) = entry.listing_id.clone().filter(|_| entry.event != LogEvent::Attested) {
            self.0.entry(id).or_default().push(Decision { entry, leaf_id: leaf_id(leaf), index });
        }
        Ok(())
    }
}

impl Store {
    /// The listings in a page of this table, and where the next page begins.
    pub async fn listing_ids(
        &self,
        after: Option<&str>,
    ) -> Result<(Vec<ListingId>, Option<String>), StoreError> {
        let (items, next) = self.scan(after).await?;
        let id = |item: &Item| text(item, "pk").strip_prefix(keys::LISTING)?.parse().ok();
        let cores = items.iter().filter(|item| text(item, "sk") == keys::CORE);
        Ok((cores.filter_map(id).collect(), next))
    }

    /// Reads the leaves that the log contains and the leaves that wait for it, from the size of the log in `copy` on.
    pub async fn decisions_after(&self, copy: &Self) -> Result<LaterDecisions, StoreError> {
        let size = |tree: Option<registry_model::LogTree>| tree.map_or(0, |tree| tree.size);
        let (first, end) = (size(copy.log_tree().await?), size(self.log_tree().await?));
        let mut later = LaterDecisions::default();
        for tile in first / TILE_WIDTH..end.div_ceil(TILE_WIDTH) {
            let bytes = self.log_tile(LogTile::Entries { index: tile }).await?;
            for (index, leaf) in (tile * TILE_WIDTH..).zip(log_entries(&bytes)) {
                if index >= first {
                    later.add(&String::from_utf8_lossy(leaf), Some(index))?;
                }
            }
        }
        let mut next = None;
        loop {
            let page = self.query(Query::of(keys::PENDING_LEAVES).after(next).strong()).await?;
            // The next tick moves the leaves that cannot be read.
            for leaf in page.items.iter().map(|item| text(item, "leaf")) {
                if let Err(error) = later.add(leaf, None) {
                    tracing::warn!(%error, "a pending leaf cannot be read, so it counts for no listing");
                }
            }
            next = page.next;
            if next.is_none() {
                return Ok(later);
            }
        }
    }

    /// Replaces the items of a listing with those in `copy`, and its state with `after`. `before` is the listing in this
    /// table; none if it is missing or cannot be read. Returns false if the listing changed after it was read. After an
    /// error, repeat the call.
    pub async fn recover(
        &self,
        copy: &Self,
        before: Option<&Listing>,
        after: &Listing,
        later: &LaterDecisions,
        news: &FeedItem,
    ) -> Result<bool, StoreError> {
        let id = &after.id;
        self.recover_history(copy, id, before.is_some(), later.of(id)).await?;
        // Feedback is a separate item: it may have been given or taken back after the copy was made.
        let feedbacked = self.read(&keys::feedback(id), Consistency::Strong).await?.is_some();
        let after = &Listing { feedbacked, ..after.clone() };

        let mut transaction = Transaction::default();
        let mut leaves = Vec::new();
        let live_change = match before {
            Some(before) => {
                let (as_read, revision) = as_read(before);
                let change = changed(before, after)?.only_if(as_read, [], [revision]);
                transaction.update(keys::listing(id), change);
                hold_endpoint(&mut transaction, before, after);
                rename(&mut transaction, before, after);
                delistings::record(&mut transaction, before, after, news.at)?;
                LiveChange::between(before, after)
            }
            None => {
                transaction.put(listing_item(after)?);
                transaction.replace_pointers(&[], &pointers(after));
                // It is still counted as Live if it was Live when its item was lost.
                let last = self.read(&keys::last_leaf(id), Consistency::Strong).await?;
                let last = last.as_ref().map(last_leaf).transpose()?.map(|leaf| leaf.event);
                let was_live = matches!(last, Some(LogEvent::Live | LogEvent::Confirmed));
                if was_live { LiveChange::Fallen } else { LiveChange::Unseen }
            }
        };
        hosts::move_pointers(&mut transaction, before, after);
        mark_dirty(&mut transaction, id, news.at);
        transaction.update(keys::live(id), live(live_change, after.shown_kind()));
        queue_for_outreach(&mut transaction, id, live_change, news.at);
        if live_change == LiveChange::Fallen {
            let mut leaf = LogEntry::new(news.at, id, after.shown_kind(), LogEvent::Demoted);
            leaf.reason = Some(REASON.to_owned());
            leaves.push(leaf);
        }
        feed::tell(&mut transaction, news)?;
        Ok(self.transact_with_leaves(transaction, leaves).await?.is_written())
    }

    /// Writes what is stored with a listing: its evidence, its bound keys, its probes and the index of its leaves.
    async fn recover_history(
        &self,
        copy: &Self,
        id: &ListingId,
        is_intact: bool,
        later: &[Decision],
    ) -> Result<(), StoreError> {
        let mut last = keys::last_leaf(id).item();
        let mut next = None;
        loop {
            let page = copy.query(Query::of(keys::listing(id).pk).after(next).strong()).await?;
            for item in page.items {
                match text(&item, "sk") {
                    keys::CORE => {}
                    keys::LAST_LEAF => last = item,
                    // The keys that are bound now count, not those in the copy.
                    keys::IDENTITIES if is_intact => {}
                    keys::IDENTITIES => drop(self.put_new(item).await?),
                    _ => self.put(item).await?,
                }
            }
            next = page.next;
            if next.is_none() {
                break;
            }
        }
        for Decision { entry, leaf_id, index } in later {
            last.remove(TOOLS);
            let mut set = |name: &str, value| last.insert(name.to_owned(), value);
            set("leaf", s(leaf_id));
            set("at", n(entry.at.as_millisecond()));
            set("event", serde_dynamo::to_attribute_value(entry.event)?);
            if let Some(tools) = &entry.tools {
                set(TOOLS, s(tools));
            }
            if let Some(index) = index {
                set("taken_up", s(leaf_id));
                set("index", n(*index));
                self.put(keys::leaf(Some(id), entry.at, leaf_id).with([("index", n(*index))])).await?;
            }
        }
        if last.contains_key("event") {
            self.put_new(last).await?;
        }
        Ok(())
    }
}
