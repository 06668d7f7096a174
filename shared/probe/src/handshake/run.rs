//! Runs one handshake. The kind of the listing decides which protocol is used. The run always returns a result,
//! whatever the peer does. The findings are stored outside the conversation, so that a timeout loses none of them.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::conversation::{Conversation, Slots, excerpt, fault_of, no_answer_text, refusal};
use super::findings::Findings;
use super::preflight::pass;
use super::subject::Subject;
use super::{detect_kind, mcp};
use crate::reasons::{ProbeFault, ProbedResource, Stage};
use registry_fetch::{Answer, FetchError, Fetcher, PROBE, Request};
use registry_model::{Handshake, Kind, ProbeStep, Random, Verdict};

/// Runs the preflight, and then the handshake within [`PROBE`] in total. After a timeout, the findings until then are the
/// result. Also returns what was sent and received.
pub(crate) async fn probe_with_transcript(
    fetcher: &Fetcher,
    subject: &Subject,
    random: &Random,
) -> (Verdict, Vec<ProbeStep>) {
    let mut findings = Findings::default();
    if let Ok(card) = pass(fetcher, subject, &mut findings).await {
        probe_within(PROBE, fetcher, subject, card, random, &mut findings, None).await;
    }
    let exchanges = findings.take_exchanges();
    (findings.into_verdict(), exchanges)
}

/// Runs the handshake within a sweep, with a slot for every host that is called. `card` was fetched by the preflight.
/// `None` if no slot became free in time; this says nothing about the peer.
pub(crate) async fn probe_in_sweep(
    fetcher: &Fetcher,
    subject: &Subject,
    card: Option<Answer>,
    random: &Random,
    slots: Slots<'_>,
) -> Option<Verdict> {
    let mut findings = Findings::default();
    let finished = probe_within(PROBE, fetcher, subject, card, random, &mut findings, Some(slots)).await;
    finished.then(|| findings.into_verdict())
}

/// False if a host had no slot in time.
pub(super) async fn probe_within(
    limit: Duration,
    fetcher: &Fetcher,
    subject: &Subject,
    card: Option<Answer>,
    random: &Random,
    findings: &mut Findings,
    slots: Option<Slots<'_>>,
) -> bool {
    findings.facts.kind = subject.kind;
    let mut peer = Conversation::new(fetcher, random, findings, limit, slots);
    // The conversation keeps its own deadline; this is only a safeguard.
    let now = Instant::now();
    let latest = slots.map_or(now, |slots| slots.until.max(now)) + limit;
    if timeout_at(latest, converse(&mut peer, subject, card)).await.is_err() {
        peer.findings.fault(&ProbeFault::ProbeTimeout, "");
    }
    !peer.lacked_slot()
}

async fn converse(peer: &mut Conversation<'_>, subject: &Subject, card: Option<Answer>) {
    match (card, subject.kind) {
        (Some(answer), _) => look_for_agent(peer, subject, Ok(answer)).await,
        (None, Some(Kind::Mcp)) if subject.may_be_at_endpoint() => look_for_server(peer, subject).await,
        // A card, or a document that names the server; the server itself is asked again in each probe.
        (None, Some(Kind::Agent | Kind::Mcp)) => {
            let answer = peer.send(Request::get(subject.url.clone())).await;
            look_for_agent(peer, subject, answer).await;
        }
        (None, None) => detect_kind::probe(peer, subject).await,
    }
}

/// An agent by its card; if there is no card, perhaps an MCP server.
async fn look_for_agent(peer: &mut Conversation<'_>, subject: &Subject, card: Result<Answer, FetchError>) {
    match card {
        Ok(answer) if answer.status.is_success() => {
            detect_kind::probe_card(peer, subject, &subject.url, &answer).await
        }
        Ok(answer) => {
            peer.findings.fault(&refusal(&answer, ProbedResource::Card), &excerpt(&answer));
        }
        Err(error) => {
            let fault = fault_of(&error, ProbedResource::Card, Stage::Probe);
            return peer.findings.fault(&fault, &no_answer_text(&error));
        }
    }
    let is_known = peer.findings.speaks || peer.findings.has_signal("card_ok");
    if subject.may_be(Kind::Mcp) && !is_known && !peer.findings.is_inconclusive() {
        let faults = peer.findings.take_faults();
        mcp::probe(peer, subject).await;
        if peer.findings.speaks {
            peer.findings.facts.kind = Some(Kind::Mcp);
            peer.findings.facts.card_url = None;
        } else {
            peer.findings.put_back(faults);
        }
    }
}

/// An MCP server; if nothing speaks MCP, perhaps there is an agent's card, or the server at its usual path.
async fn look_for_server(peer: &mut Conversation<'_>, subject: &Subject) {
    mcp::probe(peer, subject).await;
    if peer.findings.speaks
        || detect_kind::server_of_site(peer, subject).await
        || peer.findings.worst() != Handshake::Fail
        || peer.findings.is_inconclusive()
    {
        return;
    }
    let at_url =
        if subject.may_be(Kind::Agent) { detect_kind::card_at(peer, &subject.url).await } else { None };
    let card = match at_url {
        Some(answer) => Some((subject.url.clone(), answer)),
        None => detect_kind::card_that_names(peer, subject).await,
    };
    if let Some((card_url, answer)) = card {
        peer.findings.take_faults();
        peer.findings.facts.endpoint = None;
        return detect_kind::probe_card(peer, subject, &card_url, &answer).await;
    }
    detect_kind::suggest_endpoint(peer, subject).await;
}
