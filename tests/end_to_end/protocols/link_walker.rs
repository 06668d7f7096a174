//! Follows the links of the registry as crawlers and agents do. It finds absolute and relative links in pages, JSON,
//! XML, Markdown and headers. It replaces placeholders with existing values. It does not follow links to other hosts.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use http::{HeaderMap, header};
use reqwest::Url;
use serde_json::Value;
use tests::test_registry::plain_client;

use crate::fixtures::{LivePair, dump_part, unescaped};

const EXAMPLE_ID: &str = "agtpub_0123456789abcdef0123";

/// More links than this mean that the walk does not end.
const MAX_LINKS: usize = 3000;

/// The links of a registry: followed ones and those in the queue.
pub(crate) struct LinkWalker {
    http: reqwest::Client,
    base: String,
    placeholders: BTreeMap<&'static str, String>,
    /// Each path with the document that linked to it first.
    pub(crate) found: BTreeMap<String, String>,
    to_follow: VecDeque<String>,
    /// Links that are not served or contain an unknown placeholder.
    pub(crate) dead: BTreeSet<String>,
}

impl LinkWalker {
    pub(crate) async fn of(pair: &LivePair, token: &str) -> Self {
        let log = pair.registry.get("/log").await.body;
        let skills = pair.registry.get("/.well-known/agent-skills/index.json").await.body;
        let tools = pair.registry.get(&format!("/api/listings/tools?id={}", pair.server)).await.body;
        let card: String = form_urlencoded::byte_serialize(pair.peers[0].card().as_bytes()).collect();
        let width = format!("000.p/{}", log["tree_size"]);
        let score = pair.registry.get(&format!("/api/score?url={card}")).await.body;
        let report = score["report_url"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let placeholders = [
            ("id", pair.agent.to_string()),
            ("listing_id", pair.agent.to_string()),
            ("words", "weather".to_owned()),
            ("url", card),
            ("token", token.to_owned()),
            ("access_token", token.to_owned()),
            ("level", "0".to_owned()),
            ("index", "0".to_owned()),
            ("hash", tools["tools"][0]["hash"].as_str().unwrap().to_owned()),
            ("day", pair.registry.now().to_string()),
            ("/dumps/{part}", dump_part(pair).await),
            ("/check/{id}", report.clone()),
            ("/check/{id}/report.json", report),
            ("/badge/{name}", "live".to_owned()),
            ("/skills/{name}", format!("{}.md", skills["skills"][0]["name"].as_str().unwrap())),
            ("/skills/{name}.md", skills["skills"][0]["name"].as_str().unwrap().to_owned()),
            ("/log/tile/{tile}", format!("0/{width}")),
            ("/log/tile/{*tile}", format!("0/{width}")),
            ("tile", width),
        ];
        Self {
            http: plain_client(),
            base: pair.registry.url("").trim_end_matches('/').to_owned(),
            placeholders: placeholders.into(),
            found: BTreeMap::new(),
            to_follow: VecDeque::new(),
            dead: BTreeSet::new(),
        }
    }

    pub(crate) fn add(&mut self, link: &str, source: &str) {
        let path = link.split('#').next().unwrap_or_default();
        let Some(path) = self.filled(path) else {
            self.dead.insert(format!("{link} of {source} has an unknown placeholder"));
            return;
        };
        if path.starts_with('/') && !self.found.contains_key(&path) {
            self.found.insert(path.clone(), source.to_owned());
            self.to_follow.push_back(path);
        }
    }

    /// Adds the links of a document at the path `source`.
    pub(crate) fn read(&mut self, source: &str, media_type: &str, text: &str) {
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
    pub(crate) async fn walk(&mut self) {
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

    /// The path with all placeholders filled; `None` for an unknown placeholder.
    fn filled(&self, path: &str) -> Option<String> {
        let mut path = path.replace(EXAMPLE_ID, &self.placeholders["listing_id"]);
        while let Some(start) = path.find('{') {
            let end = start + path[start..].find('}')?;
            let name = path[start + 1..end].trim_start_matches('*');
            let whole = path.split('?').next().unwrap_or_default();
            let filling = self.placeholders.get(whole).or_else(|| self.placeholders.get(name))?;
            path.replace_range(start..=end, filling);
        }
        Some(path)
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
