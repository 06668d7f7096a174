//! What a probe has found so far. The findings are stored outside the conversation, so that nothing is lost if the
//! deadline ends the probe. Each fault is added when it occurs. The worst fault decides the result of the probe.

use std::time::Duration;

use serde::Serialize;
use serde_json::json;
use tokio::time::Instant;

use super::transcript::MAX_EXCHANGES;
use crate::reasons::{ConformanceRule, ProbeFault};
use registry_model::{
    Facts, Handshake, Kind, ProbeStep, Reason, Skill, StepKind, Tool, ToolParameter, Verdict,
};

#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    pub(crate) facts: Facts,
    /// The peer sent a well-formed answer of the protocol, which may be a refusal.
    pub(super) speaks: bool,
    /// A message was answered; `None` if none was sent.
    pub(super) answers: Option<bool>,
    retry_after: Option<Duration>,
    faults: Vec<(ProbeFault, Reason)>,
    warnings: Vec<Reason>,
    signals: Vec<String>,
    hints: Vec<String>,
    first_sent_at: Option<Instant>,
    latency: Option<Duration>,
    /// What was sent and received so far, with the codes of the faults that were found at each exchange.
    exchanges: Vec<ProbeStep>,
    /// The exchange to which the next faults belong.
    current: usize,
}

impl Findings {
    /// Findings about a listing that is not called.
    pub(crate) fn without_requests(kind: Option<Kind>) -> Self {
        let facts = Facts { kind, ..Facts::default() };
        Self { facts, signals: vec!["not_asked".to_owned()], ..Self::default() }
    }

    pub(super) fn request_sent(&mut self) {
        self.first_sent_at.get_or_insert_with(Instant::now);
    }

    pub(super) fn answered(&mut self) {
        self.latency = self.first_sent_at.map(|sent| sent.elapsed());
    }

    /// The duration of a request before the handshake. It is used if no further request is sent.
    pub(super) fn answered_before(&mut self, elapsed: Duration) {
        self.latency.get_or_insert(elapsed);
    }

    pub(super) fn exchanged(&mut self, exchange: ProbeStep) {
        if self.exchanges.len() < MAX_EXCHANGES {
            self.exchanges.push(exchange);
        }
        self.current = self.exchanges.len().saturating_sub(1);
    }

    /// The exchange to which new faults belong: the last one, unless [`Self::return_to`] named another.
    pub(super) const fn current_exchange(&self) -> usize {
        self.current
    }

    /// The next faults belong to an earlier exchange.
    pub(super) const fn return_to(&mut self, exchange: usize) {
        self.current = exchange;
    }

    /// A search found the card in this exchange, and the next faults belong to it.
    pub(super) fn found_card_in(&mut self, exchange: usize) {
        self.current = exchange;
        if let Some(exchange) = self.exchanges.get_mut(exchange) {
            exchange.kind = StepKind::Card;
        }
    }

    fn note(&mut self, code: &str) {
        if let Some(exchange) = self.exchanges.get_mut(self.current) {
            add(&mut exchange.reasons, code.to_owned());
        }
    }

    pub(super) fn note_retry_after(&mut self, wait: Option<Duration>) {
        self.retry_after = self.retry_after.max(wait);
    }

    pub(crate) fn signal(&mut self, signal: impl Into<String>) {
        add(&mut self.signals, signal.into());
    }

    pub(super) fn has_signal(&self, signal: &str) -> bool {
        self.signals.iter().any(|known| known == signal)
    }

    pub(super) fn hint(&mut self, hint: impl Into<String>) {
        add(&mut self.hints, hint.into());
    }

    /// `first` moves the version that was just used to the front.
    pub(super) fn version(&mut self, version: &str, first: bool) {
        let versions = &mut self.facts.protocol_versions;
        if first {
            versions.retain(|known| known != version);
            versions.insert(0, version.to_owned());
        } else {
            add(versions, version.to_owned());
        }
    }

    pub(crate) fn fault(&mut self, fault: &ProbeFault, seen: &str) {
        let reason = fault.reason(seen);
        self.note(&reason.code);
        let known =
            |(_, known): &(ProbeFault, Reason)| known.code == reason.code && known.seen == reason.seen;
        if !self.faults.iter().any(known) {
            self.faults.push((fault.clone(), reason));
        }
    }

    /// A fault of the whole probe, and not of one exchange.
    pub(super) fn fault_first(&mut self, fault: &ProbeFault, seen: &str) {
        self.faults.insert(0, (fault.clone(), fault.reason(seen)));
    }

    /// Records rules that are broken although the handshake works.
    pub(super) fn broken(&mut self, rules: &[ConformanceRule], seen: &str) {
        for rule in rules {
            let fault = ProbeFault::Nonconforming(*rule);
            if rule.only_warns() {
                self.warning(Reason { reason: "protocol warning".to_owned(), ..fault.reason(seen) });
                continue;
            }
            // One place is enough: a list of tools may break a rule a thousand times.
            if !self.has(&fault.code()) {
                self.fault(&fault, seen);
            }
        }
    }

    pub(super) fn warning(&mut self, reason: Reason) {
        if !self.warnings.contains(&reason) {
            self.note(&reason.code);
            self.warnings.push(reason);
        }
    }

