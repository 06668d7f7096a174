//! Reads the parameters of a call and a message of any A2A version. A field has a camel-case name, but some clients send it in
//! snake case. Errors contain the name of the field. A number may be a string, because the REST binding sends numbers in the
//! query. Clients of the older versions may leave out fields that their SDKs do not check.

use super::dialects::Dialect;
use super::id::is_valid_id;
use super::message::{Content, Message, Part, Role};
use crate::errors::RpcError;
use crate::prelude::*;

pub(super) const MAX_PARTS: usize = 100;
/// More than any task has, and within the range of every integer type.
pub(super) const MAX_HISTORY_LENGTH: u64 = 1_000_000;
/// Of a list of tasks.
pub(super) const MAX_PAGE_SIZE: u64 = 100;

/// The members of one object, and its path for errors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    members: &'a Map<String, Value>,
    path: &'a str,
}

impl<'a> Fields<'a> {
    pub(super) const fn of(members: &'a Map<String, Value>, path: &'a str) -> Self {
        Self { members, path }
    }

    pub(super) fn at(value: &'a Value, path: &'a str) -> Result<Self, RpcError> {
        let members = value.as_object().ok_or_else(|| RpcError::param(path, "must be an object."))?;
        Ok(Self { members, path })
    }

    /// A member by its camel-case name; null counts as absent.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        let found = self.members.get(name).or_else(|| self.members.get(&snake(name)));
        found.filter(|value| !value.is_null())
    }

    pub(super) fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    pub(super) fn wrong(&self, name: &str, detail: &str) -> RpcError {
        RpcError::param(self.path_of(name), detail)
    }

    /// A string; the empty one counts as absent.
    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>, RpcError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
            Some(_) => Err(self.wrong(name, "must be a string.")),
        }
    }

    /// A string that can be stored as an id.
    pub(super) fn id(&self, name: &str) -> Result<Option<String>, RpcError> {
        let Some(id) = self.text(name)? else { return Ok(None) };
        if !is_valid_id(id) {
            return Err(self.wrong(name, "must have at most 128 characters and no control characters."));
        }
        Ok(Some(id.to_owned()))
    }

    pub(super) fn number(&self, name: &str, min: u64, max: u64) -> Result<Option<u64>, RpcError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number = match value {
            Value::Number(number) => number.as_u64().or_else(|| whole(number.as_f64()?)),
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        number.filter(|number| (min..=max).contains(number)).map(Some).ok_or_else(|| {
            let given = shorten(&value.to_string(), 40);
            self.wrong(name, &format!("must be a whole number from {min} to {max}, not {given}."))
        })
    }

    pub(super) fn history_length(&self) -> Result<Option<u64>, RpcError> {
        self.number("historyLength", 0, MAX_HISTORY_LENGTH)
    }

    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, RpcError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(Value::String(text)) if text == "true" => Ok(Some(true)),
            Some(Value::String(text)) if text == "false" => Ok(Some(false)),
            Some(_) => Err(self.wrong(name, "must be true or false.")),
        }
    }

    /// A list of strings; absent counts as empty.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, RpcError> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        let owned = |text: &Value| text.as_str().map(str::to_owned);
        let texts = value.as_array().and_then(|list| list.iter().map(owned).collect());
        texts.ok_or_else(|| self.wrong(name, "must be a list of strings."))
    }
}

/// Some JSON libraries write whole numbers as `10.0`.
fn whole(number: f64) -> Option<u64> {
    let fits = number.fract() == 0.0 && (0.0..=9e15).contains(&number);
    fits.then(|| format!("{number:.0}").parse().ok()).flatten()
}

fn snake(camel: &str) -> String {
    let written = |c: char| c.is_ascii_uppercase().then_some('_').into_iter().chain([c.to_ascii_lowercase()]);
    camel.chars().flat_map(written).collect()
}

/// Reads the `message` member of the parameters of a call.
pub(super) fn read_message(
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
        role: read_role(message, dialect)?,
        parts: read_parts(message)?,
        context_id: message.id("contextId")?,
        task_id: message.id("taskId")?,
        metadata: read_metadata(message)?,
        extensions: message.texts("extensions")?,
        references: message.texts("referenceTaskIds")?,
    })
}

fn read_role(message: Fields<'_>, dialect: Dialect) -> Result<Role, RpcError> {
    match (message.text("role")?, dialect) {
        (Some("ROLE_USER" | "user"), _) | (None, Dialect::V03 | Dialect::V02) => Ok(Role::User),
        (Some("ROLE_AGENT" | "agent"), _) => Ok(Role::Agent),
        _ => Err(message.wrong("role", "must be ROLE_USER (in A2A 0.3: user).")),
    }
}

pub(super) fn read_metadata(fields: Fields<'_>) -> Result<Option<Map<String, Value>>, RpcError> {
    match fields.get("metadata") {
        None => Ok(None),
        Some(Value::Object(members)) => Ok(Some(members.clone())),
        Some(_) => Err(fields.wrong("metadata", "must be an object.")),
    }
}

fn read_parts(message: Fields<'_>) -> Result<Vec<Part>, RpcError> {
    // The REST binding of 0.3 has them in `content`.
    let parts = message.get("parts").or_else(|| message.get("content")).and_then(Value::as_array);
    match parts {
        Some(parts) if (1..=MAX_PARTS).contains(&parts.len()) => parts
            .iter()
            .enumerate()
            .map(|(at, value)| read_part(value, &format!("message.parts[{at}]")))
            .collect(),
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
fn read_part(value: &Value, path: &str) -> Result<Part, RpcError> {
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
    let metadata = read_metadata(part)?;
    match <[Content; 1]>::try_from(contents) {
        Ok([content]) => Ok(Part { content, media_type, filename, metadata }),
        Err(_) => Err(RpcError::param(path, "must have exactly one of text, data, url and raw.")),
    }
}

#[cfg(test)]
mod tests;
