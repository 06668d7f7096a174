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
mod tests {
    use std::time::Instant;

    use proptest::prelude::*;

    use super::*;

    fn ends_with_reply(body: &[u8], id: u64) -> bool {
        until_reply(id)(body)
    }

    #[test]
    fn events_end_at_blank_line_with_any_line_ending() {
        for ending in ["\n", "\r\n", "\r"] {
            let text =
                ["id: 1", "event: x", "data: a", "data:b", "", ": comment", "", "data: half"].join(ending);
            let whole = Event { name: "x".into(), data: "a\nb".into(), is_cut: false };
            let mut reader = EventReader::default();
            assert_eq!(reader.next(text.as_bytes()), Some(whole.clone()), "{ending:?}");
            assert_eq!(reader.next(text.as_bytes()), None, "half an event waits for its end");
            let half = Event { name: String::new(), data: "half".into(), is_cut: true };
            assert_eq!(events(text.as_bytes()).collect::<Vec<_>>(), [whole, half]);
        }
    }

    #[test]
    fn reader_skips_an_empty_event_before_the_reply() {
        let opening = b"id: 9\ndata: \n\n";
        assert!(!ends_with_reply(opening, 7));
        let body = b"id: 9\ndata: \n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n";
        assert!(ends_with_reply(body, 7));
        assert!(!ends_with_reply(body, 8), "another id is not ours");
        assert!(!ends_with_reply(&body[..body.len() - 2], 7), "half an event is no reply yet");
        assert!(!ends_with_reply(b"{\"id\":7,\"result\":{}}", 7), "plain JSON is judged at its end");
    }

    #[test]
    fn stream_is_resumed_after_its_last_event() {
        let resumed = |stream: &str| Resumption::of(stream.as_bytes()).map(|it| (it.last_event, it.retry));
        let wait = Duration::from_millis(300);
        assert_eq!(resumed("id: e1\nretry: 300\ndata: \n\n"), Some(("e1".to_owned(), wait)));
        assert_eq!(resumed("id:1\r\n\r\nid:2\r\ndata: x\r\n\r\n"), Some(("2".to_owned(), Duration::ZERO)));
        assert_eq!(resumed("retry: 300\ndata: \n\n"), None);
    }

    #[test]
    fn endpoint_event_is_found() {
        assert_eq!(endpoint(b"event: endpoint\ndata: /messages?s=1\n\n").as_deref(), Some("/messages?s=1"));
        assert_eq!(endpoint(b"data: /messages\n\n"), None);
    }

    #[test]
    fn each_byte_of_a_stream_is_read_once() {
        const LONGEST: usize = 1024 * 1024;
        for piece in
            ["data: {\"id\":3,\"result\":{}}\n\n", ": comment\n", "data: a line\n", "   \n", "data: x"]
        {
            let stream = piece.repeat(LONGEST / piece.len()).into_bytes();
            let mut enough = until_reply(7);
            let began = Instant::now();
            for end in 0..stream.len() {
                assert!(!enough(&stream[..end]));
                // Reading the whole stream each time would take hours; reading each byte once takes a moment.
                assert!(began.elapsed() < Duration::from_secs(20), "{piece:?}: {end} bytes");
            }
        }
    }

    #[test]
    fn reply_to_a_request_is_distinguished_from_other_events() {
        for ours in [
            r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
            r#"{"id":"7","result":[{"id":9,"method":"x"}]}"#,
            r#"{"id":null,"error":{"code":-32700}}"#,
            r#"{"error":{}}"#,
            r#"[{"method":"ping"},{"id":7,"result":1}]"#,
        ] {
            assert!(is_reply_to(ours, 7), "{ours}");
        }
        for other in [
            r#"{"id":8,"result":{}}"#,
            r#"{"id":7,"method":"ping"}"#,
            r#"{"id":[7],"result":{}}"#,
            r#"{"id":7.5,"result":{}}"#,
            r#"{"result":{}}"#,
            r#"{"id":7,"result":{}"#,
            "7",
            "[]",
            "",
        ] {
            assert!(!is_reply_to(other, 7), "{other}");
        }
        assert!(!is_reply_to(&"[".repeat(100_000), 7), "nesting without end");
    }

    proptest! {
        #[test]
        fn stream_in_pieces_gives_the_same_events(
            text in "(\u{FEFF}?)((data|event|id)?:? ?[ab]{0,2}(\n|\r|\r\n)?){0,12}",
            sizes in prop::collection::vec(1_usize..5, 1..40),
        ) {
            let (stream, mut reader, mut end) = (text.as_bytes(), EventReader::default(), 0);
            let mut found = Vec::new();
            for size in sizes.into_iter().cycle() {
                end = (end + size).min(stream.len());
                while let Some(event) = reader.next(&stream[..end]) {
                    found.push(event);
                }
                if end == stream.len() {
                    break;
                }
            }
            found.extend(reader.end(stream));
            prop_assert_eq!(found, events(stream).collect::<Vec<_>>());
        }
    }
}
