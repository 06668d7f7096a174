//! What proves the state of a listing: the evidence of its last probe, and the leaves (entries) of the evidence log that are not
//! in the tree yet. A leaf is written in the same transaction as the decision that it records. So every decision has its
//! leaf, and every leaf has its decision.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};

use aws_sdk_dynamodb::types::AttributeValue;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use jiff::SignedDuration;

use crate::prelude::*;
use crate::table::writes::Refused;
use registry_model::error::shorten;
use registry_model::protocol::MAX_URL_BYTES;
use registry_model::{
    Assessment, Facts, Lane, LastLeaf, LiveChange, LogEntry, LogEvent, StateChange, set_of_tools_hash,
    sha256_hex,
};

pub(super) const EVIDENCE: Record<Assessment> = Record::new(LISTING.prefix, "EVIDENCE", "evidence");

/// The attribute with the latest change of tools or skills.
pub(super) const CHANGED: &str = "changed";

/// Bytes of evidence that is stored whole, well below the maximum of an item (DynamoDB developer guide, "Constraints":
/// 400 KB with the names of the attributes).
const MAX_BYTES: usize = 320 * 1024;
/// Entries of a list, and characters of a text, in shortened evidence.
const MAX_ENTRIES: usize = 10;
const MAX_TEXT_CHARS: usize = 300;

/// The evidence as it is stored. An item can have at most 400 KB. If a result were longer, it could not be written, and the
/// probe could neither confirm nor demote the listing. So evidence that does not fit is shortened.
pub(super) fn evidence_text(id: &ListingId, assessment: &Assessment) -> Result<String> {
    let whole = assessment.canonical()?;
    if whole.len() <= MAX_BYTES {
        return Ok(whole);
    }
    tracing::warn!(listing_id = %id, bytes = whole.len(), "the evidence is too large to store; it was shortened");
    Ok(shortened(assessment).canonical()?)
}

/// The evidence in an item, if it has any: a change of tools can be stored before any evidence.
pub(super) fn read_evidence(item: &Item) -> Result<Option<Assessment>> {
    if !item.contains_key(EVIDENCE.attribute) {
        return Ok(None);
    }
    let changed = item.get(CHANGED).map(|_| blob(item, CHANGED)).transpose()?;
    Ok(Some(Assessment { changed, ..EVIDENCE.read(item)? }))
}

/// The outcome, its reasons and the checks, without the texts of the peer.
fn shortened(assessment: &Assessment) -> Assessment {
    let short = |text: &str| shorten(text, MAX_TEXT_CHARS);
    let text = |text: Option<String>| text.as_deref().map(short);
    let url = |url: Option<String>| url.filter(|url| url.len() <= MAX_URL_BYTES);
    let mut assessment = assessment.clone();
    let Assessment { verdict, checks, score, .. } = &mut assessment;
    let facts = std::mem::take(&mut verdict.facts);
    verdict.facts = Facts {
        kind: facts.kind,
        name: text(facts.name),
        version: text(facts.version),
        endpoint: url(facts.endpoint),
        card_url: url(facts.card_url),
        website: url(facts.website),
        protocol_versions: facts.protocol_versions,
        tools_hash: text(facts.tools_hash),
        ..Facts::default()
    };
    let mut lists = [&mut verdict.signals, &mut verdict.protocol_hints, &mut verdict.facts.protocol_versions];
    lists.iter_mut().for_each(|list| list.truncate(MAX_ENTRIES));
    verdict.reasons.truncate(MAX_ENTRIES);
    checks.truncate(MAX_ENTRIES);
    score.breakdown.truncate(MAX_ENTRIES);
    let reasons = verdict.reasons.iter_mut();
    let reasons =
        reasons.flat_map(|reason| [&mut reason.code, &mut reason.reason, &mut reason.seen, &mut reason.fix]);
    let checks = checks.iter_mut().flat_map(|check| [&mut check.id, &mut check.detail]);
    let parts = score.breakdown.iter_mut().flat_map(|part| [&mut part.id, &mut part.why]);
    for text in lists.into_iter().flatten().chain(reasons).chain(checks).chain(parts) {
        *text = short(text);
    }
    assessment
}

