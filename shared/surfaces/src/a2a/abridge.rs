//! Messages as a history stores them. Every byte of an item is paid for and anybody may write one, so a stored message
//! is the beginning of what was said: enough to continue the conversation and to recognise it.

use super::message::{Content, Message, Part};

/// In bytes, of the parts and of the members that are passed through unread. Half of what is read of a
/// conversation: the beginning must leave room for what follows.
const LONGEST: usize = 1024;

const LEFT_OUT: &str = "…";

impl Message {
    /// Keeps parts in order while they fit; of the first that does not fit, keeps the first words. Members
    /// that are passed through unread are dropped first, because nothing here depends on them.
    pub(super) fn abridged(mut self) -> Self {
        let mut room = LONGEST;
        let parts = std::mem::take(&mut self.parts);
        let count = parts.len();
        for part in parts {
            match length(&part) {
                Some(length) if length <= room => {
                    room -= length;
                    self.parts.push(part);
                }
                _ => {
                    self.parts.extend(beginning(part, room));
                    break;
                }
            }
        }
        if self.parts.len() < count {
            self.parts.push(Part::text(LEFT_OUT));
        }
        let passed_through = (&self.metadata, &self.extensions, &self.references);
        if length(&passed_through).is_none_or(|length| length > room) {
            (self.metadata, self.extensions, self.references) = (None, Vec::new(), Vec::new());
        }
        self
    }
}

/// Bytes of JSON.
fn length(of: &impl serde::Serialize) -> Option<usize> {
    serde_json::to_string(of).ok().map(|json| json.len())
}

/// Cuts after a whole word: half a word could be read as something else, such as a shorter URL.
fn beginning(part: Part, room: usize) -> Option<Part> {
    let Content::Text(text) = part.content else { return None };
    let words = if text.len() <= room {
        text.as_str()
    } else {
        let end = (0..=room).rev().find(|end| text.is_char_boundary(*end))?;
        text[..end].rfind(char::is_whitespace).map_or("", |end| &text[..end])
    };
    Some(Part::text(format!("{words} {LEFT_OUT}")))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    fn message(parts: Vec<Part>) -> Message {
        Message::of_agent("m".to_owned(), "c", "t", parts)
    }

    #[test]
    fn a_short_message_stays_as_it_is() {
        let mut whole = message(vec![Part::text("list me"), Part::data(json!({ "name": "x" }))]);
        whole.metadata = Some(Map::from_iter([("a".to_owned(), json!(1))]));
        whole.references = vec!["other".to_owned()];
        assert_eq!(whole.clone().abridged(), whole);
    }

    #[test]
    fn a_long_text_keeps_its_first_words() {
        let long =
            format!("list me, please, {}https://agent.example.com/{}", "and ".repeat(240), "x".repeat(5000));
        let cut = message(vec![Part::text(long.clone())]).abridged();
        let Content::Text(text) = &cut.parts[0].content else { panic!("{cut:?}") };
        let words = text.strip_suffix(LEFT_OUT).unwrap().trim_end();
        assert!(long.starts_with(words) && words.ends_with("and"), "no half of a URL: {text}");
        let word = message(vec![Part::text("é".repeat(5000))]).abridged();
        assert_eq!(word.parts[0].content, Content::Text(format!(" {LEFT_OUT}")));
    }

    #[test]
    fn nothing_makes_a_stored_message_long() {
        let mut many = message(vec![Part::text("x".repeat(100)); 100]);
        many.metadata = Some(Map::from_iter([("a".to_owned(), json!("y".repeat(100_000)))]));
        many.extensions = vec!["z".repeat(100_000)];
        let data = message(vec![Part::data(json!({ "x": "y".repeat(100_000) })), Part::text("list me")]);
        let mut named = message(vec![Part::text("hello")]);
        named.parts[0].filename = Some("f".repeat(100_000));
        let quoted = message(vec![Part::text("\u{1} ".repeat(100_000))]);
        for (message, first) in [(many, "x"), (data, LEFT_OUT), (named, "hello"), (quoted, "\u{1}")] {
            let cut = message.abridged();
            let length = length(&cut).unwrap();
            assert!(length < 8 * LONGEST, "{length}");
            assert!(
                matches!(&cut.parts[0].content, Content::Text(text) if text.starts_with(first)),
                "{cut:?}"
            );
        }
    }
}
