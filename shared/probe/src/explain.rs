//! Explains why a listing is not Live: the reasons in the result of the probe, and the blocking checks that failed. The
//! owner (who may be an agent) has only these texts to fix the listing. So each reason says how to fix it. For a score, it
//! also explains each request: the rule of the specification that it follows, and what was found.

use std::collections::HashSet;

use super::reasons;
use registry_model::{Assessment, Handshake, Lane, Listing, ProbeStep, Reason, SpecificationRule, StepKind};

pub fn reasons(assessment: &Assessment) -> Vec<Reason> {
    let blocked = assessment.checks.iter().filter(|check| check.blocking && !check.ok).map(|check| Reason {
        code: check.id.clone(),
        reason: format!("check {} failed", check.id),
        seen: check.detail.clone(),
        fix: fix(&check.id).unwrap_or("See the detail of the check.").to_owned(),
    });
    let is_ok = assessment.verdict.handshake == Handshake::Ok;
    let mut reasons = if is_ok { Vec::new() } else { assessment.verdict.reasons.clone() };
    // A verdict that failed at the card already explains it.
    let is_repeated = |check: &Reason| {
        check.code == "card_valid"
            || assessment.verdict.reasons.iter().any(|reason| reason.code == check.code)
    };
    reasons.extend(blocked.filter(|check| is_ok || !is_repeated(check)));
    reasons
}

/// What the owner of a listing has to do.
#[derive(Clone, Debug, Default)]
pub struct Advice {
    /// What keeps the listing from its lane, or will end it.
    pub must_fix: Vec<Reason>,
    /// What blocks nothing.
    pub could_improve: Vec<Reason>,
}

pub fn advice(listing: &Listing, lane: Lane, evidence: Option<&Assessment>) -> Advice {
    let found = |of: fn(&Assessment) -> Vec<Reason>| evidence.map(of).unwrap_or_default();
    let (must_fix, could_improve) = match lane {
        Lane::Active => (Vec::new(), found(warnings)),
        Lane::Gated | Lane::Unchecked => (Vec::new(), found(reasons)),
        // Its proof has expired, and what was found was correct.
        Lane::Queued if listing.lane == Lane::Gated => (Vec::new(), found(reasons)),
        Lane::Package | Lane::Withdrawn => (Vec::new(), Vec::new()),
        Lane::Queued | Lane::NeedsFix | Lane::Demoted => (found(reasons), Vec::new()),
    };
    match &listing.proof.last_failure {
        // Until the failure is confirmed, the evidence is that of the proof.
        Some(failure) => Advice { must_fix: vec![failure.clone()], could_improve },
        None => Advice { must_fix, could_improve },
    }
}

fn warnings(assessment: &Assessment) -> Vec<Reason> {
    let is_ok = assessment.verdict.handshake == Handshake::Ok;
    if is_ok { assessment.verdict.reasons.clone() } else { Vec::new() }
}

/// The fix for the code of a reason, for statistics: in general, and not for one listing.
pub fn fix_for_code(code: &str) -> Option<String> {
    fix_for_check(code).or_else(|| reasons::fix_for(code))
}

/// How to pass a check, if the advice is known.
pub fn fix_for_check(id: &str) -> Option<String> {
    fix(id).map(str::to_owned)
}

/// Adds to each request of a probe its rule and the parts of the score that depend on it. Of the faults that were found at it,
/// only those that are reasons stay.
pub(super) fn explain_steps(steps: &mut [ProbeStep], assessment: &Assessment) {
    let reasons = reasons(assessment);
    let is_shown = |code: &String| reasons.iter().any(|reason| reason.code == *code);
    steps.iter_mut().for_each(|step| step.reasons.retain(is_shown));
    // Each part is shown at the last fault that it depends on, else at the last step: a server may refuse the earlier ones.
    let mut shown = HashSet::new();
    for has_fault in [true, false] {
        for step in steps.iter_mut().rev().filter(|step| step.reasons.is_empty() != has_fault) {
            step.rule = rule(step.kind);
            let own = parts(step.kind).iter().filter(|part| shown.insert(**part));
            step.parts = own.map(|part| (*part).to_owned()).collect();
        }
    }
}

