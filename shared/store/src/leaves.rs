//! Leaves (entries) of the evidence log that are not in the tree yet. A leaf is written in the same transaction as the
//! decision that it records. So every decision has its leaf, and every leaf has its decision.

use super::attributes::{Item, moment, n, number, s, text};
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use super::transaction::Transaction;
use registry_model::{
    Lane, LastLeaf, Listing, LiveChange, LogEntry, LogEvent, Moment, StateChange, sha256_hex,
};

/// Hex digits that distinguish leaves of the same millisecond.
const ID_DIGITS: usize = 20;

/// Adds a leaf to a transaction. A leaf that is written twice has the same key.
pub(super) fn add_leaf(transaction: &mut Transaction, entry: &LogEntry) -> Result<(), StoreError> {
    let leaf = entry.canonical()?;
    let id = leaf_id(&leaf);
    if entry.event != LogEvent::Attested {
        let latest = Expression::default()
            .set("leaf", s(&id))
            .set("at", n(entry.at.as_millisecond()))
            .set("event", serde_dynamo::to_attribute_value(entry.event)?);
        transaction.update(keys::last_leaf(&entry.listing_id), latest);
    }
    transaction.put(keys::pending_leaf(entry.at, &id).with([("leaf", s(leaf))]));
    Ok(())
}

/// The leaf of the latest decision about a listing, from its item. The item also contains the last leaf that was
/// appended to the tree. If the two leaves differ, the latest decision is pending.
pub(super) fn last_leaf(item: &Item) -> Result<LastLeaf, StoreError> {
    let event = item.get("event").cloned();
    let event = event.ok_or_else(|| StoreError::Fault("a leaf has no event".to_owned()))?;
    let is_in_the_tree = text(item, "leaf") == text(item, "taken_up");
    Ok(LastLeaf {
        at: moment(item, "at").unwrap_or(Moment::UNIX_EPOCH),
        event: serde_dynamo::from_attribute_value(event)?,
        index: is_in_the_tree.then(|| u64::try_from(number(item, "index")).ok()).flatten(),
    })
}

pub(super) fn leaf_id(leaf: &str) -> String {
    let mut id = sha256_hex(leaf);
    id.truncate(ID_DIGITS);
    id
}

/// The leaf of a probe result that makes a listing Live, confirms Live, or ends Live. Other results have no leaf.
pub(super) fn verdict_leaf(change: &StateChange, evidence: &Item) -> Option<LogEntry> {
    let StateChange { after, assessment, record, .. } = change;
    let event = match change.live_change() {
        LiveChange::Risen => LogEvent::Live,
        LiveChange::Kept if record.ok => LogEvent::Confirmed,
        LiveChange::Fallen => LogEvent::Demoted,
        LiveChange::Kept | LiveChange::Unseen => return None,
    };
    let mut leaf = LogEntry::new(record.probed_at, &after.id, after.shown_kind(), event);
    leaf.outcome = Some(record.handshake);
    leaf.evidence = Some(sha256_hex(text(evidence, "evidence")));
    leaf.endpoint = Some(sha256_hex(&record.target));
    if event == LogEvent::Demoted {
        let reason = assessment.verdict.reasons.first().map(|reason| &reason.code);
        let failed = || assessment.checks.iter().find(|check| check.blocking && !check.ok);
        leaf.reason = reason.or_else(|| failed().map(|check| &check.id)).cloned();
    }
    Some(leaf)
}

/// The leaf of a listing that was withdrawn. It contains the kind of decision, not the operator's words.
pub(super) fn withdrawal_leaf(after: &Listing) -> Option<LogEntry> {
    let withdrawal = after.withdrawal.as_ref().filter(|_| after.lane == Lane::Withdrawn)?;
    let mut leaf = LogEntry::new(withdrawal.at, &after.id, after.shown_kind(), LogEvent::Withdrawn);
    let reason = match (&withdrawal.blocked_host, withdrawal.by_owner) {
        (Some(_), _) => "host_blocked",
        (None, true) => "withdrawn_by_owner",
        (None, false) => "withdrawn_by_operator",
    };
    leaf.reason = Some(reason.to_owned());
    Some(leaf)
}
