//! One operation, many doors: whatever is asked by REST, as an MCP tool or in a data part of an A2A message has the same
//! answer, for every operation of the catalogue by its own example.

use std::collections::BTreeSet;

use registry::operations::{AnyOperation, CATALOGUE, Route, RouteInput};
use serde_json::{Value, json};

use crate::fixtures::{LivePair, live_pair};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Door {
    Rest,
    Mcp,
    A2a,
}

const DOORS: [Door; 3] = [Door::Rest, Door::Mcp, Door::A2a];

/// Not asked by REST: what they tell is a part of the active list's envelope there (contract "Active list envelope").
const NOT_BY_REST: [&str; 2] = ["search_active", "get_founding_deal"];

/// The example, about listings that are there.
fn arguments(pair: &LivePair, entry: &AnyOperation) -> Value {
    let mut arguments: Value = serde_json::from_str(entry.example).unwrap();
    for (member, value) in arguments.as_object_mut().unwrap() {
        match member.as_str() {
            "listing_id" | "id" => *value = json!(pair.agent),
            "listing_b" => *value = json!(pair.server),
            "listing_ids" => *value = json!([pair.agent, pair.server]),
            "url" | "agent_card_url" => *value = json!(pair.peers[0].card()),
            _ => {}
        }
    }
    arguments
}

async fn ask(pair: &LivePair, door: Door, entry: &AnyOperation) -> Value {
    let arguments = arguments(pair, entry);
    match door {
        Door::Rest => by_rest(pair, entry, arguments).await,
        Door::Mcp => {
            let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": { "name": entry.name, "arguments": arguments } });
            pair.registry.post("/api/protocol", &call).await.body["result"]["structuredContent"].clone()
        }
        Door::A2a => {
            let part = json!({ "data": { "operation": entry.name, "arguments": arguments } });
            let message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [part] });
            let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": message } });
            let result = pair.registry.post("/api/a2a", &call).await.body["result"].clone();
            let data = told(&result).unwrap_or_else(|| panic!("{}: {result}", entry.name));
            if data["ok"] == true { data["result"].clone() } else { data["error"].clone() }
        }
    }
}

/// The data part of an answer: of a message, of a finished task, or of a failed one.
fn told(result: &Value) -> Option<&Value> {
    let places = ["/message/parts", "/task/artifacts/0/parts", "/task/status/message/parts"];
    let mut parts = places.iter().filter_map(|place| result.pointer(place)?.as_array()).flatten();
    parts.find_map(|part| part.get("data").filter(|data| data.get("operation").is_some()))
}

/// By its action where it is one of a family, else by its route.
async fn by_rest(pair: &LivePair, entry: &AnyOperation, mut arguments: Value) -> Value {
    if let Some(action) = entry.actions.first() {
        arguments["action"] = json!(action.names[0]);
        return pair.registry.post(action.path, &arguments).await.body;
    }
    if NOT_BY_REST.contains(&entry.name) {
        return Box::pin(ask(pair, Door::Mcp, entry)).await;
    }
    // What holds lists fits a body only. What tells of a family is a GET: each POST there is an action.
    let takes_body = |route: &&Route| matches!(route.input, RouteInput::BodyAs(_));
    let route = entry.routes.iter().find(takes_body).or_else(|| entry.routes.first());
    let route = route.unwrap_or_else(|| panic!("{} has no door by REST", entry.name));
    if route.is_post() {
        return pair.registry.post(route.path, &arguments).await.body;
    }
    let pairs =
        arguments.as_object().into_iter().flatten().map(|(name, value)| {
            (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        });
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    pair.registry.get(&format!("{}?{query}", route.path)).await.body
}

/// The names of all members, however deep; those of maps by listing, and what a list holds, counted once.
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
async fn what_is_read_is_the_same_at_every_door() {
    let pair = live_pair().await;
    let mut unlike = Vec::new();
    for entry in CATALOGUE.iter().filter(|entry| entry.effect.read_only) {
        // What is read for the first time may be told to be new.
        ask(&pair, Door::Rest, entry).await;
        let first = ask(&pair, Door::Rest, entry).await;
        assert!(first.is_object(), "{}: {first}", entry.name);
        for door in [Door::Mcp, Door::A2a] {
            let other = ask(&pair, door, entry).await;
            let same = match (first["ok"] == false, entry.effect.open_world) {
                (true, _) => other["code"] == first["code"],
                // How long another server took is different each time.
                (false, true) => members(&pair, &other) == members(&pair, &first),
                (false, false) => other == first,
            };
            if !same {
                unlike.push(format!("{} by {door:?}: {other}\nby REST: {first}", entry.name));
            }
        }
    }
    assert!(unlike.is_empty(), "{}", unlike.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_done_is_answered_in_one_shape_at_every_door() {
    let mut answered: Vec<Vec<(&str, Value, BTreeSet<String>)>> = Vec::new();
    for door in DOORS {
        let pair = live_pair().await;
        let mut answers = Vec::new();
        for entry in CATALOGUE {
            let answer = ask(&pair, door, entry).await;
            assert!(answer.is_object(), "{} by {door:?}: {answer}", entry.name);
            let shape = if answer["ok"] == false { BTreeSet::new() } else { members(&pair, &answer) };
            answers.push((entry.name, answer, shape));
        }
        answered.push(answers);
    }
    let (first, others) = answered.split_first().unwrap();
    for (door, answers) in DOORS[1..].iter().zip(others) {
        for ((name, by_rest, shape), (_, other, its_shape)) in first.iter().zip(answers) {
            assert_eq!(by_rest["code"], other["code"], "{name} by {door:?}: {other}\nby REST: {by_rest}");
            assert_eq!(shape, its_shape, "{name} by {door:?}: {other}\nby REST: {by_rest}");
        }
    }
}
