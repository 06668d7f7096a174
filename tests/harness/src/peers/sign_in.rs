//! MCP servers that ask for a sign-in, and the authorization server that they name. All parts are correct.

use axum::response::Response;
use http::HeaderValue;
use serde_json::json;

use super::{PeerRequest, empty, json_answer};

const RESOURCE_METADATA: &str = "/.well-known/oauth-protected-resource";

/// An authorization server (RFC 8414).
pub fn authorization_server(request: &PeerRequest) -> Response {
    if request.path != "/.well-known/oauth-authorization-server" {
        return empty(404);
    }
    let origin = request.origin();
    let metadata = json!({
        "issuer": origin,
        "authorization_endpoint": format!("{origin}/authorize"),
        "token_endpoint": format!("{origin}/token"),
        "registration_endpoint": format!("{origin}/register"),
        "code_challenge_methods_supported": ["S256"],
    });
    json_answer(200, &metadata)
}

/// A server behind the sign-in of this issuer. It accepts no token.
pub fn gated(issuer: &str) -> impl Fn(&PeerRequest) -> Response + Send + Sync + 'static {
    let issuer = issuer.to_owned();
    move |request| match request.verb.as_str() {
        "GET" if request.path.starts_with(RESOURCE_METADATA) => {
            let path = request.path.trim_start_matches(RESOURCE_METADATA);
            let resource = format!("{}{path}", request.origin());
            json_answer(200, &json!({ "resource": resource, "authorization_servers": [issuer] }))
        }
        _ => challenge(request),
    }
}

/// The refusal of a request without a token.
pub fn challenge(request: &PeerRequest) -> Response {
    let metadata = format!("{}{RESOURCE_METADATA}{}", request.origin(), request.path);
    let challenge = format!("Bearer resource_metadata=\"{metadata}\", scope=\"files:read\"");
    let mut answer = empty(401);
    if let Ok(challenge) = HeaderValue::from_str(&challenge) {
        answer.headers_mut().insert("www-authenticate", challenge);
    }
    answer
}
