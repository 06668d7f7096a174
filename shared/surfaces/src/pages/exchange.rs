//! The last handshake in plain words: what was asked and what came back, step by step. Told from the signals that the
//! probe left, so that a reader need not know the protocol to judge the proof.

use registry_model::error::shorten;
use registry_model::{Assessment, Handshake, Kind};

/// Characters of a peer's own words in a step.
const LONGEST: usize = 300;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) asked: String,
    pub(super) answered: String,
    /// Whether the answer follows the protocol.
    pub(super) went_well: bool,
}

pub(super) fn steps(evidence: &Assessment) -> Vec<Step> {
    let told = Told { evidence };
    let mut steps = match evidence.verdict.facts.kind {
        Some(Kind::Mcp) => told.of_server(),
        Some(Kind::Agent) | None => told.of_agent(),
    };
    let failures = evidence.verdict.reasons.iter().filter(|_| evidence.verdict.handshake != Handshake::Ok);
    steps.extend(failures.map(|reason| Step {
        asked: if steps_are_done(evidence) { "What stood in the way".to_owned() } else { told.opening() },
        answered: match reason.seen.trim() {
            "" => reason.reason.clone(),
            seen => format!("{}: {}", reason.reason, shorten(seen, LONGEST)),
        },
        went_well: false,
    }));
    steps
}

fn steps_are_done(evidence: &Assessment) -> bool {
    !evidence.verdict.signals.is_empty() && !has(evidence, "preflight_reject")
}

fn has(evidence: &Assessment, signal: &str) -> bool {
    evidence.verdict.signals.iter().any(|known| known == signal)
}

struct Told<'a> {
    evidence: &'a Assessment,
}

impl Told<'_> {
    fn has(&self, signal: &str) -> bool {
        has(self.evidence, signal)
    }

    fn opening(&self) -> String {
        let facts = &self.evidence.verdict.facts;
        match (facts.kind, self.evidence.verdict.handshake) {
            (_, Handshake::Skip) => "Nothing was asked".to_owned(),
            (Some(Kind::Mcp), _) => "Opened a conversation in MCP".to_owned(),
            _ if self.has("preflight_reject") => "Asked for its card".to_owned(),
            _ => "Asked for its card, and whether it speaks its protocol".to_owned(),
        }
    }

    fn spoken(&self, protocol: &str) -> String {
        let hints = self.evidence.verdict.protocol_hints.iter();
        let versions: Vec<&str> = hints.filter_map(|hint| hint.strip_prefix(protocol)).collect();
        versions.join(" and ")
    }

    fn of_agent(&self) -> Vec<Step> {
        let facts = &self.evidence.verdict.facts;
        let mut steps = Vec::new();
        let mut step = |asked: String, answered: String, went_well| {
            steps.push(Step { asked, answered, went_well });
        };
        if self.has("card_ok") {
            let skills = counted(facts.skills.len(), "skill");
            let versions = facts.protocol_versions.join(", ");
            let open = if self.has("auth_declared") { "; it declares that it wants credentials" } else { "" };
            step(
                "Fetched its agent card".to_owned(),
                format!("A valid card with {skills}, for A2A {}{open}.", shorten(&versions, LONGEST)),
                true,
            );
        }
        let binding = match self.evidence.verdict.protocol_hints.iter().any(|hint| hint == "http+json") {
            true => "HTTP and JSON",
            false => "JSON-RPC",
        };
        let version = self.spoken("a2a/");
        let question = format!("Asked in A2A {version} over {binding} for a task with a random id");
        if self.has("task_not_found_answered") {
            step(question, "That there is no such task: it speaks the protocol.".to_owned(), true);
        } else if self.has("version_not_supported_answered") {
            step(question, "That it does not take this version: it speaks the protocol.".to_owned(), true);
        } else if self.has("question_not_understood") {
            step(
                "Asked for a task with a random id".to_owned(),
                "Nothing that settles it; some agents answer messages only.".to_owned(),
                true,
            );
        }
        match self.evidence.verdict.answers {
            Some(true) => {
                let with = if self.has("message_answered") { "a message" } else { "a task" };
                step(
                    "Sent one harmless text message that says who asks".to_owned(),
                    format!("It answered with {with}."),
                    true,
                );
            }
            Some(false) => step(
                "Sent one harmless text message that says who asks".to_owned(),
                "It was refused.".to_owned(),
                false,
            ),
            None => {}
        }
        steps
    }

    fn of_server(&self) -> Vec<Step> {
        let facts = &self.evidence.verdict.facts;
        let mut steps = Vec::new();
        let mut step = |asked: &str, answered: String, went_well| {
            steps.push(Step { asked: asked.to_owned(), answered, went_well });
        };
        let spoken = self.spoken("mcp/");
        let session = if self.has("session_id") { ", in a session" } else { "" };
        if self.has("discover_answered") {
            step(
                "Asked who it is (server/discover)",
                format!("Its name and the versions it speaks; MCP {spoken}."),
                true,
            );
        }
        if self.has("initialize_answered") {
            step("Opened a conversation (initialize)", format!("It agreed on MCP {spoken}{session}."), true);
        }
        if self.has("sse_endpoint_event") {
            step(
                "Opened an event stream (GET)",
                "It announced an endpoint, which is the old transport of 2024-11-05.".to_owned(),
                true,
            );
        }
        if self.has("tools_listed") {
            let tools = counted(facts.tools.len(), "tool");
            let more = if self.has("tools_not_all_read") { "; there are more than were read" } else { "" };
            let streamed = if self.has("sse_answer") { ", as a stream of events" } else { "" };
            step(
                "Asked for its tools (tools/list)",
                format!("It listed {tools}{more}{streamed}. None was called."),
                true,
            );
        } else if self.has("no_tools") {
            step("Asked for its tools (tools/list)", "That it has none.".to_owned(), true);
        }
        if self.has("ok_dual") {
            step(
                "Opened a conversation as older clients do (initialize)",
                "It takes those, too.".to_owned(),
                true,
            );
        }
        if self.has("bearer_challenge") {
            let metadata =
                if self.has("protected_resource_metadata") { " and says where one is had" } else { "" };
            step("Asked without credentials", format!("It wants a token{metadata}."), false);
        }
        steps
    }
}

