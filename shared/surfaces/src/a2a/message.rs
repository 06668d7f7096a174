//! A message in one form. Messages of all A2A versions are parsed into this form.
//!
//! Tasks are stored with their messages, so the field names are part of the stored data. Anyone can send a
//! message, and every stored byte costs money. So only the beginning of a message is stored. It is enough to
//! recognize the message and to continue the conversation.

use crate::a2a::intent::MessageContent;
use crate::errors::RpcError;
use crate::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Role {
    User,
    Agent,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Message {
    pub(super) id: String,
    pub(super) role: Role,
    pub(super) parts: Vec<Part>,
    pub(super) context_id: Option<String>,
    pub(super) task_id: Option<String>,
    /// Passed through unread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) metadata: Option<Map<String, Value>>,
    /// Passed through unread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) extensions: Vec<String>,
    /// Ids of other tasks; passed through unread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) references: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) content: Content,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) media_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) filename: Option<String>,
    /// Passed through unread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) metadata: Option<Map<String, Value>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Content {
    Text(String),
    Data(Value),
    Url(String),
    Raw(String),
}

impl Part {
    pub(super) fn text(text: impl Into<String>) -> Self {
        let media_type = Some("text/plain".to_owned());
        Self { content: Content::Text(text.into()), media_type, filename: None, metadata: None }
    }

    pub(super) fn data(data: Value) -> Self {
        let media_type = Some("application/json".to_owned());
        Self { content: Content::Data(data), media_type, filename: None, metadata: None }
    }
}

impl Message {
    pub(super) fn of_agent(id: String, context_id: &str, task_id: &str, parts: Vec<Part>) -> Self {
        Self {
            id,
            role: Role::Agent,
            parts,
            context_id: Some(context_id.to_owned()),
            task_id: Some(task_id.to_owned()),
            metadata: None,
            extensions: Vec::new(),
            references: Vec::new(),
        }
    }

    /// Fails if the message contains only files: they are not read.
    pub(super) fn parsed(&self) -> Result<MessageContent, RpcError> {
        let mut parsed = MessageContent::default();
        let mut files = 0_usize;
        for part in &self.parts {
            match &part.content {
                Content::Text(text) if parsed.text.is_empty() => parsed.text.clone_from(text),
                Content::Text(text) => {
                    parsed.text.push('\n');
                    parsed.text.push_str(text);
                }
                Content::Data(data) => parsed.data.push(data.clone()),
                Content::Url(url) => parsed.urls.push(url.clone()),
                Content::Raw(_) => files += 1,
            }
        }
        if files == self.parts.len() { Err(RpcError::only_files()) } else { Ok(parsed) }
    }
}

/// In bytes, of the parts and of the members that are passed through unread. Half of what is read of a
/// conversation: the beginning must leave room for what follows.
const MAX_STORED_BYTES: usize = 1024;

const ELLIPSIS: &str = "…";

impl Message {
    /// Keeps parts in order while they fit; of the first that does not fit, keeps the first words. Members
    /// that are passed through unread are dropped first, because nothing here depends on them.
    pub(super) fn abridged(mut self) -> Self {
        let mut room = MAX_STORED_BYTES;
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
            self.parts.push(Part::text(ELLIPSIS));
        }
        let passed_through = (&self.metadata, &self.extensions, &self.references);
        if length(&passed_through).is_none_or(|length| length > room) {
            (self.metadata, self.extensions, self.references) = (None, Vec::new(), Vec::new());
        }
        self
    }
}

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
    Some(Part::text(format!("{words} {ELLIPSIS}")))
}

#[cfg(test)]
mod tests {
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
            assert!(
                matches!(&cut.parts[0].content, Content::Text(text) if text.starts_with(first)),
                "{cut:?}"
            );
        }
    }
}
