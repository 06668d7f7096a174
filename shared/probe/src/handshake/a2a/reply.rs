//! Decides what the reply of an agent means. The reply can prove the protocol, answer the message, or give a
//! reason for a failure. The body is read first. The HTTP status is used only if the body does not decide.

use serde_json::Value;

use super::requests::{MethodSet, Route, Transport};
use crate::handshake::conversation::ResponseBudget;
use crate::handshake::conversation::{excerpt, is_bot_wall, refusal};
use crate::handshake::jsonrpc::{
    INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, RpcError, RpcOutcome,
    RpcReply, parse_reply,
};
use crate::handshake::payment_terms;
use crate::reasons::{ConformanceRule, ProbeFault, ProbedResource};
use registry_fetch::Answer;

/// A2A specification 5.4.
const TASK_NOT_FOUND: i64 = -32001;
const VERSION_NOT_SUPPORTED: i64 = -32009;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum StepOutcome {
    /// The task query was answered in A2A; the value is the signal to record.
    Proof(&'static str),
    Answered(&'static str),
    Failed(StepFailure),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct StepFailure {
    pub(super) fault: ProbeFault,
    pub(super) seen: String,
    /// The answer was well-formed in the protocol.
    pub(super) spoke: bool,
    /// Another dialect may succeed.
    pub(super) retry: bool,
    /// Further requests are useless.
    pub(super) last: bool,
}

impl StepFailure {
    pub(super) const fn new(fault: ProbeFault, seen: String) -> Self {
        Self { fault, seen, spoke: false, retry: false, last: true }
    }
}

pub(super) fn to_question(
    route: &Route,
    answer: &Answer,
    id: u64,
    task: &str,
    budget: &mut ResponseBudget,
) -> StepOutcome {
    match route.transport {
        Transport::Rpc => match rpc(answer, id, budget).outcome {
            RpcOutcome::TooMuch => failed(ProbeFault::TooMuch, answer),
            RpcOutcome::Error(error) if error.code == TASK_NOT_FOUND => {
                StepOutcome::Proof("task_not_found_answered")
            }
            RpcOutcome::Error(error) if error.code == VERSION_NOT_SUPPORTED => {
                StepOutcome::Proof("version_not_supported_answered")
            }
            RpcOutcome::Result(result) if is_task(&result) => StepOutcome::Proof("task_answered"),
            outcome => gate(answer, matches!(outcome, RpcOutcome::Error(_)))
                .unwrap_or_else(|| not_understood(answer)),
        },
        Transport::Rest => {
            let body = match answer.json(&mut budget.values) {
                Err(error) if error.is_data() => return failed(ProbeFault::TooMuch, answer),
                read => read.unwrap_or_default(),
            };
            if let Some(outcome) = gate(answer, rest_error(answer, &body).is_some()) {
                return outcome;
            }
            let text = String::from_utf8_lossy(&answer.body).to_ascii_lowercase();
            // Every web framework answers unknown paths with 404 and JSON; only a reply about the task proves A2A.
            let of_the_task =
                text.contains(task) || text.replace(['_', '-', ' '], "").contains("tasknotfound");
            match answer.status.as_u16() {
                404 if body.is_object() && of_the_task => StepOutcome::Proof("task_not_found_answered"),
                400 if text.contains("version_not_supported") => {
                    StepOutcome::Proof("version_not_supported_answered")
                }
                200 if is_task(&body) => StepOutcome::Proof("task_answered"),
                _ => not_understood(answer),
            }
        }
    }
}

pub(super) fn to_message(
    route: &Route,
    answer: &Answer,
    id: u64,
    budget: &mut ResponseBudget,
) -> StepOutcome {
    match route.transport {
        Transport::Rpc => {
            let reply = rpc(answer, id, budget);
            let is_read = is_read(answer, &reply);
            match reply.outcome {
                RpcOutcome::Result(_) if !is_read => failed(ProbeFault::AnswerShape, answer),
                RpcOutcome::Result(result) if route.methods == MethodSet::V1_0 => of_1_0(&result),
                RpcOutcome::Result(result) => answered(&result, &result, &result),
                RpcOutcome::Error(error) => gate(answer, true).unwrap_or_else(|| refused(answer, &error)),
                RpcOutcome::Broken => {
                    gate(answer, false).unwrap_or_else(|| failed(ProbeFault::BadJsonRpc, answer))
                }
                RpcOutcome::OtherJson | RpcOutcome::Html | RpcOutcome::Nothing | RpcOutcome::Text => {
                    unanswered(answer)
                }
                RpcOutcome::TooMuch => failed(ProbeFault::TooMuch, answer),
            }
        }
        Transport::Rest => match answer.json(&mut budget.values) {
            Ok(body) if answer.status.is_success() && body.is_object() => match of_1_0(&body) {
                StepOutcome::Failed(_) => failed(ProbeFault::NotA2a, answer),
                outcome => outcome,
            },
            Ok(body) if !answer.status.is_success() => match rest_error(answer, &body) {
                Some(error) => gate(answer, true).unwrap_or_else(|| refused(answer, &error)),
                None => unanswered(answer),
            },
            Err(error) if error.is_data() => failed(ProbeFault::TooMuch, answer),
            Ok(_) | Err(_) => unanswered(answer),
        },
    }
}

fn rpc(answer: &Answer, id: u64, budget: &mut ResponseBudget) -> RpcReply {
    parse_reply(Some(answer.content_type()), &answer.body, id, &mut budget.values)
}

/// Whether clients read the result of a message: not from an event stream, an array, or an answer with an error status.
fn is_read(answer: &Answer, reply: &RpcReply) -> bool {
    answer.status.is_success() && !reply.streamed && !reply.broken_rules.contains(&ConformanceRule::Batch)
}

/// Statuses that end the conversation before the protocol is reached.
fn gate(answer: &Answer, spoke: bool) -> Option<StepOutcome> {
    let status = answer.status.as_u16();
    let fault = match status {
        _ if is_bot_wall(answer) => refusal(answer, ProbedResource::Remote),
        401 | 403 | 407 => ProbeFault::AuthRequired(status),
        402 => ProbeFault::PaymentRequired,
        429 => refusal(answer, ProbedResource::Remote),
        _ => return None,
    };
    let seen = match status {
        402 => payment_terms::describe(answer, &excerpt(answer)),
        _ => excerpt(answer),
    };
    Some(StepOutcome::Failed(StepFailure { spoke, ..StepFailure::new(fault, seen) }))
}

fn not_understood(answer: &Answer) -> StepOutcome {
    let failure = StepFailure::new(ProbeFault::NotA2a, excerpt(answer));
    StepOutcome::Failed(StepFailure { retry: true, last: false, ..failure })
}

fn failed(fault: ProbeFault, answer: &Answer) -> StepOutcome {
    StepOutcome::Failed(StepFailure::new(fault, excerpt(answer)))
}

fn unanswered(answer: &Answer) -> StepOutcome {
    if let Some(outcome) = gate(answer, false) {
        return outcome;
    }
    let status = answer.status.as_u16();
    let fault =
        if answer.status.is_success() { ProbeFault::NotA2a } else { refusal(answer, ProbedResource::Remote) };
    // Frameworks crash on an unknown dialect, or have no route for it.
    let retry = matches!(status, 400 | 404 | 405 | 500 | 501);
    StepOutcome::Failed(StepFailure { retry, ..StepFailure::new(fault, excerpt(answer)) })
}

/// A message or a task in any state, as 1.0 and all REST bindings wrap them.
fn of_1_0(result: &Value) -> StepOutcome {
    answered(&result["task"], &result["message"], result)
}

fn answered(task: &Value, message: &Value, result: &Value) -> StepOutcome {
    if is_task(task) {
        StepOutcome::Answered("task_answered")
    } else if is_message(message) {
        StepOutcome::Answered("message_answered")
    } else {
        let failure = StepFailure::new(ProbeFault::AnswerShape, result.to_string());
        StepOutcome::Failed(StepFailure { spoke: true, ..failure })
    }
}

fn is_task(value: &Value) -> bool {
    value.get("status").is_some_and(|status| status.get("state").is_some_and(Value::is_string))
}

fn is_message(value: &Value) -> bool {
    let parts = value.get("parts").or_else(|| value.get("content"));
    value.get("role").is_some_and(Value::is_string) && parts.is_some_and(Value::is_array)
}

fn refused(answer: &Answer, error: &RpcError) -> StepOutcome {
    let (fault, spoke, retry) = match error.code {
        _ if error.wants_credentials() => (ProbeFault::AuthRequired(answer.status.as_u16()), true, false),
        METHOD_NOT_FOUND | INVALID_REQUEST | PARSE_ERROR => (ProbeFault::UnknownMethods, false, true),
        INVALID_PARAMS | VERSION_NOT_SUPPORTED => (ProbeFault::MessageRefused, true, true),
        INTERNAL_ERROR => (ProbeFault::MessageFailed, true, false),
        _ => (ProbeFault::MessageRefused, true, false),
    };
    StepOutcome::Failed(StepFailure { spoke, retry, ..StepFailure::new(fault, error.line()) })
}

/// An error of the REST binding: `{"error": {code, status, message}}` (1.0) or a problem of A2A's own type (0.3).
/// Other JSON that contains a message does not count.
fn rest_error(answer: &Answer, body: &Value) -> Option<RpcError> {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let (name, message) = match body.get("error") {
        Some(error) => (text(error, "status")?, text(error, "message")),
        None => (text(body, "type").filter(|kind| kind.contains("a2a"))?, text(body, "title")),
    };
    let code = match name.as_str() {
        "INTERNAL" => INTERNAL_ERROR,
        "UNIMPLEMENTED" | "NOT_FOUND" => METHOD_NOT_FOUND,
        "INVALID_ARGUMENT" => INVALID_PARAMS,
        _ => i64::from(answer.status.as_u16()),
    };
    Some(RpcError { code, message: format!("{name} {}", message.unwrap_or_default()), supported: Vec::new() })
}