pub(super) fn counted(number: usize, thing: &str) -> String {
    match number {
        0 => format!("no {thing}s"),
        1 => format!("1 {thing}"),
        _ => format!("{number} {thing}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::{Facts, Moment, Reason, Score, Verdict};

    fn evidence(kind: Kind, handshake: Handshake, signals: &[&str], hints: &[&str]) -> Assessment {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        Assessment {
            verdict: Verdict {
                handshake,
                reasons: Vec::new(),
                inconclusive: false,
                retry_after: None,
                speaks: true,
                answers: None,
                latency_ms: Some(20),
                signals: owned(signals),
                protocol_hints: owned(hints),
                facts: Facts { kind: Some(kind), protocol_versions: owned(&["1.0"]), ..Facts::default() },
            },
            checks: Vec::new(),
            score: Score { value: 50, breakdown: Vec::new() },
            probed_at: Moment::UNIX_EPOCH,
            changed: None,
        }
    }

    #[test]
    fn an_agent_was_asked_for_a_task_and_told_a_message() {
        let signals = ["card_ok", "task_not_found_answered", "message_answered"];
        let mut evidence = evidence(Kind::Agent, Handshake::Ok, &signals, &["a2a/1.0", "jsonrpc"]);
        evidence.verdict.answers = Some(true);
        let steps = steps(&evidence);
        let asked: Vec<&str> = steps.iter().map(|step| step.asked.as_str()).collect();
        assert_eq!(
            asked,
            [
                "Fetched its agent card",
                "Asked in A2A 1.0 over JSON-RPC for a task with a random id",
                "Sent one harmless text message that says who asks"
            ]
        );
        assert_eq!(steps[2].answered, "It answered with a message.");
        assert!(steps.iter().all(|step| step.went_well));
    }

    #[test]
    fn a_server_was_asked_for_its_tools() {
        let signals = ["discover_answered", "sse_answer", "tools_listed", "ok_dual"];
        let steps =
            steps(&evidence(Kind::Mcp, Handshake::Ok, &signals, &["mcp/2026-07-28", "mcp/2025-06-18"]));
        assert_eq!(steps.len(), 3);
        assert_eq!(steps[0].answered, "Its name and the versions it speaks; MCP 2026-07-28 and 2025-06-18.");
        assert_eq!(steps[1].answered, "It listed no tools, as a stream of events. None was called.");
    }

    #[test]
    fn what_failed_is_told_with_what_was_seen() {
        let mut evidence = evidence(Kind::Agent, Handshake::Fail, &["preflight_reject"], &[]);
        evidence.verdict.reasons.push(Reason {
            code: "card_http_404".to_owned(),
            reason: "card fail 404 (no card)".to_owned(),
            seen: "HTTP 404".to_owned(),
            fix: String::new(),
        });
        let wanted = Step {
            asked: "Asked for its card".to_owned(),
            answered: "card fail 404 (no card): HTTP 404".to_owned(),
            went_well: false,
        };
        assert_eq!(steps(&evidence), [wanted]);
    }
}
