//! Reads a message of any A2A version. Clients of the older versions may leave out fields that their SDKs do not check.

use super::dialects::Dialect;
use super::fields::Fields;
use super::message::{Content, Message, Part, Role};
use super::v1::MAX_PARTS;
use crate::errors::RpcError;
use crate::prelude::*;

/// Reads the `message` member of the parameters of a call.
pub(super) fn message(
    params: Fields<'_>,
    dialect: Dialect,
    new_id: impl FnOnce() -> String,
) -> Result<Message, RpcError> {
    let Some(value) = params.get("message") else { return Err(params.wrong("message", "is missing.")) };
    let message = Fields::at(value, "message")?;
    let id = match (message.id("messageId")?, dialect) {
        (Some(id), _) => id,
        (None, Dialect::V03 | Dialect::V02) => new_id(),
        (None, Dialect::V1) => {
            return Err(message.wrong("messageId", "is missing: every message needs an id."));
        }
    };
    Ok(Message {
        id,
        role: role(message, dialect)?,
        parts: parts(message)?,
        context_id: message.id("contextId")?,
        task_id: message.id("taskId")?,
        metadata: metadata(message)?,
        extensions: message.texts("extensions")?,
        references: message.texts("referenceTaskIds")?,
    })
}

fn role(message: Fields<'_>, dialect: Dialect) -> Result<Role, RpcError> {
    match (message.text("role")?, dialect) {
        (Some("ROLE_USER" | "user"), _) | (None, Dialect::V03 | Dialect::V02) => Ok(Role::User),
        (Some("ROLE_AGENT" | "agent"), _) => Ok(Role::Agent),
        _ => Err(message.wrong("role", "must be ROLE_USER (in A2A 0.3: user).")),
    }
}

pub(super) fn metadata(of: Fields<'_>) -> Result<Option<Map<String, Value>>, RpcError> {
    match of.get("metadata") {
        None => Ok(None),
        Some(Value::Object(members)) => Ok(Some(members.clone())),
        Some(_) => Err(of.wrong("metadata", "must be an object.")),
    }
}

fn parts(message: Fields<'_>) -> Result<Vec<Part>, RpcError> {
    // The REST binding of 0.3 has them in `content`.
    let parts = message.get("parts").or_else(|| message.get("content")).and_then(Value::as_array);
    match parts {
        Some(parts) if (1..=MAX_PARTS).contains(&parts.len()) => {
            parts.iter().enumerate().map(|(at, value)| part(value, &format!("message.parts[{at}]"))).collect()
        }
        Some(_) => Err(message.wrong("parts", "must contain 1 to 100 parts, such as {\"text\": \"help\"}.")),
        None => Err(message.wrong("parts", "is missing: send a list such as [{\"text\": \"help\"}].")),
    }
}

/// Levels of a data part. A parser reads 128, and a task contains the part on a deeper level.
const MAX_LEVELS: usize = 64;

fn levels(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(levels).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(levels).max().unwrap_or_default(),
        _ => 0,
    }
}

/// Reads a part by its members, because `kind` (0.3) and `type` (0.2) are often missing or wrong. Before 1.0 the
/// members of a file are in a `file` object.
fn part(value: &Value, path: &str) -> Result<Part, RpcError> {
    let part = Fields::at(value, path)?;
    let file = part.get("file").map(|file| Fields::at(file, path)).transpose()?;
    let file_fields = file.unwrap_or(part);
    let mut contents = Vec::new();
    if let Some(text) = part.get("text") {
        let Some(text) = text.as_str() else { return Err(part.wrong("text", "must be a string.")) };
        contents.push(Content::Text(text.to_owned()));
    }
    let data = part.get("data");
    if data.is_some_and(|data| levels(data) > MAX_LEVELS) {
        return Err(part.wrong("data", &format!("must have at most {MAX_LEVELS} levels.")));
    }
    contents.extend(data.map(|data| Content::Data(data.clone())));
    let (url_names, raw_names, media_type_name, filename_name) = match file {
        Some(_) => (["uri", "fileWithUri"], ["bytes", "fileWithBytes"], "mimeType", "name"),
        None => (["url", "uri"], ["raw", "bytes"], "mediaType", "filename"),
    };
    for name in url_names {
        contents.extend(file_fields.text(name)?.map(|url| Content::Url(url.to_owned())));
    }
    for name in raw_names {
        contents.extend(file_fields.text(name)?.map(|raw| Content::Raw(raw.to_owned())));
    }
    let media_type = file_fields.text(media_type_name)?.map(str::to_owned);
    let filename = file_fields.text(filename_name)?.map(str::to_owned);
    let metadata = metadata(part)?;
    match <[Content; 1]>::try_from(contents) {
        Ok([content]) => Ok(Part { content, media_type, filename, metadata }),
        Err(_) => Err(RpcError::param(path, "must have exactly one of text, data, url and raw.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::v1::send_schema;

    fn message(message: &Value, dialect: Dialect) -> Result<Message, RpcError> {
        let params = json!({ "message": message });
        super::message(Fields::at(&params, "").unwrap(), dialect, || "new".to_owned())
    }

    #[test]
    fn parts_of_every_dialect_are_accepted() {
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
            let message = message(&json!({ "role": "user", "parts": [part] }), Dialect::V03).unwrap();
            assert_eq!(message.parts[0].content, content);
        }
    }

    #[test]
    fn described_messages_are_accepted() {
        let described = jsonschema::validator_for(&send_schema()).unwrap();
        for changed in [
            json!({}),
            json!({ "contextId": null, "taskId": "t", "metadata": {}, "extensions": ["https://a"] }),
            json!({ "role": "ROLE_AGENT", "referenceTaskIds": null }),
            json!({ "parts": [{ "data": [1], "url": null, "mediaType": "x/y" }, { "text": "", "data": null }] }),
            json!({ "messageId": "" }),
            json!({ "messageId": "x".repeat(129) }),
            json!({ "contextId": "a\u{7}" }),
            json!({ "metadata": [] }),
            json!({ "extensions": [1] }),
            json!({ "parts": vec![json!({ "text": "x" }); MAX_PARTS + 1] }),
            json!({ "parts": [{ "text": "x", "data": 1 }] }),
            json!({ "parts": [{ "text": "x", "filename": 1 }] }),
        ] {
            let mut value = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "x" }] });
            for (name, changed) in changed.as_object().unwrap() {
                value[name] = changed.clone();
            }
            let is_described = described.is_valid(&json!({ "message": value }));
            assert_eq!(is_described, message(&value, Dialect::V1).is_ok(), "{value}");
        }
    }

    #[test]
    fn data_that_could_not_be_read_again_is_refused() {
        let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        let read = |data: Value| message(&json!({ "parts": [{ "data": data }] }), Dialect::V03);
        assert!(read(nested(MAX_LEVELS)).is_ok());
        let error = read(nested(MAX_LEVELS + 1)).unwrap_err();
        assert_eq!(error.data[0]["fieldViolations"][0]["field"], "message.parts[0].data");
    }

    #[test]
    fn error_contains_the_path_of_the_invalid_member() {
        let described = jsonschema::validator_for(&send_schema()).unwrap();
        let text = json!([{ "text": "x" }]);
        for (value, field) in [
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
            assert!(!described.is_valid(&json!({ "message": value })), "{value}");
            let error = message(&value, Dialect::V1).unwrap_err();
            assert_eq!(error.data[0]["fieldViolations"][0]["field"], field, "{value}");
        }
    }
}
