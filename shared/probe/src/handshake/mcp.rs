//! The conversation with an MCP server: it reads the identity of the server and the list of its tools, and
//! never calls a tool. MCP has two eras, before and since 2026-07-28. They are tried one after the other,
//! because a single error does not show which era the server supports.

pub(super) mod auth;
mod contents;
mod eras;
mod sign_in;
#[cfg(test)]
mod tests;
mod tools;

use std::sync::Arc;
use std::time::Duration;

use super::conversation::{Conversation, fault_of, guard, no_answer_text, refusal};
use super::jsonrpc::{METHOD_NOT_FOUND, PARSE_ERROR, RpcOutcome, RpcReply};
use super::preflight::is_templated;
use super::sse;
use super::subject::{Depth, Subject};
use crate::reasons::{ConformanceRule, ProbeFault, ProbedResource, Stage};
use eras::{Era, MODERN, Opened, Session};
use registry_fetch::{Answer, MAX_ENDPOINT_ANSWER_BYTES, Request, Target};
use registry_model::{DeclaredTransport, NO_TOOLS};
use tools::SessionLost;

/// A2A specification 5.4.
const A2A_VERSION_NOT_SUPPORTED: i64 = -32009;

/// Why a server refused an era: the row of the decision table that applies if it refuses both.
#[derive(Debug)]
struct EraRefusal {
    fault: ProbeFault,
    seen: String,
    /// The transport may be the cause, so a GET may open HTTP+SSE.
    transport: bool,
    /// The exchange in which the server refused.
    exchange: usize,
}

pub(super) async fn probe(peer: &mut Conversation<'_>, subject: &Subject) {
    if subject.declared == DeclaredTransport::Sse && opens_stream(peer, &subject.url).await {
        return sse_only(peer, subject);
    }
    let legacy_first = subject.last_era.as_deref().is_some_and(|era| eras::is_revision(era) && era < MODERN);
    let order = if legacy_first { [Era::Legacy, Era::Modern] } else { [Era::Modern, Era::Legacy] };
    let (mut refused, mut guarded) = (None, None);
    for era in order {
        let opened = match era {
            Era::Modern => eras::discover(peer, &subject.url).await,
            Era::Legacy => eras::initialize(peer, &subject.url).await,
        };
        match opened {
            Opened::Session(session) => return converse(peer, subject, *session).await,
            Opened::Nothing(error) => {
                let fault = fault_of(&error, ProbedResource::Remote, Stage::Probe);
                return peer.findings.fault(&fault, &no_answer_text(&error));
            }
            // Without an answer to `server/discover`, `initialize` may still succeed.
            Opened::Silence => {}
            // A guard may protect only the method that it does not know.
            Opened::Refused(answer, reply)
                if era == Era::Modern && asks_for_credentials(&answer) && !legacy_first =>
            {
                guarded = Some((answer, reply, peer.findings.current_exchange()));
            }
            Opened::Refused(answer, reply) => match classify_refusal(peer, &answer, &reply, era).await {
                Some(found) => refused = stronger_refusal(refused, found, era),
                None => return,
            },
        }
    }
    if let Some((answer, reply, exchange)) = guarded {
        peer.findings.return_to(exchange);
        classify_refusal(peer, &answer, &reply, Era::Modern).await;
        return;
    }
    let Some(refused) = refused else { return };
    if refused.transport
        && subject.declared != DeclaredTransport::Sse
        && opens_stream(peer, &subject.url).await
    {
        return sse_only(peer, subject);
    }
    peer.findings.return_to(refused.exchange);
    peer.findings.fault(&refused.fault, &refused.seen);
}

/// By its status; it may ask for payment instead.
fn asks_for_credentials(answer: &Answer) -> bool {
    matches!(answer.status.as_u16(), 401..=403 | 407) && guard(answer, ProbedResource::Remote).is_none()
}

/// The refusal of `initialize` counts, unless `server/discover` proved that the server speaks MCP.
fn stronger_refusal(known: Option<EraRefusal>, found: EraRefusal, era: Era) -> Option<EraRefusal> {
    let proves = |refused: &EraRefusal| matches!(refused.fault, ProbeFault::Nonconforming(_));
    match known {
        Some(known) if proves(&known) || (era == Era::Modern && !proves(&found)) => Some(known),
        _ => Some(found),
    }
}

