use std::time::Instant;

use proptest::prelude::*;

use super::*;

fn ends_with_reply(body: &[u8], id: u64) -> bool {
    until_reply(id)(body)
}

#[test]
fn events_end_at_blank_line_with_any_line_ending() {
    for ending in ["\n", "\r\n", "\r"] {
        let text = ["id: 1", "event: x", "data: a", "data:b", "", ": comment", "", "data: half"].join(ending);
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
    for piece in ["data: {\"id\":3,\"result\":{}}\n\n", ": comment\n", "data: a line\n", "   \n", "data: x"] {
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