    /// Takes the faults out while another protocol is tried; [`Self::put_back`] drops those found since.
    pub(super) fn take_faults(&mut self) -> Vec<(ProbeFault, Reason)> {
        std::mem::take(&mut self.faults)
    }

    pub(super) fn put_back(&mut self, faults: Vec<(ProbeFault, Reason)>) {
        self.faults = faults;
    }

    /// Whether a fault may be temporary.
    pub(super) fn is_inconclusive(&self) -> bool {
        self.faults.iter().any(|(fault, _)| fault.class().inconclusive)
    }

    pub(super) fn lacks_contact(&self) -> bool {
        self.faults.iter().any(|(fault, _)| fault.prevents_contact())
    }

    pub(super) fn worst(&self) -> Handshake {
        let met = self.faults.iter().map(|(fault, _)| fault.class().handshake);
        met.max_by_key(|handshake| weight(*handshake)).unwrap_or(Handshake::Ok)
    }

    pub(super) fn has(&self, code: &str) -> bool {
        self.faults.iter().any(|(_, reason)| reason.code == code)
    }

    pub(super) fn is_clear(&self) -> bool {
        self.faults.is_empty()
    }

    pub(super) fn take_exchanges(&mut self) -> Vec<ProbeStep> {
        std::mem::take(&mut self.exchanges)
    }

    pub(crate) fn into_verdict(self) -> Verdict {
        let inconclusive = self.is_inconclusive();
        // "fail" would mean that nothing was found, but this peer spoke before it fell silent.
        let handshake = match self.worst() {
            Handshake::Fail if inconclusive && self.speaks => Handshake::Partial,
            other => other,
        };
        // A sign-in is proven only if nothing else is wrong.
        let only_asks = self.faults.iter().all(|(_, reason)| reason.code == "auth_required");
        let facts = Facts { sign_in: self.facts.sign_in.clone().filter(|_| only_asks), ..self.facts };
        let card_fault = self.faults.iter().find(|(fault, _)| fault.is_about_card());
        let card_fault = card_fault.map(|(_, reason)| reason.clone());
        let mut reasons: Vec<Reason> = self.faults.into_iter().map(|(_, reason)| reason).collect();
        reasons.extend(self.warnings);
        Verdict {
            handshake,
            reasons,
            card_fault,
            inconclusive,
            retry_after: self.retry_after,
            speaks: self.speaks,
            answers: self.answers,
            // The time of a card alone is not that of the protocol.
            latency_ms: self
                .latency
                .filter(|_| self.speaks)
                .map(|time| u32::try_from(time.as_millis()).unwrap_or(u32::MAX)),
            signals: self.signals,
            protocol_hints: self.hints,
            facts: bounded(facts),
        }
    }
}

const fn weight(handshake: Handshake) -> u8 {
    match handshake {
        Handshake::Ok => 0,
        Handshake::Partial => 1,
        Handshake::Skip => 2,
        Handshake::Fail => 3,
    }
}

fn add(list: &mut Vec<String>, item: String) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// The maximum size of skills and tools as stored JSON. A bucket of the search index must fit at least one listing,
/// with texts up to three times as large as here.
const MAX_ABILITY_BYTES: usize = 96 * 1024;

/// Keeps skills and tools while there is room. If one does not fit, only its name is kept. Parameters of tools get the
/// room that is left then: a search finds a tool by its description.
pub(super) fn bounded(mut facts: Facts) -> Facts {
    let mut left = MAX_ABILITY_BYTES;
    let skills = fitting(facts.skills, &mut left, |skill| Skill {
        id: skill.id.clone(),
        name: skill.name.clone(),
        ..Skill::default()
    });
    facts.skills = skills.into_iter().flatten().collect();
    let parameters: Vec<_> =
        facts.tools.iter_mut().map(|tool| std::mem::take(&mut tool.parameters)).collect();
    let tools = fitting(facts.tools, &mut left, |tool| Tool { name: tool.name.clone(), ..Tool::default() });
    let with_parameters = |(tool, parameters): (Option<Tool>, Vec<ToolParameter>)| {
        let tool = tool?;
        let fits = parameters.is_empty() || takes(&mut left, &json!({ "parameters": parameters }));
        Some(if fits { Tool { parameters, ..tool } } else { tool })
    };
    facts.tools = tools.into_iter().zip(parameters).filter_map(with_parameters).collect();
    facts
}

/// `None` in the place of what does not fit even by its name.
fn fitting<T: Serialize>(all: Vec<T>, left: &mut usize, named: fn(&T) -> T) -> Vec<Option<T>> {
    let mut fitted = |one: T| {
        if takes(left, &one) { Some(one) } else { Some(named(&one)).filter(|one| takes(left, one)) }
    };
    all.into_iter().map(&mut fitted).collect()
}

/// Whether something fits into the bytes of a JSON list that are left, and then takes these bytes.
pub(super) fn takes(left: &mut usize, one: &impl Serialize) -> bool {
    // One more for the comma.
    let bytes = serde_json::to_vec(one).map_or(usize::MAX, |json| json.len().saturating_add(1));
    let rest = left.checked_sub(bytes);
    *left = rest.unwrap_or(*left);
    rest.is_some()
}

#[cfg(test)]
mod tests;
