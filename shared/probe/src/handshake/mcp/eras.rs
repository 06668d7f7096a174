//! The two ways to open a conversation in MCP: `server/discover` (2026-07-28) and `initialize` (older revisions). The
//! requests are exactly those of the official clients, so a server that answers them also answers every client. The result
//! is checked (MCP schemas, `InitializeResult` and `DiscoverResult`), because official clients parse it with strict types: if
//! a type is wrong, they end the conversation.

use std::time::Duration;

use serde_json::{Value, json};

use crate::handshake::conversation::{Conversation, excerpt};
use crate::handshake::jsonrpc::{RpcOutcome, RpcReply, parse_reply, text, texts};
use crate::handshake::sse;
use crate::reasons::ConformanceRule;
use registry_fetch::{Answer, FetchError, Follow, MAX_ENDPOINT_ANSWER_BYTES, PROBE, Request, Target};
use registry_formats::document_texts;
use registry_model::protocol::MAX_URL_BYTES;
use registry_model::{Facts, TextFaults};

/// The stateless revision, and the first of its era.
pub(super) const MODERN: &str = "2026-07-28";
/// The newest revision of the legacy era. All servers of this era can answer it.
const LEGACY: &str = "2025-11-25";

/// A header differs from the body (MCP 2026-07-28, basic/transports).
pub(super) const HEADER_MISMATCH: i64 = -32020;
/// The server requires a capability that the client did not declare.
pub(super) const MISSING_CAPABILITY: i64 = -32021;
/// `data.supported` contains the supported versions.
const UNSUPPORTED_VERSION: i64 = -32022;

/// The published revisions (modelcontextprotocol.io). Official clients end the conversation if the server names another.
const REVISIONS: [&str; 6] = [MODERN, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

/// The header that names a session, of answers and of requests.
const SESSION_ID: &str = "mcp-session-id";

const ACCEPT: &str = "application/json, text/event-stream";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// 2026-07-28 and later: no handshake, every request is independent.
    Modern,
    /// 2024-11-05 to 2025-11-25: `initialize`, and optionally a session.
    Legacy,
}

#[derive(Debug)]
pub(super) struct Session {
    pub(super) era: Era,
    pub(super) url: Target,
    /// Only the legacy era has sessions.
    pub(super) id: Option<String>,
    pub(super) opening: Opening,
    pub(super) streamed: bool,
    accept: &'static str,
}

/// The stored parts of the result that opens a conversation.
#[derive(Debug)]
pub(super) struct Opening {
    pub(super) version: String,
    pub(super) supported: Vec<String>,
    /// Only the identity of the server.
    pub(super) info: Facts,
    pub(super) text_faults: TextFaults,
    pub(super) has_tools: bool,
    pub(super) has_resources: bool,
    pub(super) has_prompts: bool,
    /// The field of the answer that is missing or has a wrong type.
    pub(super) misshapen: Option<&'static str>,
    pub(super) broken_rules: Vec<ConformanceRule>,
}

/// A server's `serverInfo`, truncated to what is stored.
fn identity(info: &Value) -> Facts {
    Facts {
        name: text(info, "title", 120).or_else(|| text(info, "name", 120)),
        description: text(info, "description", 1000),
        version: text(info, "version", 60),
        website: info.get("websiteUrl").and_then(Value::as_str).and_then(page),
        ..Facts::default()
    }
}

/// `websiteUrl` is a URL by the schema, but some servers send anything.
fn page(text: &str) -> Option<String> {
    let url = url::Url::parse(text.trim()).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.as_str().len() <= MAX_URL_BYTES).then(|| url.into())
}

#[derive(Debug)]
pub(super) enum Opened {
    Session(Box<Session>),
    Refused(Box<Answer>, RpcReply),
    /// No answer in the time of this attempt, but time is left for another.
    Silence,
    /// No answer, and no other attempt is possible.
    Nothing(FetchError),
}

impl Session {
    /// The server refuses the `Accept` of every client, and accepts only a single media type.
    pub(super) fn is_picky(&self) -> bool {
        self.accept != ACCEPT
    }

    /// `params` is an object; an empty one is left out where clients do so.
    pub(super) fn request(&self, id: u64, method: &str, params: Value) -> Request {
        match self.era {
            Era::Modern => modern(&self.url, id, method, params, &self.opening.version),
            Era::Legacy => {
                let mut body = json!({"jsonrpc": "2.0", "id": id, "method": method});
                if params.as_object().is_some_and(|params| !params.is_empty()) {
                    body["params"] = params;
                }
                self.within(streamed(Request::post_json(self.url.clone(), &body), id, self.accept))
            }
        }
    }

