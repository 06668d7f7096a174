//! Everything that the registry says, in one reading: each link to itself is served, and no token, code or address of a
//! person is in it.

use std::collections::{BTreeMap, BTreeSet};

use registry::documents::DOCUMENTS;
use registry::operations::CATALOGUE;
use serde_json::{Value, json};
use tests::test_registry::{DAY, TestRegistry};

use crate::fixtures::{LivePair, live_pair};

const PERSON: &str = "somebody.private@example.org";

/// Told once and then in no answer: an access token and an address.
struct Secrets {
    token: String,
}

/// A registry in which both listings went the whole way, with the answers of that way.
async fn walked() -> (LivePair, Secrets, Vec<(String, Value)>) {
    let pair = live_pair().await;
    let registry = &pair.registry;
    let mut said = Vec::new();
    let mut token = String::new();
    for id in [&pair.agent, &pair.server] {
        let demo = registry.post("/api/products/demo", &json!({ "listing_id": id })).await.body;
        let mut draft = demo["next_steps"]["example_body"].clone();
        draft["contact_email"] = json!(PERSON);
        let answer = registry.post("/api/products/feedback", &draft).await.body;
        token = answer["access_token"].as_str().unwrap().to_owned();
        said.extend([("demo".to_owned(), demo), ("feedback".to_owned(), answer)]);
        let card = registry.status(id).await["probe"]["target"].clone();
        let body = json!({ "url": card, "contact_email": PERSON });
        said.push(("publish".to_owned(), registry.post("/api/publish", &body).await.body));
    }
    registry.advance(DAY);
    registry.recheck().await;
    registry.index().await;
    (pair, Secrets { token }, said)
}

/// What every operation answers to its example, with what is really there in the place of what is not.
async fn operations(pair: &LivePair, secrets: &Secrets) -> Vec<(String, Value)> {
    let order = registry::model::OrderId::of(&pair.agent, registry::model::Sku::Alive);
    let mut said = Vec::new();
    for entry in CATALOGUE {
        for (id, name) in [(&pair.agent, "agent"), (&pair.server, "server")] {
            let mut arguments: Value = serde_json::from_str(entry.example).unwrap();
            let object = arguments.as_object_mut().unwrap();
            for member in ["listing_id", "id"] {
                if object.contains_key(member) {
                    object.insert(member.to_owned(), json!(id));
                }
            }
            if object.contains_key("order_id") {
                object.insert("order_id".to_owned(), json!(order));
            }
            if object.contains_key("token") {
                object.insert("token".to_owned(), json!(secrets.token));
            }
            let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": { "name": entry.name, "arguments": arguments } });
            let reply = pair.registry.post("/api/protocol", &call).await.body;
            let answer = reply["result"]["structuredContent"].clone();
            assert!(answer.is_object(), "{}: {reply}", entry.name);
            said.push((format!("{} of the {name}", entry.name), answer));
        }
    }
    said
}

async fn documents(registry: &TestRegistry) -> Vec<(String, Value)> {
    let mut said = Vec::new();
    for path in DOCUMENTS.iter().flat_map(|document| document.paths) {
        let path = path.replace("{name}", "live");
        said.push((path.clone(), registry.get(&path).await.body));
    }
    for path in ["/api/a2a", "/api/protocol", "/v0.1/servers", "/api/ard/agents", "/nothing/here"] {
        said.push((path.to_owned(), registry.get(path).await.body));
    }
    said
}

/// The addresses of this registry in a text; those with something to fill in are none.
fn links(base: &str, text: &str) -> BTreeSet<String> {
    let ends = |c: char| c.is_whitespace() || "\"'`<>)]}\\|,;".contains(c);
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices(base) {
        let rest = &text[at + base.len()..];
        let end = rest.find(ends).unwrap_or(rest.len());
        let is_whole = !rest[end..].starts_with('<') && !rest[..end].contains(['{', '…']);
        let path = rest[..end].trim_end_matches(['.', ':', '*', '_']);
        if is_whole && path.starts_with('/') {
            found.insert(path.to_owned());
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn every_link_of_every_answer_is_served() {
    let (pair, secrets, mut said) = walked().await;
    said.extend(operations(&pair, &secrets).await);
    said.extend(documents(&pair.registry).await);
    let base = pair.registry.url("");
    let mut told: BTreeMap<String, String> = BTreeMap::new();
    for (source, answer) in &said {
        let text = answer.as_str().map_or_else(|| answer.to_string(), str::to_owned);
        for link in links(&base, &text.replace("\\n", " ")) {
            told.entry(link).or_insert_with(|| source.clone());
        }
    }
    assert!(told.len() > 40, "only {} links were found", told.len());
    let mut dead = Vec::new();
    for (link, source) in &told {
        let reply = pair.registry.get(link).await;
        // What is only sent to refuses the method, what needs an argument says which.
        let is_served = matches!(reply.status, 200 | 401 | 405 | 409 | 422);
        if !is_served {
            dead.push(format!("{link} of {source}: {} {}", reply.status, reply.body["code"]));
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_holds_a_token_or_an_address_of_a_person() {
    let (pair, secrets, _) = walked().await;
    let answers = [operations(&pair, &secrets).await, documents(&pair.registry).await].concat();
    // Who sends the token is told the next call with it.
    let by_token = |source: &str| source.starts_with("get_access ") || source.starts_with("export_product ");
    for (source, answer) in answers.iter().filter(|(source, _)| !by_token(source)) {
        let text = answer.to_string();
        assert!(!text.contains(PERSON), "{source} holds an address");
        assert!(!text.contains(&secrets.token), "{source} holds a token");
    }
    let feed = pair.registry.get("/api/feed").await.body.to_string();
    assert!(feed.contains("founding_seat_claimed"), "{feed}");

    let table = pair.registry.table().await;
    for key in table.keys() {
        assert!(!key.contains(&secrets.token) && !key.contains(PERSON), "{key}");
    }
    for key in table.keys() {
        for item in table.items_under(key) {
            let text = item.to_string();
            assert!(!text.contains(&secrets.token), "a token is kept in clear: {key} {item}");
            let is_kept_apart = key.starts_with("CONTACT#") || !text.contains(PERSON);
            assert!(is_kept_apart, "an address stands outside its item: {key} {item}");
        }
    }
}
