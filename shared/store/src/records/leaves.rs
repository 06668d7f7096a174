//! Leaves (entries) of the evidence log that are not in the tree yet. A leaf is written in the same transaction as the
//! decision that it records. So every decision has its leaf, and every leaf has its decision.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use super::evidence::EVIDENCE;
use crate::prelude::*;
use crate::table::transaction::Refused;
use jiff::SignedDuration;
use registry_model::{
    Lane, LastLeaf, LiveChange, LogEntry, LogEvent, StateChange, set_of_tools_hash, sha256_hex,
};

/// The leaf of the latest decision on a listing. The key has no time, so that a batch read of the listing includes it.
pub(super) const LAST_LEAF: KeyPattern = KeyPattern::new(LISTING.prefix, "LAST_LEAF");
/// Leaves that are not yet in the tree of the log, by time, so that a consistent read finds the newest, too.
pub(super) const PENDING: KeyPattern = KeyPattern::new("LOG#PENDING", "");

/// Hex digits that distinguish leaves of the same millisecond.
const ID_DIGITS: usize = 20;

/// The attribute of the last leaf with the hash of its tool set.
pub(super) const TOOLS: &str = "tools";

/// How often the leaves of a transaction get a later time because others of their listings are later.
const MAX_ATTEMPTS: u32 = 5;

/// Adds a leaf to a transaction. A leaf that is written twice has the same key. A decision requires that its time is later
/// than the time of the last decision about its listing; this returns the write with the condition. A proof that has ended
/// cannot end again.
pub(super) fn add_leaf(transaction: &mut Transaction, entry: &LogEntry) -> Result<Option<WriteId>> {
    let leaf = entry.canonical()?;
    let id = leaf_id(&leaf);
    let latest = match &entry.listing_id {
        Some(listing_id) => {
            let change = match &entry.tools {
                Some(tools) => Expression::default().set(TOOLS, s(tools)),
                None => Expression::default().remove(TOOLS),
            };
            let event: AttributeValue = serde_dynamo::to_attribute_value(entry.event)?;
            let change = change.set("leaf", s(&id)).set("at", ms(entry.at)).set("event", event.clone());
            let change = change.only_if(
                "(attribute_not_exists(#at) OR #at < :at OR #leaf = :leaf)",
                [("#at", "at"), ("#leaf", "leaf")],
                [(":at", ms(entry.at)), (":leaf", s(&id))],
            );
            let change = if entry.event == LogEvent::Ended {
                let condition = "(attribute_not_exists(#event) OR #event <> :event OR #leaf = :leaf)";
                change.only_if(condition, [("#event", "event")], [(":event", event)])
            } else {
                change
            };
            Some(transaction.update(LAST_LEAF.of(listing_id), change))
        }
        None => None,
    };
    transaction.put(PENDING.at(entry.at, &id).with([("leaf", s(leaf))]));
    Ok(latest)
}

impl Store {
    /// Sends a transaction together with the leaves of its decisions. If a listing has a later leaf already, for example
    /// because clocks differ, the new leaf is dated one millisecond after it. So the time in the leaves of a listing
    /// never goes back. A refusal contains only writes of `transaction`.
    pub(super) async fn transact_with_leaves(
        &self,
        transaction: Transaction,
        mut leaves: Vec<LogEntry>,
    ) -> Result<Outcome> {
        for _ in 0..MAX_ATTEMPTS {
            let mut whole = transaction.clone();
            let mut latest = Vec::with_capacity(leaves.len());
            for leaf in &leaves {
                latest.push(add_leaf(&mut whole, leaf)?);
            }
            let Outcome::Refused(Refused(refused)) = self.transact(whole).await? else {
                return Ok(Outcome::Written);
            };
            let (outdated, others): (Vec<WriteId>, Vec<WriteId>) =
                refused.into_iter().partition(|write| latest.contains(&Some(*write)));
            if !others.is_empty() || outdated.is_empty() {
                return Ok(Outcome::Refused(Refused(others)));
            }
            for (leaf, write) in leaves.iter_mut().zip(latest) {
                let Some(id) =
                    leaf.listing_id.as_ref().filter(|_| write.is_some_and(|write| outdated.contains(&write)))
                else {
                    continue;
                };
                let last = self.read(&LAST_LEAF.of(id)).await?;
                let last = last.and_then(|item| moment(&item, "at")).unwrap_or(leaf.at);
                leaf.at = leaf.at.max(last + SignedDuration::from_millis(1));
            }
        }
        Err(StoreError::Busy("the listing got other decisions at every attempt".to_owned()))
    }

