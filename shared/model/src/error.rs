//! Errors in two forms: for the caller a problem document (RFC 9457), for the log the original. A problem says what to
//! do next; the text of an SDK, a panic or an address never gets into one.

use axum_core::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde_json::{Map, Value, json};

/// An answer that says what went wrong and what to do (design §5 Errors).
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The HTTP status; other protocols map it to their own codes.
    pub status: StatusCode,
    /// Stable `snake_case` name of the problem.
    pub code: &'static str,
    /// One or two sentences for the reader, about this occurrence.
    pub detail: String,
    /// The argument that is at fault, where there is one.
    pub field: Option<String>,
    /// Seconds after which to try again.
    pub retry_after: Option<u32>,
    /// What the log says and no caller sees.
    pub internal: Option<Box<str>>,
    /// Further members of the document: `next`, or the lane of a listing that is not Active.
    members: Option<Box<Map<String, Value>>>,
    /// What is answered instead of the document, where that could not be shown.
    shown: Option<Box<Shown>>,
}

/// A problem in another form than a document: an image where only images are shown.
#[derive(Clone, Debug, PartialEq)]
struct Shown {
    media_type: &'static str,
    body: String,
}

impl Problem {
    /// A problem with nothing but its essentials.
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            status,
            code,
            detail: detail.into(),
            field: None,
            retry_after: None,
            internal: None,
            members: None,
            shown: None,
        }
    }

    /// 400: the request cannot be read.
    pub fn malformed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "malformed", detail)
    }

    /// 422: the request can be read, but `field` holds something that cannot be taken.
    pub fn invalid(field: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail) }
    }

    /// 403: `field` is well formed, but what it is to prove does not hold.
    pub fn unproven(field: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..Self::new(StatusCode::FORBIDDEN, code, detail) }
    }

    /// 404: no listing of that id or name.
    pub fn listing_not_found(asked: &str) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "listing_not_found",
            format!("No listing `{}` is known here.", shorten(asked, 120)),
        )
        .with_next(json!({
            "action": "publish", "method": "POST", "url": "/api/publish",
            "note": "List it with {\"url\": \"<card URL>\"}; the answer holds its listing_id.",
        }))
    }

    /// 429: too much from one caller, or at one host.
    pub fn too_many(detail: impl Into<String>, retry_after: u32) -> Self {
        Self {
            retry_after: Some(retry_after),
            ..Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail)
        }
    }

    /// 503: the table is busy or away; nothing was half done.
    pub fn unavailable(internal: impl Into<String>) -> Self {
        Self {
            retry_after: Some(2),
            internal: Some(internal.into().into()),
            ..Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "busy",
                "The registry's table is busy. Nothing was changed; send the same request again shortly.",
            )
        }
    }

    /// 500: a fault of this service; `internal` goes to the log only.
    pub fn fault(internal: impl Into<String>) -> Self {
        Self {
            internal: Some(internal.into().into()),
            ..Self::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal_fault",
                "The registry failed to answer. The fault is logged under this response's x-request-id.",
            )
        }
    }

    /// The same problem with what to do next, machine-readable: `{action, method?, url?, note?}`.
    #[must_use]
    pub fn with_next(self, next: Value) -> Self {
        self.with("next", next)
    }

    /// The same problem for those who can show nothing but this.
    #[must_use]
    pub fn shown_as(self, media_type: &'static str, body: String) -> Self {
        Self { shown: Some(Box::new(Shown { media_type, body })), ..self }
    }

    /// The same problem with one more member.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.members.get_or_insert_default().insert(name.to_owned(), value.into());
        self
    }

    /// The document as every API renders it.
    #[must_use]
    pub fn document(&self) -> Value {
        let mut document = json!({
            "type": "about:blank",
            "title": self.status.canonical_reason().unwrap_or("Error"),
            "status": self.status.as_u16(),
            "detail": self.detail,
            "ok": false,
            "code": self.code,
        });
        if let Some(field) = &self.field {
            document["field"] = json!(field);
        }
        if let Some(seconds) = self.retry_after {
            document["retry_after_s"] = json!(seconds);
        }
        for (name, value) in self.members.iter().flat_map(|members| members.iter()) {
            document[name] = value.clone();
        }
        document
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        if let Some(internal) = &self.internal {
            tracing::error!(code = self.code, internal, "request failed");
        }
        let is_shown = self.shown.is_some();
        let (media_type, body) = match &self.shown {
            Some(shown) => (shown.media_type, shown.body.clone()),
            None => ("application/problem+json", self.document().to_string()),
        };
        let media_type = [(header::CONTENT_TYPE, HeaderValue::from_static(media_type))];
        let mut response = (self.status, media_type, body).into_response();
        if is_shown {
            // What is shown on strangers' pages is asked for often.
            let briefly = HeaderValue::from_static("public, max-age=60");
            response.headers_mut().insert(header::CACHE_CONTROL, briefly);
        }
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        // For whoever shows it in another form.
        response.extensions_mut().insert(self);
        response
    }
}

/// At most `limit` characters of a stranger's text, so that it cannot flood an answer.
#[must_use]
pub fn shorten(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