/// The leaf of the latest decision on a listing. The key has no time, so that a batch read of the listing includes it.
pub(super) const LAST_LEAF: KeyPattern = KeyPattern::new(LISTING.prefix, "LAST_LEAF");
/// Leaves that are not yet in the tree of the log, by time, so that a consistent read finds the newest, too.
pub(super) const PENDING: KeyPattern = KeyPattern::new("LOG#PENDING", "");

/// The evidence that a leaf commits to, by its hash.
pub(super) const LEAF_EVIDENCE: KeyPattern = KeyPattern::new("SEEN#", "EVIDENCE#");

/// Seconds for which the evidence of a leaf is stored. The leaf itself stays forever.
const EVIDENCE_RETENTION: i64 = 400 * 86_400;

/// The bytes of evidence, uncompressed. More is not evidence of this registry.
const MAX_EVIDENCE_BYTES: u64 = 400 * 1024;

/// Hex digits that distinguish leaves of the same millisecond.
const ID_DIGITS: usize = 20;

/// The attribute of the last leaf with the hash of its tool set.
const TOOLS: &str = "tools";

/// How often the leaf of a transaction gets a later time because another one of its listing is later.
const MAX_ATTEMPTS: u32 = 5;

impl Transaction {
    /// Adds a leaf to a transaction. A leaf that is written twice has the same key. A decision requires that its time is later
    /// than the time of the last decision about its listing; this returns the write with the condition. A proof that has ended
    /// cannot end again.
    pub(super) fn add_leaf(&mut self, entry: &LogEntry) -> Result<Option<WriteId>> {
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
                Some(self.update(LAST_LEAF.of(listing_id), change))
            }
            None => None,
        };
        self.put(PENDING.at(entry.at, &id).with([("leaf", s(leaf))]));
        Ok(latest)
    }
}

impl Store {
    /// Sends a transaction together with the leaf of its decision. If the listing has a later leaf already, for example
    /// because clocks differ, the new leaf is dated one millisecond after it. So the time in the leaves of a listing
    /// never goes back. A refusal contains only writes of `transaction`.
    pub(super) async fn transact_with_leaf(
        &self,
        transaction: Transaction,
        mut leaf: Option<LogEntry>,
    ) -> Result<Outcome> {
        for _ in 0..MAX_ATTEMPTS {
            let mut whole = transaction.clone();
            let latest = leaf.as_ref().map(|leaf| whole.add_leaf(leaf)).transpose()?.flatten();
            let Outcome::Refused(Refused(mut refused)) = self.transact(whole).await? else {
                return Ok(Outcome::Written);
            };
            if let Some(leaf) = &mut leaf
                && let Some(id) = &leaf.listing_id
                && latest.is_some_and(|latest| refused == [latest])
            {
                let last = self.read(&LAST_LEAF.of(id)).await?;
                let last = last.and_then(|item| moment(&item, "at")).unwrap_or(leaf.at);
                leaf.at = leaf.at.max(last + SignedDuration::from_millis(1));
            } else {
                refused.retain(|write| Some(*write) != latest);
                return Ok(Outcome::Refused(Refused(refused)));
            }
        }
        Err(StoreError::busy("the listing got other decisions at every attempt"))
    }

    /// The leaves of the latest decisions about listings, by one batch read.
    pub async fn last_leaves(&self, ids: &[ListingId]) -> Result<HashMap<ListingId, LastLeaf>> {
        let items = self.batch_get(LAST_LEAF.all(ids), Consistency::Eventual).await?;
        items.iter().map(|item| Ok((LAST_LEAF.owner_of(item)?, last_leaf(item)?))).collect()
    }

