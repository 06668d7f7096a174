//! Shell commands that call a listing. They use the protocol version that the last probe found. If no URL is
//! known, the result is empty.

use super::text::shell;
use crate::prelude::*;

/// Calls that can be sent unchanged, each with its purpose; `ability` must be an ability that only reads.
pub(super) fn of(profile: &Profile, ability: Option<&Ability>) -> Vec<(String, String)> {
    let Some(url) = about::endpoint(profile) else { return Vec::new() };
    match profile.kind {
        Kind::Agent => {
            let card = address(profile.card_url.as_deref());
            let card = card.map(|card| ("its card".to_owned(), get(&card)));
            card.into_iter().chain([("ask what it can do".to_owned(), message(profile, &url))]).collect()
        }
        Kind::Mcp => inspections(&url, ability),
    }
}

pub(super) fn listed(profile: &Profile, ability: Option<&Ability>) -> Vec<String> {
    let calls = of(profile, ability).into_iter();
    calls.map(|(what, call)| format!("{}: {}", prose(&what, 120), code(&call, 8192))).collect()
}

/// A text message in the newest A2A version that a probe found, or in 1.0 if no version is known.
fn message(profile: &Profile, url: &str) -> String {
    let hints = profile.proof.as_ref().map(|proof| proof.protocol_hints.as_slice()).unwrap_or_default();
    let has = |binding: &str| hints.iter().any(|hint| hint == binding);
    let rest = has("http+json") && !has("jsonrpc");
    let versions = &profile.protocol_versions;
    let current = versions.is_empty() || versions.iter().any(|version| version == "1.0");
    let text = format!("What can {} do?", about::plain_name(profile));
    let id = format!("{}-1", profile.slug());
    let message = if current {
        json!({ "messageId": id, "role": "ROLE_USER", "parts": [{ "text": text }] })
    } else {
        json!({ "kind": "message", "messageId": id, "role": "user", "parts": [{ "kind": "text", "text": text }] })
    };
    let version = if current { " -H 'A2A-Version: 1.0'" } else { "" };
    let params = json!({ "message": message });
    if rest {
        let path = if current { "message:send" } else { "v1/message:send" };
        return post(&format!("{}/{path}", url.trim_end_matches('/')), version, &params);
    }
    let method = if current { "SendMessage" } else { "message/send" };
    post(url, version, &json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))
}

/// Uses the official inspector, because it does the handshake of every MCP revision; one request cannot.
fn inspections(url: &str, ability: Option<&Ability>) -> Vec<(String, String)> {
    let inspect =
        format!("npx -y @modelcontextprotocol/inspector --cli {} --transport http --method", shell(url));
    let tools = ("list the tools with their inputs".to_owned(), format!("{inspect} tools/list"));
    let call = ability.map(|ability| {
        let call = format!("{inspect} tools/call --tool-name {}", shell(&ability.id));
        (format!("one call ({}; add --tool-arg key=value for each input)", ability.title), call)
    });
    [tools].into_iter().chain(call).collect()
}

pub(super) fn post(url: &str, headers: &str, body: &Value) -> String {
    let body = shell(&body.to_string());
    format!("curl -fsS {} -H 'content-type: application/json'{headers} -d {body}", shell(url))
}

pub(super) fn get(url: &str) -> String {
    format!("curl -fsS {}", shell(url))
}
