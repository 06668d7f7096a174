use super::*;

fn message(parts: Vec<Part>) -> Message {
    Message::of_agent("m".to_owned(), "c", "t", parts)
}

#[test]
fn short_message_is_stored_unchanged() {
    let mut whole = message(vec![Part::text("list me"), Part::data(json!({ "name": "x" }))]);
    whole.metadata = Some(Map::from_iter([("a".to_owned(), json!(1))]));
    whole.references = vec!["other".to_owned()];
    assert_eq!(whole.clone().abridged(), whole);
}

#[test]
fn long_text_keeps_its_first_words() {
    let long =
        format!("list me, please, {}https://agent.example.com/{}", "and ".repeat(240), "x".repeat(5000));
    let cut = message(vec![Part::text(long.clone())]).abridged();
    let Content::Text(text) = &cut.parts[0].content else { panic!("{cut:?}") };
    let words = text.strip_suffix(ELLIPSIS).unwrap().trim_end();
    assert!(long.starts_with(words) && words.ends_with("and"), "no half of a URL: {text}");
    let word = message(vec![Part::text("é".repeat(5000))]).abridged();
    assert_eq!(word.parts[0].content, Content::Text(format!(" {ELLIPSIS}")));
}

#[test]
fn stored_message_is_always_short() {
    let mut many = message(vec![Part::text("x".repeat(100)); 100]);
    many.metadata = Some(Map::from_iter([("a".to_owned(), json!("y".repeat(100_000)))]));
    many.extensions = vec!["z".repeat(100_000)];
    let data = message(vec![Part::data(json!({ "x": "y".repeat(100_000) })), Part::text("list me")]);
    let mut named = message(vec![Part::text("hello")]);
    named.parts[0].filename = Some("f".repeat(100_000));
    let quoted = message(vec![Part::text("\u{1} ".repeat(100_000))]);
    for (message, first) in [(many, "x"), (data, ELLIPSIS), (named, "hello"), (quoted, "\u{1}")] {
        let cut = message.abridged();
        let length = length(&cut).unwrap();
        assert!(length < 8 * MAX_STORED_BYTES, "{length}");
        assert!(matches!(&cut.parts[0].content, Content::Text(text) if text.starts_with(first)), "{cut:?}");
    }
}
