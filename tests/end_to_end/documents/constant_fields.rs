//! Every number, flag and state that the registry shows is computed. This test reads each read-only operation and each
//! JSON document from two registries: an empty one, and a busy one with other settings at four times. A field with the same
//! value everywhere is computed from nothing, or was not tried; `tests/harness/fixtures/constant_fields.tsv` says why it may be so.

use std::collections::{BTreeMap, BTreeSet};

use registry::documents::DOCUMENTS;
use registry::operations::DESCRIPTIONS;
use serde_json::{Value, json};
use tests::peers::{Peer, agents, empty, servers};
use tests::test_registry::{DAY, HOUR, TestOptions, TestRegistry, id_of};

use crate::fixtures::live_pair_with;

/// The values of each field, by the source and the path of the field.
type Values = BTreeMap<String, BTreeSet<String>>;

/// Documents that describe the interface: they are made from the catalog, which both registries share.
const DESCRIPTIONS_OF_THE_INTERFACE: [&str; 2] = ["/openapi.json", "/dumps/schema.json"];

/// Words that are computed; other texts are labels or come from the listings.
const STATES: [&str; 8] = ["lane", "state", "phase", "status", "stage", "mode", "handshake", "standing"];

/// Adds the scalars of a value. Items of arrays share a path.
fn collect(values: &mut Values, path: &str, value: &Value) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(values, &format!("{path}[]"), item)),
        Value::Object(members) => {
            for (name, member) in members {
                collect(values, &format!("{path}.{name}"), member);
            }
        }
        scalar => {
            values.entry(path.to_owned()).or_default().insert(scalar.to_string());
        }
    }
}

async fn read(registry: &TestRegistry, listings: &[String], values: &mut Values) {
    for entry in DESCRIPTIONS.iter().filter(|entry| entry.effect.read_only) {
        let ids = ["agtpub_0123456789abcdef0123", "mcp-org-example-adder", "mcp-com-example-weather"];
        let examples: BTreeSet<String> = listings
            .iter()
            .map(|id| ids.iter().fold(entry.example.to_owned(), |text, example| text.replace(example, id)))
            .chain([entry.example.to_owned()])
            .collect();
        for example in examples {
            let arguments: Value = serde_json::from_str(&example).unwrap();
            if let Some(answer) = registry.try_tool(entry.name, &arguments).await {
                collect(values, entry.name, &answer);
            }
        }
    }
    let documents = DOCUMENTS.iter().filter(|document| document.media_type.contains("json"));
    for path in documents.filter_map(|document| document.paths.first()) {
        if !path.contains('{') && !DESCRIPTIONS_OF_THE_INTERFACE.contains(path) {
            let reply = registry.get(path).await;
            if reply.status == 200 {
                collect(values, path, &reply.body);
            }
        }
    }
}

async fn busy(values: &mut Values) {
    let settings = [
        ("BRAND", "Other registry"),
        ("RECHECK_DAYS", "5"),
        ("PROBE_TICK_SECONDS", "120"),
        ("PROBE_DAILY_BUDGET", "5000"),
        ("PROBE_HOURLY_CAP", "500"),
        ("PROBE_WINDOW_CAP", "20"),
        ("CLEAN_LIST_TARGET", "20"),
        ("FOUNDING_SEATS", "3"),
        ("PAYMENTS_OPEN_AFTER", "1"),
        ("PAYMENTS", "elsewhere"),
        ("OUTREACH_PAUSE_DAYS", "9"),
        ("FEDERATION_PEERS", "https://peer.example.org"),
    ];
    let options = settings
        .iter()
        .fold(TestOptions::default(), |options, (name, value)| options.with_setting(name, value));
    let pair = live_pair_with(options).await;
    let registry = &pair.registry;
    // Counts the network before the other listings are published.
    registry.recheck().await;
    let (broken, closed) = (Peer::start(agents::only(404)).await, Peer::start(|_| empty(401)).await);
    let gone = Peer::start(|_| empty(404)).await;
    let local = json!({ "name": "org.example/local", "description": "Runs locally.", "version": "1.0.0",
        "packages": [{ "registryType": "npm", "identifier": "local", "version": "1.0.0", "transport": { "type": "stdio" } }] });
    let (older, plain) = (Peer::start(servers::legacy).await, Peer::start(agents::newest).await);
    let more = [
        registry.publish_card(&broken.card()).await,
        registry.publish_mcp(&closed.url("/mcp")).await,
        registry.publish_mcp(&older.url("/mcp")).await,
        registry.publish_card(&plain.card()).await,
        registry.publish_mcp(&gone.url("/mcp")).await,
        id_of(&registry.publish(&local).await),
    ];
    registry.deliver_events().await;
    registry.index().await;
    let listings: Vec<String> =
        [&pair.agent, &pair.server].into_iter().chain(&more).map(ToString::to_string).collect();
    read(registry, &listings, values).await;

    registry.reach_out().await;
    use_listings(registry, &listings[..2], 0.8).await;
    registry.settle();
    registry.index().await;
    read(registry, &listings, values).await;

    // The second half of a day: some peers no longer answer.
    registry.advance(HOUR * 9);
    use_listings(registry, &listings[2..4], 0.3).await;
    use_listings(registry, &listings[4..6], 0.3).await;
    registry.settle();
    plain.answer_with(agents::only(404));
    registry.tick().await;
    read(registry, &listings, values).await;

    registry.advance(DAY * 4 + HOUR * 6);
    for _ in 0..3 {
        registry.recheck().await;
        registry.advance(HOUR);
    }
    registry.tick().await;
    registry.index().await;
    read(registry, &listings, values).await;
}

