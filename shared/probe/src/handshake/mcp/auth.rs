//! A server that requires credentials. A Bearer challenge or protected-resource metadata proves that the
//! server is an MCP server. A 401 without them proves nothing, because any web server may send it.

use http::header::WWW_AUTHENTICATE;

use super::sign_in;
use crate::handshake::conversation::Conversation;
use crate::handshake::findings::Findings;
use crate::handshake::payment_terms;
use crate::handshake::preflight::is_templated;
use crate::reasons::{ProbeFault, SignInFlaw};
use registry_fetch::Answer;
use registry_formats::document_texts;
use registry_model::ClientRegistration;

/// Records why a server refused a request without credentials, and how callers sign in. `spoken`: the refusal itself is
/// JSON-RPC.
pub(super) async fn record_refusal(peer: &mut Conversation<'_>, answer: &Answer, spoken: bool, seen: &str) {
    let status = answer.status.as_u16();
    let refused = peer.findings.current_exchange();
    peer.findings.speaks |= spoken;
    peer.findings.facts.endpoint = Some(answer.target.to_string());
    if is_templated(&answer.target) {
        return peer.findings.fault(&ProbeFault::Templated, answer.target.as_str());
    }
    if status == 402 {
        return peer.findings.fault(&ProbeFault::PaymentRequired, &payment_terms::describe(answer, seen));
    }
    let challenges: Vec<&str> =
        answer.headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok()).collect();
    let seen = match challenges.first() {
        Some(challenge) => format!("HTTP {status}, WWW-Authenticate: {challenge}"),
        None => seen.to_owned(),
    };
    if !matches!(status, 401 | 403) {
        let fault = if spoken { ProbeFault::AuthRequired(status) } else { ProbeFault::GatedUnproven(status) };
        return peer.findings.fault(&fault, &seen);
    }
    let bearer = challenges.iter().find(|challenge| is_bearer(challenge));
    if bearer.is_some() {
        peer.findings.signal("bearer_challenge");
    }
    let reference = bearer.and_then(|challenge| parameter(challenge, "resource_metadata"));
    let resource = sign_in::resource_metadata(peer, &answer.target, reference.as_deref()).await;
    if resource.is_ok() {
        peer.findings.signal("protected_resource_metadata");
    }
    let metadata = peer.findings.current_exchange();
    peer.findings.return_to(refused);
    if bearer.is_none() && challenges.is_empty() && resource.is_err() && !spoken {
        return peer.findings.fault(&ProbeFault::GatedUnproven(status), &seen);
    }
    let flaw = |flaw| ProbeFault::SignIn { flaw, temporary: false };
    // Without a challenge, clients look for the metadata at its well-known places (MCP 2025-11-25, basic/authorization).
    let leads_on = bearer.is_some() || challenges.is_empty() && resource.is_ok();
    match (bearer, status) {
        (Some(_), 401) => {}
        (None, 401) if leads_on => peer.findings.warning(flaw(SignInFlaw::NoChallenge).reason(&seen)),
        (None, _) if !challenges.is_empty() => peer.findings.fault(&flaw(SignInFlaw::Scheme), &seen),
        (None, 401) => peer.findings.fault(&flaw(SignInFlaw::NoChallenge), &seen),
        _ => peer.findings.fault(&flaw(SignInFlaw::Status403), &seen),
    }
    let scope = bearer.and_then(|challenge| parameter(challenge, "scope"));
    peer.findings.return_to(metadata);
    let found = match resource {
        Ok(resource) => sign_in::follow(peer, &answer.target, &resource, scope.as_deref()).await,
        // Without a Bearer challenge, missing metadata is no second fault.
        Err(_) if bearer.is_none() => return,
        Err(broken) => Err(broken),
    };
    match found {
        Ok(sign_in) => {
            if sign_in.registration == ClientRegistration::ByHand {
                let hint = flaw(SignInFlaw::NoRegistration).reason(&sign_in.issuer);
                peer.findings.warning(hint);
            }
            if leads_on && status == 401 {
                peer.findings.return_to(refused);
                peer.findings.fault(&ProbeFault::AuthRequired(status), &seen);
            }
            peer.findings.facts.text_faults.or(document_texts::sign_in_faults(&sign_in));
            peer.findings.facts.sign_in = Some(sign_in);
        }
        Err(broken) => {
            let sign_in::Broken { flaw, seen, temporary } = broken;
            peer.findings.fault(&ProbeFault::SignIn { flaw, temporary }, &seen);
        }
    }
}

/// Whether a refusal proves nothing about the server behind it.
pub(in crate::handshake) fn is_unproven(findings: &Findings) -> bool {
    (findings.has("gated_unproven") || findings.has("sign_in:scheme"))
        && !findings.speaks
        && !describes_sign_in(findings)
}

/// Whether a refusal says how to sign in, as only a server for clients does.
pub(in crate::handshake) fn describes_sign_in(findings: &Findings) -> bool {
    findings.has_signal("bearer_challenge") || findings.has_signal("protected_resource_metadata")
}

fn is_bearer(challenge: &str) -> bool {
    let lower = challenge.to_ascii_lowercase();
    lower.starts_with("bearer") || lower.contains(", bearer ")
}

/// A parameter of a challenge (RFC 9110 §11.2), quoted or not.
fn parameter(challenge: &str, name: &str) -> Option<String> {
    let (lower, start) = (challenge.to_ascii_lowercase(), format!("{name}="));
    let mut places = lower.match_indices(&start).map(|(at, _)| at);
    // Not the end of a longer name, such as `x-scope`.
    let at = places.find(|at| lower[..*at].ends_with([' ', ',', '\t']))? + start.len();
    let rest = &challenge[at..];
    let value = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split([',', ' ']).next(),
    };
    value.filter(|value| !value.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenge_parameter_may_be_quoted_or_unquoted() {
        let quoted = r#"Bearer realm="x", resource_metadata="https://a.example/.well-known/x",scope="a b""#;
        assert_eq!(
            parameter(quoted, "resource_metadata").as_deref(),
            Some("https://a.example/.well-known/x")
        );
        assert_eq!(parameter(quoted, "scope").as_deref(), Some("a b"));
        assert_eq!(parameter(r#"Bearer error="insufficient_scope", x_scope="c""#, "scope"), None);
        assert_eq!(parameter("bearer resource_metadata=/m, x=1", "resource_metadata").as_deref(), Some("/m"));
        assert_eq!(parameter("Bearer realm=x", "resource_metadata"), None);
        assert!(is_bearer("bearer"));
        assert!(is_bearer("Basic realm=x, Bearer scope=y"));
        assert!(!is_bearer("Basic realm=bearer"));
    }
}
