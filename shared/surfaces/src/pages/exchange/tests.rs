use super::*;
use registry_model::{Facts, Reason, Score};

fn evidence(kind: Kind, handshake: Handshake, signals: &[&str], hints: &[&str]) -> Assessment {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let facts = Facts { kind: Some(kind), protocol_versions: owned(&["1.0"]), ..Facts::default() };
    Assessment {
        verdict: Verdict {
            speaks: true,
            latency_ms: Some(20),
            signals: owned(signals),
            protocol_hints: owned(hints),
            handshake,
            facts,
            ..Verdict::default()
        },
        checks: Vec::new(),
        score: Score { value: 50, breakdown: Vec::new() },
        probed_at: Moment::UNIX_EPOCH,
        changed: None,
    }
}

#[test]
fn probe_of_an_agent_is_shown_as_card_task_and_message_steps() {
    let signals = ["card_ok", "task_not_found_answered", "message_answered"];
    let mut evidence = evidence(Kind::Agent, Handshake::Ok, &signals, &["a2a/1.0", "jsonrpc"]);
    evidence.verdict.answers = Some(true);
    let steps = steps(&evidence);
    let requests: Vec<&str> = steps.iter().map(|step| step.request.as_str()).collect();
    assert_eq!(
        requests,
        [
            "Requested its agent card",
            "Requested a task with a random id, in A2A 1.0 over JSON-RPC",
            "Sent a harmless text message"
        ]
    );
    assert_eq!(steps[2].answer, "It answered with a message.");
    assert!(steps.iter().all(|step| step.is_ok));
}

#[test]
fn probe_steps_of_a_server_include_its_tools() {
    let signals = ["discover_answered", "sse_answer", "tools_listed", "ok_dual"];
    let steps = steps(&evidence(Kind::Mcp, Handshake::Ok, &signals, &["mcp/2026-07-28", "mcp/2025-06-18"]));
    assert_eq!(steps.len(), 3);
    assert_eq!(steps[0].answer, "It returned its name and its versions: MCP 2026-07-28 and 2025-06-18.");
    assert_eq!(steps[1].answer, "It listed its tools, as a stream of events. The probe called no tool.");
    let without = super::steps(&evidence(Kind::Mcp, Handshake::Ok, &["no_tools"], &[]));
    assert_ne!(without[0].request, StepKind::Tools.title(), "no list was requested");
}

#[test]
fn failed_probe_step_shows_the_answer() {
    let mut evidence = evidence(Kind::Agent, Handshake::Fail, &["preflight_reject"], &[]);
    evidence.verdict.reasons.push(Reason {
        code: "card_http_404".to_owned(),
        reason: "card fail 404 (no card)".to_owned(),
        seen: "HTTP 404".to_owned(),
        fix: String::new(),
    });
    let expected = Step {
        request: "Requested its agent card".to_owned(),
        answer: "card fail 404 (no card): HTTP 404".to_owned(),
        is_ok: false,
    };
    assert_eq!(steps(&evidence), [expected]);
    let again = evidence.verdict.reasons[0].clone();
    evidence.verdict.reasons.push(again);
    assert_eq!(steps(&evidence)[1].request, "Problem found", "one request was sent");
}