    /// The text whose SHA-256 is the `evidence` of a leaf about a listing; `None` if it is not stored (any more).
    pub async fn leaf_evidence(&self, id: &ListingId, hash: &str) -> Result<Option<Vec<u8>>> {
        if let Some(item) = self.read(&LEAF_EVIDENCE.one_of(id, key::bounded(hash))).await? {
            let mut evidence = Vec::new();
            let reader = DeflateDecoder::new(bytes(&item, "bytes")).take(MAX_EVIDENCE_BYTES);
            let read = { reader }.read_to_end(&mut evidence);
            read.map_err(|error| StoreError::fault(During::new("stored evidence cannot be read", error)))?;
            return Ok(Some(evidence));
        }
        // Earlier versions stored only the evidence of the last probe.
        let item = self.read(&EVIDENCE.of(id)).await?;
        let evidence = item.map(|item| text(&item, EVIDENCE.attribute).to_owned());
        Ok(evidence.filter(|evidence| sha256_hex(evidence) == hash).map(String::into_bytes))
    }
}

/// The leaf of the latest decision about a listing, from its item. The item also contains the last leaf that was
/// appended to the tree. If the two leaves differ, the latest decision is pending.
pub(super) fn last_leaf(item: &Item) -> Result<LastLeaf> {
    let event = item.get("event").cloned();
    let event = event.ok_or_else(|| StoreError::fault("a leaf has no event"))?;
    let is_in_the_tree = text(item, "leaf") == text(item, "taken_up");
    Ok(LastLeaf {
        at: moment(item, "at").unwrap_or(Moment::UNIX_EPOCH),
        event: serde_dynamo::from_attribute_value(event)?,
        tools: some_text(item, TOOLS),
        index: is_in_the_tree.then(|| u64::try_from(number(item, "index")).ok()).flatten(),
    })
}

/// The item with the evidence that a leaf commits to. It is compressed, because evidence repeats itself.
pub(super) fn leaf_evidence_item(id: &ListingId, evidence: &str, at: Moment) -> Result<Item> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(evidence.as_bytes()).and_then(|()| encoder.finish());
    let bytes =
        written.map_err(|error| StoreError::fault(During::new("evidence cannot be compressed", error)))?;
    let key = LEAF_EVIDENCE.one_of(id, sha256_hex(evidence));
    Ok(key.with([("bytes", b(bytes)), ttl(at, EVIDENCE_RETENTION)]))
}

pub(super) fn leaf_id(leaf: &str) -> String {
    let mut id = sha256_hex(leaf);
    id.truncate(ID_DIGITS);
    id
}

/// The leaf of a probe result that makes a listing Live, confirms Live or ends Live, or that proves or ends a sign-in. Other
/// results have no leaf.
pub(super) fn verdict_leaf(change: &StateChange, evidence: &str) -> Option<LogEntry> {
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
    leaf.evidence = Some(sha256_hex(evidence));
    leaf.endpoint = Some(sha256_hex(&record.target));
    // A failed handshake may have read only a part of the tools.
    let hash = assessment.verdict.facts.tools_hash.as_deref().filter(|_| record.ok);
    leaf.tools = hash.and_then(set_of_tools_hash).map(str::to_owned);
    if event == LogEvent::Demoted {
        leaf.reason.clone_from(&record.code);
    }
    Some(leaf)
}

/// The leaf of a decision to withdraw, restore or move a listing. It contains the kind of decision, not the operator's words.
pub(super) fn decision_leaf(before: &Listing, after: &Listing, at: Moment) -> Option<LogEntry> {
    let withdrawal = after.withdrawal.as_ref().filter(|_| after.lane == Lane::Withdrawn);
    let (at, kind, event, reason) = if let Some(withdrawal) = withdrawal {
        let reason = match (&withdrawal.blocked_host, withdrawal.by_owner) {
            (Some(_), _) => "host_blocked",
            (None, true) => "withdrawn_by_owner",
            (None, false) => "withdrawn_by_operator",
        };
        (withdrawal.at, after.kind, LogEvent::Withdrawn, Some(reason))
    } else if before.lane == Lane::Withdrawn && after.lane != Lane::Withdrawn {
        (at, after.kind, LogEvent::Restored, None)
    } else if before.lane.is_proven() && !after.lane.is_proven() {
        (at, Some(after.likely_kind()), LogEvent::Demoted, Some("moved"))
    } else {
        return None;
    };
    let mut leaf = LogEntry::new(at, &after.id, kind, event);
    leaf.reason = reason.map(str::to_owned);
    Some(leaf)
}

#[cfg(test)]
mod tests;