/// What callers do with two listings.
async fn use_listings(registry: &TestRegistry, ids: &[String], quality: f64) {
    for id in ids {
        let demo = registry.post("/api/products/demo", &json!({ "listing_id": id })).await.body;
        let mut feedback = demo["next_steps"]["example_body"].clone();
        if demo["ok"] == true {
            feedback["answers"]["overall"] = json!("We keep it.");
            feedback["rating"] = json!(if quality > 0.5 { 5 } else { 2 });
            registry.post("/api/products/feedback", &feedback).await;
            registry.get(&format!("/api/talk?listing_id={id}")).await;
        }
    }
    let uses = [
        ("endorse", json!({ "listing_id": ids[0], "from": "planner" })),
        ("leave_trace", json!({ "listing_id": ids[0], "body": "Good.", "from": "planner" })),
        ("used_with", json!({ "listing_id": ids[0], "listing_b": ids[1], "from": "planner" })),
        (
            "deposit_outcome",
            json!({ "listing_id": ids[0], "ok": quality > 0.5, "quality": quality, "latency_ms": 40 }),
        ),
        ("deposit_outcome", json!({ "listing_id": ids[1], "ok": false, "quality": 0.2, "latency_ms": 90 })),
        ("attest", json!({ "type": "liveness", "listing_id": ids[0] })),
        ("match_capability", json!({ "q": "weather forecast" })),
        ("interop_session", json!({ "action": "open", "entry_protocol": "a2a", "match_q": "weather" })),
    ];
    for (tool, arguments) in uses {
        // Some listings are not Live.
        registry.try_tool(tool, &arguments).await;
    }
}

fn is_state(path: &str) -> bool {
    STATES.iter().any(|state| path.ends_with(&format!(".{state}")))
}

/// A pattern of the table: a star stands for any text.
fn matches(pattern: &str, path: &str) -> bool {
    let mut rest = path;
    let parts: Vec<&str> = pattern.split('*').collect();
    for (index, part) in parts.iter().enumerate() {
        let Some(at) = rest.find(part).filter(|at| index > 0 || *at == 0) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty() || pattern.ends_with('*')
}

#[tokio::test]
async fn each_field_that_never_differs_is_justified() {
    let mut values = Values::new();
    read(&TestRegistry::start().await, &[], &mut values).await;
    busy(&mut values).await;
    let constant: Vec<(&String, &String)> = values
        .iter()
        .filter(|(_, values)| values.len() == 1)
        .filter_map(|(path, values)| Some((path, values.first()?)))
        .filter(|(path, value)| !value.starts_with('"') || is_state(path))
        // Measured; it differs by chance.
        .filter(|(path, _)| !path.contains("latency_") && !path.ends_with(".p50_ms"))
        .collect();
    let table = include_str!("../../harness/fixtures/constant_fields.tsv");
    let rows: Vec<(&str, &str)> = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once('\t').expect("a pattern, a tab and a reason"))
        .collect();
    let is_justified = |path: &str| rows.iter().any(|(pattern, _)| matches(pattern, path));
    let unjustified: Vec<String> = constant
        .iter()
        .filter(|(path, _)| !is_justified(path))
        .map(|(path, value)| format!("{path} = {}", value.chars().take(80).collect::<String>()))
        .collect();
    let unused: Vec<&str> = rows
        .iter()
        .map(|(pattern, _)| *pattern)
        .filter(|pattern| !constant.iter().any(|(path, _)| matches(pattern, path)))
        .collect();
    assert!(
        unjustified.is_empty() && unused.is_empty(),
        "{} of {} fields never differ and are not in the table:\n{}\nrows without a field: {unused:?}",
        unjustified.len(),
        values.len(),
        unjustified.join("\n"),
    );
}
