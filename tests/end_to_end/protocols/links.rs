//! Checks all documents and replies of the registry. If a link leads to the registry, the registry must serve
//! it. No document contains an access token, a discount code or an email address.

use std::collections::BTreeSet;

use registry::features::{AnyOperation, CATALOGUE};
use registry::model::ListingId;
use serde_json::{Map, Value, json};
use tests::test_registry::DAY;

use super::link_walker::LinkWalker;
use crate::fixtures::{LivePair, all_documents, live_pair};

/// Endpoints whose GET belongs to a protocol, and an unknown path.
const PROTOCOL_PATHS: [&str; 5] =
    ["/api/a2a", "/api/protocol", "/v0.1/servers", "/api/ard/agents", "/nothing/here"];

const PRIVATE_EMAIL: &str = "somebody.private@example.org";

/// A registry in which both listings completed the funnel, with an access token and the replies of the funnel.
pub(super) async fn registry_after_funnel() -> (LivePair, String, Vec<(String, Value)>) {
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
    registry.recheck_after(DAY).await;
    registry.index().await;
    (pair, token, replies)
}

/// The example of an operation, with an existing listing, order and token.
pub(super) fn example_of(
    entry: &AnyOperation,
    id: &ListingId,
    pair: &LivePair,
    token: &str,
) -> Map<String, Value> {
    let order = registry::model::OrderId::of(&pair.agent, registry::model::Sku::Alive);
    let mut arguments: Map<String, Value> = serde_json::from_str(entry.example).unwrap();
    for (member, value) in &mut arguments {
        match member.as_str() {
            "listing_id" | "id" => *value = json!(id),
            "order_id" => *value = json!(order),
            "token" => *value = json!(token),
            _ => {}
        }
    }
    arguments
}

/// The result of every operation for its example.
async fn operations(pair: &LivePair, token: &str) -> Vec<(String, Value)> {
    let mut replies = Vec::new();
    for entry in CATALOGUE {
        for (id, name) in [(&pair.agent, "agent"), (&pair.server, "server")] {
            let arguments = example_of(entry, id, pair, token);
            let params = json!({ "name": entry.name, "arguments": arguments });
            let reply = pair.registry.rpc("/api/protocol", "tools/call", params).await;
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
    let (pair, token, mut replies) = registry_after_funnel().await;
    let mut walker = LinkWalker::of(&pair, &token).await;
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

    replies.extend(operations(&pair, &token).await);
    for (source, answer) in &replies {
        walker.read(source, "application/json", &answer.to_string());
    }
    walker.walk().await;
    assert!(walker.found.len() > 100, "only {} links were found", walker.found.len());
    let dead: Vec<&str> = walker.dead.iter().map(String::as_str).collect();
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_contain_no_token_and_no_email_address() {
    let (pair, token, _) = registry_after_funnel().await;
    let answers = [operations(&pair, &token).await, documents(&pair).await].concat();
    // Replies to a call with the token contain the next call with it.
    let by_token = |source: &str| source.starts_with("get_access ") || source.starts_with("export_product ");
    for (source, answer) in answers.iter().filter(|(source, _)| !by_token(source)) {
        let text = answer.to_string();
        assert!(!text.contains(PRIVATE_EMAIL), "{source} contains an email address");
        assert!(!text.contains(&token), "{source} contains a token");
    }
    let feed = pair.registry.get("/api/feed").await.body.to_string();
    assert!(feed.contains("founding_seat_claimed"), "{feed}");

    let table = pair.registry.table().await;
    for key in table.keys() {
        assert!(!key.contains(&token) && !key.contains(PRIVATE_EMAIL), "{key}");
    }
    for key in table.keys() {
        for item in table.items_under(key) {
            let text = item.to_string();
            assert!(!text.contains(&token), "a token is stored in clear: {key} {item}");
            let is_allowed = key.starts_with("CONTACT#") || !text.contains(PRIVATE_EMAIL);
            assert!(is_allowed, "an email address outside its contact item: {key} {item}");
        }
    }
}
