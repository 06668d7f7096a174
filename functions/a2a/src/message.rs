//! A message, whatever dialect brought it: read generously, kept in one form, with no member that nobody knows.
//! What it says, apart from who said it and where, is handed to the conversation.

use registry::intent::MessageContent;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::errors::Fault;
use crate::fields::Fields;

/// At most so many parts are read.
const MOST_PARTS: usize = 100;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Role {
    User,
    Agent,
}

/// One thing said once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) role: Role,
    pub(crate) parts: Vec<Part>,
    pub(crate) context_id: Option<String>,
    pub(crate) task_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) metadata: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) extensions: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) references: Vec<String>,
}

/// A piece of a message or an artifact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Part {
    pub(crate) content: Content,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) media_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) filename: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) metadata: Option<Map<String, Value>>,
}

/// What a piece holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Content {
    Text(String),
    Data(Value),
    /// A file by its address.
    Url(String),
    /// A file as base64.
    Raw(String),
}

/// How exact a dialect is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exactness {
    /// 1.0: an id and a role are required.
    Strict,
    /// 0.3 and 0.2: clients in the wild leave out what they do not need.
    Lenient,
}

impl Part {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        let media_type = Some("text/plain".to_owned());
        Self { content: Content::Text(text.into()), media_type, filename: None, metadata: None }
    }

    pub(crate) fn data(data: Value) -> Self {
        let media_type = Some("application/json".to_owned());
        Self { content: Content::Data(data), media_type, filename: None, metadata: None }
    }
}

impl Message {
    /// Reads the `message` member of the parameters of a call.
    pub(crate) fn read(
        params: Fields<'_>,
        exactness: Exactness,
        new_id: impl FnOnce() -> String,
    ) -> Result<Self, Fault> {
        let Some(value) = params.get("message") else { return Err(params.wrong("message", "is missing.")) };
        let message = Fields::at(value, "message")?;
        let id = match (message.id("messageId")?, exactness) {
            (Some(id), _) => id,
            (None, Exactness::Lenient) => new_id(),
            (None, Exactness::Strict) => {
                return Err(message.wrong("messageId", "is missing: give each message an id."));
            }
        };
        Ok(Self {
            id,
            role: role(message, exactness)?,
            parts: parts(message)?,
            context_id: message.id("contextId")?,
            task_id: message.id("taskId")?,
            metadata: metadata(message)?,
            extensions: message.texts("extensions")?,
            references: message.texts("referenceTaskIds")?,
        })
    }

    /// What it says.
    pub(crate) fn said(&self) -> Result<MessageContent, Fault> {
        let mut said = MessageContent::default();
        let mut files = 0_usize;
        for part in &self.parts {
            match &part.content {
                Content::Text(text) if said.text.is_empty() => said.text.clone_from(text),
                Content::Text(text) => said.text = format!("{}\n{text}", said.text),
                Content::Data(data) => said.data.push(data.clone()),
                Content::Url(url) => said.urls.push(url.clone()),
                Content::Raw(_) => files += 1,
            }
        }
        if files == self.parts.len() {
            return Err(Fault::ContentType(
                "Files are not read here. Send a text part, or a data part with an operation.".to_owned(),
            ));
        }
        Ok(said)
    }
}

fn role(message: Fields<'_>, exactness: Exactness) -> Result<Role, Fault> {
    match (message.text("role")?, exactness) {
        (Some("ROLE_USER" | "user"), _) | (None, Exactness::Lenient) => Ok(Role::User),
        (Some("ROLE_AGENT" | "agent"), _) => Ok(Role::Agent),
        _ => Err(message.wrong("role", "must be ROLE_USER (in A2A 0.3: user).")),
    }
}

fn metadata(of: Fields<'_>) -> Result<Option<Map<String, Value>>, Fault> {
    match of.get("metadata") {
        None => Ok(None),
        Some(Value::Object(members)) => Ok(Some(members.clone())),
        Some(_) => Err(of.wrong("metadata", "must be an object.")),
    }
}

fn parts(message: Fields<'_>) -> Result<Vec<Part>, Fault> {
    // The REST binding of 0.3 called them `content`.
    let parts = message.get("parts").or_else(|| message.get("content")).and_then(Value::as_array);
    match parts {
        Some(parts) if (1..=MOST_PARTS).contains(&parts.len()) => {
            parts.iter().enumerate().map(|(at, value)| part(value, &format!("message.parts[{at}]"))).collect()
        }
        Some(_) => Err(message.wrong("parts", "must hold 1 to 100 parts, such as {\"text\": \"help\"}.")),
        None => Err(message.wrong("parts", "is missing: send a list such as [{\"text\": \"help\"}].")),
    }
}

