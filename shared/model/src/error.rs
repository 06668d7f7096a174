//! Every error has two forms: a problem document for the caller (RFC 9457), and the original error for the
//! log. A problem document says what is wrong and what to do. It never contains an internal address, or the
//! text of an SDK error or a panic.

use crate::settings::Settings;
use crate::{ListingId, NextStep};
use axum_core::response::{IntoResponse, Response};
use http::{StatusCode, header};
use serde_json::{Map, Value, json};
use url::form_urlencoded;

/// An error for the caller (`specification.md#errors`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problem {
    /// Other protocols map it to their own codes.
    pub status: StatusCode,
    /// Stable `snake_case` name of the problem.
    pub code: &'static str,
    /// One or two sentences about this occurrence: what is wrong and what to do.
    pub detail: String,
    pub field: Option<String>,
    /// Seconds after which to try again.
    pub retry_after: Option<u32>,
    /// Details for the log, never shown to callers.
    pub internal: Option<Box<str>>,
    /// Further members of the document, such as `next`.
    members: Option<Box<Map<String, Value>>>,
    /// Replaces the document if the caller cannot show a document.
    shown: Option<Box<Shown>>,
}

/// Another form of a problem: an image, for a caller that shows only images.
#[derive(Clone, Debug, PartialEq)]
struct Shown {
    media_type: &'static str,
    body: String,
}

impl Problem {
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self { status, code, detail: detail.into(), ..Self::default() }
    }

    /// 400: the request cannot be parsed.
    pub fn malformed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "malformed", detail)
    }

    /// 422: the request is well formed, but the value of `field` is invalid.
    pub fn invalid(field: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail) }
    }

    /// 403: `field` is well formed, but it is not the required proof.
    pub fn unproven(field: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..Self::new(StatusCode::FORBIDDEN, code, detail) }
    }

    /// 404: what the request names does not exist.
    pub fn not_found(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, detail)
    }

    /// 409: the request does not fit the present state.
    pub fn conflict(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, detail)
    }

    /// 404: no listing has this id. A text that is no id may be a name or a URL.
    pub fn listing_not_found(settings: &Settings, id: &str) -> Self {
        let (by, what, max) = if id.contains("://") { ("id", "URL", 2048) } else { ("name", "name", 120) };
        if id.parse::<ListingId>().is_ok() || !(1..=max).contains(&id.trim().chars().count()) {
            return Self::no_such_listing(settings, id);
        }
        let sent: String = form_urlencoded::byte_serialize(id.as_bytes()).collect();
        let url = settings.url(&format!("/api/listings/status?{by}={sent}"));
        let note = format!("If this is the {what} of a listing, its status has the id.");
        Self::not_found("listing_not_found", format!("No listing has the id `{}`.", shorten(id, 120)))
            .with_next(NextStep::get("check_status", url, json!({ by: id }), note))
    }

    /// 404: no listing has this id, name or URL.
    pub fn no_such_listing(settings: &Settings, id: &str) -> Self {
        let note = format!(
            "Look for its id in this list, or search with match_capability. To list it, send {{\"url\": \"<card URL>\"}} to {}.",
            settings.url("/api/publish")
        );
        let list = NextStep::get("search_active", settings.url("/api/listings/active"), json!({}), note);
        Self::not_found("listing_not_found", format!("Listing not found: `{}`.", shorten(id, 120)))
            .with_next(list.named("find_listing"))
    }

    /// 404: the listing was withdrawn, so it is not shown.
    pub fn listing_withdrawn(settings: &Settings, id: &ListingId) -> Self {
        let note = "The status says who can restore the listing.";
        Self::not_found("listing_not_found", format!("The listing `{id}` was withdrawn."))
            .with_next(NextStep::check_status(settings, id, note))
    }

    /// 429: a rate limit is exceeded; `retry_after` in seconds.
    pub fn too_many(detail: impl Into<String>, retry_after: u32) -> Self {
        Self {
            retry_after: Some(retry_after),
            ..Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail)
        }
    }

    /// 503: the table is busy or unreachable. What the request wrote before stays.
    pub fn unavailable(internal: impl Into<String>) -> Self {
        Self {
            retry_after: Some(2),
            internal: Some(internal.into().into()),
            ..Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "busy",
                "The registry is busy. Send the same request again after 2 s.",
            )
        }
    }

    /// 503: the search backend does not answer; `internal` goes to the log only.
    pub fn search_unavailable(internal: impl Into<String>) -> Self {
        Self {
            detail: "The search of the registry does not answer. Lists, status and publishing work. Send the same request \
                     again after 2 s."
                .to_owned(),
            ..Self::unavailable(internal)
        }
    }

    /// 500: an error of this service; `internal` goes to the log only.
    pub fn fault(internal: impl Into<String>) -> Self {
        Self {
            internal: Some(internal.into().into()),
            ..Self::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal_fault",
                "Internal error. The log of the registry contains it under the x-request-id of this \
                 response. Try again later.",
            )
        }
    }

    /// The fault is in an entry of the field, a list whose name begins the detail.
    #[must_use]
    pub fn in_entry(self) -> Self {
        Self { detail: format!("An entry of {}", self.detail), ..self }
    }

    #[must_use]
    pub fn with_next(self, next: NextStep) -> Self {
        self.with("next", serde_json::to_value(next).unwrap_or_default())
    }

    /// Sends `body` in place of the document.
    #[must_use]
    pub fn shown_as(self, media_type: &'static str, body: String) -> Self {
        Self { shown: Some(Box::new(Shown { media_type, body })), ..self }
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.members.get_or_insert_default().insert(name.to_owned(), value.into());
        self
    }

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
        let (media_type, body) = match &self.shown {
            Some(shown) => (shown.media_type, shown.body.clone()),
            None => ("application/problem+json", self.document().to_string()),
        };
        // Images on other sites' pages are requested often. Another error may be gone with the next request.
        let caching = if self.shown.is_some() { "public, max-age=60" } else { "no-store" };
        let headers = [(header::CONTENT_TYPE, media_type), (header::CACHE_CONTROL, caching)];
        let mut response = (self.status, headers, body).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        // For protocols that render the problem in their own form.
        response.extensions_mut().insert(self);
        response
    }
}

/// At most `limit` characters of an untrusted text, with `…` where it is cut: after a word, if a word ends near the limit.
pub fn shorten(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, next)) => {
            let head = &text[..end];
            // A longer word is cut in its middle.
            let word = head.rfind(' ').filter(|blank| !next.is_whitespace() && end - blank < 24);
            format!("{}…", head[..word.unwrap_or(end)].trim_end())
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn texts_are_cut_after_a_word() {
        assert_eq!(super::shorten("with public evidence", 16), "with public…");
    }
}
