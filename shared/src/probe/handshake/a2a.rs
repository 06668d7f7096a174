//! The conversation with an agent: its card, a question that costs it nothing, and, where asked for, one message.
//! A question about a task that cannot exist proves the protocol without work, money or memory on the agent's side.

mod reply;
mod speech;
#[cfg(test)]
mod tests;

use std::time::Duration;

use super::conversation::{Conversation, fault_of};
use super::findings::Findings;
use super::subject::{Depth, Subject};
use crate::fetch::{Answer, FetchError, Target};
use crate::formats::agent_card::{self, AgentCard, Binding, CardFault, Interface};
use crate::model::Kind;
use crate::probe::reasons::{self, ProbeFault, ProbedResource, Stage};
use reply::{Loss, Turn};
use speech::{Carrier, Tongue, Way};

/// How long the question may take: a message must still fit behind one that is never answered.
const QUESTION: Duration = Duration::from_secs(4);

/// Judges the card that `answer` holds, and talks to the agent that it describes.
pub(super) async fn probe(
    talk: &mut Conversation<'_>,
    subject: &Subject,
    card_url: &Target,
    answer: &Answer,
) {
    talk.findings.facts.card_url = Some(card_url.to_string());
    talk.findings.answered_before(answer.elapsed);
    let card = match agent_card::read_body(&answer.body) {
        Ok(card) => card,
        Err(fault) => {
            if matches!(fault, CardFault::Invalid(_)) {
                talk.findings.facts.kind = Some(Kind::Agent);
            }
            for (fault, seen) in reasons::of_card(fault, answer.status.as_u16()) {
                talk.findings.fault(&fault, &seen);
            }
            return;
        }
    };
    take_over(talk.findings, &card);
    match ways(&card, &answer.target, talk, subject.last_era.as_deref()) {
        Ok((first, second)) => {
            talk.findings.facts.endpoint = Some(first.target.to_string());
            converse(talk, subject.depth, first, second).await;
        }
        Err(obstacle) => talk.findings.fault(&obstacle.0, &obstacle.1),
    }
}

/// What the card says goes into the facts, and what it could say better into the warnings.
fn take_over(findings: &mut Findings, card: &AgentCard) {
    findings.facts.kind = Some(Kind::Agent);
    findings.signal("card_ok");
    if card.authenticated {
        findings.signal("auth_declared");
    }
    let facts = &mut findings.facts;
    facts.name = Some(card.name.clone());
    facts.description = Some(card.description.clone()).filter(|text| !text.is_empty());
    facts.version.clone_from(&card.version);
    facts.website = card.documentation_url.clone().or_else(|| card.provider_url.clone());
    facts.skills.clone_from(&card.skills);
    for dialect in &card.dialects {
        findings.version(dialect.as_str(), false);
    }
    for finding in &card.warnings {
        findings.warning(reasons::advice(finding));
    }
}

/// The way to take, and the one to fall back to: JSON-RPC before REST, the dialect of last time before others,
/// then the card's own order.
fn ways(
    card: &AgentCard,
    found_at: &Target,
    talk: &Conversation<'_>,
    last_era: Option<&str>,
) -> Result<(Way, Way), Box<(ProbeFault, String)>> {
    let callable: Vec<(&Interface, Carrier)> = card
        .interfaces
        .iter()
        .filter_map(|interface| Some((interface, carrier(&interface.binding)?)))
        .collect();
    if callable.is_empty() {
        let grpc = card.interfaces.iter().any(|interface| interface.binding == Binding::Grpc);
        let seen =
            card.interfaces.iter().map(|interface| interface.url.as_str()).collect::<Vec<_>>().join(", ");
        return Err(Box::new((if grpc { ProbeFault::GrpcOnly } else { ProbeFault::NoInterface }, seen)));
    }
    let mut refused = String::new();
    let mut ways = Vec::new();
    for (interface, carrier) in callable {
        match found_at.join(&interface.url, talk.reach()) {
            Ok(target) => ways.push(Way { target, carrier, tongue: Tongue::of(interface.version) }),
            Err(error) => refused = format!("{}: {error}", interface.url),
        }
    }
    ways.sort_by_key(|way| (way.carrier != Carrier::Rpc, Some(way.tongue.version()) != last_era));
    let Some(first) = ways.first().cloned() else {
        return Err(Box::new((ProbeFault::InterfaceUrl, refused)));
    };
    let declared = ways.into_iter().find(|way| way.carrier == first.carrier && way.tongue != first.tongue);
    let second = declared.unwrap_or_else(|| Way { tongue: first.tongue.other(), ..first.clone() });
    Ok((first, second))
}

