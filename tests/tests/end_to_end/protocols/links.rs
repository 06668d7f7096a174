//! Everything that the registry says, in one reading: each link to itself is served, and no token, code or address of a
//! person is in it.

use std::collections::BTreeSet;

use registry::model::ListingId;
use registry::operations::{AnyOperation, CATALOGUE};
use serde_json::{Map, Value, json};
use tests::test_registry::{DAY, TestRegistry};

use super::link_walker::LinkWalker;
use crate::fixtures::{LivePair, all_documents, live_pair};

/// Endpoints whose GET is of a protocol.
const FURTHER: [&str; 5] = ["/api/a2a", "/api/protocol", "/v0.1/servers", "/api/ard/agents", "/nothing/here"];

/// The paths of the contract ("Endpoints").
const CONTRACT_ENDPOINTS: [(&str, &str); 22] = [
    ("POST", "/api/publish"),
    ("GET", "/api/listings/status"),
    ("GET", "/api/listings/active"),
    ("GET", "/api/products/demo"),
    ("POST", "/api/products/demo"),
    ("POST", "/api/products/feedback"),
    ("POST", "/api/products/demo-confirm"),
    ("POST", "/api/products/agent"),
    ("GET", "/api/products/access"),
    ("GET", "/api/products/export"),
    ("GET", "/api/talk"),
    ("GET", "/api/score"),
    ("GET", "/api/a2a"),
    ("POST", "/api/a2a"),
    ("GET", "/api/ard/search"),
    ("POST", "/api/ard/search"),
    ("GET", "/api/match"),
    ("GET", "/api/feed"),
    ("POST", "/api/protocol"),
    ("GET", "/api/products/reciprocity"),
    ("GET", "/api/products/connectors/daily"),
    ("GET", "/api/probes"),
];

/// Its read-only documents, but for the badges and skills, whose names are to be filled in.
const CONTRACT_DOCUMENTS: [&str; 28] = [
    "/.well-known/agent.json",
    "/.well-known/agent-card.json",
    "/.well-known/mcp/server-card.json",
    "/.well-known/ai-catalog.json",
    "/.well-known/jwks.json",
    "/.well-known/signature-agent-card.json",
    "/.well-known/http-message-signatures-directory",
    "/.well-known/agents",
    "/.well-known/agent-descriptions",
    "/.well-known/a2a-card.json",
    "/agents/public",
    "/agents/search",
    "/api/catalog",
    "/skill.json",
    "/discovery.json",
    "/openapi.json",
    "/llms.txt",
    "/llms-full.txt",
    "/ai.txt",
    "/robots.txt",
    "/sitemap.xml",
    "/agentmap.json",
    "/api/mcp-registry/server.json",
    "/api/mcp-registry/publish-status",
    "/api/dns/mcp-status",
    "/list",
    "/for-agents",
    "/products",
];

/// Its other product-family endpoints.
const CONTRACT_FAMILIES: [&str; 17] = [
    "stigmergy",
    "autocatalysis",
    "interop",
    "federation",
    "first-principles",
    "exonomics",
    "agentfinder",
    "reply-capture",
    "conversion-pressure",
    "improvement-log",
    "checkout",
    "preview",
    "verify",
    "learning",
    "run",
    "demo-nudge",
    "connectors",
];

const PERSON: &str = "somebody.private@example.org";

/// Told once and then in no answer: an access token and an address.
pub(super) struct Secrets {
    pub(super) token: String,
}

