//! A message in the one form that all dialects are read into. Tasks are stored with their messages, so the names of
//! the members are part of what is in the table.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::TaskError;
use registry_operations::intent::MessageContent;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    User,
    Agent,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    pub id: String,
    pub role: Role,
    pub parts: Vec<Part>,
    pub context_id: Option<String>,
    pub task_id: Option<String>,
    /// Passed through unread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Passed through unread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// Ids of other tasks; passed through unread.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    pub content: Content,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// Passed through unread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Content {
    Text(String),
    Data(Value),
    Url(String),
    Raw(String),
}

impl Part {
    pub fn text(text: impl Into<String>) -> Self {
        let media_type = Some("text/plain".to_owned());
        Self { content: Content::Text(text.into()), media_type, filename: None, metadata: None }
    }

    #[must_use]
    pub fn data(data: Value) -> Self {
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
    pub(super) fn parsed(&self) -> Result<MessageContent, TaskError> {
        let mut parsed = MessageContent::default();
        let mut files = 0_usize;
        for part in &self.parts {
            match &part.content {
                Content::Text(text) if parsed.text.is_empty() => parsed.text.clone_from(text),
                Content::Text(text) => parsed.text = format!("{}\n{text}", parsed.text),
                Content::Data(data) => parsed.data.push(data.clone()),
                Content::Url(url) => parsed.urls.push(url.clone()),
                Content::Raw(_) => files += 1,
            }
        }
        if files == self.parts.len() { Err(TaskError::OnlyFiles) } else { Ok(parsed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(contents: Vec<Content>) -> Message {
        let part = |content| Part { content, media_type: None, filename: None, metadata: None };
        Message {
            role: Role::User,
            ..Message::of_agent("m".to_owned(), "c", "t", contents.into_iter().map(part).collect())
        }
    }

    #[test]
    fn files_alone_are_refused() {
        let raw = Content::Raw("aGk=".to_owned());
        assert_eq!(message(vec![raw.clone()]).parsed(), Err(TaskError::OnlyFiles));
        let text = |text: &str| Content::Text(text.to_owned());
        let both = message(vec![raw, text("list"), text("me"), Content::Url("https://a".to_owned())]);
        let parsed = both.parsed().unwrap();
        assert_eq!(
            (parsed.text.as_str(), parsed.urls.as_slice()),
            ("list\nme", &["https://a".to_owned()][..])
        );
    }
}
