//! The tree of the log of evidence and its tiles. It grows by one transaction that holds only while the tree is as it was
//! read, adds to tiles by items of their own and replaces none: two processes that append cannot both succeed, and
//! nothing that was served changes.

use std::collections::BTreeMap;
use std::time::Duration;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;

use super::attributes::{Item, n, number, s, text};
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys::{self, Key};
use super::leaf::leaf_id;
use super::transaction::{Outcome, Transaction};
use registry_model::{AttestationId, ListingId, LogEntry, LogEvent, LogTile, LogTree, Moment, TileSegment};

/// Leaves that one transaction appends: each takes three of its hundred writes, the tree and its tiles the rest.
const LEAVES_AT_ONCE: i32 = 30;

/// A leaf that waits to be taken up.
#[derive(Clone, Debug)]
pub struct PendingLeaf {
    /// As it will stand in the tree.
    pub text: String,
    /// The same, read.
    pub entry: LogEntry,
}

/// Leaves that wait, the oldest first: as many as one transaction appends.
#[derive(Clone, Debug)]
pub struct PendingLeaves {
    /// They.
    pub leaves: Vec<PendingLeaf>,
    /// Whether there may be more.
    pub more: bool,
}

/// How an attempt to append ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppendOutcome {
    /// All of it is in the tree.
    Appended,
    /// The tree grew since it was read; nothing was written.
    Overtaken,
    /// These (by position) are in the tree already; nothing was written.
    Known(Vec<usize>),
}

