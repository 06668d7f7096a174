//! The conversation with an agent. The probe first reads the card. Then it asks for a task that cannot exist.
//! The answer proves the protocol, and costs the agent no work, money, or memory. At the end, the probe sends
//! one message if its caller wants this.

mod reply;
mod requests;
#[cfg(test)]
mod tests;

use std::time::Duration;

use super::conversation::{Conversation, fault_of, no_answer_text};
use super::findings::Findings;
use super::subject::{Depth, Subject};
use crate::checks::same_owner;
use crate::reasons::{self, ProbeFault, ProbedResource, Stage};
use registry_fetch::{Answer, FetchError, Fetcher, PROBE, Target};
use registry_formats::agent_card::{self, AgentCard, Binding, CardFault, Dialect, Interface};
use registry_formats::document_texts;
use registry_model::{Kind, Random};
use reply::{StepFailure, StepOutcome};
use requests::{GREETING, MethodSet, Route, Transport};

/// Reads a card and talks to its agent. Returns what is wrong with a document that is no valid card.
pub(super) async fn probe(
    peer: &mut Conversation<'_>,
    subject: &Subject,
    card_url: &Target,
    answer: &Answer,
) -> Result<(), CardFault> {
    peer.findings.facts.card_url = Some(card_url.to_string());
    peer.findings.answered_before(answer.elapsed);
    let read = peer.read(answer, |answer, _| {
        let document = agent_card::document(&answer.body)?;
        let card = agent_card::parse_agent_card(&document)?;
        Ok((card, document_texts::card_faults(&document)))
    });
    let card = match read.await {
        Ok((card, text_faults)) => {
            peer.findings.facts.text_faults.or(text_faults);
            card
        }
        Err(fault) => {
            if matches!(fault, CardFault::Invalid(_)) {
                peer.findings.facts.kind = Some(Kind::Agent);
            }
            return Err(fault);
        }
    };
    record_card(peer.findings, &card);
    match routes(&card, card_url, &answer.target, peer, subject.last_era.as_deref()) {
        Ok((first, second)) => {
            peer.findings.facts.endpoint = Some(first.endpoint());
            converse(peer, subject.depth, first, second).await;
        }
        Err(obstacle) => {
            let Obstacle { fault, seen, foreign } = *obstacle;
            peer.findings.facts.endpoint = foreign.map(|target| target.to_string());
            peer.findings.fault(&fault, &seen);
        }
    }
    Ok(())
}

fn record_card(findings: &mut Findings, card: &AgentCard) {
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
    for violation in &card.broken {
        let fault = ProbeFault::BrokenCardRule(violation.clone());
        findings.fault(&fault, &format!("{}: {}", violation.path, violation.seen));
    }
    for finding in &card.warnings {
        findings.warning(reasons::card_warning(finding));
    }
}

/// The agent that a message goes to, as of its last proof.
#[derive(Clone, Debug)]
pub struct Recipient {
    pub endpoint: Target,
    pub tenant: Option<String>,
    pub era: Option<String>,
    pub rest: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The stable code of the failure; `None` if the message was accepted.
    pub failure: Option<String>,
    pub retry_after: Option<Duration>,
}

/// Sends a text exactly once, with the limits of a probe and in one dialect, because an agent must not get it twice.
pub async fn send_message(fetcher: &Fetcher, random: &Random, to: &Recipient, text: &str) -> Delivery {
    let mut findings = Findings::default();
    let mut peer = Conversation::new(fetcher, random, &mut findings, PROBE, None);
    let dialects = [Dialect::V1_0, Dialect::V0_3, Dialect::V0_2];
    let spoken = dialects.into_iter().find(|dialect| Some(dialect.as_str()) == to.era.as_deref());
    let route = Route {
        target: to.endpoint.clone(),
        transport: if to.rest { Transport::Rest } else { Transport::Rpc },
        methods: MethodSet::of(spoken.unwrap_or(Dialect::V1_0)),
        is_declared: true,
        tenant: to.tenant.clone(),
    };
    let failure = match message(&mut peer, &route, text).await {
        StepOutcome::Answered(_) | StepOutcome::Proof(_) => None,
        StepOutcome::Failed(failure) => Some(failure.fault.code().to_string()),
    };
    Delivery { failure, retry_after: findings.into_verdict().retry_after }
}

