//! Shell commands that call a listing. They use the protocol version that the last probe found. If no URL is
//! known, the result is empty.

use super::text::shell;
use crate::prelude::*;
use registry_formats::a2a_message::{Endpoint, newest, older, older_rest, rest_path};
use registry_model::Handshake;

/// Calls that can be sent unchanged, each with its purpose; `ability` must be an ability that only reads.
pub(super) fn examples(profile: &Profile, ability: Option<&Ability>) -> Vec<(String, String)> {
    let Some(url) = about::endpoint(profile) else { return Vec::new() };
    match profile.kind {
        Kind::Agent => {
            let card = address(profile.card_url.as_deref());
            let card = card.map(|card| ("its card".to_owned(), get(&card)));
            card.into_iter().chain([("ask what it can do".to_owned(), message(profile, &url))]).collect()
        }
        Kind::Mcp => inspections(profile, &url, ability),
    }
}

pub(super) fn example_lines(profile: &Profile, ability: Option<&Ability>) -> Vec<String> {
    let calls = examples(profile, ability).into_iter();
    calls.map(|(what, call)| format!("{}: {}", prose(&what, 120), code(&call, 8192))).collect()
}

/// A text message in the newest A2A version that a probe found, or in 1.0 if no version is known.
fn message(profile: &Profile, endpoint: &str) -> String {
    let Endpoint { url, tenant } = Endpoint::read(endpoint);
    let hints = profile.proof.as_ref().map(|proof| proof.protocol_hints.as_slice()).unwrap_or_default();
    let has = |binding: &str| hints.iter().any(|hint| hint == binding);
    let rest = has("http+json") && !has("jsonrpc");
    let versions = &profile.protocol_versions;
    let current = versions.is_empty() || versions.iter().any(|version| version == "1.0");
    let text = format!("What can {} do?", about::plain_name(profile));
    let id = format!("{}-1", profile.slug());
    let mut params = match (current, rest) {
        (true, _) => newest(&id, &text, tenant.as_deref().filter(|_| !rest)),
        (false, true) => older_rest(&id, &text),
        (false, false) => older(&id, &text),
    };
    // A probe does not wait for the answer; a reader does.
    if let Some(params) = params.as_object_mut() {
        params.remove("configuration");
    }
    let version = if current { " -H 'A2A-Version: 1.0'" } else { "" };
    if rest {
        return post(&rest_path(&url, current, tenant.as_deref(), "/message:send"), version, &params);
    }
    let method = if current { "SendMessage" } else { "message/send" };
    post(&url, version, &json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))
}

/// Uses the official inspector, because it does the handshake of every MCP revision; one request cannot.
fn inspections(profile: &Profile, url: &str, ability: Option<&Ability>) -> Vec<(String, String)> {
    let header = |(header, value): (String, String)| format!(" --header \"{header}: {value}\"");
    let options: String = about::header_values(profile).map(header).collect();
    let inspect = format!("npx -y @modelcontextprotocol/inspector --cli {}{options}", shell(url));
    let inspect = format!("{inspect} --transport http --method");
    let has_none = profile.tools.is_empty()
        && profile.proof.as_ref().is_some_and(|proof| proof.handshake == Handshake::Ok);
    let tools = ("list the tools with their inputs".to_owned(), format!("{inspect} tools/list"));
    let call = ability.map(|ability| {
        let call = format!("{inspect} tools/call --tool-name {}", shell(&ability.id));
        (format!("one call ({}; add --tool-arg key=value for each input)", ability.title), call)
    });
    Some(tools).filter(|_| !has_none).into_iter().chain(call).collect()
}

pub(super) fn post(url: &str, headers: &str, body: &Value) -> String {
    let body = shell(&body.to_string());
    format!("curl -fsS {} -H 'content-type: application/json'{headers} -d {body}", shell(url))
}

pub(super) fn get(url: &str) -> String {
    format!("curl -fsS {}", shell(url))
}