    /// The leaves of the latest decisions about listings, by one batch read.
    pub async fn last_leaves(&self, ids: &[ListingId]) -> Result<HashMap<ListingId, LastLeaf>> {
        let items = self.batch_get(LAST_LEAF.all(ids), Consistency::Eventual).await?;
        let of_listing = |item: &Item| {
            let id = LAST_LEAF
                .listing_of(item)
                .ok_or_else(|| StoreError::Fault("the key of a leaf cannot be read".to_owned()))?;
            Ok((id, last_leaf(item)?))
        };
        items.iter().map(of_listing).collect()
    }
}

/// The leaf of the latest decision about a listing, from its item. The item also contains the last leaf that was
/// appended to the tree. If the two leaves differ, the latest decision is pending.
pub(super) fn last_leaf(item: &Item) -> Result<LastLeaf> {
    let event = item.get("event").cloned();
    let event = event.ok_or_else(|| StoreError::Fault("a leaf has no event".to_owned()))?;
    let is_in_the_tree = text(item, "leaf") == text(item, "taken_up");
    Ok(LastLeaf {
        at: moment(item, "at").unwrap_or(Moment::UNIX_EPOCH),
        event: serde_dynamo::from_attribute_value(event)?,
        tools: some_text(item, TOOLS),
        index: is_in_the_tree.then(|| u64::try_from(number(item, "index")).ok()).flatten(),
    })
}

pub(super) fn leaf_id(leaf: &str) -> String {
    let mut id = sha256_hex(leaf);
    id.truncate(ID_DIGITS);
    id
}

/// The leaf of a probe result that makes a listing Live, confirms Live or ends Live, or that proves or ends a sign-in. Other
/// results have no leaf.
pub(super) fn verdict_leaf(change: &StateChange, evidence: &Item) -> Option<LogEntry> {
    let StateChange { after, assessment, record, .. } = change;
    let event = match change.live_change() {
        _ if change.proves_sign_in() => LogEvent::Gated,
        LiveChange::Risen => LogEvent::Live,
        LiveChange::StaysLive if record.ok && change.was_overdue => LogEvent::Live,
        LiveChange::StaysLive if record.ok => LogEvent::Confirmed,
        LiveChange::Fallen => LogEvent::Demoted,
        _ if change.before.lane == Lane::Gated && after.lane != Lane::Gated => LogEvent::Demoted,
        LiveChange::StaysLive | LiveChange::NotLive => return None,
    };
    let mut leaf = LogEntry::new(record.probed_at, &after.id, after.likely_kind(), event);
    leaf.outcome = Some(record.handshake);
    leaf.evidence = Some(sha256_hex(text(evidence, EVIDENCE.attribute)));
    leaf.endpoint = Some(sha256_hex(&record.target));
    // A failed handshake may have read only a part of the tools.
    let hash = assessment.verdict.facts.tools_hash.as_deref().filter(|_| record.ok);
    leaf.tools = hash.and_then(set_of_tools_hash).map(str::to_owned);
    if event == LogEvent::Demoted {
        leaf.reason.clone_from(&record.code);
    }
    Some(leaf)
}

/// The leaf of a listing that is no longer Live because its owner moves it to another URL.
pub(super) fn moved_leaf(after: &Listing, at: Moment) -> LogEntry {
    let mut leaf = LogEntry::new(at, &after.id, after.likely_kind(), LogEvent::Demoted);
    leaf.reason = Some("moved".to_owned());
    leaf
}

/// The leaf of a listing whose withdrawal ended.
pub(super) fn restored_leaf(after: &Listing, at: Moment) -> LogEntry {
    LogEntry::new(at, &after.id, after.kind, LogEvent::Restored)
}

/// The leaf of a listing that was withdrawn. It contains the kind of decision, not the operator's words.
pub(super) fn withdrawal_leaf(after: &Listing) -> Option<LogEntry> {
    let withdrawal = after.withdrawal.as_ref().filter(|_| after.lane == Lane::Withdrawn)?;
    let mut leaf = LogEntry::new(withdrawal.at, &after.id, after.kind, LogEvent::Withdrawn);
    let reason = match (&withdrawal.blocked_host, withdrawal.by_owner) {
        (Some(_), _) => "host_blocked",
        (None, true) => "withdrawn_by_owner",
        (None, false) => "withdrawn_by_operator",
    };
    leaf.reason = Some(reason.to_owned());
    Some(leaf)
}