/// A registry in which both listings went the whole way, with the answers of that way.
pub(super) async fn walked() -> (LivePair, Secrets, Vec<(String, Value)>) {
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

/// The example of an operation with a listing that is there, and what it was given, in the place of what is not.
pub(super) fn example_of(
    entry: &AnyOperation,
    id: &ListingId,
    pair: &LivePair,
    secrets: &Secrets,
) -> Map<String, Value> {
    let order = registry::model::OrderId::of(&pair.agent, registry::model::Sku::Alive);
    let mut arguments: Map<String, Value> = serde_json::from_str(entry.example).unwrap();
    for (member, value) in &mut arguments {
        match member.as_str() {
            "listing_id" | "id" => *value = json!(id),
            "order_id" => *value = json!(order),
            "token" => *value = json!(secrets.token),
            _ => {}
        }
    }
    arguments
}

/// What every operation answers to its example.
async fn operations(pair: &LivePair, secrets: &Secrets) -> Vec<(String, Value)> {
    let mut said = Vec::new();
    for entry in CATALOGUE {
        for (id, name) in [(&pair.agent, "agent"), (&pair.server, "server")] {
            let arguments = example_of(entry, id, pair, secrets);
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

async fn documents(pair: &LivePair) -> Vec<(String, Value)> {
    let mut said = Vec::new();
    let paths = all_documents(pair).await.into_iter().map(|(_, path)| path);
    for path in paths.chain(FURTHER.map(str::to_owned)) {
        let body = pair.registry.get(&path).await.body;
        said.push((path, body));
    }
    said
}

/// Whoever knows only the host name finds everything, and nothing that is found is dead.
#[tokio::test(flavor = "multi_thread")]
async fn every_link_leads_somewhere_and_every_document_is_linked() {
    let (pair, secrets, mut said) = walked().await;
    let mut walker = LinkWalker::of(&pair, &secrets.token).await;
    walker.note("/", "the host name");
    walker.note("/discovery.json", "the host name");
    walker.walk().await;
    let linked: BTreeSet<&str> =
        walker.found.keys().map(|link| link.split('?').next().unwrap_or_default()).collect();
    let documents = all_documents(&pair).await;
    let unlinked: Vec<&str> = documents
        .iter()
        .filter(|(document, _)| document.paths.iter().all(|path| !path.contains('{')))
        .filter(|(document, _)| !document.paths.iter().any(|path| linked.contains(path)))
        .map(|(_, path)| path.as_str())
        .collect();
    assert!(unlinked.is_empty(), "nothing leads to {unlinked:?}");

    said.extend(operations(&pair, &secrets).await);
    for (source, answer) in &said {
        walker.read(source, "application/json", &answer.to_string());
    }
    walker.walk().await;
    assert!(walker.found.len() > 100, "only {} links were found", walker.found.len());
    let dead: Vec<&str> = walker.dead.iter().map(String::as_str).collect();
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

#[tokio::test]
async fn every_path_of_the_contract_is_described_and_every_described_path_is_served() {
    let registry = TestRegistry::start().await;
    let described = registry.get("/openapi.json").await.body["paths"].clone();
    let families = CONTRACT_FAMILIES.map(|family| format!("/api/products/{family}"));
    let read = CONTRACT_DOCUMENTS.into_iter().chain(families.iter().map(String::as_str));
    let read = read.chain(["/badge/{name}", "/skills/{name}"]).map(|path| ("GET", path));
    for (method, path) in CONTRACT_ENDPOINTS.into_iter().chain(read) {
        let calls = &described[path];
        let is_sent = path == "/api/products/run" && calls["post"].is_object();
        assert!(calls[method.to_lowercase()].is_object() || is_sent, "{method} {path}: {calls}");
    }
    for (path, calls) in described.as_object().unwrap() {
        let filled = path
            .split('{')
            .map(|part| part.split_once('}').map_or(part.into(), |(_, rest)| format!("x{rest}")));
        let filled: String = filled.collect();
        for method in calls.as_object().unwrap().keys() {
            let json = [("content-type".to_owned(), "application/json".to_owned())];
            let body = if method == "post" { "{}" } else { "" };
            let reply = registry.send(&method.to_uppercase(), &filled, &json, body.to_owned()).await;
            assert_ne!(reply.body["code"], "no_such_path", "{method} {path}");
            // Who has no account at Stripe is told so.
            let is_unset = reply.body["code"] == "payments_not_configured";
            assert!(reply.status != 405 && (reply.status < 500 || is_unset), "{method} {path}: {reply:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_holds_a_token_or_an_address_of_a_person() {
    let (pair, secrets, _) = walked().await;
    let answers = [operations(&pair, &secrets).await, documents(&pair).await].concat();
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