/// Classifies a refusal by the decision table. `None` if it ends the conversation; its fault is then recorded.
async fn classify_refusal(
    peer: &mut Conversation<'_>,
    answer: &Answer,
    reply: &RpcReply,
    era: Era,
) -> Option<EraRefusal> {
    let status = answer.status.as_u16();
    let seen = eras::describe(answer, reply);
    // Only the method that it does not know may be limited: `initialize` is tried, too.
    if guard(answer, ProbedResource::Remote).is_some() || status == 429 && era == Era::Legacy {
        peer.findings.fault(&refusal(answer, ProbedResource::Remote), &seen);
        return None;
    }
    let error = match &reply.outcome {
        RpcOutcome::Error(error) => Some(error),
        _ => None,
    };
    let gated = asks_for_credentials(answer);
    // An unknown method may be refused in any words; every legacy server knows `initialize`.
    if gated || (era == Era::Legacy && error.is_some_and(|error| error.wants_credentials())) {
        auth::record_refusal(peer, answer, error.is_some(), &seen).await;
        return None;
    }
    if reply.outcome == RpcOutcome::TooMuch {
        peer.findings.fault(&ProbeFault::TooMuch, &seen);
        return None;
    }
    let exchange = peer.findings.current_exchange();
    // Some servers refuse a revision in words.
    let refuses_version = seen.to_ascii_lowercase().contains("protocol version");
    let found = |fault, transport| Some(EraRefusal { fault, seen, transport, exchange });
    if let Some(error) = error {
        return match error.code {
            eras::HEADER_MISMATCH | eras::MISSING_CAPABILITY => {
                peer.findings.speaks = true;
                found(ProbeFault::Nonconforming(ConformanceRule::Headers), false)
            }
            // An agent refuses the version of a protocol that it takes for its own.
            A2A_VERSION_NOT_SUPPORTED => found(ProbeFault::NotMcp(status), false),
            _ if status >= 500 => found(refusal(answer, ProbedResource::Remote), false),
            METHOD_NOT_FOUND | PARSE_ERROR => found(ProbeFault::NotMcp(status), era == Era::Legacy),
            _ if status == 406 => {
                peer.findings.speaks |= era == Era::Legacy;
                found(ProbeFault::NotAcceptable { speaks: true }, true)
            }
            _ => {
                peer.findings.speaks |= era == Era::Legacy;
                let fault =
                    if refuses_version { ProbeFault::VersionRefused } else { ProbeFault::InitializeRefused };
                found(fault, matches!(status, 400 | 404 | 405))
            }
        };
    }
    match (&reply.outcome, status) {
        (_, 400) if era == Era::Legacy && refuses_version => found(ProbeFault::VersionRefused, false),
        (RpcOutcome::Broken, 200..=499) => found(ProbeFault::BadJsonRpc, false),
        (_, 200..=299) => found(ProbeFault::NotMcp(status), false),
        (_, 400 | 405) => found(ProbeFault::NotMcp(status), true),
        (_, 404 | 410) => found(refusal(answer, ProbedResource::Remote), true),
        (_, 406) => found(ProbeFault::NotAcceptable { speaks: false }, true),
        (_, 415) => found(ProbeFault::ContentTypeRefused, true),
        _ => found(refusal(answer, ProbedResource::Remote), false),
    }
}

/// Whether an MCP server of either era answers at this URL.
pub(super) async fn opens(peer: &mut Conversation<'_>, url: &Target) -> bool {
    matches!(eras::discover(peer, url).await, Opened::Session(_))
        || matches!(eras::initialize(peer, url).await, Opened::Session(_))
}

fn sse_only(peer: &mut Conversation<'_>, subject: &Subject) {
    let findings = &mut *peer.findings;
    findings.speaks = true;
    findings.signal("sse_endpoint_event");
    findings.hint("mcp/2024-11-05");
    findings.hint("sse");
    findings.version("2024-11-05", true);
    findings.facts.endpoint = Some(subject.url.to_string());
    let fault = match subject.declared {
        DeclaredTransport::StreamableHttp => ProbeFault::WrongTransport,
        DeclaredTransport::Sse | DeclaredTransport::Unknown => ProbeFault::SseLegacy,
    };
    findings.fault(&fault, "GET opens an event stream with an endpoint event");
}

/// Whether a GET opens an HTTP+SSE stream (MCP 2024-11-05, basic/transports).
async fn opens_stream(peer: &mut Conversation<'_>, url: &Target) -> bool {
    let request = Request::get(url.clone())
        .with_header("accept", "text/event-stream")
        .with_deadline(Duration::from_secs(5))
        .with_max_bytes(MAX_ENDPOINT_ANSWER_BYTES)
        .until(sse::until_endpoint());
    match peer.send(request).await {
        Ok(answer) => {
            answer.status.is_success()
                && peer.read(&answer, |answer, _| sse::endpoint(&answer.body).is_some()).await
        }
        Err(_) => false,
    }
}