    /// Sends a request of this session, and polls for its reply if the server postpones it.
    pub(super) async fn send(
        &self,
        peer: &mut Conversation<'_>,
        id: u64,
        method: &str,
        params: Value,
    ) -> Result<Answer, FetchError> {
        let answer = peer.send(self.request(id, method, params)).await?;
        Ok(match self.era {
            Era::Legacy => polled(peer, answer, id, |request| self.within(request)).await,
            Era::Modern => answer,
        })
    }

    pub(super) fn notify(&self, method: &str) -> Request {
        let body = json!({"jsonrpc": "2.0", "method": method});
        let request = Request::post_json(self.url.clone(), &body).with_header("accept", self.accept);
        // The status is the whole answer to a notification, and some servers never end the body.
        self.within(request.head_only().with_deadline(Duration::from_secs(4)))
    }

    fn within(&self, request: Request) -> Request {
        in_session(request.with_header("mcp-protocol-version", &self.opening.version), self.id.as_deref())
    }
}

fn in_session(request: Request, id: Option<&str>) -> Request {
    match id {
        Some(id) => request.with_header(SESSION_ID, id),
        None => request,
    }
}

/// The answer with the reply to request `id`. A server may end a stream before its reply, and the client polls for it (MCP
/// 2025-11-25, basic/transports). Without an answer to the poll, the first answer is returned.
async fn polled(
    peer: &mut Conversation<'_>,
    mut answer: Answer,
    id: u64,
    within: impl Fn(Request) -> Request,
) -> Answer {
    // A server that postpones its reply again and again holds up the probe.
    for _ in 0..3 {
        let Some(resumption) = postponed(&answer, id) else { return answer };
        if !peer.may_send(1) || !peer.wait(resumption.retry).await {
            return answer;
        }
        let poll = Request::get(answer.target.clone())
            .with_header("last-event-id", &resumption.last_event)
            .with_deadline(PROBE)
            .with_max_bytes(MAX_ENDPOINT_ANSWER_BYTES)
            .with_follow(Follow::SameOriginOnce);
        match peer.send(within(streamed(poll, id, "text/event-stream"))).await {
            Ok(next) if next.status.is_success() => answer = next,
            _ => return answer,
        }
    }
    answer
}

/// Where a stream continues that ended without the reply to request `id`.
pub(super) fn postponed(answer: &Answer, id: u64) -> Option<sse::Resumption> {
    let is_stream = answer.status.is_success() && answer.content_type() == "text/event-stream";
    (is_stream && !sse::has_reply(&answer.body, id)).then(|| sse::Resumption::of(&answer.body))?
}

/// Tries again with the server's version if the refusal names one.
pub(super) async fn discover(peer: &mut Conversation<'_>, url: &Target) -> Opened {
    let opened = discover_as(peer, url, MODERN).await;
    if let Opened::Refused(_, reply) = &opened
        && let RpcOutcome::Error(error) = &reply.outcome
        && error.code == UNSUPPORTED_VERSION
        && let Some(offered) = error.supported.iter().find(|version| is_modern(version))
    {
        return discover_as(peer, url, offered).await;
    }
    opened
}

async fn discover_as(peer: &mut Conversation<'_>, url: &Target, version: &str) -> Opened {
    let id = peer.id();
    // Some older servers never answer a method that they do not know.
    let request =
        modern(url, id, "server/discover", json!({}), version).with_deadline(Duration::from_secs(4));
    let answer = match peer.send(request).await {
        Ok(answer) => answer,
        Err(FetchError::Timeout { .. } | FetchError::Broken) if !peer.left().is_zero() => {
            return Opened::Silence;
        }
        Err(error) => return Opened::Nothing(error),
    };
    let asked = version.to_owned();
    let (reply, opening) = read_opening(peer, &answer, id, move |result| discovered(result, &asked)).await;
    opened(Era::Modern, answer, reply, opening, ACCEPT)
}

fn discovered(result: &Value, asked: &str) -> Option<Opening> {
    let supported = texts(result.get("supportedVersions"));
    // Some servers answer any method with a result; and some list only older revisions.
    let spoken = supported
        .iter()
        .find(|listed| *listed == asked)
        .or_else(|| supported.iter().find(|version| is_modern(version)))?;
    Some(Opening {
        version: spoken.clone(),
        info: identity(info_of_discover(result)),
        text_faults: document_texts::of_opening(result),
        has_tools: !result["capabilities"]["tools"].is_null(),
        has_resources: !result["capabilities"]["resources"].is_null(),
        has_prompts: !result["capabilities"]["prompts"].is_null(),
        misshapen: misshapen_discover(result),
        broken_rules: modern_faults(result),
        supported: supported.iter().filter(|version| is_revision(version)).take(10).cloned().collect(),
    })
}