impl Store {
    /// The tree; `None` before it is made.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn log_tree(&self) -> Result<Option<LogTree>, StoreError> {
        let item = self.one(&keys::log_tree()).await?;
        Ok(item.map(|item| serde_json::from_str(text(&item, "tree"))).transpose()?)
    }

    /// Makes the tree, unless it was made meanwhile.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn make_log(&self, tree: &LogTree) -> Result<(), StoreError> {
        let mut item = keys::log_tree().item();
        item.insert("size".to_owned(), n(tree.size));
        item.insert("tree".to_owned(), s(serde_json::to_string(tree)?));
        self.put_once(item).await.map(drop)
    }

    /// Leaves that wait to be taken up.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn pending_leaves(&self) -> Result<PendingLeaves, StoreError> {
        let (items, more) = self.oldest_pending(LEAVES_AT_ONCE).await?;
        let read = |item: Item| {
            let text = text(&item, "leaf").to_owned();
            Ok(PendingLeaf { entry: serde_json::from_str(&text)?, text })
        };
        let leaves = items.into_iter().map(read).collect::<Result<_, StoreError>>()?;
        Ok(PendingLeaves { leaves, more })
    }

    /// For how long the oldest leaf has waited; zero where none waits.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn oldest_pending_leaf(&self, now: Moment) -> Result<Duration, StoreError> {
        let (items, _) = self.oldest_pending(1).await?;
        let since = items.first().and_then(|item| keys::time_of(text(item, "sk")));
        Ok(since.and_then(|since| now.duration_since(since).try_into().ok()).unwrap_or_default())
    }

    async fn oldest_pending(&self, limit: i32) -> Result<(Vec<Item>, bool), StoreError> {
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :pending")
            .expression_attribute_values(":pending", s(keys::PENDING_LEAVES))
            .limit(limit)
            .consistent_read(true)
            .send()
            .await?;
        Ok((answer.items.unwrap_or_default(), answer.last_evaluated_key.is_some()))
    }

    /// Appends leaves: `after` is the tree with all of `leaves`, in their order, and `segments` what joins its tiles.
    ///
    /// # Errors
    /// The table is busy or refused; where its answer was lost, the leaves may be in the tree or still wait.
    pub async fn append_to_log(
        &self,
        before: &LogTree,
        after: &LogTree,
        segments: &[TileSegment],
        leaves: &[PendingLeaf],
    ) -> Result<AppendOutcome, StoreError> {
        const ABSENT: Option<&str> = Some("attribute_not_exists(pk)");
        let mut transaction = Transaction::default();
        let tree = Expression::default()
            .set("size", n(after.size))
            .set("tree", s(serde_json::to_string(after)?))
            .only_if("#size = :before", [("#size", "size")], [(":before", n(before.size))]);
        self.update(&mut transaction, &keys::log_tree(), &tree)?;
        for segment in segments {
            let mut item = keys::tile_segment(segment.tile, segment.offset).item();
            item.insert("bytes".to_owned(), AttributeValue::B(Blob::new(segment.bytes.clone())));
            self.put(&mut transaction, item, ABSENT)?;
        }
        let first = transaction.len();
        let mut latest: BTreeMap<&ListingId, (String, u64)> = BTreeMap::new();
        for (index, leaf) in (before.size..).zip(leaves) {
            let id = leaf_id(&leaf.text);
            let mut item = keys::leaf(&leaf.entry.listing_id, leaf.entry.at, &id).item();
            item.insert("index".to_owned(), n(index));
            if let Some(attestation) = &leaf.entry.attestation_id {
                item.insert("attestation".to_owned(), s(attestation));
            }
            self.put(&mut transaction, item, ABSENT)?;
            if leaf.entry.event != LogEvent::Attested {
                latest.insert(&leaf.entry.listing_id, (id, index));
            }
        }
        for leaf in leaves {
            self.delete(&mut transaction, &place(leaf), None)?;
        }
        for (id, (leaf, index)) in latest {
            let taken_up = Expression::default().set("taken_up", s(leaf)).set("index", n(index));
            self.update(&mut transaction, &keys::last_leaf(id), &taken_up)?;
        }
        Ok(match self.transact(transaction).await? {
            Outcome::Written => AppendOutcome::Appended,
            Outcome::Refused(positions) => {
                let known = |position: &usize| position.checked_sub(first).filter(|at| *at < leaves.len());
                let known: Vec<usize> = positions.iter().filter_map(known).collect();
                // Whoever overtook us may have taken up the same leaves: those are looked for again.
                if known.len() == positions.len() {
                    AppendOutcome::Known(known)
                } else {
                    AppendOutcome::Overtaken
                }
            }
        })
    }

    /// Forgets that a leaf waits: it is in the tree.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn forget_pending(&self, leaf: &PendingLeaf) -> Result<(), StoreError> {
        let deletion = self.client.delete_item().table_name(&*self.table).set_key(Some(place(leaf).item()));
        deletion.send().await?;
        Ok(())
    }

    /// What a tile holds.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn log_tile(&self, tile: LogTile) -> Result<Vec<u8>, StoreError> {
        let segments = self.partition(&keys::tile_partition(tile)).await?;
        Ok(segments.iter().flat_map(|segment| bytes(segment).iter().copied()).collect())
    }

    /// The items of a tile that joined it together with the one at `offset`, and the place of the first of them.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn log_tile_segment(
        &self,
        tile: LogTile,
        offset: u64,
    ) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        let Key { pk, sk } = keys::tile_segment(tile, offset);
        let found = self.last_until(pk, String::new(), sk).await?;
        Ok(found.and_then(|item| Some((text(&item, "sk").parse().ok()?, bytes(&item).to_vec()))))
    }

    /// The index of the last leaf of a listing that was decided at `at` or before; `None` where no such leaf is in the
    /// tree.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn leaf_index_at(&self, id: &ListingId, at: Moment) -> Result<Option<u64>, StoreError> {
        let Key { pk, sk } = keys::leaf(id, at, "~");
        let found = self.last_until(pk, keys::LEAF.to_owned(), sk).await?;
        Ok(found.and_then(|item| u64::try_from(number(&item, "index")).ok()))
    }

    /// The index of the leaf of an attestation; `None` while it waits to be taken up.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn attestation_leaf(
        &self,
        id: &ListingId,
        issued_at: Moment,
        attestation: &AttestationId,
    ) -> Result<Option<u64>, StoreError> {
        let (from, to) = (keys::leaf(id, issued_at, ""), keys::leaf(id, issued_at, "~"));
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :pk AND sk BETWEEN :from AND :to")
            .expression_attribute_values(":pk", s(from.pk))
            .expression_attribute_values(":from", s(from.sk))
            .expression_attribute_values(":to", s(to.sk))
            .consistent_read(true)
            .send()
            .await?;
        let leaves = answer.items.unwrap_or_default();
        let leaf = leaves.iter().find(|leaf| text(leaf, "attestation") == attestation.as_str());
        Ok(leaf.and_then(|leaf| u64::try_from(number(leaf, "index")).ok()))
    }

    async fn one(&self, key: &Key) -> Result<Option<Item>, StoreError> {
        let get = self.client.get_item().table_name(&*self.table).set_key(Some(key.item()));
        Ok(get.consistent_read(true).send().await?.item)
    }

    /// The last item of a partition between two sort keys.
    async fn last_until(&self, pk: String, from: String, to: String) -> Result<Option<Item>, StoreError> {
        let query = self.client.query().table_name(&*self.table).expression_attribute_values(":pk", s(pk));
        let query = if from.is_empty() {
            query.key_condition_expression("pk = :pk AND sk <= :to")
        } else {
            query
                .key_condition_expression("pk = :pk AND sk BETWEEN :from AND :to")
                .expression_attribute_values(":from", s(from))
        };
        let query = query.expression_attribute_values(":to", s(to)).scan_index_forward(false);
        let answer = query.limit(1).consistent_read(true).send().await?;
        Ok(answer.items.unwrap_or_default().pop())
    }
}

fn place(leaf: &PendingLeaf) -> Key {
    keys::pending_leaf(leaf.entry.at, &leaf_id(&leaf.text))
}

fn bytes(item: &Item) -> &[u8] {
    match item.get("bytes") {
        Some(AttributeValue::B(bytes)) => bytes.as_ref(),
        _ => &[],
    }
}
