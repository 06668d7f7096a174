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
    let reason = Reason { code: text.clone(), reason: text.clone(), seen: text.clone(), fix: text.clone() };
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
        let id = "mcp-adder".parse().unwrap();
        let item =
            EVIDENCE.of(&id).with([(EVIDENCE.attribute, s(evidence_text(&id, &assessment(chars)).unwrap()))]);
        assert!(size(&item) < 400 * 1024, "{} bytes", size(&item));
        EVIDENCE.read(&item).unwrap()
    };
    assert_eq!(stored(10), assessment(10), "what fits is stored whole");
    let short = stored(5000);
    assert_eq!((short.verdict.handshake, short.score.value), (Handshake::Partial, 40));
    assert_eq!((short.verdict.reasons.len(), short.verdict.facts.tools.len()), (MAX_ENTRIES, 0));
}
