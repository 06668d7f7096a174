//! A request to the server of a stranger, with limits for time, bytes, and redirects. The limits are part of
//! the request, so that no request is sent without limits.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde_json::Value;

use super::target::Target;

/// The maximum size of a card (`specification.md#guarded-fetcher`).
pub const MAX_CARD_BYTES: usize = 256 * 1024;
/// The maximum size of an answer of a protocol endpoint, such as a list of tools (`specification.md#guarded-fetcher`).
pub const MAX_ENDPOINT_ANSWER_BYTES: usize = 1024 * 1024;
/// The time limit of a preflight, from the first DNS query to the last byte (`specification.md#preflight`).
pub const PREFLIGHT: Duration = Duration::from_millis(2500);
/// The time limit of one request of a probe (`specification.md#guarded-fetcher`).
pub const PROBE: Duration = Duration::from_secs(10);
/// The maximum number of redirects to a card (`specification.md#guarded-fetcher`).
pub const MAX_CARD_REDIRECTS: u8 = 3;

#[derive(Debug)]
pub struct Request {
    pub method: Method,
    pub target: Target,
    pub headers: HeaderMap,
    pub body: Option<Bytes>,
    pub deadline: Duration,
    pub max_bytes: usize,
    pub follow: Follow,
    pub until: ReadUntil,
}

impl Request {
    /// A GET of a card as JSON, with the limits [`PREFLIGHT`], [`MAX_CARD_BYTES`] and [`MAX_CARD_REDIRECTS`].
    pub fn get(target: Target) -> Self {
        Self {
            method: Method::GET,
            target,
            headers: HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/json"))]),
            body: None,
            deadline: PREFLIGHT,
            max_bytes: MAX_CARD_BYTES,
            follow: Follow::Hops(MAX_CARD_REDIRECTS),
            until: ReadUntil::End,
        }
    }

    /// A POST of JSON to a protocol endpoint, with the limits [`PROBE`] and [`MAX_ENDPOINT_ANSWER_BYTES`]. It follows
    /// one redirect within the origin.
    pub fn post_json(target: Target, body: &Value) -> Self {
        let json = HeaderValue::from_static("application/json");
        Self {
            method: Method::POST,
            headers: HeaderMap::from_iter([(ACCEPT, json.clone()), (CONTENT_TYPE, json)]),
            body: Some(Bytes::from(body.to_string())),
            deadline: PROBE,
            max_bytes: MAX_ENDPOINT_ANSWER_BYTES,
            follow: Follow::SameOriginOnce,
            ..Self::get(target)
        }
    }
    pub const fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }
    pub const fn with_max_bytes(mut self, max_bytes: usize) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Sets a header. An invalid value is left out: it may echo something that the peer sent, such as a session id.
    pub fn with_header(mut self, name: &'static str, value: impl AsRef<str>) -> Self {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(value.as_ref())) {
            self.headers.insert(name, value);
        }
        self
    }
    pub const fn with_follow(mut self, follow: Follow) -> Self {
        self.follow = follow;
        self
    }

    /// Reads no body: the status says all.
    pub fn head_only(mut self) -> Self {
        self.until = ReadUntil::Head;
        self
    }

    /// Stops reading as soon as the body satisfies `enough`. The function is called repeatedly with a growing body
    /// and should look at each byte once.
    pub fn until(mut self, enough: impl FnMut(&[u8]) -> bool + Send + 'static) -> Self {
        self.until = ReadUntil::Satisfied(Box::new(enough));
        self
    }
}

/// Which redirects are followed. Each is checked like a first target, and never leads from https to http.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// A redirect is returned as the answer.
    Never,
    /// One 307 or 308 within the origin, with method and body kept: what MCP endpoints may do. Other redirect
    /// statuses are returned as the answer; a 307 or 308 to another origin, or a second one, is an error.
    SameOriginOnce,
    /// This many, for GET and HEAD only; for other methods a redirect is the answer. When the origin changes, all
    /// headers of the request except `Accept` are dropped.
    Hops(u8),
}

pub type IsComplete = dyn FnMut(&[u8]) -> bool + Send;

pub enum ReadUntil {
    /// Only to the end of the headers.
    Head,
    End,
    /// Until the bytes read so far satisfy this, or to the end; the connection is then dropped. For event streams
    /// that stay open after the answer.
    Satisfied(Box<IsComplete>),
}

impl ReadUntil {
    pub(super) fn is_satisfied_by(&mut self, body: &[u8]) -> bool {
        match self {
            Self::Head | Self::End => false,
            Self::Satisfied(enough) => enough(body),
        }
    }
}

impl fmt::Debug for ReadUntil {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Head => "Head",
            Self::End => "End",
            Self::Satisfied(_) => "Satisfied",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::Reach;

    #[test]
    fn fetch_leaves_invalid_headers_out_of_a_request() {
        let target = Target::parse("https://example.org/", Reach::Public).unwrap();
        let request = Request::get(target)
            .with_header("Mcp-Session-Id", "abc")
            .with_header("x-evil", "a\r\nHost: other")
            .with_header("not a name", "x");
        assert_eq!(request.headers["mcp-session-id"], "abc");
        assert_eq!(request.headers.len(), 2, "Accept and the session id");
    }
}