/// 1.0 says what a part is by the member it has, 0.3 by `kind`, 0.2 by `type`; older files stand in a `file`.
fn part(value: &Value, path: &str) -> Result<Part, Fault> {
    let part = Fields::at(value, path)?;
    let file = part.get("file").map(|file| Fields::at(file, path)).transpose()?;
    let beside = file.unwrap_or(part);
    let mut contents = Vec::new();
    if let Some(text) = part.get("text") {
        let Some(text) = text.as_str() else { return Err(part.wrong("text", "must be a text.")) };
        contents.push(Content::Text(text.to_owned()));
    }
    contents.extend(part.get("data").map(|data| Content::Data(data.clone())));
    let (urls, raws, kind, name) = match file {
        Some(_) => (["uri", "fileWithUri"], ["bytes", "fileWithBytes"], "mimeType", "name"),
        None => (["url", "uri"], ["raw", "bytes"], "mediaType", "filename"),
    };
    for name in urls {
        contents.extend(beside.text(name)?.map(|url| Content::Url(url.to_owned())));
    }
    for name in raws {
        contents.extend(beside.text(name)?.map(|raw| Content::Raw(raw.to_owned())));
    }
    let media_type = beside.text(kind)?.map(str::to_owned);
    let filename = beside.text(name)?.map(str::to_owned);
    let metadata = metadata(part)?;
    match <[Content; 1]>::try_from(contents) {
        Ok([content]) => Ok(Part { content, media_type, filename, metadata }),
        Err(_) => Err(Fault::param(path, "must hold exactly one of text, data, url and raw.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(message: &Value, exactness: Exactness) -> Result<Message, Fault> {
        let params = json!({ "message": message });
        Message::read(Fields::at(&params, "").unwrap(), exactness, || "new".to_owned())
    }

    #[test]
    fn parts_of_every_dialect_are_read() {
        for (part, content) in [
            (json!({ "text": "x" }), Content::Text("x".to_owned())),
            (json!({ "kind": "text", "text": "x" }), Content::Text("x".to_owned())),
            (json!({ "type": "text", "text": "x" }), Content::Text("x".to_owned())),
            (json!({ "text": "" }), Content::Text(String::new())),
            (json!({ "kind": "data", "data": [1] }), Content::Data(json!([1]))),
            (json!({ "url": "https://a", "mediaType": "x/y" }), Content::Url("https://a".to_owned())),
            (json!({ "kind": "file", "file": { "uri": "https://a" } }), Content::Url("https://a".to_owned())),
            (
                json!({ "kind": "file", "file": { "bytes": "aGk=", "name": "f" } }),
                Content::Raw("aGk=".to_owned()),
            ),
        ] {
            let message = read(&json!({ "role": "user", "parts": [part] }), Exactness::Lenient).unwrap();
            assert_eq!(message.parts[0].content, content);
        }
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let text = json!([{ "text": "x" }]);
        for (message, field) in [
            (json!({ "role": "ROLE_USER", "parts": text }), "message.messageId"),
            (json!({ "messageId": "m", "parts": text }), "message.role"),
            (json!({ "messageId": "m", "role": "ROLE_KING", "parts": text }), "message.role"),
            (json!({ "messageId": "m", "role": "ROLE_USER" }), "message.parts"),
            (json!({ "messageId": "m", "role": "ROLE_USER", "parts": [] }), "message.parts"),
            (json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{}] }), "message.parts[0]"),
            (
                json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "x", "raw": "y" }] }),
                "message.parts[0]",
            ),
            (
                json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": 7 }] }),
                "message.parts[0].text",
            ),
            (json!({ "messageId": 7, "role": "ROLE_USER", "parts": text }), "message.messageId"),
            (json!("hello"), "message"),
        ] {
            let Err(Fault::InvalidParams { field: named, .. }) = read(&message, Exactness::Strict) else {
                panic!("{message} was taken");
            };
            assert_eq!(named, field, "{message}");
        }
    }

    #[test]
    fn files_alone_say_nothing() {
        let raw = json!({ "parts": [{ "raw": "aGk=" }] });
        assert!(matches!(read(&raw, Exactness::Lenient).unwrap().said(), Err(Fault::ContentType(_))));
        let both = json!({ "parts": [{ "raw": "aGk=" }, { "text": "list" }, { "text": "me" }, { "url": "https://a" }] });
        let said = read(&both, Exactness::Lenient).unwrap().said().unwrap();
        assert_eq!((said.text.as_str(), said.urls.as_slice()), ("list\nme", &["https://a".to_owned()][..]));
    }
}