/// The reply in an answer, with the rules of the transport that it breaks: clients look at the status and at the content type
/// before they read a result (MCP 2025-11-25, basic/transports, "Sending messages").
pub(super) fn reply_in(answer: &Answer, id: u64, left: &mut usize) -> RpcReply {
    let mut reply = parse_reply(Some(answer.content_type()), &answer.body, id, left);
    if matches!(reply.outcome, RpcOutcome::Result(_)) {
        let form = if reply.streamed { "text/event-stream" } else { "application/json" };
        if !answer.status.is_success() || answer.status.as_u16() == 202 {
            reply.broken_rules.push(ConformanceRule::Status);
        }
        if answer.content_type() != form {
            reply.broken_rules.push(ConformanceRule::ContentType);
        }
    }
    reply
}

/// Reads the reply to an opening, without keeping the result, which may be long.
async fn read_opening(
    peer: &mut Conversation<'_>,
    answer: &Answer,
    id: u64,
    take: impl FnOnce(&Value) -> Option<Opening> + Send + 'static,
) -> (RpcReply, Option<Opening>) {
    let read = peer.read(answer, move |answer, budget| {
        let reply = reply_in(answer, id, &mut budget.values);
        let opening = match &reply.outcome {
            RpcOutcome::Result(result) => take(result),
            _ => None,
        };
        (reply.without_result(), opening)
    });
    read.await
}

fn opened(
    era: Era,
    answer: Answer,
    reply: RpcReply,
    opening: Option<Opening>,
    accept: &'static str,
) -> Opened {
    let Some(mut opening) = opening else { return Opened::Refused(Box::new(answer.head()), reply) };
    opening.broken_rules = reply.broken_rules.into_iter().chain(opening.broken_rules).collect();
    let (url, streamed) = (answer.target, reply.streamed);
    Opened::Session(Box::new(Session { era, url, id: None, opening, streamed, accept }))
}

/// Tries again with a version that the refusal offers, or with a single media type.
pub(super) async fn initialize(peer: &mut Conversation<'_>, url: &Target) -> Opened {
    let opened = initialize_as(peer, url, LEGACY, ACCEPT).await;
    let Opened::Refused(answer, reply) = &opened else { return opened };
    if answer.status.as_u16() == 406 && peer.may_send(1) {
        return match initialize_as(peer, url, LEGACY, "application/json").await {
            again @ Opened::Session(_) => again,
            _ => opened,
        };
    }
    let is_other =
        |version: &&String| is_revision(version) && *version != LEGACY && version.as_str() < MODERN;
    if let RpcOutcome::Error(error) = &reply.outcome
        && let Some(offered) = error.supported.iter().filter(is_other).max()
    {
        return initialize_as(peer, url, offered, ACCEPT).await;
    }
    opened
}

async fn initialize_as(
    peer: &mut Conversation<'_>,
    url: &Target,
    version: &str,
    accept: &'static str,
) -> Opened {
    let id = peer.id();
    let body = json!({
        "jsonrpc": "2.0", "id": id, "method": "initialize",
        "params": {"protocolVersion": version, "capabilities": {}, "clientInfo": client()},
    });
    let answer = match peer.send(streamed(Request::post_json(url.clone(), &body), id, accept)).await {
        Ok(answer) => answer,
        Err(error) => return Opened::Nothing(error),
    };
    let session = answer.header(SESSION_ID).map(str::to_owned);
    let answer = polled(peer, answer, id, |request| in_session(request, session.as_deref())).await;
    let (reply, opening) = read_opening(peer, &answer, id, initialized).await;
    match opened(Era::Legacy, answer, reply, opening, accept) {
        Opened::Session(opened) => Opened::Session(Box::new(Session { id: session, ..*opened })),
        other => other,
    }
}

fn initialized(result: &Value) -> Option<Opening> {
    // Old servers answer 2024-11-05 whatever is requested, which is allowed.
    let spoken = result["protocolVersion"].as_str().filter(|version| is_revision(version))?;
    Some(Opening {
        version: spoken.to_owned(),
        supported: Vec::new(),
        info: identity(&result["serverInfo"]),
        text_faults: document_texts::of_opening(result),
        has_tools: !result["capabilities"]["tools"].is_null(),
        has_resources: !result["capabilities"]["resources"].is_null(),
        has_prompts: !result["capabilities"]["prompts"].is_null(),
        misshapen: misshapen_initialize(result),
        broken_rules: (!REVISIONS.contains(&spoken) || is_modern(spoken))
            .then_some(ConformanceRule::Revision)
            .into_iter()
            .collect(),
    })
}