const fn carrier(binding: &Binding) -> Option<Carrier> {
    match binding {
        Binding::JsonRpc => Some(Carrier::Rpc),
        Binding::HttpJson => Some(Carrier::Rest),
        Binding::Grpc | Binding::Other(_) => None,
    }
}

async fn converse(talk: &mut Conversation<'_>, depth: Depth, first: Way, second: Way) {
    match question(talk, &first).await {
        Turn::Proof(signal) => {
            spoken(talk.findings, &first);
            talk.findings.signal(signal);
            if depth == Depth::Question {
                return;
            }
        }
        Turn::Lost(loss) if loss.last => {
            talk.findings.speaks |= loss.spoke;
            return talk.findings.fault(&loss.fault, &loss.seen);
        }
        // Some agents answer nothing but messages.
        Turn::Lost(_) | Turn::Answered(_) => talk.findings.signal("question_not_understood"),
    }
    let mut loss = match message(talk, &first).await {
        Turn::Lost(loss) => loss,
        answered => return conclude(talk.findings, &first, &answered),
    };
    if loss.retry && talk.may_ask(1) {
        match message(talk, &second).await {
            // The first refusal is the one that its card asked for, unless only the second was in A2A.
            Turn::Lost(other) if other.spoke && !loss.spoke => loss = other,
            Turn::Lost(_) => {}
            answered => return conclude(talk.findings, &second, &answered),
        }
    }
    refused(talk.findings, &loss);
}

/// A message was answered.
fn conclude(findings: &mut Findings, way: &Way, answered: &Turn) {
    spoken(findings, way);
    findings.facts.endpoint = Some(way.target.to_string());
    findings.answers = Some(true);
    if let Turn::Answered(signal) | Turn::Proof(signal) = answered {
        findings.signal(*signal);
    }
}

/// A message was not answered; what the question proved stays proven.
fn refused(findings: &mut Findings, loss: &Loss) {
    findings.speaks |= loss.spoke;
    if !loss.fault.class().inconclusive {
        findings.answers = Some(false);
    }
    let fault = match &loss.fault {
        ProbeFault::UnknownMethods if findings.speaks => &ProbeFault::MessageRefused,
        ProbeFault::ProbeTimeout { .. } if findings.speaks => &ProbeFault::MessageTimeout,
        other => other,
    };
    findings.fault(fault, &loss.seen);
}

fn spoken(findings: &mut Findings, way: &Way) {
    findings.speaks = true;
    findings.version(way.tongue.version(), true);
    findings.hint(format!("a2a/{}", way.tongue.version()));
    findings.hint(match way.carrier {
        Carrier::Rpc => "jsonrpc",
        Carrier::Rest => "http+json",
    });
}

async fn question(talk: &mut Conversation<'_>, way: &Way) -> Turn {
    let (id, task) = (talk.id(), talk.uuid());
    let Some(request) = way.question(id, &task, talk.reach()) else { return unusable(way) };
    let deadline = QUESTION.min(request.deadline);
    match talk.ask(request.with_deadline(deadline)).await {
        Ok(answer) => reply::to_question(way, &answer, id, &task),
        // Time may run out on a server that takes every request for a message; the message has its own chance.
        Err(error @ FetchError::Timeout { .. }) => lost(&error, false),
        Err(error) => lost(&error, true),
    }
}

async fn message(talk: &mut Conversation<'_>, way: &Way) -> Turn {
    let (id, message) = (talk.id(), talk.uuid());
    let Some(request) = way.message(id, &message, talk.reach()) else { return unusable(way) };
    match talk.ask(request).await {
        Ok(answer) => reply::to_message(way, &answer, id),
        Err(error) => lost(&error, true),
    }
}

fn lost(error: &FetchError, last: bool) -> Turn {
    let fault = fault_of(error, ProbedResource::Remote, Stage::Probe);
    Turn::Lost(Loss { fault, seen: error.to_string(), spoke: false, retry: false, last })
}

fn unusable(way: &Way) -> Turn {
    let seen = way.target.to_string();
    Turn::Lost(Loss { fault: ProbeFault::InterfaceUrl, seen, spoke: false, retry: false, last: true })
}
