//! Every error has two forms: a problem document for the caller (RFC 9457), and the original error for the
//! log. A problem document says what is wrong and what to do. It never contains an internal address, or the
//! text of an SDK error or a panic.

mod code;

pub use code::Code;

use std::error::Error;
use std::sync::Arc;

use crate::{ListingId, NextStep};
use serde_json::{Map, Value, json};
use url::form_urlencoded;

/// The original error, for the log.
pub type Source = Box<dyn Error + Send + Sync>;

/// An error and its causes, for the log.
pub fn chain(error: &dyn Error) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// An error with what failed, where the text of the error does not say it.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub struct During {
    what: String,
    source: Source,
}

impl During {
    pub fn new(what: impl Into<String>, source: impl Into<Source>) -> Self {
        Self { what: what.into(), source: source.into() }
    }
}

/// An error for the caller (`specification.md#errors`).
#[derive(Clone, Debug, Default, thiserror::Error)]
#[error("{}: {detail}", code.as_str())]
pub struct Problem {
    /// The kind of the code, which each protocol maps to its own status.
    pub kind: ErrorKind,
    pub code: Code,
    /// One or two sentences about this occurrence: what is wrong and what to do.
    pub detail: String,
    pub field: Option<String>,
    /// Seconds after which to try again.
    pub retry_after: Option<u32>,
    /// For the log, never shown to callers.
    pub source: Option<Arc<dyn Error + Send + Sync>>,
    /// Further members of the document, such as `next`.
    pub members: Option<Box<Map<String, Value>>>,
    /// Replaces the document if the caller cannot show a document.
    pub replacement: Option<Box<Replacement>>,
}

/// Another form of a problem: an image, for a caller that shows only images.
#[derive(Clone, Debug, PartialEq)]
pub struct Replacement {
    pub media_type: &'static str,
    pub body: String,
}

/// What went wrong, for callers of every protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request cannot be parsed.
    Malformed,
    /// A token is missing or wrong.
    Unauthenticated,
    PaymentRequired,
    /// The caller has not proven that it may do this.
    Forbidden,
    /// What the request names does not exist.
    NotFound,
    MethodNotAllowed,
    /// The request does not fit the present state.
    Conflict,
    /// What the request names existed once.
    Gone,
    TooLarge,
    UnsupportedMediaType,
    /// The request is well formed, but a value in it is invalid.
    Invalid,
    RateLimited,
    /// An error of this service.
    #[default]
    Fault,
    /// Another service that this one needs has failed.
    BadGateway,
    /// The table is busy or unreachable.
    Unavailable,
}

impl Problem {
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { kind: code.kind(), code, detail: detail.into(), ..Self::default() }
    }

    /// 400: the request cannot be parsed.
    pub fn malformed(detail: impl Into<String>) -> Self {
        Self::new(Code::Malformed, detail)
    }

    /// 422: the request is well formed, but the value of `field` is invalid.
    pub fn invalid(field: impl Into<String>, code: Code, detail: impl Into<String>) -> Self {
        debug_assert_eq!(code.kind(), ErrorKind::Invalid, "the kind of {code:?}");
        Self::new(code, detail).with_field(field)
    }

    /// 404: no listing has this id. A text that is no id may be a name or a URL.
    pub fn listing_not_found(base_url: &str, id: &str) -> Self {
        let (by, what, max) = if id.contains("://") { ("id", "URL", 2048) } else { ("name", "name", 120) };
        if id.parse::<ListingId>().is_ok() || !(1..=max).contains(&id.trim().chars().count()) {
            return Self::no_such_listing(base_url, id);
        }
        let sent: String = form_urlencoded::byte_serialize(id.as_bytes()).collect();
        let url = format!("{base_url}/api/listings/status?{by}={sent}");
        let note = format!("If this is the {what} of a listing, its status has the id.");
        Self::new(Code::ListingNotFound, format!("No listing has the id `{}`.", shorten(id, 120)))
            .with_next(NextStep::get("check_status", url, json!({ by: id }), note))
    }

    /// 404: no listing has this id, name or URL.
    pub fn no_such_listing(base_url: &str, id: &str) -> Self {
        let note = format!(
            "Look for its id in this list, or search with match_capability. To list it, send {{\"url\": \"<card URL>\"}} to \
             {base_url}/api/publish."
        );
        let list = NextStep::get("search_active", format!("{base_url}/api/listings/active"), json!({}), note);
        Self::new(Code::ListingNotFound, format!("Listing not found: `{}`.", shorten(id, 120)))
            .with_next(list.named("find_listing"))
    }

    /// 404: the listing was withdrawn, so it is not shown.
    pub fn listing_withdrawn(base_url: &str, id: &ListingId) -> Self {
        let note = "The status says who can restore the listing.";
        Self::new(Code::ListingNotFound, format!("The listing `{id}` was withdrawn."))
            .with_next(NextStep::check_status(base_url, id, note))
    }

    /// 429: a rate limit is exceeded; `retry_after` in seconds.
    pub fn too_many(detail: impl Into<String>, retry_after: u32) -> Self {
        Self { retry_after: Some(retry_after), ..Self::new(Code::RateLimited, detail) }
    }

    /// 503: the table is busy or unreachable. What the request wrote before stays.
    pub fn unavailable(source: impl Into<Source>) -> Self {
        let detail = "The registry is busy. Send the same request again after 2 s.";
        Self { retry_after: Some(2), ..Self::new(Code::Busy, detail).caused_by(source) }
    }

    /// 503: the search backend does not answer.
    pub fn search_unavailable(source: impl Into<Source>) -> Self {
        Self {
            detail: "The search of the registry does not answer. Lists, status and publishing work. Send the same request \
                     again after 2 s."
                .to_owned(),
            ..Self::unavailable(source)
        }
    }

    /// 500: an error of this service.
    pub fn fault(source: impl Into<Source>) -> Self {
        let detail = "Internal error. The log of the registry contains it under the x-request-id of this \
                      response. Try again later.";
        Self::new(Code::InternalFault, detail).caused_by(source)
    }

    /// The original error, for the log.
    #[must_use]
    pub fn caused_by(self, source: impl Into<Source>) -> Self {
        Self { source: Some(source.into().into()), ..self }
    }

    /// The original error and its causes, for the log.
    pub fn causes(&self) -> Option<String> {
        self.source.as_deref().map(|source| chain(source))
    }

    /// This call needs another kind than the code usually has. The list of codes contains it after `or`.
    #[must_use]
    pub fn as_kind(self, kind: ErrorKind) -> Self {
        debug_assert!(self.code.kinds().contains(&kind), "{:?} is no {kind:?}", self.code);
        Self { kind, ..self }
    }

    /// The argument that is the reason.
    #[must_use]
    pub fn with_field(self, field: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..self }
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

    /// Sends `body` instead of the document.
    #[must_use]
    pub fn replaced_by(self, media_type: &'static str, body: String) -> Self {
        Self { replacement: Some(Box::new(Replacement { media_type, body })), ..self }
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.members.get_or_insert_default().insert(name.to_owned(), value.into());
        self
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
