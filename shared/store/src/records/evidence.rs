//! The table item with the evidence of a listing's last probe. An item can have at most 400 KB. If a result
//! were longer, it could not be written, and the probe could neither confirm nor demote the listing. So
//! evidence that does not fit is shortened.

use crate::prelude::*;
use registry_model::error::shorten;
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
/// The maximum bytes of a URL; a longer URL is left out.
const MAX_URL_BYTES: usize = 2048;

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
mod tests {
    use aws_sdk_dynamodb::types::AttributeValue;

    use super::*;
    use registry_model::{Check, Handshake, Moment, Reason, Score, ScorePart, Tool, Verdict};

    /// The size of an item of texts as DynamoDB counts it: names and values in UTF-8.
    fn size(item: &Item) -> usize {
        let of = |(name, value): (&String, &AttributeValue)| name.len() + value.as_s().unwrap().len();
        item.iter().map(of).sum()
    }

    /// Each text has this many characters, each of them six bytes as JSON.
    fn assessment(chars: usize) -> Assessment {
        let text = "\u{1}".repeat(chars);
        let reason =
            Reason { code: text.clone(), reason: text.clone(), seen: text.clone(), fix: text.clone() };
        let check = Check { id: text.clone(), ok: true, blocking: true, applies: true, detail: text.clone() };
        let part = ScorePart { id: text.clone(), points: 1, of: 2, why: text.clone() };
        let url = Some("\u{1}".repeat(MAX_URL_BYTES));
        let facts = Facts {
            name: Some(text.clone()),
            version: Some(text.clone()),
            tools_hash: Some(text.clone()),
            protocol_versions: vec![text.clone(); 99],
            tools: vec![Tool { name: text.clone(), ..Tool::default() }],
            endpoint: url.clone(),
            card_url: url.clone(),
            website: url,
            ..Facts::default()
        };
        Assessment {
            verdict: Verdict {
                reasons: vec![reason; 99],
                speaks: true,
                signals: vec![text.clone(); 99],
                protocol_hints: vec![text; 99],
                handshake: Handshake::Partial,
                facts,
                ..Verdict::default()
            },
            checks: vec![check; 99],
            score: Score { value: 40, breakdown: vec![part; 99] },
            probed_at: Moment::UNIX_EPOCH,
            changed: None,
        }
    }

    #[test]
    fn largest_probe_result_fits_into_a_table_item() {
        let stored = |chars| {
            let item = evidence_item(&"mcp-adder".parse().unwrap(), &assessment(chars)).unwrap();
            assert!(size(&item) < 400 * 1024, "{} bytes", size(&item));
            EVIDENCE.read(&item).unwrap()
        };
        assert_eq!(stored(10), assessment(10), "what fits is stored whole");
        let short = stored(5000);
        assert_eq!((short.verdict.handshake, short.score.value), (Handshake::Partial, 40));
        assert_eq!((short.verdict.reasons.len(), short.verdict.facts.tools.len()), (MAX_ENTRIES, 0));
    }
}
