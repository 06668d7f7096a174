use super::*;
use crate::agent_card::read_body;

fn description_of(body: &[u8]) -> String {
    match read_body(body) {
        Err(CardFault::NotACard(other)) => other.seen,
        other => panic!("{other:?}"),
    }
}

#[test]
fn error_describes_a_body_that_is_not_json() {
    let zeros = format!("{{\"name\": \"A\", \"skills\": [0{}]}}", ",0".repeat(100_000));
    for (body, description) in [
        (&b""[..], "an empty body"),
        (b"  \n", "an empty body"),
        (b"\xEF\xBB\xBF<!DOCTYPE html><TITLE>\n Sign\tin </TITLE>", "an HTML page (\"Sign in\")"),
        (b"<html>", "an HTML page"),
        (b"<?xml version=\"1.0\"?><x/>", "an XML document"),
        (b"{\"name\": \"x\",\n}", "broken JSON (line 2, column 1)"),
        (b"Not Found", "a text that is not JSON (\"Not Found\")"),
        (b"\"text\"", "a bare text (\"text\")"),
        (b"\xFF\xFE{\0", "a text that is not JSON (\"\u{FFFD}\u{FFFD}{\0\")"),
        (zeros.as_bytes(), "a document of more than 20000 values"),
    ] {
        assert_eq!(description_of(body), description);
    }
    let deep = description_of(&b"[".repeat(1_000_000));
    assert!(deep.starts_with("broken JSON"), "{deep}");
}

#[test]
fn a_byte_order_mark_is_ignored() {
    let card = b"\xEF\xBB\xBF{\"name\":\"A\",\"url\":\"https://a.example/\",\"skills\":[]}";
    assert_eq!(read_body(card).unwrap().name, "A");
}
