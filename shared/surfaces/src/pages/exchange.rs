//! Describes the last handshake in plain words, step by step. It is made from the signals that the probe
//! stored. So a reader can judge the proof without knowledge of the protocol.

use crate::prelude::*;
use registry_model::{Assessment, Handshake, StepKind, Verdict};

/// Characters of a peer's own words in a step.
const MAX_PEER_TEXT_CHARS: usize = 300;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) request: String,
    pub(super) answer: String,
    /// Whether the answer follows the protocol.
    pub(super) is_ok: bool,
}

pub(super) fn steps(evidence: &Assessment) -> Vec<Step> {
    let verdict = &evidence.verdict;
    let mut steps = Vec::new();
    let step = |request: &str, answer: &str, is_ok| {
        steps.push(Step { request: request.to_owned(), answer: answer.to_owned(), is_ok });
    };
    match verdict.facts.kind {
        Some(Kind::Mcp) => server_steps(verdict, step),
        Some(Kind::Agent) | None => agent_steps(verdict, step),
    }
    let has_steps = !verdict.signals.is_empty() && !has(verdict, "preflight_reject");
    let failed = verdict.handshake != Handshake::Ok && !evidence.proves_sign_in();
    let failures = verdict.reasons.iter().filter(|_| failed);
    steps.extend(failures.enumerate().map(|(number, reason)| Step {
        request: if has_steps || number > 0 { "Problem found".to_owned() } else { first_request(verdict) },
        answer: match reason.seen.trim() {
            "" => reason.reason.clone(),
            answer => format!("{}: {}", reason.reason, shorten(answer, MAX_PEER_TEXT_CHARS)),
        },
        is_ok: false,
    }));
    steps
}

fn has(verdict: &Verdict, signal: &str) -> bool {
    verdict.signals.iter().any(|known| known == signal)
}

fn first_request(verdict: &Verdict) -> String {
    let facts = &verdict.facts;
    match (facts.kind, verdict.handshake) {
        (_, Handshake::Skip) => "Nothing was requested".to_owned(),
        (None, _) if has(verdict, "preflight_reject") => StepKind::Connection.title().to_owned(),
        (Some(Kind::Mcp), _) => "Requested an MCP connection".to_owned(),
        (None, _) => "Looked for an agent card, and sent a request in MCP".to_owned(),
        _ => StepKind::Card.title().to_owned(),
    }
}

fn spoken(verdict: &Verdict, protocol: &str) -> String {
    let hints = verdict.protocol_hints.iter();
    let versions: Vec<&str> = hints.filter_map(|hint| hint.strip_prefix(protocol)).collect();
    versions.join(" and ")
}

fn agent_steps(verdict: &Verdict, mut step: impl FnMut(&str, &str, bool)) {
    let facts = &verdict.facts;
    if has(verdict, "card_ok") {
        let skills = counted(facts.skills.len(), "skill");
        let versions = shorten(&facts.protocol_versions.join(", "), MAX_PEER_TEXT_CHARS);
        let open =
            if has(verdict, "auth_declared") { "; it declares that callers need credentials" } else { "" };
        step(StepKind::Card.title(), &format!("A card with {skills}, read as A2A {versions}{open}."), true);
    }
    let binding = match verdict.protocol_hints.iter().any(|hint| hint == "http+json") {
        true => "HTTP+JSON",
        false => "JSON-RPC",
    };
    let version = spoken(verdict, "a2a/");
    let question = format!("{}, in A2A {version} over {binding}", StepKind::Task.title());
    if has(verdict, "task_not_found_answered") {
        step(&question, "No such task, as expected: the agent speaks the protocol.", true);
    } else if has(verdict, "version_not_supported_answered") {
        step(&question, "Version not supported: the agent speaks another version of the protocol.", true);
    } else if has(verdict, "question_not_understood") {
        let answer = "It proved nothing, because some agents answer only messages.";
        step(StepKind::Task.title(), answer, true);
    }
    match verdict.answers {
        Some(true) => {
            let with = if has(verdict, "message_answered") { "a message" } else { "a task" };
            step(StepKind::Message.title(), &format!("It answered with {with}."), true);
        }
        Some(false) => step(StepKind::Message.title(), "No valid answer came back.", false),
        None => {}
    }
}

fn server_steps(verdict: &Verdict, mut step: impl FnMut(&str, &str, bool)) {
    let facts = &verdict.facts;
    let spoken = spoken(verdict, "mcp/");
    let session = if has(verdict, "session_id") { ", in a session" } else { "" };
    if has(verdict, "discover_answered") {
        let answer = format!("It returned its name and its versions: MCP {spoken}.");
        step(StepKind::Discover.title(), &answer, true);
    }
    if has(verdict, "initialize_answered") {
        step(StepKind::Initialize.title(), &format!("It answered with MCP {spoken}{session}."), true);
    }
    if has(verdict, "sse_endpoint_event") {
        let answer = "It announced an endpoint, as in the old transport of 2024-11-05.";
        step(StepKind::Stream.title(), answer, true);
    }
    if has(verdict, "tools_listed") {
        let more =
            if has(verdict, "tools_not_all_read") { ", and it has more than the probe reads" } else { "" };
        let streamed = if has(verdict, "sse_answer") { ", as a stream of events" } else { "" };
        let answer = format!("It listed its tools{more}{streamed}. The probe called no tool.");
        step(StepKind::Tools.title(), &answer, true);
    } else if has(verdict, "no_tools") {
        step("Read its capabilities", "It has no tools.", true);
    }
    if has(verdict, "ok_dual") {
        step("Opened a connection like older clients (initialize)", "It supports older clients, too.", true);
    }
    if has(verdict, "bearer_challenge") {
        let metadata =
            if has(verdict, "protected_resource_metadata") { " and says where to get the token" } else { "" };
        let is_proven = facts.sign_in.is_some();
        let answer = format!("It requires a token{metadata}.");
        step("Sent a request without credentials", &answer, is_proven);
    }
    if let Some(sign_in) = &facts.sign_in {
        let answer = format!("They are correct: {}", shorten(&sign_in.sentence(), MAX_PEER_TEXT_CHARS));
        step("Read its metadata and that of its authorization server", &answer, true);
    }
}

#[cfg(test)]
mod tests;