/// Why none of a card's interfaces is called.
struct Obstacle {
    fault: ProbeFault,
    seen: String,
    /// The interface of another owner, if that is the obstacle.
    foreign: Option<Target>,
}

/// The route to try first, and the fallback: the dialect of the last probe, then the order of the card, which clients must
/// follow (A2A 1.0, 8.3.2). An interface of another owner than the card's (`card_url`, as listed) is not called at all;
/// otherwise anyone could make the registry send messages to anyone.
fn routes(
    card: &AgentCard,
    card_url: &Target,
    found_at: &Target,
    peer: &Conversation<'_>,
    last_era: Option<&str>,
) -> Result<(Route, Route), Box<Obstacle>> {
    let callable: Vec<(&Interface, Transport)> = card
        .interfaces
        .iter()
        .filter_map(|interface| Some((interface, transport(&interface.binding)?)))
        .collect();
    if callable.is_empty() {
        let grpc = card.interfaces.iter().any(|interface| interface.binding == Binding::Grpc);
        let seen =
            card.interfaces.iter().map(|interface| interface.url.as_str()).collect::<Vec<_>>().join(", ");
        let fault = if grpc { ProbeFault::GrpcOnly } else { ProbeFault::NoInterface };
        return Err(Box::new(Obstacle { fault, seen, foreign: None }));
    }
    let mut refused = String::new();
    let mut foreign = None;
    let mut routes = Vec::new();
    for (interface, transport) in callable {
        match found_at.join(&interface.url, peer.reach()) {
            Ok(target) if !same_owner(card_url.as_str(), target.as_str()) => {
                foreign.get_or_insert(target);
            }
            Ok(target) => routes.push(Route {
                target,
                transport,
                methods: MethodSet::of(interface.version),
                is_declared: true,
                tenant: interface.tenant.clone(),
            }),
            Err(error) => refused = format!("{}: {error}", interface.url),
        }
    }
    routes.sort_by_key(|route| Some(route.methods.version()) != last_era);
    let Some(first) = routes.first().cloned() else {
        return Err(Box::new(match &foreign {
            Some(target) => {
                let seen = format!("the card at {card_url} sends callers to {target}");
                Obstacle { fault: ProbeFault::ForeignInterface, seen, foreign }
            }
            None => Obstacle { fault: ProbeFault::InterfaceUrl, seen: refused, foreign: None },
        }));
    };
    let declared =
        routes.into_iter().find(|route| route.transport == first.transport && route.methods != first.methods);
    let guess = || Route { methods: first.methods.other(), is_declared: false, ..first.clone() };
    let second = declared.unwrap_or_else(guess);
    Ok((first, second))
}

const fn transport(binding: &Binding) -> Option<Transport> {
    match binding {
        Binding::JsonRpc => Some(Transport::Rpc),
        Binding::HttpJson => Some(Transport::Rest),
        Binding::Grpc | Binding::Other(_) => None,
    }
}

