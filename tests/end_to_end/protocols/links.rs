//! Checks all documents and replies of the registry. If a link leads to the registry, the registry must serve it. No
//! document contains an access token. The links are followed as crawlers and agents do:
//! absolute and relative ones in pages, JSON, XML, Markdown and headers, with existing values for their placeholders, but
//! none to other hosts.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use http::{HeaderMap, header};
use registry::features::{AnyOperation, CATALOGUE};
use reqwest::Url;
use serde_json::{Map, Value};
use tests::prelude::*;
use tests::test_registry::plain_client;

use crate::fixtures::{LivePair, all_documents, filled, live_pair, placeholders, unescaped};

/// A registry in which both listings completed the funnel, with an access token and the replies of the funnel.
async fn registry_after_funnel() -> (LivePair, String, Vec<(String, Value)>) {
    let pair = live_pair().await;
    let registry = &pair.registry;
    let mut replies = Vec::new();
    let mut token = String::new();
    for id in [&pair.agent, &pair.server] {
        let demo = registry.post("/api/products/demo", &json!({ "listing_id": id })).await.body;
        let draft = &demo["next_steps"]["example_body"];
        let answer = registry.post("/api/products/feedback", draft).await.body;
        token = answer["access_token"].as_str().unwrap().to_owned();
        replies.extend([("demo".to_owned(), demo), ("feedback".to_owned(), answer)]);
        let card = registry.status(id).await["probe"]["target"].clone();
        replies.push(("publish".to_owned(), registry.publish(&json!({ "url": card })).await));
    }
    registry.recheck_after(DAY).await;
    registry.index().await;
    (pair, token, replies)
}

