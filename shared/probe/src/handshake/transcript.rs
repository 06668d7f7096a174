//! Writes down each request of a probe and its answer, for the report of a score. Only some headers are written. The values
//! in the query of a URL, session ids and credentials are left out.

use std::fmt::Write as _;

use http::header::ACCEPT;
use http::{HeaderMap, Method};
use serde_json::Value;
use url::Url;

use registry_fetch::{Answer, FetchError, Request, Target};
use registry_model::error::shorten;
use registry_model::{ProbeStep, StepKind};

/// A probe sends up to ten requests, after a search for cards with up to eight. Further pages of a list are left out.
pub(super) const MAX_EXCHANGES: usize = 20;
const MAX_SENT_CHARS: usize = 1500;
const MAX_BODY_BYTES: usize = 3000;
const MAX_HEADER_CHARS: usize = 300;

const SENT_HEADERS: [&str; 6] =
    ["accept", "content-type", "a2a-version", "mcp-protocol-version", "mcp-method", SESSION_ID];

const RECEIVED_HEADERS: [&str; 7] =
    ["content-type", "www-authenticate", "allow", "location", "retry-after", "a2a-version", SESSION_ID];

/// Who knows it can use the session.
const SESSION_ID: &str = "mcp-session-id";

#[derive(Clone, Debug)]
pub(super) struct Sent {
    kind: StepKind,
    text: String,
    url: String,
}

impl Sent {
    pub(super) fn of(request: &Request) -> Self {
        let url = without_values(request.target.url());
        let mut text = format!("{} {url}", request.method);
        write_headers(&mut text, &request.headers, &SENT_HEADERS);
        if let Some(body) = &request.body {
            let _ = write!(text, "\n\n{}", String::from_utf8_lossy(body));
        }
        Self { kind: kind_of(request), text: shorten(&text, MAX_SENT_CHARS), url }
    }

    /// A GET of one of the places where a card may be.
    pub(super) fn searching(request: &Request) -> Self {
        Self { kind: StepKind::CardSearch, ..Self::of(request) }
    }

    /// A connection that is opened and closed again.
    pub(super) fn connection(target: &Target) -> Self {
        let text = format!("A connection to {}", target.origin());
        Self { kind: StepKind::Connection, text, url: String::new() }
    }

    pub(super) fn answered(self, answer: &Answer) -> ProbeStep {
        let mut received = format!("HTTP {}", answer.status.as_u16());
        let url = without_values(answer.target.url());
        if url != self.url {
            let _ = write!(received, "\nfrom {url}, after a redirect");
        }
        write_headers(&mut received, &answer.headers, &RECEIVED_HEADERS);
        let body = &answer.body[..answer.body.len().min(MAX_BODY_BYTES)];
        let more = if body.len() < answer.body.len() { "…" } else { "" };
        let _ = write!(received, "\n\n{}{more}", String::from_utf8_lossy(body).trim());
        ProbeStep {
            status: Some(answer.status.as_u16()),
            took_ms: u32::try_from(answer.elapsed.as_millis()).ok(),
            ..self.without_answer(received.trim_end().to_owned())
        }
    }

    pub(super) fn connected(self) -> ProbeStep {
        self.without_answer("The host accepted the connection.".to_owned())
    }

    pub(super) fn failed(self, error: &FetchError) -> ProbeStep {
        self.without_answer(format!("No answer: {error}"))
    }

    fn without_answer(self, received: String) -> ProbeStep {
        ProbeStep {
            kind: self.kind,
            sent: self.text,
            received,
            status: None,
            took_ms: None,
            rule: None,
            reasons: Vec::new(),
            parts: Vec::new(),
        }
    }
}

/// The URL with the names in its query but without their values, which may be keys.
pub fn without_values(url: &Url) -> String {
    let mut shown = url.clone();
    shown.set_fragment(None);
    if url.query().is_some() {
        // As they are written: decoded, a name could contain any text.
        let names = url.query().unwrap_or_default().split('&');
        let names: Vec<String> =
            names.map(|pair| format!("{}=…", pair.split('=').next().unwrap_or_default())).collect();
        shown.set_query(None);
        return format!("{shown}?{}", names.join("&"));
    }
    shown.into()
}

fn write_headers(text: &mut String, headers: &HeaderMap, shown: &[&str]) {
    for name in shown {
        let Some(value) = headers.get(*name).filter(|value| !value.is_sensitive()) else { continue };
        let value =
            if *name == SESSION_ID { "…".into() } else { String::from_utf8_lossy(value.as_bytes()) };
        let _ = write!(text, "\n{name}: {}", shorten(&value, MAX_HEADER_CHARS));
    }
}

fn kind_of(request: &Request) -> StepKind {
    let body = request.body.as_ref().and_then(|body| serde_json::from_slice::<Value>(body).ok());
    let method = body.as_ref().and_then(|body| body["method"].as_str());
    let of_method = method.and_then(|method| {
        Some(match method {
            "server/discover" => StepKind::Discover,
            "initialize" => StepKind::Initialize,
            "notifications/initialized" => StepKind::Initialized,
            "tools/list" => StepKind::Tools,
            "GetTask" | "tasks/get" => StepKind::Task,
            "SendMessage" | "message/send" | "tasks/send" => StepKind::Message,
            _ if method.ends_with("/list") => StepKind::Contents,
            _ => return None,
        })
    });
    of_method.unwrap_or_else(|| kind_of_path(request))
}

fn kind_of_path(request: &Request) -> StepKind {
    const UUID_CHARS: usize = 36;
    let path = request.target.url().path();
    let is_task = || {
        let task = path.rsplit_once("/tasks/").map(|(_, task)| task);
        task.is_some_and(|task| task.len() == UUID_CHARS && !task.contains('.'))
    };
    if request.method == Method::POST {
        StepKind::Message
    } else if request.headers.get(ACCEPT).is_some_and(|accepted| accepted == "text/event-stream") {
        StepKind::Stream
    } else if path.contains("/.well-known/oauth-protected-resource") {
        StepKind::ResourceMetadata
    } else if path.contains("/.well-known/oauth-authorization-server")
        || path.contains("openid-configuration")
    {
        StepKind::AuthorizationServer
    } else if is_task() {
        StepKind::Task
    } else {
        StepKind::Card
    }
}

#[cfg(test)]
mod tests;