async fn converse(peer: &mut Conversation<'_>, depth: Depth, first: Route, second: Route) {
    match question(peer, &first).await {
        StepOutcome::Proof(signal) => {
            spoken(peer.findings, &first);
            peer.findings.signal(signal);
            if depth == Depth::Question {
                return;
            }
        }
        StepOutcome::Failed(failure) if failure.last => {
            peer.findings.speaks |= failure.spoke;
            return peer.findings.fault(&failure.fault, &failure.seen);
        }
        // Some agents answer only messages.
        StepOutcome::Failed(_) | StepOutcome::Answered(_) => peer.findings.signal("question_not_understood"),
    }
    let mut failure = match message(peer, &first, GREETING).await {
        StepOutcome::Failed(failure) => failure,
        answered => return conclude(peer.findings, &first, &answered),
    };
    if failure.retry && peer.may_send(1) {
        match message(peer, &second, GREETING).await {
            // The refusal on the declared route counts, unless only the second one was in A2A.
            StepOutcome::Failed(other) if other.spoke && !failure.spoke => failure = other,
            StepOutcome::Failed(_) => {}
            // Over REST, the versions differ in the path, and what answers there need not be the other version.
            StepOutcome::Answered(_) | StepOutcome::Proof(_)
                if second.is_guess() && second.transport == Transport::Rest => {}
            answered => {
                conclude(peer.findings, &second, &answered);
                if second.is_guess() {
                    let (declared, spoken) = (first.methods.version(), second.methods.version());
                    peer.findings.fault(&ProbeFault::OtherDialect { declared, spoken }, &failure.seen);
                }
                return;
            }
        }
    }
    refused(peer.findings, &failure);
}

fn conclude(findings: &mut Findings, route: &Route, answered: &StepOutcome) {
    spoken(findings, route);
    findings.facts.endpoint = Some(route.endpoint());
    findings.answers = Some(true);
    if let StepOutcome::Answered(signal) | StepOutcome::Proof(signal) = answered {
        findings.signal(*signal);
    }
}

/// What the question proved stays proven when the message is not answered.
fn refused(findings: &mut Findings, failure: &StepFailure) {
    findings.speaks |= failure.spoke;
    if !failure.fault.class().inconclusive {
        findings.answers = Some(false);
    }
    let fault = match &failure.fault {
        ProbeFault::UnknownMethods if findings.speaks => &ProbeFault::MessageRefused,
        ProbeFault::ProbeTimeout if findings.speaks => &ProbeFault::MessageTimeout,
        other => other,
    };
    findings.fault(fault, &failure.seen);
}

fn spoken(findings: &mut Findings, route: &Route) {
    findings.speaks = true;
    findings.version(route.methods.version(), true);
    findings.hint(format!("a2a/{}", route.methods.version()));
    findings.hint(match route.transport {
        Transport::Rpc => "jsonrpc",
        Transport::Rest => "http+json",
    });
}

async fn question(peer: &mut Conversation<'_>, route: &Route) -> StepOutcome {
    let (id, task) = (peer.id(), peer.uuid());
    let Some(request) = route.question(id, &task, peer.reach()) else { return invalid_path(route) };
    // If the task query is never answered, this leaves time for the message.
    let deadline = Duration::from_secs(4).min(request.deadline);
    match peer.send(request.with_deadline(deadline)).await {
        Ok(answer) => {
            let route = route.clone();
            peer.read(&answer, move |answer, budget| reply::to_question(&route, answer, id, &task, budget))
                .await
        }
        // A server that treats every request as a message may time out here and still answer the message.
        Err(error @ FetchError::Timeout { .. }) => unreachable(&error, false),
        Err(error) => unreachable(&error, true),
    }
}

async fn message(peer: &mut Conversation<'_>, route: &Route, text: &str) -> StepOutcome {
    let (id, message) = (peer.id(), peer.uuid());
    let Some(request) = route.message(id, &message, text, peer.reach()) else { return invalid_path(route) };
    match peer.send(request).await {
        Ok(answer) => {
            let route = route.clone();
            peer.read(&answer, move |answer, budget| reply::to_message(&route, answer, id, budget)).await
        }
        Err(error) => unreachable(&error, true),
    }
}

fn unreachable(error: &FetchError, last: bool) -> StepOutcome {
    let fault = fault_of(error, ProbedResource::Remote, Stage::Probe);
    StepOutcome::Failed(StepFailure { last, ..StepFailure::new(fault, no_answer_text(error)) })
}

fn invalid_path(route: &Route) -> StepOutcome {
    StepOutcome::Failed(StepFailure::new(ProbeFault::InterfaceUrl, route.target.to_string()))
}
