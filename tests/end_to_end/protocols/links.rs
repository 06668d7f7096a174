//! Checks all documents and replies of the registry. If a link leads to the registry, the registry must serve
//! it. No document contains an access token, a discount code or an email address.

use std::collections::BTreeSet;

use registry::model::ListingId;
use registry::operations::{AnyOperation, CATALOGUE};
use serde_json::{Map, Value, json};
use tests::test_registry::{DAY, TestRegistry};

use super::link_walker::LinkWalker;
use crate::fixtures::{LivePair, all_documents, live_pair};

/// Endpoints whose GET belongs to a protocol, and an unknown path.
const PROTOCOL_PATHS: [&str; 5] =
    ["/api/a2a", "/api/protocol", "/v0.1/servers", "/api/ard/agents", "/nothing/here"];

/// The paths of `specification.md#endpoints`.
const SPECIFIED_ENDPOINTS: [(&str, &str); 22] = [
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

/// Read-only documents of the specification, without badges and skills, whose paths have placeholders.
const SPECIFIED_DOCUMENTS: [&str; 28] = [
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

/// Other product families of the specification.
const SPECIFIED_FAMILIES: [&str; 17] = [
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

const PRIVATE_EMAIL: &str = "somebody.private@example.org";

/// Values that later replies must not contain.
pub(super) struct Secrets {
    pub(super) token: String,
    /// The token of a subscription.
    pub(super) subscription: String,
}

/// A registry in which both listings completed the funnel, with the replies of the funnel.
pub(super) async fn registry_after_funnel() -> (LivePair, Secrets, Vec<(String, Value)>) {
    let pair = live_pair().await;
    let registry = &pair.registry;
    let mut replies = Vec::new();
    let mut token = String::new();
    for id in [&pair.agent, &pair.server] {
        let demo = registry.post("/api/products/demo", &json!({ "listing_id": id })).await.body;
        let mut draft = demo["next_steps"]["example_body"].clone();
        draft["contact_email"] = json!(PRIVATE_EMAIL);
        let answer = registry.post("/api/products/feedback", &draft).await.body;
        token = answer["access_token"].as_str().unwrap().to_owned();
        replies.extend([("demo".to_owned(), demo), ("feedback".to_owned(), answer)]);
        let card = registry.status(id).await["probe"]["target"].clone();
        let body = json!({ "url": card, "contact_email": PRIVATE_EMAIL });
        replies.push(("publish".to_owned(), registry.post("/api/publish", &body).await.body));
    }
    registry.advance(DAY);
    registry.recheck().await;
    registry.index().await;
    let subscribed = json!({ "url": "http://127.0.0.1:9/hook" });
    let subscribed = registry.post("/api/subscriptions", &subscribed).await.body;
    let subscription = subscribed["manage_url"].as_str().unwrap().split_once("token=").unwrap().1.to_owned();
    (pair, Secrets { token, subscription }, replies)
}

/// The example of an operation, with an existing listing, order and token.
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
            "token" if entry.name == "manage_subscription" => *value = json!(secrets.subscription),
            "token" => *value = json!(secrets.token),
            _ => {}
        }
    }
    arguments
}

/// The result of every operation for its example.
async fn operations(pair: &LivePair, secrets: &Secrets) -> Vec<(String, Value)> {
    let mut replies = Vec::new();
    for entry in CATALOGUE {
        for (id, name) in [(&pair.agent, "agent"), (&pair.server, "server")] {
            let arguments = example_of(entry, id, pair, secrets);
            let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": { "name": entry.name, "arguments": arguments } });
            let reply = pair.registry.post("/api/protocol", &call).await.body;
            let answer = reply["result"]["structuredContent"].clone();
            assert!(answer.is_object(), "{}: {reply}", entry.name);
            replies.push((format!("{} of the {name}", entry.name), answer));
        }
    }
    replies
}

async fn documents(pair: &LivePair) -> Vec<(String, Value)> {
    let mut replies = Vec::new();
    let paths = all_documents(pair).await.into_iter().map(|(_, path)| path);
    for path in paths.chain(PROTOCOL_PATHS.map(str::to_owned)) {
        let body = pair.registry.get(&path).await.body;
        replies.push((path, body));
    }
    replies
}

/// A crawler that knows only the host name finds every document, and no link is dead.
#[tokio::test(flavor = "multi_thread")]
async fn every_link_is_served_and_every_document_is_linked() {
    let (pair, secrets, mut replies) = registry_after_funnel().await;
    let mut walker = LinkWalker::of(&pair, &secrets.token).await;
    walker.add("/", "the host name");
    walker.add("/discovery.json", "the host name");
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
    assert!(unlinked.is_empty(), "no link to {unlinked:?}");

    replies.extend(operations(&pair, &secrets).await);
    for (source, answer) in &replies {
        walker.read(source, "application/json", &answer.to_string());
    }
    walker.walk().await;
    assert!(walker.found.len() > 100, "only {} links were found", walker.found.len());
    let dead: Vec<&str> = walker.dead.iter().map(String::as_str).collect();
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

#[tokio::test]
async fn openapi_describes_the_contract_and_its_paths_are_served() {
    let registry = TestRegistry::start().await;
    let described = registry.get("/openapi.json").await.body["paths"].clone();
    let families = SPECIFIED_FAMILIES.map(|family| format!("/api/products/{family}"));
    let reads = SPECIFIED_DOCUMENTS.into_iter().chain(families.iter().map(String::as_str));
    let reads = reads.chain(["/badge/{name}", "/skills/{name}"]).map(|path| ("GET", path));
    for (method, path) in SPECIFIED_ENDPOINTS.into_iter().chain(reads) {
        let calls = &described[path];
        let is_post_only = path == "/api/products/run" && calls["post"].is_object();
        assert!(calls[method.to_lowercase()].is_object() || is_post_only, "{method} {path}: {calls}");
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
            // Payments are not configured in this test.
            let payments_are_off = reply.body["code"] == "payments_not_configured";
            assert!(
                reply.status != 405 && (reply.status < 500 || payments_are_off),
                "{method} {path}: {reply:?}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_contain_no_token_and_no_email_address() {
    let (pair, secrets, _) = registry_after_funnel().await;
    let answers = [operations(&pair, &secrets).await, documents(&pair).await].concat();
    // Replies to a call with the token contain the next call with it.
    let by_token = |source: &str| source.starts_with("get_access ") || source.starts_with("export_product ");
    for (source, answer) in answers.iter().filter(|(source, _)| !by_token(source)) {
        let text = answer.to_string();
        assert!(!text.contains(PRIVATE_EMAIL), "{source} contains an email address");
        assert!(!text.contains(&secrets.token), "{source} contains a token");
    }
    let feed = pair.registry.get("/api/feed").await.body.to_string();
    assert!(feed.contains("founding_seat_claimed"), "{feed}");

    let table = pair.registry.table().await;
    for key in table.keys() {
        assert!(!key.contains(&secrets.token) && !key.contains(PRIVATE_EMAIL), "{key}");
    }
    for key in table.keys() {
        for item in table.items_under(key) {
            let text = item.to_string();
            assert!(!text.contains(&secrets.token), "a token is stored in clear: {key} {item}");
            let is_allowed = key.starts_with("CONTACT#") || !text.contains(PRIVATE_EMAIL);
            assert!(is_allowed, "an email address outside its contact item: {key} {item}");
        }
    }
}
