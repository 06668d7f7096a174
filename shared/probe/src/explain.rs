//! Explains why a listing is not Live: the reasons in the result of the probe, and the blocking checks that failed. The
//! owner (who may be an agent) has only these texts to fix the listing. So each reason says how to fix it.

use super::reasons;
use registry_model::{Assessment, Handshake, Reason};
pub fn reasons(assessment: &Assessment) -> Vec<Reason> {
    let blocked = assessment.checks.iter().filter(|check| check.blocking && !check.ok).map(|check| Reason {
        code: check.id.clone(),
        reason: format!("check {} failed", check.id),
        seen: check.detail.clone(),
        fix: fix(&check.id).to_owned(),
    });
    let mut reasons = assessment.verdict.reasons.clone();
    if assessment.verdict.handshake == Handshake::Ok {
        reasons.clear();
    }
    // A verdict that failed at the card already explains it.
    let is_repeated = |check: &Reason| {
        check.code == "card_valid"
            || assessment.verdict.reasons.iter().any(|reason| reason.code == check.code)
    };
    reasons
        .extend(blocked.filter(|check| assessment.verdict.handshake == Handshake::Ok || !is_repeated(check)));
    reasons
}

/// The fix for a reason when only its text is known, because statistics store only the text.
pub fn fix_for_reason(words: &str) -> Option<String> {
    let check = words.strip_prefix("check ").and_then(|rest| rest.strip_suffix(" failed"));
    check.map(|id| fix(id).to_owned()).or_else(|| reasons::fix_for(words))
}

fn fix(check: &str) -> &'static str {
    match check {
        "https" => "Serve it over https with a certificate that public clients accept.",
        "card_valid" => "Correct the card so that official clients can read it.",
        "interface_domain" => "Serve the interface and the card on the same domain.",
        "text_sane" => {
            "Remove control characters, direction marks and markup from names and descriptions, and shorten them."
        }
        "no_injection" => {
            "Describe what the agent or server does, and remove phrases that give instructions \
            to a model."
        }
        "endpoint_unique" => {
            "This endpoint is already listed. Use that listing, or publish another endpoint."
        }
        _ => "See the detail of the check.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fix_is_found_by_the_words_of_a_reason() {
        assert_eq!(fix_for_reason("check no_injection failed").as_deref(), Some(fix("no_injection")));
        assert!(fix_for_reason("card fail 404 (no card)").is_some_and(|fix| fix.contains("agent card")));
        assert_eq!(fix_for_reason("something else"), None);
    }
}
