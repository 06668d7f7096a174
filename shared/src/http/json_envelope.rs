//! JSON text that encloses a part which is kept: the part is sent from where it lies, however often it is asked for.
//! The doors beside REST put a new envelope around each answer, and a copy of a page would cost more than making it.

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

/// Below this many bytes a copy costs less than a piece of its own.
const WORTH_A_PIECE: usize = 16 * 1024;

/// A JSON document around a kept part.
#[derive(Clone, Debug)]
pub struct JsonEnvelope {
    before: Vec<u8>,
    kept: Arc<RawValue>,
    /// Closing braces.
    depth: usize,
}

impl JsonEnvelope {
    /// The kept part with nothing around it yet.
    #[must_use]
    pub const fn bare(kept: Arc<RawValue>) -> Self {
        Self { before: Vec::new(), kept, depth: 0 }
    }

    /// An object of the members of `head`, and with this document as its last member.
    ///
    /// # Errors
    /// `head` cannot be written, or is no object.
    pub fn as_member(self, name: &'static str, head: &impl Serialize) -> serde_json::Result<Self> {
        let mut before = serde_json::to_vec(head)?;
        if before.pop() != Some(b'}') {
            return Err(serde::ser::Error::custom("only an object has members"));
        }
        if before.len() > 1 {
            before.push(b',');
        }
        serde_json::to_writer(&mut before, name)?;
        before.push(b':');
        before.extend_from_slice(&self.before);
        Ok(Self { before, kept: self.kept, depth: self.depth + 1 })
    }

    /// Its length, in bytes.
    #[must_use]
    pub fn length(&self) -> usize {
        self.before.len() + self.kept.get().len() + self.depth
    }

    /// Writes the whole of it to the end of `text`.
    pub fn write_to(&self, text: &mut Vec<u8>) {
        text.reserve(self.length());
        text.extend_from_slice(&self.before);
        text.extend_from_slice(self.kept.get().as_bytes());
        text.resize(text.len() + self.depth, b'}');
    }

    fn into_body(self) -> Body {
        if self.kept.get().len() < WORTH_A_PIECE {
            let mut text = Vec::new();
            self.write_to(&mut text);
            return Body::from(text);
        }
        let left = self.length();
        let after = vec![b'}'; self.depth];
        let pieces = [Bytes::from(self.before), Bytes::from_owner(Kept(self.kept)), Bytes::from(after)];
        Body::new(Pieces { pieces: pieces.into_iter(), left })
    }
}

impl IntoResponse for JsonEnvelope {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "application/json")], self.into_body()).into_response()
    }
}

/// The kept part as bytes that are freed with their last reader.
struct Kept(Arc<RawValue>);

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        self.0.get().as_bytes()
    }
}

/// A body of several pieces, whose length is known, so that it need not be sent in chunks.
struct Pieces {
    pieces: std::array::IntoIter<Bytes, 3>,
    /// Bytes that are not handed out yet.
    left: usize,
}

impl HttpBody for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = self.pieces.find(|piece| !piece.is_empty());
        self.left -= piece.as_ref().map_or(0, Bytes::len);
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
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

    fn kept(value: &Value) -> Arc<RawValue> {
        serde_json::value::to_raw_value(value).unwrap().into()
    }

    #[tokio::test]
    async fn a_document_is_sent_whole_and_with_its_length_in_pieces_or_not() {
        for words in [3, WORTH_A_PIECE] {
            let part = json!({ "text": "x".repeat(words) });
            let document = JsonEnvelope::bare(kept(&part))
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
            let wanted = json!({ "jsonrpc": "2.0", "id": "é\"}", "result": { "message": part } });
            assert_eq!(serde_json::from_slice::<Value>(&sent).unwrap(), wanted);
        }
    }

    #[test]
    fn only_an_object_has_members() {
        assert!(JsonEnvelope::bare(kept(&json!(1))).as_member("x", &json!([1])).is_err());
    }
}
