//! Follows the links of the registry as crawlers and agents do: absolute and relative ones, in pages, JSON, XML, Markdown
//! and headers, with something that is there in the place of what is to be filled in. Other hosts are never asked.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use http::{HeaderMap, header};
use reqwest::Url;
use serde_json::Value;
use tests::test_registry::plain_client;

use crate::fixtures::LivePair;

/// The listing of the examples.
const EXAMPLE: &str = "agtpub_0123456789abcdef0123";

/// A walk that goes on for longer has lost its way.
const MOST: usize = 3000;

/// The links of a registry, those that were followed and those that are to be.
pub(crate) struct LinkWalker {
    http: reqwest::Client,
    base: String,
    fillings: BTreeMap<&'static str, String>,
    /// Each path with where it was found first.
    pub(crate) found: BTreeMap<String, String>,
    to_follow: VecDeque<String>,
    /// What does not answer, or cannot be filled in.
    pub(crate) dead: BTreeSet<String>,
}

impl LinkWalker {
    pub(crate) async fn of(pair: &LivePair, token: &str) -> Self {
        let log = pair.registry.get("/log").await.body;
        let skills = pair.registry.get("/.well-known/agent-skills/index.json").await.body;
        let card: String = form_urlencoded::byte_serialize(pair.peers[0].card().as_bytes()).collect();
        let width = format!("000.p/{}", log["tree_size"]);
        let fillings = [
            ("id", pair.agent.to_string()),
            ("listing_id", pair.agent.to_string()),
            ("words", "weather".to_owned()),
            ("url", card),
            ("token", token.to_owned()),
            ("access_token", token.to_owned()),
            ("level", "0".to_owned()),
            ("day", pair.registry.now().to_string()),
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
            fillings: fillings.into(),
            found: BTreeMap::new(),
            to_follow: VecDeque::new(),
            dead: BTreeSet::new(),
        }
    }

    /// Notes a link for the walk.
    pub(crate) fn note(&mut self, link: &str, source: &str) {
        let path = link.split('#').next().unwrap_or_default();
        let Some(path) = self.filled(path) else {
            self.dead.insert(format!("{link} of {source} cannot be filled in"));
            return;
        };
        if path.starts_with('/') && !self.found.contains_key(&path) {
            self.found.insert(path.clone(), source.to_owned());
            self.to_follow.push_back(path);
        }
    }

    /// Notes the links of a text that stands at a path.
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
        self.note_all(links, source);
    }

    fn note_all(&mut self, links: Vec<String>, source: &str) {
        let Ok(at) = Url::parse(&format!("{}{source}", self.base)) else {
            return links.iter().for_each(|link| self.note(link, source));
        };
        for link in links {
            // A template is no URL: only what begins at the root is one after it is filled in.
            if link.starts_with('/') && !link.starts_with("//") {
                self.note(&link, source);
            } else if let Ok(joined) = at.join(&link)
                && let Some(own) = joined.as_str().strip_prefix(&self.base)
            {
                self.note(own, source);
            }
        }
    }

    /// Follows every link that was noted, and those that are found on the way.
    pub(crate) async fn walk(&mut self) {
        while let Some(path) = self.to_follow.pop_front() {
            assert!(self.found.len() < MOST, "{} links and no end: {path}", self.found.len());
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
            self.note_all(links, &path);
            if let Ok(text) = String::from_utf8(response.bytes().await.unwrap().to_vec()) {
                self.read(&path, &media_type, &text);
            }
        }
    }

    /// The path with everything filled in; none where nothing is known to fill in.
    fn filled(&self, path: &str) -> Option<String> {
        let mut path = path.replace(EXAMPLE, &self.fillings["listing_id"]);
        while let Some(start) = path.find('{') {
            let end = start + path[start..].find('}')?;
            let name = path[start + 1..end].trim_start_matches('*');
            let whole = path.split('?').next().unwrap_or_default();
            let filling = self.fillings.get(whole).or_else(|| self.fillings.get(name))?;
            path.replace_range(start..=end, filling);
        }
        Some(path)
    }
}

/// What is only sent to refuses the method, what needs an argument or a token says so.
fn is_served(status: u16, headers: &HeaderMap, path: &str) -> bool {
    match status {
        200 | 307 | 308 | 401 | 409 => true,
        405 => headers[header::ALLOW].to_str().is_ok_and(|allowed| allowed.contains("POST")),
        422 => !path.contains('?'),
        _ => false,
    }
}

/// The addresses of this registry in a text.
fn absolute(base: &str, text: &str) -> Vec<String> {
    let ends = |c: char| c.is_whitespace() || "\"'`<>)]\\|,;".contains(c);
    let mut found = Vec::new();
    for (at, _) in text.match_indices(base) {
        let rest = &text[at + base.len()..];
        let end = rest.find(ends).unwrap_or(rest.len());
        // What is to be filled in is written `{so}`, or for people `<so>`.
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

/// What stands between each mark and the next end.
fn quoted(text: &str, mark: &str, end: char) -> Vec<String> {
    let parts = text.split(mark).skip(1);
    parts.filter_map(|rest| rest.split_once(end)).map(|(link, _)| link.to_owned()).collect()
}

/// Every text of a document that is a path. A hash in base64 may look like one, but for its end.
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

fn unescaped(text: &str) -> String {
    let entities = [
        ("&#38;", "&"),
        ("&amp;", "&"),
        ("&#34;", "\""),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#60;", "<"),
        ("&#62;", ">"),
        ("&lt;", "<"),
        ("&gt;", ">"),
    ];
    entities.iter().fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character))
}
