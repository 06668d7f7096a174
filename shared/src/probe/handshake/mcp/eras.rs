//! The two ways a conversation in MCP is opened: `server/discover` (2026-07-28) and `initialize` (before it).
//! Requests have the exact shapes of the official clients, so that what answers them answers every client.

use std::time::Duration;

use serde_json::{Value, json};

use super::opening;
use crate::fetch::{Answer, FetchError, Request, Target};
use crate::model::TextFaults;
use crate::probe::checks::documents;
use crate::probe::handshake::conversation::{Conversation, excerpt};
use crate::probe::handshake::jsonrpc::{RpcOutcome, RpcReply, parse_reply, texts};
use crate::probe::handshake::sse;
use crate::probe::reasons::ConformanceRule;

/// The stateless revision, and the first of its era.
pub(super) const MODERN: &str = "2026-07-28";
/// The newest revision of the era before, which servers of all of it know how to answer.
const LEGACY: &str = "2025-11-25";

/// A header differs from the body (MCP 2026-07-28, basic/transports).
pub(super) const HEADER_MISMATCH: i64 = -32020;
/// A capability is demanded that was not declared.
pub(super) const MISSING_CAPABILITY: i64 = -32021;
/// The protocol version is not spoken; `data.supported` names those that are.
const UNSUPPORTED_VERSION: i64 = -32022;

/// How long `server/discover` may take: some older servers never answer a method that they do not know.
const DISCOVER: Duration = Duration::from_secs(4);

/// The published revisions (modelcontextprotocol.io, specification). Official clients end
/// the conversation where another one is named.
const REVISIONS: [&str; 6] = [MODERN, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

const ACCEPT: &str = "application/json, text/event-stream";

/// The two eras.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// 2026-07-28 and later: no handshake, every request is independent.
    Modern,
    /// 2024-11-05 to 2025-11-25: `initialize`, perhaps a session.
    Legacy,
}

/// A conversation that was opened.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) era: Era,
    /// The revision that is spoken.
    pub(super) version: String,
    /// Revisions that the server lists besides.
    pub(super) supported: Vec<String>,
    /// Where it answered, after a redirect.
    pub(super) url: Target,
    /// `Mcp-Session-Id`, to be echoed.
    pub(super) id: Option<String>,
    /// Its `serverInfo`.
    pub(super) info: Value,
    /// What is wrong with the texts of the answer, instructions included.
    pub(super) text_faults: TextFaults,
    /// It announces tools.
    pub(super) has_tools: bool,
    /// The opening was answered by an event stream.
    pub(super) streamed: bool,
    /// The field of the answer that is missing or of a wrong type.
    pub(super) misshapen: Option<&'static str>,
    /// The rules that the answer to the opening breaks.
    pub(super) broken_rules: Vec<ConformanceRule>,
    /// The `Accept` that it takes.
    accept: &'static str,
}

/// What an attempt to open a conversation brought.
#[derive(Debug)]
pub(super) enum Opened {
    /// It is open.
    Session(Box<Session>),
    /// It was answered otherwise.
    Refused(Box<Answer>, RpcReply),
    /// It was not answered in the time that the attempt had, and the rest is left.
    Silence,
    /// It was not answered, and no other attempt will be.
    Nothing(FetchError),
}

impl Session {
    /// It refuses what every client accepts, and takes one media type alone.
    pub(super) fn is_picky(&self) -> bool {
        self.accept != ACCEPT
    }

    /// A request within the conversation. `params` is an object; empty ones are left out where clients do so.
    pub(super) fn request(&self, id: u64, method: &str, params: Value) -> Request {
        match self.era {
            Era::Modern => modern(&self.url, id, method, params, &self.version),
            Era::Legacy => {
                let mut body = json!({"jsonrpc": "2.0", "id": id, "method": method});
                if params.as_object().is_some_and(|params| !params.is_empty()) {
                    body["params"] = params;
                }
                self.within(streamed(Request::post_json(self.url.clone(), &body), id, self.accept))
            }
        }
    }

    /// A notification within a legacy conversation.
    pub(super) fn notify(&self, method: &str) -> Request {
        let body = json!({"jsonrpc": "2.0", "method": method});
        let request = Request::post_json(self.url.clone(), &body).with_header("accept", self.accept);
        self.within(request)
    }

    fn within(&self, request: Request) -> Request {
        let request = request.with_header("mcp-protocol-version", &self.version);
        match &self.id {
            Some(id) => request.with_header("mcp-session-id", id),
            None => request,
        }
    }
}

/// Opens a modern conversation, a second time with a version of the server's choice where it names one.
pub(super) async fn discover(talk: &mut Conversation<'_>, url: &Target) -> Opened {
    let opened = discover_as(talk, url, MODERN).await;
    if let Opened::Refused(_, reply) = &opened
        && let RpcOutcome::Error(error) = &reply.outcome
        && error.code == UNSUPPORTED_VERSION
        && let Some(offered) =
            error.supported().into_iter().find(|version| is_modern(version) && version != MODERN)
    {
        return discover_as(talk, url, &offered).await;
    }
    opened
}

