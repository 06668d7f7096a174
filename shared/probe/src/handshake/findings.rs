//! What a probe has found so far, kept outside the conversation so that a deadline loses none of it.
//! Faults are added as they occur; the worst of them decides the verdict.

use std::time::Duration;

use tokio::time::Instant;

use super::bounds::bounded;
use crate::reasons::{Class, ConformanceRule, ProbeFault};
use registry_model::{Facts, Handshake, Reason, Verdict};

#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    pub(super) facts: Facts,
    /// The peer sent a well-formed answer of the protocol, which may be a refusal.
    pub(super) speaks: bool,
    /// A message was answered; `None` if none was sent.
    pub(super) answers: Option<bool>,
    retry_after: Option<Duration>,
    faults: Vec<(Class, Reason)>,
    warnings: Vec<Reason>,
    signals: Vec<String>,
    hints: Vec<String>,
    asked: Option<Instant>,
    latency: Option<Duration>,
}

#[derive(Debug)]
pub(super) struct FaultsSetAside(Vec<(Class, Reason)>);

impl Findings {
    pub(super) fn asking(&mut self) {
        self.asked.get_or_insert_with(Instant::now);
    }

    pub(super) fn answered(&mut self) {
        self.latency = self.asked.map(|asked| asked.elapsed());
    }

    /// The duration of a request before the handshake; counts if no further request is sent.
    pub(super) fn answered_before(&mut self, elapsed: Duration) {
        self.latency.get_or_insert(elapsed);
    }

    pub(super) fn asked_to_wait(&mut self, wait: Option<Duration>) {
        self.retry_after = self.retry_after.max(wait);
    }

    pub(super) fn signal(&mut self, signal: impl Into<String>) {
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

    pub(super) fn fault(&mut self, fault: &ProbeFault, seen: &str) {
        self.reason(fault.class(), fault.reason(seen));
    }

    pub(super) fn fault_first(&mut self, fault: &ProbeFault, seen: &str) {
        self.faults.insert(0, (fault.class(), fault.reason(seen)));
    }

    fn reason(&mut self, class: Class, reason: Reason) {
        let known = |(_, known): &(Class, Reason)| known.code == reason.code && known.seen == reason.seen;
        if !self.faults.iter().any(known) {
            self.faults.push((class, reason));
        }
    }

    /// Records rules that are broken although the handshake works.
    pub(super) fn broken(&mut self, rules: &[ConformanceRule], seen: &str) {
        for rule in rules {
            let fault = ProbeFault::Nonconforming(*rule);
            // One place is enough to find the others: a list of tools may break a rule a thousand times.
            if !self.has(&fault.code()) {
                self.fault(&fault, seen);
            }
        }
    }

    /// Adds advice that does not change the outcome.
    pub(super) fn warning(&mut self, reason: Reason) {
        if !self.warnings.contains(&reason) {
            self.warnings.push(reason);
        }
    }

    pub(super) fn forgive(&mut self) {
        self.faults.clear();
    }

    pub(super) fn set_aside(&mut self) -> FaultsSetAside {
        FaultsSetAside(std::mem::take(&mut self.faults))
    }

    pub(super) fn put_back(&mut self, faults: FaultsSetAside) {
        self.faults = faults.0;
    }

    /// Whether a fault may be temporary.
    pub(super) fn is_inconclusive(&self) -> bool {
        self.faults.iter().any(|(class, _)| class.inconclusive)
    }

    pub(super) fn worst(&self) -> Handshake {
        let met = self.faults.iter().map(|(class, _)| class.handshake);
        met.max_by_key(|handshake| weight(*handshake)).unwrap_or(Handshake::Ok)
    }

    pub(super) fn has(&self, code: &str) -> bool {
        self.faults.iter().any(|(_, reason)| reason.code == code)
    }

    pub(super) fn is_clear(&self) -> bool {
        self.faults.is_empty()
    }

    pub(super) fn into_verdict(self) -> Verdict {
        let inconclusive = self.is_inconclusive();
        // A peer that spoke and then fell silent is there: "fail" would say that nothing was found.
        let handshake = match self.worst() {
            Handshake::Fail if inconclusive && self.speaks => Handshake::Partial,
            other => other,
        };
        let mut reasons: Vec<Reason> = self.faults.into_iter().map(|(_, reason)| reason).collect();
        reasons.extend(self.warnings);
        Verdict {
            handshake,
            reasons,
            inconclusive,
            retry_after: self.retry_after,
            speaks: self.speaks,
            answers: self.answers,
            latency_ms: self.latency.map(|time| u32::try_from(time.as_millis()).unwrap_or(u32::MAX)),
            signals: self.signals,
            protocol_hints: self.hints,
            facts: bounded(self.facts),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reasons::ProbedResource;

    #[test]
    fn the_worst_fault_decides_and_warnings_do_not() {
        let mut findings = Findings::default();
        findings.warning(ProbeFault::NoInterface.reason("advice"));
        assert_eq!(findings.clone().into_verdict().handshake, Handshake::Ok);
        findings.broken(&[ConformanceRule::Caching, ConformanceRule::Caching], "no ttlMs");
        findings.broken(&[ConformanceRule::Caching], "no ttlMs elsewhere");
        assert_eq!(findings.clone().into_verdict().handshake, Handshake::Partial);
        findings.fault(&ProbeFault::BadJsonRpc, "id 9");
        let verdict = findings.into_verdict();
        assert_eq!(verdict.handshake, Handshake::Fail);
        let codes: Vec<_> = verdict.reasons.iter().map(|r| r.code.as_str()).collect();
        assert_eq!(
            codes,
            ["nonconforming:caching", "bad_jsonrpc", "no_interface"],
            "each once, warnings last"
        );
    }

    #[test]
    fn a_peer_that_spoke_and_fell_silent_is_partial() {
        let busy = ProbeFault::Http { resource: ProbedResource::Remote, status: 503 };
        for (speaks, outcome) in [(false, Handshake::Fail), (true, Handshake::Partial)] {
            let mut findings = Findings { speaks, ..Findings::default() };
            findings.fault(&busy, "");
            let verdict = findings.into_verdict();
            assert_eq!((verdict.handshake, verdict.inconclusive), (outcome, true));
        }
    }

    #[test]
    fn the_version_spoken_comes_first() {
        let mut findings = Findings::default();
        findings.version("1.0", false);
        findings.version("0.3", false);
        findings.version("0.3", true);
        assert_eq!(findings.facts.protocol_versions, ["0.3", "1.0"]);
    }
}
