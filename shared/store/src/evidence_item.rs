//! The table item with the evidence of a listing's last probe. An item can have at most 400 KB. If a result
//! were longer, it could not be written, and the probe could neither confirm nor demote the listing. So
//! evidence that does not fit is shortened.

use super::attributes::{Item, s};
use super::error::StoreError;
use super::keys;
use registry_model::error::shorten;
use registry_model::{Assessment, Check, Facts, ListingId, Reason, Score, ScorePart, Verdict};

/// Bytes of evidence that is stored whole, well below the maximum of an item (DynamoDB developer guide, "Constraints":
/// 400 KB with the names of the attributes).
const MAX_BYTES: usize = 320 * 1024;
/// Entries of a list, and characters of a text, in shortened evidence.
const MAX_ENTRIES: usize = 10;
const MAX_TEXT_CHARS: usize = 300;
/// The maximum bytes of a URL; a longer URL is left out.
const MAX_URL_BYTES: usize = 2048;

pub(super) fn evidence_item(id: &ListingId, assessment: &Assessment) -> Result<Item, StoreError> {
    let whole = assessment.canonical()?;
    let stored = if whole.len() <= MAX_BYTES {
        whole
    } else {
        tracing::warn!(listing_id = %id, bytes = whole.len(), "the evidence is too large to store; it was \
            shortened");
        shortened(assessment).canonical()?
    };
    Ok(keys::evidence(id).with([("evidence", s(stored))]))
}

