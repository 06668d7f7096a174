//! Reads an answer piece by piece and stops at the limits of the request. The `Content-Length` header is
//! ignored, and no byte beyond the limit is stored.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::FutureExt as _;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::failure::FetchError;
use super::request::ReadUntil;
use super::target::Target;
use registry_model::json;

#[derive(Clone, Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
    pub target: Target,
    /// From the first DNS query to the last byte that was read.
    pub elapsed: Duration,
    pub truncated: bool,
}

impl Answer {
    pub fn content_type(&self) -> &str {
        let value = self.header(CONTENT_TYPE.as_str()).unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim()
    }

    /// The body as JSON, nested at most 128 levels deep. `left`, the number of values that may still be read, is reduced.
    pub fn json(&self, left: &mut usize) -> Result<Value, serde_json::Error> {
        json::parse_limited(&self.body, left)
    }

    /// Keeps only the beginning of the body, for an answer that has been read and is kept to be shown.
    pub fn head(self) -> Self {
        // A copy, because a part of the body would keep the whole alive.
        Self { body: Bytes::copy_from_slice(&self.body[..self.body.len().min(16 * 1024)]), ..self }
    }
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

pub(super) fn normalized(mut headers: HeaderMap) -> HeaderMap {
    if let Some(value) = headers.get_mut(CONTENT_TYPE)
        && let Ok(text) = value.to_str()
    {
        let (media_type, parameters) = text.split_at(text.find(';').unwrap_or(text.len()));
        if let Ok(lower) = format!("{}{parameters}", media_type.to_ascii_lowercase()).parse() {
            *value = lower;
        }
    }
    headers
}

/// Reads the decompressed body. The flag is true if reading stopped early because `until` was satisfied.
pub(super) async fn read_body(
    mut response: reqwest::Response,
    max_bytes: usize,
    mut until: ReadUntil,
) -> Result<(Bytes, bool), FetchError> {
    if matches!(until, ReadUntil::Head) {
        return Ok((Bytes::new(), true));
    }
    // The client removes this header after it has undone the encoding. Unknown names are ignored, as by official clients.
    let known = ["gzip", "x-gzip", "deflate", "br", "zstd", "compress"];
    let encoded = response.headers().get(CONTENT_ENCODING);
    let encoded = encoded.is_some_and(|value| {
        known.iter().any(|known| value.as_bytes().eq_ignore_ascii_case(known.as_bytes()))
    });
    let mut body = BytesMut::new();
    let mut checked = 0;
    loop {
        // What has already arrived is taken in at one go: checking after every byte of a drip would be quadratic.
        let chunk = match response.chunk().now_or_never() {
            Some(chunk) => chunk,
            None if body.len() > checked && until.is_satisfied_by(&body) => return Ok((body.freeze(), true)),
            None => {
                checked = body.len();
                response.chunk().await
            }
        };
        match chunk {
            Ok(Some(chunk)) => {
                if encoded && !chunk.is_empty() {
                    return Err(FetchError::BadEncoding);
                }
                let fits = chunk.len().min(max_bytes - body.len());
                body.extend_from_slice(&chunk[..fits]);
                // A body that arrives without a pause is not checked after each chunk, so that the checks stay cheap.
                if fits < chunk.len() || body.len() >= checked + 16 * 1024 {
                    if until.is_satisfied_by(&body) {
                        return Ok((body.freeze(), true));
                    }
                    checked = body.len();
                }
                if fits < chunk.len() {
                    return Err(FetchError::TooLarge { limit: max_bytes });
                }
            }
            Ok(None) => return Ok((body.freeze(), false)),
            // A peer that hangs up right after its answer has answered.
            Err(_) if until.is_satisfied_by(&body) => return Ok((body.freeze(), true)),
            Err(error) => return Err(FetchError::of_body(&error)),
        }
    }
}