async fn converse(peer: &mut Conversation<'_>, subject: &Subject, session: Session) {
    let findings = &mut *peer.findings;
    findings.speaks = true;
    findings.facts.endpoint = Some(session.url.to_string());
    if is_templated(&session.url) {
        return findings.fault(&ProbeFault::Templated, session.url.as_str());
    }
    record_session(peer, &session);
    if session.era == Era::Legacy {
        confirm(peer, &session).await;
    }
    let session = list_tools(peer, session).await;
    let both =
        session.era == Era::Modern && subject.depth == Depth::Message && also_legacy(peer, &session).await;
    if subject.depth == Depth::Message && peer.findings.is_clear() {
        contents::read_lists(peer, &session).await;
    }
    if subject.declared == DeclaredTransport::Sse {
        let seen =
            "POST is answered in Streamable HTTP, but GET opens no event stream with an endpoint event";
        peer.findings.fault(&ProbeFault::WrongTransport, seen);
    }
    if peer.findings.is_clear() {
        peer.findings.signal(match session.era {
            _ if both => "ok_dual",
            Era::Modern => "ok_modern",
            Era::Legacy => "ok_legacy",
        });
    }
}

/// Reads the tools. Only what the server offers is asked for (MCP, basic/lifecycle), and a session that it has lost is
/// opened again once (basic/transports, session management).
async fn list_tools(peer: &mut Conversation<'_>, session: Session) -> Session {
    if !session.opening.has_tools {
        peer.findings.signal("no_tools");
        peer.findings.facts.tools_hash = Some(NO_TOOLS.to_owned());
        peer.findings.facts.seen = Some(Arc::new(tools::none()));
        return session;
    }
    let Err(SessionLost) = tools::read_all(peer, &session, true).await else { return session };
    match eras::initialize(peer, &session.url).await {
        Opened::Session(session) => {
            peer.findings.signal("session_lost_once");
            confirm(peer, &session).await;
            // A second loss is a fault of the list.
            let _second = tools::read_all(peer, &session, false).await;
            *session
        }
        Opened::Refused(answer, reply) => {
            let seen = format!("a new session after 404: {}", eras::describe(&answer, &reply));
            peer.findings.fault(&refusal(&answer, ProbedResource::Remote), &seen);
            session
        }
        Opened::Silence | Opened::Nothing(_) => {
            peer.findings.fault(&ProbeFault::ProbeTimeout, "a new session after 404");
            session
        }
    }
}

fn record_session(peer: &mut Conversation<'_>, session: &Session) {
    let findings = &mut *peer.findings;
    findings.hint(format!("mcp/{}", session.opening.version));
    findings.hint("jsonrpc");
    let (method, signal) = match session.era {
        Era::Modern => ("server/discover", "discover_answered"),
        Era::Legacy => ("initialize", "initialize_answered"),
    };
    findings.signal(signal);
    if session.id.is_some() {
        findings.signal("session_id");
    }
    let opening = &session.opening;
    for version in &opening.supported {
        findings.version(version, false);
    }
    findings.version(&opening.version, true);
    let facts = &mut findings.facts;
    facts.name.clone_from(&opening.info.name);
    facts.description.clone_from(&opening.info.description);
    facts.version.clone_from(&opening.info.version);
    facts.website.clone_from(&opening.info.website);
    facts.text_faults.or(opening.text_faults.clone());
    eras::record_form(peer, session.streamed, &opening.broken_rules, method);
    if let Some(field) = opening.misshapen {
        peer.findings.broken(&[ConformanceRule::ResultShape], &format!("{field} in the result of {method}"));
    }
    if session.is_picky() {
        peer.findings.fault(
            &ProbeFault::NotAcceptable { speaks: true },
            "406, unless Accept is application/json alone",
        );
    }
}

async fn confirm(peer: &mut Conversation<'_>, session: &Session) {
    match peer.send(session.notify("notifications/initialized")).await {
        Ok(answer) if matches!(answer.status.as_u16(), 200 | 202 | 204) => {}
        // A busy server breaks no rule; if it stays busy, tools/list fails the same way and records it.
        Ok(answer) if answer.status.is_server_error() || answer.status.as_u16() == 429 => {}
        // The session is lost already, and tools/list finds that out, too.
        Ok(answer) if answer.status.as_u16() == 404 && session.id.is_some() => {}
        Ok(answer) => {
            let seen = format!("notifications/initialized was answered with HTTP {}", answer.status.as_u16());
            peer.findings.broken(&[ConformanceRule::Notification], &seen);
        }
        // Clients wait for the status.
        Err(error) => {
            let fault = fault_of(&error, ProbedResource::Remote, Stage::Probe);
            peer.findings.fault(&fault, &format!("notifications/initialized: {}", no_answer_text(&error)));
        }
    }
}

/// Whether a modern server also accepts the legacy handshake; its list of versions rarely says so.
async fn also_legacy(peer: &mut Conversation<'_>, session: &Session) -> bool {
    if !peer.may_send(1) {
        return false;
    }
    match eras::initialize(peer, &session.url).await {
        Opened::Session(older) => {
            peer.findings.version(&older.opening.version, false);
            peer.findings.facts.text_faults.or(older.opening.text_faults);
            peer.findings.hint(format!("mcp/{}", older.opening.version));
            true
        }
        _ => false,
    }
}
