//! The handshake: a short conversation with a stranger's agent or MCP server, and what it proves.
//! Only questions that cost the peer nothing, and at most one message; never a tool call, never a session ended.

mod a2a;
mod conversation;
mod detect_kind;
mod findings;
mod jsonrpc;
mod mcp;
#[cfg(test)]
mod peer;
mod sse;
#[cfg(test)]
mod tests;

use std::time::Duration;

use tokio::time::timeout;

use crate::fetch::{Answer, FetchError, Fetcher, PREFLIGHT, PROBE, Request, Target};
use crate::model::{DeclaredTransport, Kind, Random, Verdict};
use crate::probe::reasons::{ProbeFault, ProbedResource, Stage};
use conversation::{Conversation, excerpt, fault_of, refusal, retry_after};
use findings::Findings;

/// What is to be probed.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Agent or MCP server; `None` where the probe has to find out.
    pub kind: Option<Kind>,
    /// The URL of the card, of the site, or of the MCP endpoint.
    pub url: Target,
    /// How far to go.
    pub depth: Depth,
    /// The protocol version that it spoke last time: its dialect or era is tried first.
    pub last_era: Option<String>,
    /// The transport that its description declares.
    pub declared: DeclaredTransport,
}

/// How far a probe goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Nothing that leaves a trace at the peer, as long as it understands the question.
    Question,
    /// One harmless text message to an agent besides, and `initialize` to an MCP server of the newest era: for the
    /// first activation and the weekly recheck (design §5 Handshake).
    Message,
}

/// What the preflight learnt, handed on so that nothing is fetched twice.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    card: Option<Answer>,
}

/// The outcome of a preflight.
#[derive(Clone, Debug)]
pub enum Preflight {
    /// It is worth a probe.
    Pass(Opening),
    /// It is known to be dead: no probe budget is spent.
    Reject(Verdict),
}

/// Looks whether a probe is worth its budget, within [`PREFLIGHT`] in all (design §5 Cadence).
///
/// An agent's card is fetched, and any status but 2xx rejects. Of an MCP server only a connection is opened, because
/// HEAD and GET say nothing about an endpoint that takes POST. What cannot be asked at all is a `skip`.
pub async fn preflight(fetcher: &Fetcher, subject: &Subject, _random: &Random) -> Preflight {
    let mut findings = Findings::default();
    findings.facts.kind = subject.kind;
    let resource = if expects_card(subject) { ProbedResource::Card } else { ProbedResource::Remote };
    let (fault, seen) = if is_templated(&subject.url) {
        (ProbeFault::Templated, subject.url.to_string())
    } else {
        match knock(fetcher, subject, resource).await {
            Ok(opening) => match opening.card {
                Some(answer) if !answer.status.is_success() => {
                    findings.answered_before(answer.elapsed);
                    findings.asked_to_wait(retry_after(&answer));
                    findings.facts.card_url = Some(subject.url.to_string());
                    (refusal(&answer, resource), excerpt(&answer))
                }
                card => return Preflight::Pass(Opening { card }),
            },
            Err(error) => (fault_of(&error, resource, Stage::Preflight), error.to_string()),
        }
    };
    findings.signal("preflight_reject");
    findings.fault(&fault, &seen);
    Preflight::Reject(findings.into_verdict())
}

async fn knock(
    fetcher: &Fetcher,
    subject: &Subject,
    resource: ProbedResource,
) -> Result<Opening, FetchError> {
    match resource {
        ProbedResource::Card => {
            let request = Request::get(subject.url.clone()).with_deadline(PREFLIGHT);
            Ok(Opening { card: Some(fetcher.send(request).await?) })
        }
        ProbedResource::Remote => {
            fetcher.connect(&subject.url, PREFLIGHT).await?;
            Ok(Opening::default())
        }
    }
}

/// Does the handshake, within [`PROBE`] in all. Whatever the peer does, there is a verdict: what was found before
/// the time ran out counts.
pub async fn probe(fetcher: &Fetcher, subject: &Subject, opening: Opening, random: &Random) -> Verdict {
    probe_within(PROBE, fetcher, subject, opening, random).await
}

async fn probe_within(
    limit: Duration,
    fetcher: &Fetcher,
    subject: &Subject,
    opening: Opening,
    random: &Random,
) -> Verdict {
    let mut findings = Findings::default();
    findings.facts.kind = subject.kind;
    let mut talk = Conversation::new(fetcher, random, &mut findings, limit);
    // The conversation keeps its own time; this is the net beneath it.
    if timeout(limit, hold(&mut talk, subject, opening)).await.is_err() {
        findings.fault(&ProbeFault::ProbeTimeout { ms: PROBE.as_millis() }, "");
    }
    findings.into_verdict()
}

async fn hold(talk: &mut Conversation<'_>, subject: &Subject, opening: Opening) {
    match (opening.card, subject.kind) {
        (Some(answer), _) => a2a::probe(talk, subject, &subject.url, &answer).await,
        (None, Some(Kind::Agent)) => match talk.ask(Request::get(subject.url.clone())).await {
            Ok(answer) if answer.status.is_success() => {
                a2a::probe(talk, subject, &subject.url, &answer).await
            }
            Ok(answer) => talk.findings.fault(&refusal(&answer, ProbedResource::Card), &excerpt(&answer)),
            Err(error) => {
                talk.findings
                    .fault(&fault_of(&error, ProbedResource::Card, Stage::Probe), &error.to_string());
            }
        },
        (None, Some(Kind::Mcp)) => mcp::probe(talk, subject).await,
        (None, None) => detect_kind::probe(talk, subject).await,
    }
}

/// An agent's URL, or one of unknown kind whose path ends like a card's.
fn expects_card(subject: &Subject) -> bool {
    match subject.kind {
        Some(kind) => kind == Kind::Agent,
        None => subject.url.url().path().ends_with(".json"),
    }
}

/// A placeholder in braces, as server descriptions write it; the URL parser has escaped it.
fn is_templated(url: &Target) -> bool {
    let text = url.as_str().to_ascii_lowercase().replace("%7b", "{").replace("%7d", "}");
    text.find('{').is_some_and(|open| text[open..].contains('}'))
}
