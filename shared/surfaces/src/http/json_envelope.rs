//! A JSON document around a shared payload. A2A and MCP put each payload in a new envelope. The payload
//! is not copied, because a copy would cost more than creating the payload.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header;
use http_body::{Frame, SizeHint};
use serde::Serialize;
use serde_json::value::RawValue;

/// In bytes. A smaller payload costs less to copy than to send in segments.
const COPY_BELOW_BYTES: usize = 16 * 1024;

/// A payload, the text before it, and the closing braces after it.
#[derive(Clone, Debug)]
pub struct JsonEnvelope {
    prefix: Vec<u8>,
    payload: Arc<RawValue>,
    depth: usize,
}

impl JsonEnvelope {
    pub const fn new(payload: Arc<RawValue>) -> Self {
        Self { prefix: Vec::new(), payload, depth: 0 }
    }

    /// The object `head` with this document as its last member.
    ///
    /// # Errors
    /// `head` cannot be serialized, or is not an object.
    pub fn as_member(self, name: &'static str, head: &impl Serialize) -> serde_json::Result<Self> {
        let mut prefix = serde_json::to_vec(head)?;
        if prefix.pop() != Some(b'}') {
            return Err(serde::ser::Error::custom("only an object has members"));
        }
        if prefix.len() > 1 {
            prefix.push(b',');
        }
        serde_json::to_writer(&mut prefix, name)?;
        prefix.push(b':');
        prefix.extend_from_slice(&self.prefix);
        Ok(Self { prefix, payload: self.payload, depth: self.depth + 1 })
    }

    pub fn length(&self) -> usize {
        self.prefix.len() + self.payload.get().len() + self.depth
    }

    pub fn write_to(&self, text: &mut Vec<u8>) {
        text.reserve(self.length());
        text.extend_from_slice(&self.prefix);
        text.extend_from_slice(self.payload.get().as_bytes());
        text.resize(text.len() + self.depth, b'}');
    }

    fn into_body(self) -> Body {
        if self.payload.get().len() < COPY_BELOW_BYTES {
            let mut text = Vec::new();
            self.write_to(&mut text);
            return Body::from(text);
        }
        let left = self.length();
        let after = vec![b'}'; self.depth];
        let segments =
            [Bytes::from(self.prefix), Bytes::from_owner(PayloadBytes(self.payload)), Bytes::from(after)];
        Body::new(SegmentedBody { segments: segments.into_iter(), left })
    }
}

impl IntoResponse for JsonEnvelope {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "application/json")], self.into_body()).into_response()
    }
}

/// Frees the payload with its last reader.
struct PayloadBytes(Arc<RawValue>);

impl AsRef<[u8]> for PayloadBytes {
    fn as_ref(&self) -> &[u8] {
        self.0.get().as_bytes()
    }
}

/// A body whose length is known, so that it is not sent in chunks.
struct SegmentedBody {
    segments: std::array::IntoIter<Bytes, 3>,
    /// Bytes that are not sent yet.
    left: usize,
}

impl HttpBody for SegmentedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let segment = self.segments.find(|segment| !segment.is_empty());
        self.left -= segment.as_ref().map_or(0, Bytes::len);
        Poll::Ready(segment.map(|segment| Ok(Frame::data(segment))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left as u64)
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;
    use serde_json::{Value, json};

    use super::*;

    fn raw(value: &Value) -> Arc<RawValue> {
        serde_json::value::to_raw_value(value).unwrap().into()
    }

    #[tokio::test]
    async fn short_and_long_bodies_are_written_completely() {
        for length in [3, COPY_BELOW_BYTES] {
            let part = json!({ "text": "x".repeat(length) });
            let document = JsonEnvelope::new(raw(&part))
                .as_member("message", &json!({}))
                .unwrap()
                .as_member("result", &json!({ "jsonrpc": "2.0", "id": "é\"}" }))
                .unwrap();
            let mut written = Vec::new();
            document.write_to(&mut written);
            assert_eq!(written.len(), document.length());
            let response = document.into_response();
            assert_eq!(response.body().size_hint().exact(), Some(written.len() as u64));
            let sent = response.into_body().collect().await.unwrap().to_bytes();
            assert_eq!(sent, written);
            let expected = json!({ "jsonrpc": "2.0", "id": "é\"}", "result": { "message": part } });
            assert_eq!(serde_json::from_slice::<Value>(&sent).unwrap(), expected);
        }
    }

    #[test]
    fn outer_part_of_an_envelope_must_be_an_object() {
        assert!(JsonEnvelope::new(raw(&json!(1))).as_member("x", &json!([1])).is_err());
    }
}