fn modern(url: &Target, id: u64, method: &str, mut params: Value, version: &str) -> Request {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": client(),
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    streamed(Request::post_json(url.clone(), &body), id, ACCEPT)
        .with_header("mcp-protocol-version", version)
        .with_header("mcp-method", method)
}

fn streamed(request: Request, id: u64, accept: &str) -> Request {
    request.with_header("accept", accept).until(sse::until_reply(id))
}

fn client() -> Value {
    json!({"name": "agent-and-mcp-registry", "title": "Agent and MCP Registry", "version": registry_model::VERSION})
}

pub(super) fn record_form(
    peer: &mut Conversation<'_>,
    streamed: bool,
    broken: &[ConformanceRule],
    method: &str,
) {
    if streamed {
        peer.findings.signal("sse_answer");
        peer.findings.hint("sse");
    }
    peer.findings.broken(broken, &format!("in the reply to {method}"));
}

pub(super) fn describe(answer: &Answer, reply: &RpcReply) -> String {
    match &reply.outcome {
        RpcOutcome::Error(error) => format!("HTTP {}, {}", answer.status.as_u16(), error.line()),
        _ => excerpt(answer),
    }
}

/// A revision is named by a date.
pub(super) fn is_revision(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

fn is_modern(version: &str) -> bool {
    is_revision(version) && version >= MODERN
}

/// What every cacheable result of the modern era must contain (MCP 2026-07-28, server/utilities/caching).
pub(super) fn modern_faults(result: &Value) -> Vec<ConformanceRule> {
    let mut faults = Vec::new();
    if !result["resultType"].is_string() {
        faults.push(ConformanceRule::ResultType);
    }
    let scoped = matches!(result["cacheScope"].as_str(), Some("public" | "private"));
    if result["ttlMs"].as_u64().is_none() || !scoped {
        faults.push(ConformanceRule::Caching);
    }
    faults
}

pub(super) fn misshapen_initialize(result: &Value) -> Option<&'static str> {
    misshapen_common(result).or_else(|| misshapen_identity(&result["serverInfo"], "serverInfo"))
}

/// The same for `server/discover`. Its identity is optional, and clients ignore one that they cannot read.
pub(super) fn misshapen_discover(result: &Value) -> Option<&'static str> {
    let listed = result["supportedVersions"].as_array();
    let texts = listed.is_some_and(|versions| versions.iter().all(Value::is_string));
    misshapen_common(result).or(if texts { None } else { Some("supportedVersions") })
}

/// The identity in a result of `server/discover`. The schema of MCP 2026-07-28 has it in `_meta`. Servers that follow the
/// tutorial of the specification have it in the result itself.
pub(super) fn info_of_discover(result: &Value) -> &Value {
    let in_meta = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
    if in_meta.is_null() { &result["serverInfo"] } else { in_meta }
}

fn misshapen_common(result: &Value) -> Option<&'static str> {
    // Every capability is an object of its own (`ServerCapabilities`). To most clients, null is one that is left out.
    let capabilities = result["capabilities"].as_object();
    if !capabilities.is_some_and(|all| {
        let known = ["experimental", "logging", "completions", "prompts", "resources", "tools"];
        known.iter().all(|name| all.get(*name).is_none_or(|one| one.is_object() || one.is_null()))
    }) {
        return Some("capabilities");
    }
    is_other_than_text(&result["instructions"]).then_some("instructions")
}

fn misshapen_identity(info: &Value, place: &'static str) -> Option<&'static str> {
    let named = info["name"].is_string() && info["version"].is_string();
    let described =
        ["title", "description", "websiteUrl"].iter().all(|field| !is_other_than_text(&info[*field]));
    (!named || !described).then_some(place)
}

/// True for a field that is present and not a text. Some frameworks write null for fields that they leave out.
pub(super) fn is_other_than_text(value: &Value) -> bool {
    !value.is_null() && !value.is_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn capability_that_is_null_counts_as_left_out() {
        let of = |tools: Value| misshapen_common(&json!({ "capabilities": { "tools": tools } }));
        assert_eq!((of(Value::Null), of(json!([]))), (None, Some("capabilities")));
    }

    #[test]
    fn identity_is_read_in_both_places_and_meta_comes_first() {
        let info = |name: &str| json!({ "name": name, "version": "1" });
        let mut result = json!({ "serverInfo": info("tutorial") });
        assert_eq!(info_of_discover(&result)["name"], "tutorial");
        result["_meta"] = json!({ "io.modelcontextprotocol/serverInfo": info("schema") });
        assert_eq!(info_of_discover(&result)["name"], "schema");
        assert!(info_of_discover(&json!({})).is_null());
    }
}
