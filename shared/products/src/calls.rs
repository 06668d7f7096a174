//! Shell commands that call a listing. They use the protocol version that the last probe found. If no URL is
//! known, the result is empty.

use serde_json::{Value, json};

use super::ability::Ability;
use super::about;
use super::profile::Profile;
use super::text::{address, code, prose, shell, shell_json};
use registry_model::Kind;

/// Calls that can be sent unchanged, each with its purpose; `ability` must be an ability that only reads.
pub(super) fn of(profile: &Profile, ability: Option<&Ability>) -> Vec<(String, String)> {
    let Some(url) = about::endpoint(profile) else { return Vec::new() };
    match profile.kind {
        Kind::Agent => {
            let card = address(profile.card_url.as_deref());
            let card = card.map(|card| ("its card".to_owned(), get(&card)));
            let title = ability.map_or_else(
                || "ask what it can do".to_owned(),
                |ability| format!("ask about {}", ability.title),
            );
            card.into_iter().chain([(title, message(profile, &url, ability))]).collect()
        }
        Kind::Mcp => inspections(&url, ability),
    }
}

pub(super) fn listed(profile: &Profile, ability: Option<&Ability>) -> Vec<String> {
    of(profile, ability)
        .iter()
        .map(|(what, call)| format!("{}: {}", prose(what, 120), code(call, 8192)))
        .collect()
}

/// How to send a message to an agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct A2aForm {
    /// A2A 1.0, also if no version is known; else 0.3.
    pub(super) current: bool,
    /// The binding HTTP+JSON instead of JSON-RPC.
    pub(super) rest: bool,
}

impl A2aForm {
    pub(super) fn of(profile: &Profile) -> Self {
        let versions = &profile.protocol_versions;
        let hints = profile.proof.as_ref().map(|proof| proof.protocol_hints.as_slice()).unwrap_or_default();
        let has = |binding: &str| hints.iter().any(|hint| hint == binding);
        Self {
            current: versions.is_empty() || versions.iter().any(|version| version == "1.0"),
            rest: has("http+json") && !has("jsonrpc"),
        }
    }
}

/// A text message in the newest A2A version that a probe found, or in 1.0 if no version is known.
fn message(profile: &Profile, url: &str, ability: Option<&Ability>) -> String {
    let text = match ability {
        Some(ability) => format!("What do you need to know for this: {}?", ability.title),
        None => format!("What can {} do?", about::plain_name(profile)),
    };
    let id = format!("{}-1", profile.slug());
    let A2aForm { current, rest } = A2aForm::of(profile);
    let message = if current {
        json!({ "messageId": id, "role": "ROLE_USER", "parts": [{ "text": text }] })
    } else {
        json!({ "kind": "message", "messageId": id, "role": "user", "parts": [{ "kind": "text", "text": text }] })
    };
    let version = if current { " -H 'A2A-Version: 1.0'" } else { "" };
    let (target, body) = match (rest, current) {
        (true, true) => (below(url, "message:send"), json!({ "message": message })),
        (true, false) => (below(url, "v1/message:send"), json!({ "message": message })),
        (false, _) => {
            let method = if current { "SendMessage" } else { "message/send" };
            let call =
                json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "message": message } });
            (url.to_owned(), call)
        }
    };
    post(&target, version, &body)
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
    format!("curl -fsS {} -H 'content-type: application/json'{headers} -d {}", shell(url), shell_json(body))
}

pub(super) fn get(url: &str) -> String {
    format!("curl -fsS {}", shell(url))
}

fn below(url: &str, path: &str) -> String {
    format!("{}/{path}", url.trim_end_matches('/'))
}
