//! Runs one handshake: picks the protocol by the subject's kind, and ends in a verdict whatever the peer does.
//! The findings live outside the conversation, so that a deadline loses none of them.

use std::time::Duration;

use tokio::time::timeout;

use super::conversation::{Conversation, excerpt, fault_of, refusal};
use super::findings::Findings;
use super::subject::Subject;
use super::{a2a, detect_kind, mcp};
use crate::fetch::{Answer, Fetcher, PROBE, Request};
use crate::model::{Kind, Random, Verdict};
use crate::probe::reasons::{ProbeFault, ProbedResource, Stage};

/// Does the handshake, within [`PROBE`] in all. `card` is what the preflight fetched. What was found before the time
/// ran out counts.
pub async fn probe(fetcher: &Fetcher, subject: &Subject, card: Option<Answer>, random: &Random) -> Verdict {
    probe_within(PROBE, fetcher, subject, card, random).await
}

pub(super) async fn probe_within(
    limit: Duration,
    fetcher: &Fetcher,
    subject: &Subject,
    card: Option<Answer>,
    random: &Random,
) -> Verdict {
    let mut findings = Findings::default();
    findings.facts.kind = subject.kind;
    let mut talk = Conversation::new(fetcher, random, &mut findings, limit);
    // The conversation keeps its own deadline; this one only catches what overruns it.
    if timeout(limit, converse(&mut talk, subject, card)).await.is_err() {
        findings.fault(&ProbeFault::ProbeTimeout { ms: PROBE.as_millis() }, "");
    }
    findings.into_verdict()
}

async fn converse(talk: &mut Conversation<'_>, subject: &Subject, card: Option<Answer>) {
    match (card, subject.kind) {
        (Some(answer), _) => a2a::probe(talk, subject, &subject.url, &answer).await,
        (None, Some(Kind::Agent)) => match talk.ask(Request::get(subject.url.clone())).await {
            Ok(answer) if answer.status.is_success() => {
                a2a::probe(talk, subject, &subject.url, &answer).await
            }
            Ok(answer) => {
                talk.findings.fault(&refusal(&answer, ProbedResource::Card), &excerpt(&answer));
            }
            Err(error) => {
                let fault = fault_of(&error, ProbedResource::Card, Stage::Probe);
                talk.findings.fault(&fault, &error.to_string());
            }
        },
        (None, Some(Kind::Mcp)) => mcp::probe(talk, subject).await,
        (None, None) => detect_kind::probe(talk, subject).await,
    }
}
