//! Reads server-sent events as they arrive. It implements only as much of the format as is needed to find one
//! JSON-RPC reply or one endpoint. The reader searches for a reply after every piece, so that it need not
//! wait for the end of an open stream. Each search continues where the last one stopped. So a stream of small
//! pieces costs no more than a stream of large pieces.

use std::time::Duration;
use std::{fmt, iter};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    pub name: String,
    /// The `data:` lines, joined.
    pub data: String,
    /// No blank line followed: clients drop such an event (WHATWG HTML, "Server-sent events").
    pub is_cut: bool,
}

impl Event {
    /// Whether clients of MCP read it as a message.
    pub fn is_message(&self) -> bool {
        !self.is_cut && matches!(self.name.as_str(), "" | "message")
    }
}

/// Reads the events of a growing stream, each byte once (WHATWG HTML, "Server-sent events": lines end in CR, LF or
/// CRLF, a blank line dispatches). Events without data are left out, because servers open streams with an empty one
/// (MCP 2025-11-25).
#[derive(Debug, Default)]
pub struct EventReader {
    read: usize,
    /// Where the current line begins.
    line: usize,
    /// The previous line ended in CR: an LF directly after it belongs to it.
    after_cr: bool,
    event: Event,
}

impl EventReader {
    /// The next complete event in `stream`, which contains the earlier bytes and perhaps further bytes.
    pub fn next(&mut self, stream: &[u8]) -> Option<Event> {
        if self.read == 0 {
            if stream.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(stream) {
                return None;
            }
            if stream.starts_with(BYTE_ORDER_MARK) {
                (self.read, self.line) = (BYTE_ORDER_MARK.len(), BYTE_ORDER_MARK.len());
            }
        }
        while let Some(length) = stream[self.read..].iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let end = self.read + length;
            let line = &stream[self.line..end];
            let ends_crlf = self.after_cr && line.is_empty() && stream[end] == b'\n';
            self.after_cr = stream[end] == b'\r';
            (self.read, self.line) = (end + 1, end + 1);
            if !ends_crlf && let Some(event) = self.take(line) {
                return Some(event);
            }
        }
        self.read = stream.len();
        None
    }

    fn end(&mut self, stream: &[u8]) -> Option<Event> {
        let line = &stream[self.line.min(stream.len())..];
        (self.read, self.line) = (stream.len(), stream.len());
        let event = self.take(line).or_else(|| self.take(b""))?;
        Some(Event { is_cut: true, ..event })
    }

    fn take(&mut self, line: &[u8]) -> Option<Event> {
        if line.is_empty() {
            return Some(std::mem::take(&mut self.event)).filter(|event| !event.data.is_empty());
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value));
        match &line[..colon] {
            b"event" => value.as_ref().clone_into(&mut self.event.name),
            b"data" => {
                if !self.event.data.is_empty() {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(&value);
            }
            _ => {}
        }
        None
    }
}

pub fn events(stream: &[u8]) -> impl Iterator<Item = Event> + '_ {
    let mut reader = EventReader::default();
    iter::from_fn(move || reader.next(stream).or_else(|| reader.end(stream)))
}

pub fn looks_like_stream(body: &[u8]) -> bool {
    let start = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body).trim_ascii_start();
    [&b"data:"[..], b"event:", b"id:", b"retry:", b":"].iter().any(|field| start.starts_with(field))
}

/// True once a growing stream contains the whole reply to request `id`. Other bodies are read to their end.
pub fn until_reply(id: u64) -> impl FnMut(&[u8]) -> bool + Send + 'static {
    let (mut blank, mut reader) = (0, EventReader::default());
    move |body| {
        blank += body[blank..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        looks_like_stream(&body[blank..])
            && iter::from_fn(|| reader.next(body)).any(|event| is_reply_to(&event.data, id))
    }
}

/// Whether a stream that has ended contains the reply to request `id`.
pub fn has_reply(stream: &[u8], id: u64) -> bool {
    events(stream).any(|event| is_reply_to(&event.data, id))
}

pub fn until_endpoint() -> impl FnMut(&[u8]) -> bool + Send + 'static {
    let mut reader = EventReader::default();
    move |body| iter::from_fn(|| reader.next(body)).any(|event| is_endpoint(&event))
}

/// The path or URL of the message endpoint that an HTTP+SSE server (MCP 2024-11-05) sends first.
pub fn endpoint(body: &[u8]) -> Option<String> {
    events(body).find(is_endpoint).map(|event| event.data)
}

fn is_endpoint(event: &Event) -> bool {
    event.name == "endpoint"
}

/// Where the client continues a stream that ended before its reply (MCP 2025-11-25, basic/transports, "Sending messages"):
/// the id of the last event, and the time to wait before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resumption {
    pub last_event: String,
    pub retry: Duration,
}

impl Resumption {
    pub fn of(stream: &[u8]) -> Option<Self> {
        let (mut last_event, mut retry) = (None, Duration::ZERO);
        for line in stream.split(|byte| matches!(byte, b'\n' | b'\r')) {
            let Ok(line) = std::str::from_utf8(line) else { continue };
            let value = |name: &str| line.strip_prefix(name)?.strip_prefix(':').map(str::trim);
            last_event = value("id").filter(|id| !id.is_empty()).map(str::to_owned).or(last_event);
            if let Some(ms) = value("retry").and_then(|ms| ms.parse().ok()) {
                retry = Duration::from_millis(ms);
            }
        }
        Some(Self { last_event: last_event?, retry })
    }
}

/// True for a response with this `id` as a number or a text, or an error without an id; also within an array.
fn is_reply_to(text: &str, id: u64) -> bool {
    ReplyTo(id).deserialize(&mut serde_json::Deserializer::from_str(text)).unwrap_or(false)
}

#[derive(Clone, Copy)]
struct ReplyTo(u64);

impl<'de> DeserializeSeed<'de> for ReplyTo {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<bool, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ReplyTo {
    type Value = bool;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a JSON-RPC message, or an array of them")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut batch: A) -> Result<bool, A::Error> {
        let mut found = false;
        while let Some(one) = batch.next_element_seed(self)? {
            found |= one;
        }
        Ok(found)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut message: A) -> Result<bool, A::Error> {
        let (mut asks, mut fails, mut named) = (false, false, "null");
        while let Some(member) = message.next_key::<String>()? {
            match member.as_str() {
                "id" => named = message.next_value::<&RawValue>()?.get(),
                other => {
                    message.next_value::<IgnoredAny>()?;
                    asks |= other == "method";
                    fails |= other == "error";
                }
            }
        }
        let id = self.0.to_string();
        let ours = match named {
            "null" => fails,
            named => named.trim_matches('"') == id,
        };
        Ok(ours && !asks)
    }
}

#[cfg(test)]
mod tests;
