//! Tests that every operation of the catalog returns the same result over REST, as an MCP tool and in a data
//! part of an A2A message. Each operation is called with its own example.

use std::collections::BTreeSet;

use registry::features::{AnyOperation, CATALOGUE, Route, RouteInput};
use tests::prelude::*;
use tests::test_registry::for_whole_answer;

use crate::fixtures::{LivePair, live_pair};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Protocol {
    Rest,
    Mcp,
    A2a,
}

pub(crate) const PROTOCOLS: [Protocol; 3] = [Protocol::Rest, Protocol::Mcp, Protocol::A2a];

/// Operations without a REST route: REST returns their results in the envelope of the active list.
const WITHOUT_REST: [&str; 2] = ["search_active", "get_founding_deal"];

/// The example of an operation, with listings and a card that exist.
pub(super) fn example(pair: &LivePair, entry: &AnyOperation) -> Value {
    fn fill(value: &mut Value, pair: &LivePair) {
        match value {
            Value::String(text) if text.starts_with("http") => *value = json!(pair.peers[0].card()),
            Value::String(text) if text.starts_with("agtpub_") => *value = json!(pair.agent),
            Value::String(text) if text.starts_with("mcp-") => *value = json!(pair.server),
            Value::Array(items) => items.iter_mut().for_each(|item| fill(item, pair)),
            Value::Object(members) => members.values_mut().for_each(|member| fill(member, pair)),
            _ => {}
        }
    }
    let mut example = serde_json::from_str(entry.example).unwrap();
    fill(&mut example, pair);
    example
}

/// Arguments as a query.
pub(super) fn query(arguments: &Value) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in arguments.as_object().into_iter().flatten() {
        query.append_pair(name, &value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    query.finish()
}

/// Method, path and body of a request.
pub(crate) type Call = (&'static str, String, Option<Value>);

/// Every request that calls an operation over a protocol; the one that suits all operations is first.
pub(crate) fn calls(protocol: Protocol, entry: &AnyOperation, arguments: &Value) -> Vec<Call> {
    let rpc = |path: &str, method: &str, params: Value| {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        vec![("POST", path.to_owned(), Some(call))]
    };
    match protocol {
        Protocol::Rest => {
            let action = |name: &str| Some(with_members(arguments.clone(), &json!({ "action": name })));
            let actions = entry.actions.iter().map(|one| ("POST", one.path.to_owned(), action(one.name)));
            let route = |route: &Route| match route.is_post() {
                true => ("POST", route.path.to_owned(), Some(arguments.clone())),
                false => ("GET", format!("{}?{}", route.path, query(arguments)), None),
            };
            // Lists fit only into a body. The description of a family is a GET, because each POST there is an action.
            let (bodies, others): (Vec<&Route>, Vec<_>) =
                entry.routes.iter().partition(|route| matches!(route.input, RouteInput::BodyAs(_)));
            actions.chain(bodies.into_iter().chain(others).map(route)).collect()
        }
        Protocol::Mcp => {
            rpc("/api/protocol", "tools/call", json!({ "name": entry.name, "arguments": arguments }))
        }
        Protocol::A2a => {
            let data = json!({ "operation": entry.name, "arguments": arguments });
            let message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "data": data }] });
            rpc("/api/a2a", "SendMessage", json!({ "message": message }))
        }
    }
}

/// The answer of an operation to its example.
async fn call(pair: &LivePair, protocol: Protocol, entry: &AnyOperation) -> Value {
    let is_without_rest = protocol == Protocol::Rest && WITHOUT_REST.contains(&entry.name);
    let protocol = if is_without_rest { Protocol::Mcp } else { protocol };
    let mut arguments = example(pair, entry);
    if protocol != Protocol::Rest {
        arguments = for_whole_answer(entry.name, &arguments);
    }
    let mut calls = calls(protocol, entry, &arguments);
    assert!(!calls.is_empty(), "{} has no REST route", entry.name);
    let (_, path, body) = calls.remove(0);
    let reply = match &body {
        Some(body) => pair.registry.post(&path, body).await.body,
        None => pair.registry.get(&path).await.body,
    };
    let parts =
        ["/result/message/parts", "/result/task/artifacts/0/parts", "/result/task/status/message/parts"];
    match protocol {
        Protocol::Rest => reply,
        Protocol::Mcp => reply["result"]["structuredContent"].clone(),
        Protocol::A2a => {
            let parts = parts.iter().find_map(|place| reply.pointer(place)?.as_array());
            let data = parts.and_then(|parts| parts.iter().find_map(|part| part.get("data")));
            let data = data.unwrap_or_else(|| panic!("{}: {reply}", entry.name));
            data.get("error").unwrap_or(&data["result"]).clone()
        }
    }
}

/// The paths of all members at any depth. Listing ids in paths are replaced, and list elements have one path.
fn members(pair: &LivePair, answer: &Value) -> BTreeSet<String> {
    fn walk(path: &str, value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    walk(&format!("{path}.{name}"), value, found);
                }
            }
            Value::Array(values) => values.iter().for_each(|value| walk(&format!("{path}[]"), value, found)),
            _ => {
                found.insert(path.to_owned());
            }
        }
    }
    let mut found = BTreeSet::new();
    walk("", answer, &mut found);
    let ids = [(pair.agent.to_string(), "<agent>"), (pair.server.to_string(), "<server>")];
    let named = |path: String| ids.iter().fold(path, |path, (id, name)| path.replace(id, name));
    found.into_iter().map(named).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn read_operations_return_the_same_over_every_protocol() {
    let pair = live_pair().await;
    let mut differences = Vec::new();
    for entry in CATALOGUE.iter().filter(|entry| entry.effect.read_only) {
        // The first read may mark items as new.
        call(&pair, Protocol::Rest, entry).await;
        let first = call(&pair, Protocol::Rest, entry).await;
        assert!(first.is_object(), "{}: {first}", entry.name);
        for protocol in [Protocol::Mcp, Protocol::A2a] {
            let other = call(&pair, protocol, entry).await;
            let same = match (first["ok"] == false, entry.effect.open_world) {
                (true, _) => other["code"] == first["code"],
                // The latency of another server differs each time.
                (false, true) => members(&pair, &other) == members(&pair, &first),
                (false, false) => other == first,
            };
            if !same {
                differences.push(format!("{} by {protocol:?}: {other}\nby REST: {first}", entry.name));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn write_operations_return_the_same_shape_over_every_protocol() {
    let mut answers_by_protocol: Vec<Vec<(&str, Value, BTreeSet<String>)>> = Vec::new();
    for protocol in PROTOCOLS {
        let pair = live_pair().await;
        let mut answers = Vec::new();
        for entry in CATALOGUE {
            let answer = call(&pair, protocol, entry).await;
            assert!(answer.is_object(), "{} by {protocol:?}: {answer}", entry.name);
            let shape = if answer["ok"] == false { BTreeSet::new() } else { members(&pair, &answer) };
            answers.push((entry.name, answer, shape));
        }
        answers_by_protocol.push(answers);
    }
    let (first, others) = answers_by_protocol.split_first().unwrap();
    for (protocol, answers) in PROTOCOLS[1..].iter().zip(others) {
        for ((name, by_rest, shape), (_, other, other_shape)) in first.iter().zip(answers) {
            assert_eq!(by_rest["code"], other["code"], "{name} by {protocol:?}: {other}\nby REST: {by_rest}");
            assert_eq!(shape, other_shape, "{name} by {protocol:?}: {other}\nby REST: {by_rest}");
        }
    }
}
