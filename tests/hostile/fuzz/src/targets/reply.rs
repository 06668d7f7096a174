//! Fuzz target: replies to a JSON-RPC request, as JSON or as an event stream. The first byte of a case selects the
//! content type and the size of the pieces in which the body arrives. The other bytes are the body.

use registry::formats::document_texts;
use registry::probe::handshake::jsonrpc::{RpcOutcome, RpcReply, parse_reply};
use registry::probe::handshake::sse;
use serde_json::Value;

use super::{Verdict, assert_short};

/// The id of the request.
const ID: u64 = 7;
/// Maximum number of values that are read.
const MAX_VALUES: usize = 20_000;

const CONTENT_TYPES: [Option<&str>; 4] =
    [Some("application/json"), Some("text/event-stream; charset=utf-8"), None, Some("text/html")];

pub(super) fn read(case: &[u8]) -> Verdict {
    let Some((how, body)) = case.split_first() else { return Verdict::refused(["empty_case"]) };
    let content_type = CONTENT_TYPES[usize::from(*how) % CONTENT_TYPES.len()];
    let mut left = MAX_VALUES;
    let reply = parse_reply(content_type, body, ID, &mut left);
    assert!(left <= MAX_VALUES);
    assert_eq!(parse_reply(content_type, body, ID, &mut { MAX_VALUES }), reply, "a second read is equal");
    assert_exact_limit(content_type, body, &reply, MAX_VALUES - left);
    assert_same_in_pieces(body, 1 + usize::from(*how) / CONTENT_TYPES.len());
    verdict(reply)
}

/// With one value less than a body needs, the result is `TooMuch`: the limit is exact.
fn assert_exact_limit(content_type: Option<&str>, body: &[u8], reply: &RpcReply, used: usize) {
    if reply.outcome == RpcOutcome::TooMuch {
        return;
    }
    let enough = parse_reply(content_type, body, ID, &mut { used });
    assert_eq!(&enough, reply, "{used} values must be enough");
    if let Some(fewer) = used.checked_sub(1) {
        let outcome = parse_reply(content_type, body, ID, &mut { fewer }).outcome;
        assert_eq!(outcome, RpcOutcome::TooMuch, "{used} values must be required");
    }
}

/// The pieces in which a stream arrives do not change whether its reply and its endpoint are found.
fn assert_same_in_pieces(body: &[u8], piece: usize) {
    let (whole, endpoint) = (sse::until_reply(ID)(body), sse::until_endpoint()(body));
    let (mut replied, mut named) = (sse::until_reply(ID), sse::until_endpoint());
    let (mut has_reply, mut has_endpoint) = (false, false);
    let ends = (0..body.len()).step_by(piece).chain([body.len()]);
    for end in ends {
        has_reply = has_reply || replied(&body[..end]);
        has_endpoint = has_endpoint || named(&body[..end]);
    }
    assert_eq!((has_reply, has_endpoint), (whole, endpoint), "in pieces of {piece}");
    let address = sse::endpoint(body);
    assert!(!endpoint || address.is_some(), "an endpoint that was found early is present at the end");
    for event in sse::events(body) {
        assert!(!event.data.is_empty() && event.data.len() <= 3 * body.len());
    }
}

fn verdict(reply: RpcReply) -> Verdict {
    let code = match reply.outcome {
        RpcOutcome::Result(result) => {
            assert_short_faults(&result);
            let rules: Vec<String> = reply.broken_rules.iter().map(|rule| format!("{rule:?}")).collect();
            if rules.is_empty() {
                return Verdict::Accepted;
            }
            return Verdict::refused(rules.iter().map(String::as_str));
        }
        RpcOutcome::Error(error) => {
            assert!(error.message.chars().count() <= 2001 && error.supported.len() <= 50);
            assert!(error.supported.iter().all(|text| text.chars().count() <= 2001));
            "error"
        }
        RpcOutcome::Broken => "broken",
        RpcOutcome::OtherJson => "other_json",
        RpcOutcome::Html => "html",
        RpcOutcome::Nothing => "nothing",
        RpcOutcome::Text => "text",
        RpcOutcome::TooMuch => "too_much",
    };
    Verdict::refused([code])
}

/// Text checks of a result end, and their faults are short.
fn assert_short_faults(result: &Value) {
    assert_short(&document_texts::opening_faults(result));
    if let Some(tools) = result["tools"].as_array() {
        assert_short(&document_texts::tool_faults(tools, 0));
    }
}
