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
mod tests;
