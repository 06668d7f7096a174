//! Why a listing is not Live: the reasons of the verdict, and the checks that block.
//! The owner, who may be an agent, repairs the listing from these words alone, so each reason names its cure.

use crate::model::{Assessment, Handshake, Reason};

/// The reasons of the verdict come first, then the checks that block.
#[must_use]
pub fn reasons(assessment: &Assessment) -> Vec<Reason> {
    let blocked = assessment.checks.iter().filter(|check| check.blocking && !check.ok).map(|check| Reason {
        code: check.id.clone(),
        reason: format!("check {} failed", check.id),
        seen: check.detail.clone(),
        fix: cure(&check.id).to_owned(),
    });
    let mut reasons = assessment.verdict.reasons.clone();
    if assessment.verdict.handshake == Handshake::Ok {
        reasons.clear();
    }
    // A verdict that failed at the card explains itself; the check of the same name would only repeat it.
    let told = |check: &Reason| {
        check.code == "card_valid"
            || assessment.verdict.reasons.iter().any(|reason| reason.code == check.code)
    };
    reasons.extend(blocked.filter(|check| assessment.verdict.handshake == Handshake::Ok || !told(check)));
    reasons
}

fn cure(check: &str) -> &'static str {
    match check {
        "https" => "Serve it over https with a certificate that public clients accept.",
        "card_valid" => "Correct the card so that official clients can read it.",
        "interface_domain" => {
            "Serve the interface on the card's own domain, or serve the card on the interface's."
        }
        "text_sane" => {
            "Take control characters, direction marks and markup out of names and descriptions, and shorten them."
        }
        "no_injection" => "Describe what it does; take out phrases that instruct the reader's model.",
        "endpoint_unique" => {
            "This endpoint is listed already. Use that listing, or publish another endpoint."
        }
        _ => "See the detail of the check.",
    }
}
