//! A server that requires credentials. A Bearer challenge or protected-resource metadata proves that the
//! server is an MCP server. A 401 without them proves nothing, because any web server may send it.

use std::time::Duration;

use http::header::WWW_AUTHENTICATE;
use serde_json::Value;

use crate::checks::same_owner;
use crate::handshake::conversation::Conversation;
use crate::handshake::jsonrpc::texts;
use crate::reasons::ProbeFault;
use registry_fetch::{Answer, Request, Target};

const METADATA_DEADLINE: Duration = Duration::from_secs(2);

/// `spoken`: the refusal itself is JSON-RPC.
pub(super) async fn record_refusal(peer: &mut Conversation<'_>, answer: &Answer, spoken: bool, seen: &str) {
    let status = answer.status.as_u16();
    peer.findings.speaks |= spoken;
    peer.findings.facts.endpoint = Some(answer.target.to_string());
    if status == 402 {
        return peer.findings.fault(&ProbeFault::PaymentRequired, seen);
    }
    let challenges: Vec<&str> =
        answer.headers.get_all(WWW_AUTHENTICATE).iter().filter_map(|value| value.to_str().ok()).collect();
    let seen = match challenges.first() {
        Some(challenge) => format!("HTTP {status}, WWW-Authenticate: {challenge}"),
        None => seen.to_owned(),
    };
    let bearer = challenges.iter().find(|challenge| is_bearer(challenge));
    if bearer.is_some() {
        peer.findings.signal("bearer_challenge");
    }
    let described = match bearer.map(|challenge| parameter(challenge, "resource_metadata")) {
        Some(Some(url)) => describes(peer, &answer.target, &url).await,
        // The challenge is proof enough, so the well-known paths are not requested as well.
        Some(None) => false,
        None => {
            let path = answer.target.url().path().trim_end_matches('/').to_owned();
            let below = format!("/.well-known/oauth-protected-resource{path}");
            describes(peer, &answer.target, &below).await
                || (!path.is_empty()
                    && describes(peer, &answer.target, "/.well-known/oauth-protected-resource").await)
        }
    };
    if described {
        peer.findings.signal("protected_resource_metadata");
    }
    let proven = bearer.is_some() || described || spoken;
    peer.findings.fault(
        &if proven { ProbeFault::AuthRequired { status } } else { ProbeFault::GatedUnproven { status } },
        &seen,
    );
}

/// Whether valid metadata (RFC 9728) about this endpoint is at `reference`. It must be on the endpoint's own
/// domain; otherwise a challenge could send the registry to a stranger.
async fn describes(peer: &mut Conversation<'_>, endpoint: &Target, reference: &str) -> bool {
    let Ok(url) = endpoint.join(reference, peer.reach()) else { return false };
    if !same_owner(endpoint.as_str(), url.as_str()) {
        return false;
    }
    match peer.ask(Request::get(url).with_deadline(METADATA_DEADLINE)).await {
        Ok(answer) if answer.status.is_success() => {
            let endpoint = endpoint.clone();
            let found = peer.read(&answer, move |answer, budget| {
                answer.json(&mut budget.values).is_ok_and(|found| is_metadata_of(&found, endpoint.as_str()))
            });
            found.await
        }
        _ => false,
    }
}

/// `resource` must be the endpoint or a parent of it, and an authorization server must be named.
fn is_metadata_of(metadata: &Value, endpoint: &str) -> bool {
    let resource = metadata["resource"].as_str().unwrap_or_default().trim_end_matches('/');
    let rest = endpoint.trim_end_matches('/').strip_prefix(resource);
    let above = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']));
    resource.contains("://") && above && !texts(metadata.get("authorization_servers")).is_empty()
}

fn is_bearer(challenge: &str) -> bool {
    let lower = challenge.to_ascii_lowercase();
    lower.starts_with("bearer") || lower.contains(", bearer ")
}

/// A parameter of a challenge (RFC 9110 §11.2), quoted or not.
fn parameter(challenge: &str, name: &str) -> Option<String> {
    let at = challenge.to_ascii_lowercase().find(&format!("{name}="))? + name.len() + 1;
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
    use serde_json::json;

    #[test]
    fn challenge_parameter_may_be_quoted_or_unquoted() {
        let quoted = r#"Bearer realm="x", resource_metadata="https://a.example/.well-known/x", scope="a b""#;
        assert_eq!(
            parameter(quoted, "resource_metadata").as_deref(),
            Some("https://a.example/.well-known/x")
        );
        assert_eq!(parameter("bearer resource_metadata=/m, x=1", "resource_metadata").as_deref(), Some("/m"));
        assert_eq!(parameter("Bearer realm=x", "resource_metadata"), None);
        assert!(
            is_bearer("bearer")
                && is_bearer("Basic realm=x, Bearer scope=y")
                && !is_bearer("Basic realm=bearer")
        );
    }

    #[test]
    fn metadata_of_another_resource_is_ignored() {
        let metadata =
            |resource: &str| json!({"resource": resource, "authorization_servers": ["https://as.example"]});
        let endpoint = "https://a.example/mcp";
        for resource in ["https://a.example/mcp", "https://a.example/mcp/", "https://a.example"] {
            assert!(is_metadata_of(&metadata(resource), endpoint), "{resource}");
        }
        for resource in ["", "https://b.example/mcp", "https://a.example/mc", "https://a.example/mcp/x"] {
            assert!(!is_metadata_of(&metadata(resource), endpoint), "{resource}");
        }
        assert!(
            !is_metadata_of(&json!({"resource": endpoint}), endpoint),
            "no authorization server is named"
        );
    }
}