async fn discover_as(talk: &mut Conversation<'_>, url: &Target, version: &str) -> Opened {
    let id = talk.id();
    let request = modern(url, id, "server/discover", json!({}), version).with_deadline(DISCOVER);
    let answer = match talk.ask(request).await {
        Ok(answer) => answer,
        Err(FetchError::Timeout { .. } | FetchError::Broken) if !talk.left().is_zero() => {
            return Opened::Silence;
        }
        Err(error) => return Opened::Nothing(error),
    };
    let reply = parse_reply(Some(answer.content_type()), &answer.body, id);
    let RpcOutcome::Result(result) = &reply.outcome else { return Opened::Refused(Box::new(answer), reply) };
    let supported = texts(result.get("supportedVersions"));
    // Some servers answer any method with a result; and one may list nothing but older revisions.
    let Some(spoken) = supported
        .iter()
        .find(|listed| *listed == version)
        .or_else(|| supported.iter().find(|v| is_modern(v)))
    else {
        return Opened::Refused(Box::new(answer), reply);
    };
    Opened::Session(Box::new(Session {
        era: Era::Modern,
        version: spoken.clone(),
        url: answer.target.clone(),
        id: None,
        info: result["_meta"]["io.modelcontextprotocol/serverInfo"].clone(),
        text_faults: documents::of_opening(result),
        has_tools: result["capabilities"].get("tools").is_some(),
        streamed: reply.streamed,
        broken_rules: reply.broken_rules.iter().copied().chain(opening::modern_faults(result)).collect(),
        misshapen: opening::misshapen_discover(result),
        accept: ACCEPT,
        supported: supported.iter().filter(|version| is_revision(version)).take(10).cloned().collect(),
    }))
}

/// Opens a legacy conversation: once more with a version that the refusal offers, or with one media type alone.
pub(super) async fn initialize(talk: &mut Conversation<'_>, url: &Target) -> Opened {
    let opened = initialize_as(talk, url, LEGACY, ACCEPT).await;
    let Opened::Refused(answer, reply) = &opened else { return opened };
    if answer.status.as_u16() == 406 && talk.may_ask(1) {
        return match initialize_as(talk, url, LEGACY, "application/json").await {
            again @ Opened::Session(_) => again,
            _ => opened,
        };
    }
    if let RpcOutcome::Error(error) = &reply.outcome
        && let Some(offered) =
            error.supported().into_iter().filter(|version| is_legacy(version) && version != LEGACY).max()
    {
        return initialize_as(talk, url, &offered, ACCEPT).await;
    }
    opened
}

async fn initialize_as(
    talk: &mut Conversation<'_>,
    url: &Target,
    version: &str,
    accept: &'static str,
) -> Opened {
    let id = talk.id();
    let body = json!({
        "jsonrpc": "2.0", "id": id, "method": "initialize",
        "params": {"protocolVersion": version, "capabilities": {}, "clientInfo": client()},
    });
    let answer = match talk.ask(streamed(Request::post_json(url.clone(), &body), id, accept)).await {
        Ok(answer) => answer,
        Err(error) => return Opened::Nothing(error),
    };
    let reply = parse_reply(Some(answer.content_type()), &answer.body, id);
    let RpcOutcome::Result(result) = &reply.outcome else { return Opened::Refused(Box::new(answer), reply) };
    // Old servers answer 2024-11-05 whatever is asked; that is their right.
    let Some(spoken) = result["protocolVersion"].as_str().filter(|version| is_revision(version)) else {
        return Opened::Refused(Box::new(answer), reply);
    };
    let unknown_revision =
        Some(ConformanceRule::Revision).filter(|_| !REVISIONS.contains(&spoken)).into_iter();
    Opened::Session(Box::new(Session {
        era: Era::Legacy,
        version: spoken.to_owned(),
        supported: Vec::new(),
        url: answer.target.clone(),
        id: answer.header("mcp-session-id").map(str::to_owned),
        info: result["serverInfo"].clone(),
        text_faults: documents::of_opening(result),
        has_tools: result["capabilities"].get("tools").is_some(),
        streamed: reply.streamed,
        misshapen: opening::misshapen_initialize(result),
        broken_rules: unknown_revision.chain(reply.broken_rules.iter().copied()).collect(),
        accept,
    }))
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

/// A stream is read no further than the reply.
fn streamed(request: Request, id: u64, accept: &str) -> Request {
    request.with_header("accept", accept).until(move |body| sse::has_reply(body, id))
}

fn client() -> Value {
    json!({"name": "agent-and-mcp-registry", "title": "Agent and MCP Registry", "version": crate::VERSION})
}

/// Notes how a reply came, and which rules it breaks.
pub(super) fn note(talk: &mut Conversation<'_>, streamed: bool, broken: &[ConformanceRule], method: &str) {
    if streamed {
        talk.findings.signal("sse_answer");
        talk.findings.hint("sse");
    }
    talk.findings.broken(broken, &format!("in the reply to {method}"));
}

/// One line on a refusal, for `seen`.
pub(super) fn seen(answer: &Answer, reply: &RpcReply) -> String {
    match &reply.outcome {
        RpcOutcome::Error(error) => format!("HTTP {}, {}", answer.status.as_u16(), error.line()),
        _ => excerpt(answer),
    }
}

/// Whether a text is the name of a revision: a date.
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

fn is_legacy(version: &str) -> bool {
    is_revision(version) && version < MODERN
}
