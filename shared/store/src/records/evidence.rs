//! The table item with the evidence of a listing's last probe. An item can have at most 400 KB. If a result
//! were longer, it could not be written, and the probe could neither confirm nor demote the listing. So
//! evidence that does not fit is shortened.

use crate::prelude::*;
use registry_model::error::shorten;
use registry_model::protocol::MAX_URL_BYTES;
use registry_model::{Assessment, Facts};

pub(super) const EVIDENCE: Record<Assessment> = Record::new(LISTING.prefix, "EVIDENCE", "evidence");

/// The attribute with the latest change of tools or skills.
pub(super) const CHANGED: &str = "changed";

/// Bytes of evidence that is stored whole, well below the maximum of an item (DynamoDB developer guide, "Constraints":
/// 400 KB with the names of the attributes).
const MAX_BYTES: usize = 320 * 1024;
/// Entries of a list, and characters of a text, in shortened evidence.
const MAX_ENTRIES: usize = 10;
const MAX_TEXT_CHARS: usize = 300;

pub(super) fn evidence_item(id: &ListingId, assessment: &Assessment) -> Result<Item> {
    let whole = assessment.canonical()?;
    let stored = if whole.len() <= MAX_BYTES {
        whole
    } else {
        tracing::warn!(listing_id = %id, bytes = whole.len(), "the evidence is too large to store; it was \
            shortened");
        shortened(assessment).canonical()?
    };
    Ok(EVIDENCE.of(id).with([(EVIDENCE.attribute, s(stored))]))
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

#[cfg(test)]
mod tests;
