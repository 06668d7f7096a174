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
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use registry_model::Reach;

    fn target(url: &str) -> Target {
        Target::parse(url, Reach::Public).unwrap()
    }

    #[test]
    fn sent_request_is_written_without_keys_and_session_ids() {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        let request = Request::post_json(target("https://a.example.org/mcp?key=hidden-key&plain"), &body)
            .with_header("authorization", "Bearer hidden-token")
            .with_header(SESSION_ID, "hidden-session")
            .with_header("mcp-method", "tools/list");
        let sent = Sent::of(&request);
        assert_eq!(sent.kind, StepKind::Tools);
        assert_eq!(
            sent.text,
            "POST https://a.example.org/mcp?key=…&plain=…\naccept: application/json\ncontent-type: \
             application/json\nmcp-method: tools/list\nmcp-session-id: …\n\n\
             {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}"
        );
    }

    #[test]
    fn answer_is_written_with_its_redirect_and_cut() {
        let headers = [("content-type", "text/html"), ("set-cookie", "hidden"), (SESSION_ID, "hidden")];
        let headers = headers.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        let answer = Answer {
            status: http::StatusCode::NOT_FOUND,
            headers: HeaderMap::from_iter(headers),
            body: "x".repeat(MAX_BODY_BYTES + 1).into(),
            target: target("https://a.example.org/login"),
            elapsed: Duration::from_millis(12),
            truncated: false,
        };
        let sent = Sent::of(&Request::get(target("https://a.example.org/card.json")));
        let exchange = sent.answered(&answer);
        assert_eq!((exchange.kind, exchange.took_ms), (StepKind::Card, Some(12)));
        let expected = format!(
            "HTTP 404\nfrom https://a.example.org/login, after a redirect\ncontent-type: text/html\n\
             mcp-session-id: …\n\n{}…",
            "x".repeat(MAX_BODY_BYTES)
        );
        assert_eq!(exchange.received, expected);
    }

    #[test]
    fn kind_of_a_request_without_a_method_follows_from_its_path() {
        let task = "https://a.example.org/v1/tasks/0f5c1b52-9d3e-4a7b-a1c2-3d4e5f607182";
        let table = [
            (task, StepKind::Task),
            ("https://a.example.org/tasks/agent-card.json", StepKind::Card),
            ("https://a.example.org/.well-known/oauth-protected-resource/mcp", StepKind::ResourceMetadata),
            ("https://a.example.org/.well-known/oauth-authorization-server", StepKind::AuthorizationServer),
            ("https://a.example.org/.well-known/openid-configuration", StepKind::AuthorizationServer),
        ];
        for (url, kind) in table {
            assert_eq!(Sent::of(&Request::get(target(url))).kind, kind, "{url}");
        }
        let message =
            Request::post_json(target("https://a.example.org/message:send"), &json!({"message": {}}));
        assert_eq!(Sent::of(&message).kind, StepKind::Message);
    }
}