/// The outcome, its reasons and the checks, without the texts of the peer.
fn shortened(assessment: &Assessment) -> Assessment {
    let Assessment { verdict, checks, score, probed_at, changed } = assessment;
    let facts = &verdict.facts;
    let short = |text: &String| shorten(text, MAX_TEXT_CHARS);
    let url = |url: &Option<String>| url.clone().filter(|url| url.len() <= MAX_URL_BYTES);
    let list = |list: &[String]| list.iter().take(MAX_ENTRIES).map(short).collect();
    Assessment {
        verdict: Verdict {
            handshake: verdict.handshake,
            reasons: verdict
                .reasons
                .iter()
                .take(MAX_ENTRIES)
                .map(|reason| Reason {
                    code: short(&reason.code),
                    reason: short(&reason.reason),
                    seen: short(&reason.seen),
                    fix: short(&reason.fix),
                })
                .collect(),
            inconclusive: verdict.inconclusive,
            retry_after: verdict.retry_after,
            speaks: verdict.speaks,
            answers: verdict.answers,
            latency_ms: verdict.latency_ms,
            signals: list(&verdict.signals),
            protocol_hints: list(&verdict.protocol_hints),
            facts: Facts {
                kind: facts.kind,
                name: facts.name.as_ref().map(short),
                version: facts.version.as_ref().map(short),
                endpoint: url(&facts.endpoint),
                card_url: url(&facts.card_url),
                website: url(&facts.website),
                protocol_versions: list(&facts.protocol_versions),
                tools_hash: facts.tools_hash.as_ref().map(short),
                ..Facts::default()
            },
        },
        checks: checks
            .iter()
            .take(MAX_ENTRIES)
            .map(|check| Check { id: short(&check.id), detail: short(&check.detail), ..*check })
            .collect(),
        score: Score {
            value: score.value,
            breakdown: score
                .breakdown
                .iter()
                .take(MAX_ENTRIES)
                .map(|part| ScorePart { id: short(&part.id), why: short(&part.why), ..*part })
                .collect(),
        },
        probed_at: *probed_at,
        changed: changed.clone(),
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::types::AttributeValue;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::attributes::text;
    use registry_model::{ClientRegistration, Handshake, Moment, SignIn, Skill, TextFaults, Tool};

    /// The size of an item of texts as DynamoDB counts it: names and values in UTF-8.
    fn size(item: &Item) -> usize {
        let of = |(name, value): (&String, &AttributeValue)| name.len() + value.as_s().unwrap().len();
        item.iter().map(of).sum()
    }

    fn words() -> impl Strategy<Value = String> {
        let one = prop::sample::select(vec!["\u{1}", "\"", "a", "語", "😀"]);
        let times = prop_oneof![9 => 0..60_usize, 1 => 300..30_000_usize];
        (one, times).prop_map(|(one, times)| one.repeat(times))
    }

    prop_compose! {
        fn assessments()(
            reasons in vec((words(), words()), 0..20),
            lists in vec(words(), 0..12),
            one in vec(words(), 8),
            tools in vec((words(), words()), 0..12),
            checks in vec((words(), words(), any::<bool>()), 0..12),
            handshake in prop::sample::select(vec![Handshake::Ok, Handshake::Partial, Handshake::Fail]),
        ) -> Assessment {
            let some = |at: usize| Some(one[at].clone());
            let faults = TextFaults { not_plain: some(0), injection: some(1) };
            let skills = vec![Skill { id: one[2].clone(), name: one[3].clone(), description: one[4].clone(), tags: lists.clone() }];
            Assessment {
                verdict: Verdict {
                    handshake,
                    reasons: reasons
                        .iter()
                        .map(|(a, b)| Reason { code: a.clone(), reason: b.clone(), seen: a.clone(), fix: b.clone() })
                        .collect(),
                    inconclusive: false,
                    retry_after: None,
                    speaks: true,
                    answers: None,
                    latency_ms: Some(1),
                    signals: lists.clone(),
                    protocol_hints: lists.clone(),
                    facts: Facts {
                        kind: None,
                        name: some(0),
                        description: some(1),
                        version: some(2),
                        endpoint: some(3),
                        card_url: some(4),
                        website: some(5),
                        protocol_versions: lists,
                        skills,
                        tools: tools.into_iter().map(|(name, description)| Tool { name, description, ..Tool::default() }).collect(),
                        tools_hash: some(6),
                        seen: None,
                        packages: Vec::new(),
                        sign_in: Some(SignIn {
                            issuer: one[7].clone(),
                            scopes: checks.iter().map(|(scope, _, _)| scope.clone()).collect(),
                            registration: ClientRegistration::Dynamic,
                        }),
                        text_faults: faults,
                    },
                },
                checks: checks.iter().map(|(id, detail, ok)| Check { id: id.clone(), ok: *ok, blocking: true, detail: detail.clone() }).collect(),
                score: Score {
                    value: 40,
                    breakdown: checks.into_iter().map(|(id, why, _)| ScorePart { id, points: 1, of: 2, why }).collect(),
                },
                probed_at: Moment::UNIX_EPOCH,
                changed: None,
            }
        }
    }

    #[test]
    fn largest_probe_result_fits_into_a_table_item() {
        // Six bytes each as JSON.
        let worst = "\u{1}".repeat(5000);
        let reason =
            Reason { code: worst.clone(), reason: worst.clone(), seen: worst.clone(), fix: worst.clone() };
        let check = Check { id: worst.clone(), ok: true, blocking: true, detail: worst.clone() };
        let part = ScorePart { id: worst.clone(), points: 1, of: 2, why: worst.clone() };
        let url = Some("\u{1}".repeat(MAX_URL_BYTES));
        let facts = Facts {
            name: Some(worst.clone()),
            version: Some(worst.clone()),
            tools_hash: Some(worst.clone()),
            protocol_versions: vec![worst.clone(); 99],
            endpoint: url.clone(),
            card_url: url.clone(),
            website: url,
            ..Facts::default()
        };
        let assessment = Assessment {
            verdict: Verdict {
                handshake: Handshake::Partial,
                reasons: vec![reason; 99],
                inconclusive: false,
                retry_after: None,
                speaks: true,
                answers: None,
                latency_ms: None,
                signals: vec![worst.clone(); 99],
                protocol_hints: vec![worst; 99],
                facts,
            },
            checks: vec![check; 99],
            score: Score { value: 40, breakdown: vec![part; 99] },
            probed_at: Moment::UNIX_EPOCH,
            changed: None,
        };
        let item = evidence_item(&"mcp-adder".parse().unwrap(), &assessment).unwrap();
        assert!(size(&item) < 400 * 1024, "{} bytes", size(&item));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn every_probe_result_fits_into_a_table_item(assessment in assessments()) {
            let id: ListingId = "mcp-adder".parse().unwrap();
            let item = evidence_item(&id, &assessment).unwrap();
            prop_assert!(size(&item) < 400 * 1024, "{} bytes", size(&item));
            let stored: Assessment = serde_json::from_str(text(&item, "evidence")).unwrap();
            prop_assert_eq!(stored.verdict.handshake, assessment.verdict.handshake);
            prop_assert_eq!(stored.score.value, assessment.score.value);
            if serde_json::to_string(&assessment).unwrap().len() <= MAX_BYTES {
                prop_assert_eq!(stored, assessment);
            } else {
                prop_assert_eq!(stored.verdict.facts.tools.len(), 0);
                prop_assert_eq!(stored.verdict.reasons.len(), assessment.verdict.reasons.len().min(MAX_ENTRIES));
            }
        }
    }
}