/// The example of an operation, with an existing listing, order and token.
fn example_of(entry: &AnyOperation, id: &ListingId, pair: &LivePair, token: &str) -> Map<String, Value> {
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
async fn replies_and_stored_items_contain_no_token() {
    let (pair, token, _) = registry_after_funnel().await;
    let mut answers = operations(&pair, &token).await;
    // Replies to a call with the token contain the next call with it.
    answers.retain(|(call, _)| !call.starts_with("get_access ") && !call.starts_with("export_product "));
    for (_, path) in all_documents(&pair).await {
        let body = pair.registry.get(&path).await.body;
        answers.push((path, body));
    }
    for (source, answer) in &answers {
        assert!(!answer.to_string().contains(&token), "{source} contains a token");
    }
    let feed = pair.registry.get("/api/feed").await.body.to_string();
    assert!(feed.contains("founding_seat_claimed"), "{feed}");
    for item in pair.registry.table().await.items_under("") {
        assert!(!item.to_string().contains(&token), "a token is stored in clear: {item}");
    }
}

const EXAMPLE_ID: &str = "agtpub_0123456789abcdef0123";

/// More links than this mean that the walk does not end.
const MAX_LINKS: usize = 3000;

/// The links of a registry: followed ones and those in the queue.
struct LinkWalker {
    http: reqwest::Client,
    base: String,
    placeholders: BTreeMap<&'static str, String>,
    /// Each path with the document that linked to it first.
    found: BTreeMap<String, String>,
    to_follow: VecDeque<String>,
    /// Links that are not served or contain an unknown placeholder.
    dead: BTreeSet<String>,
}

impl LinkWalker {
    async fn of(pair: &LivePair, token: &str) -> Self {
        let card: String = form_urlencoded::byte_serialize(pair.peers[0].card().as_bytes()).collect();
        let mut placeholders = placeholders(pair).await;
        placeholders.extend([
            ("listing_id", pair.agent.to_string()),
            ("words", "weather".to_owned()),
            ("url", card),
            ("token", token.to_owned()),
            ("access_token", token.to_owned()),
            ("level", "0".to_owned()),
            ("day", pair.registry.now().to_string()),
        ]);
        Self {
            http: plain_client(),
            base: pair.registry.url("").trim_end_matches('/').to_owned(),
            placeholders,
            found: BTreeMap::new(),
            to_follow: VecDeque::new(),
            dead: BTreeSet::new(),
        }
    }

    fn add(&mut self, link: &str, source: &str) {
        let path = link.split('#').next().unwrap_or_default();
        let path = path.replace(EXAMPLE_ID, &self.placeholders["listing_id"]);
        let Some(path) = filled(&path, &self.placeholders) else {
            self.dead.insert(format!("{link} of {source} has an unknown placeholder"));
            return;
        };
        if path.starts_with('/') && !self.found.contains_key(&path) {
            self.found.insert(path.clone(), source.to_owned());
            self.to_follow.push_back(path);
        }
    }

    /// Adds the links of a document at the path `source`.
    fn read(&mut self, source: &str, media_type: &str, text: &str) {
        let is_markup = media_type.contains("html") || media_type.contains("xml");
        let text = if is_markup { unescaped(text) } else { text.to_owned() };
        let mut links = absolute(&self.base, &text);
        if media_type.contains("html") {
            links.extend(["href=\"", "src=\"", "action=\""].iter().flat_map(|mark| quoted(&text, mark, '"')));
        } else if media_type.starts_with("text/plain") || media_type.starts_with("text/markdown") {
            links.extend(quoted(&text, "](", ')'));
        } else if let Ok(document) = serde_json::from_str(&text) {
            paths(&document, &mut links);
        }
        self.add_all(links, source);
    }

    fn add_all(&mut self, links: Vec<String>, source: &str) {
        let Ok(at) = Url::parse(&format!("{}{source}", self.base)) else {
            return links.iter().for_each(|link| self.add(link, source));
        };
        for link in links {
            // A URI template is not a URL. Only links from the root become one when their placeholders are filled.
            if link.starts_with('/') && !link.starts_with("//") {
                self.add(&link, source);
            } else if let Ok(joined) = at.join(&link)
                && let Some(own) = joined.as_str().strip_prefix(&self.base)
            {
                self.add(own, source);
            }
        }
    }

    /// Follows every link in the queue, and the links found there.
    async fn walk(&mut self) {
        while let Some(path) = self.to_follow.pop_front() {
            assert!(self.found.len() < MAX_LINKS, "the walk does not end: {path}");
            let response = self.http.get(format!("{}{path}", self.base)).send().await.unwrap();
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            if !is_served(status, &headers, &path) {
                self.dead.insert(format!("{path} of {}: {status}", self.found[&path]));
                continue;
            }
            let values = |name| headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
            let mut links: Vec<String> =
                values(header::LINK).flat_map(|value| quoted(value, "<", '>')).collect();
            links.extend(values(header::LOCATION).map(str::to_owned));
            let media_type = values(header::CONTENT_TYPE).next().unwrap_or_default().to_owned();
            self.add_all(links, &path);
            if let Ok(text) = String::from_utf8(response.bytes().await.unwrap().to_vec()) {
                self.read(&path, &media_type, &text);
            }
        }
    }
}

/// Whether a path is served. POST endpoints refuse GET with 405; paths that need an argument or a token return 422 or
/// 401.
fn is_served(status: u16, headers: &HeaderMap, path: &str) -> bool {
    match status {
        200 | 307 | 308 | 401 | 409 => true,
        405 => headers[header::ALLOW].to_str().is_ok_and(|allowed| allowed.contains("POST")),
        422 => !path.contains('?'),
        _ => false,
    }
}

/// The URLs of this registry in a text.
fn absolute(base: &str, text: &str) -> Vec<String> {
    let ends = |c: char| c.is_whitespace() || "\"'`<>)]\\|,;".contains(c);
    let mut found = Vec::new();
    for (at, _) in text.match_indices(base) {
        let rest = &text[at + base.len()..];
        let end = rest.find(ends).unwrap_or(rest.len());
        // Placeholders are written `{name}`, or `<name>` in text for people.
        let is_whole = !rest[end..].starts_with('<') || rest[end..].starts_with("</");
        let mut path = rest[..end].trim_end_matches(['.', ':', '*', '_']);
        if path.matches('}').count() > path.matches('{').count() {
            path = path.split('}').next().unwrap_or_default();
        }
        if is_whole && path.starts_with('/') && !path.contains('…') {
            found.push(path.to_owned());
        }
    }
    found
}

/// The texts between each `start` and the next `end`.
fn quoted(text: &str, start: &str, end: char) -> Vec<String> {
    let parts = text.split(start).skip(1);
    parts.filter_map(|rest| rest.split_once(end)).map(|(link, _)| link.to_owned()).collect()
}

/// Every string of a document that is a path. A base64 hash may look like a path, except for a final `=`.
fn paths(document: &Value, found: &mut Vec<String>) {
    match document {
        Value::String(text) => {
            let is_path = text.len() > 1
                && text.starts_with('/')
                && !text.starts_with("//")
                && (text.contains('?') || !text.ends_with('='))
                && text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-~?=&%{}*:".contains(c));
            found.extend(is_path.then(|| text.clone()));
        }
        Value::Array(items) => items.iter().for_each(|item| paths(item, found)),
        Value::Object(members) => members.values().for_each(|member| paths(member, found)),
        _ => {}
    }
}
