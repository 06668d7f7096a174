//! What a decision says as a leaf of the log of evidence, and where a listing's latest one stands. Apart from the requests
//! that write leaves, since listings are read together with theirs.

use super::attributes::{Item, number, text};
use super::error::StoreError;
use registry_model::{
    Lane, LastLeaf, Listing, LiveChange, LogEntry, LogEvent, Moment, StateChange, Verdict, sha256_hex,
};

/// Digits by which leaves of the same millisecond are told apart.
const ID_DIGITS: usize = 20;

/// The leaf of the latest decision on a listing, from its item. The sequencer notes which leaf it took up, so a later
/// decision is seen to wait, whichever is written first.
pub(super) fn last_leaf(item: &Item) -> Result<LastLeaf, StoreError> {
    let event = item.get("event").cloned();
    let event = event.ok_or_else(|| StoreError::Fault("a leaf without an event".to_owned()))?;
    let is_in_the_tree = text(item, "leaf") == text(item, "taken_up");
    Ok(LastLeaf {
        at: Moment::from_millisecond(number(item, "at")).unwrap_or(Moment::UNIX_EPOCH),
        event: serde_dynamo::from_attribute_value(event)?,
        index: is_in_the_tree.then(|| u64::try_from(number(item, "index")).ok()).flatten(),
    })
}

/// What tells a leaf from every other: its values do.
pub(super) fn leaf_id(leaf: &str) -> String {
    let mut id = sha256_hex(leaf);
    id.truncate(ID_DIGITS);
    id
}

/// The leaf of a verdict that makes, confirms or ends Live; any other verdict has none.
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
        leaf.reason = first_reason(&assessment.verdict).or_else(|| {
            let failed = assessment.checks.iter().find(|check| check.blocking && !check.ok);
            failed.map(|check| check.id.clone())
        });
    }
    Some(leaf)
}

fn first_reason(verdict: &Verdict) -> Option<String> {
    verdict.reasons.first().map(|reason| reason.code.clone())
}

/// The leaf of a listing that was taken off. It tells by which decision, not the operator's words.
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