/// A sentence of the specification about a step, word for word but without markup.
fn rule(step: StepKind) -> Option<SpecificationRule> {
    let (sentence, url) = match step {
        StepKind::Connection | StepKind::CardSearch | StepKind::Contents => return None,
        StepKind::Card => (
            "A2A Servers MUST make an Agent Card available.",
            "https://a2a-protocol.org/latest/specification/#81-purpose",
        ),
        StepKind::Task => (
            "TaskNotFoundError: The task ID does not exist or is not accessible.",
            "https://a2a-protocol.org/latest/specification/#313-get-task",
        ),
        StepKind::Message => (
            "The operation MUST return immediately with either task information or response message.",
            "https://a2a-protocol.org/latest/specification/#311-send-message",
        ),
        StepKind::Discover => (
            "Servers MUST implement server/discover.",
            "https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning",
        ),
        StepKind::Initialize => (
            "The initialization phase MUST be the first interaction between client and server.",
            "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization",
        ),
        StepKind::Initialized => (
            "If the server accepts the input, the server MUST return HTTP status code 202 Accepted with no body.",
            "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server",
        ),
        StepKind::Tools => (
            "To discover available tools, clients send a tools/list request.",
            "https://modelcontextprotocol.io/specification/2026-07-28/server/tools#listing-tools",
        ),
        StepKind::Stream => (
            "When a client connects, the server MUST send an endpoint event containing a URI for the client to use \
             for sending messages.",
            "https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse",
        ),
        StepKind::ResourceMetadata => (
            "MCP servers MUST implement OAuth 2.0 Protected Resource Metadata.",
            "https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization",
        ),
        StepKind::AuthorizationServer => (
            "MCP authorization servers MUST provide at least one of the following discovery mechanisms: OAuth 2.0 \
             Authorization Server Metadata, OpenID Connect Discovery 1.0.",
            "https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization",
        ),
    };
    Some(SpecificationRule { sentence: sentence.to_owned(), url: url.to_owned() })
}

/// The parts of the score that depend on a step.
const fn parts(step: StepKind) -> &'static [&'static str] {
    match step {
        StepKind::Card => &["protocol", "description", "abilities", "identity"],
        StepKind::Task | StepKind::Initialized => &["handshake"],
        StepKind::Message => &["handshake", "answers"],
        StepKind::Discover | StepKind::Initialize => &["handshake", "protocol", "description", "identity"],
        StepKind::Tools => &["handshake", "answers", "abilities"],
        StepKind::ResourceMetadata | StepKind::AuthorizationServer => &["handshake"],
        StepKind::Connection | StepKind::CardSearch | StepKind::Contents | StepKind::Stream => &[],
    }
}

fn fix(check: &str) -> Option<&'static str> {
    Some(match check {
        "https" => "Serve it over https with a certificate that public clients accept.",
        "card_valid" => "Correct the card so that official clients can read it.",
        "interface_domain" => "Serve the interface and the card on the same domain.",
        "text_sane" => "Remove markup, control and invisible characters from texts, and shorten long ones.",
        "no_injection" => "Describe what the agent or server does, and give no instructions to a model.",
        "endpoint_unique" => "Another listing has this endpoint. Use that one, or publish another endpoint.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fix_is_found_by_the_code_of_a_reason() {
        assert_eq!(fix_for_code("no_injection").as_deref(), fix("no_injection"));
        for (code, word) in [("card_404", "agent card"), ("http_5xx", "log"), ("tls_expired", "certificate")]
        {
            assert!(fix_for_code(code).is_some_and(|fix| fix.contains(word)), "{code}");
        }
        assert_eq!(fix_for_code("something_else"), None);
    }
}
