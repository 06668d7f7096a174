//! Files with a card or a server.json: what to send of them, and on which line a finding is.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::check;
use crate::problem::Failure;

/// What a publisher names on the command line.
#[derive(Debug, PartialEq)]
pub(crate) enum Target {
    Url(String),
    /// The contents of a card or a server.json.
    File(Value),
}

impl Target {
    pub(crate) fn read(target: &str) -> Result<Self, Failure> {
        if target.contains("://") {
            return Ok(Self::Url(target.to_owned()));
        }
        let text = std::fs::read_to_string(target).map_err(|error| {
            Failure::File(format!("{target} is no URL, and the file cannot be read: {error}."))
        })?;
        let document: Value = serde_json::from_str(&text)
            .map_err(|error| Failure::File(format!("{target} is not JSON: {error}.")))?;
        Ok(Self::File(document))
    }

    /// The body of a request that publishes it.
    pub(crate) fn body(&self) -> Result<Value, Failure> {
        match self {
            Self::Url(url) => Ok(json!({ "url": url, "source": "registry-cli" })),
            Self::File(server) if check::is_server(server) => {
                Ok(json!({ "server_json": server, "source": "registry-cli" }))
            }
            Self::File(_) => {
                let detail = "The file is no server.json. Pass the URL of a card, not its file.";
                Err(Failure::File(detail.to_owned()))
            }
        }
    }

    /// The URL that the registry can probe. A file with a card does not contain the card's own URL.
    pub(crate) fn url(&self) -> Option<&str> {
        match self {
            Self::Url(url) => Some(url),
            Self::File(document) => document["remotes"][0]["url"].as_str(),
        }
    }
}

/// The line of a file, from 1, on which a finding is: that of its path (also at the beginning of `seen`), or of the first
/// member that the finding names in backticks.
pub(crate) fn line_of(text: &str, finding: &Value) -> Option<usize> {
    let part = |name: &str| finding[name].as_str().unwrap_or_default();
    let before_colon = part("seen").split_once(": ").map(|(path, _)| path);
    let named =
        [part("reason"), part("fix")].into_iter().flat_map(|words| words.split('`').skip(1).step_by(2));
    let paths = [part("path")].into_iter().chain(before_colon).chain(named);
    paths.filter(|path| !path.is_empty()).find_map(|path| {
        let last = path.rsplit('.').next().unwrap_or(path);
        let quoted = format!("\"{}\"", last.split('[').next().unwrap_or(last));
        let anywhere = || text.find(&quoted);
        offset_of(text, path).or_else(anywhere).map(|offset| 1 + text[..offset].matches('\n').count())
    })
}

/// Where the value at a path, such as `skills[2].id`, begins; or its closest parent below the document. Names of members may
/// contain dots.
fn offset_of(text: &str, path: &str) -> Option<usize> {
    let (mut value, mut rest) = (text, path);
    while !rest.is_empty() {
        let next = match rest.strip_prefix('[').and_then(|index| index.split_once(']')) {
            Some((index, after)) => {
                let items: Vec<&RawValue> = serde_json::from_str(value).unwrap_or_default();
                let item = index.parse().ok().and_then(|index: usize| items.get(index).copied());
                item.map(|item| (item.get(), after))
            }
            None => {
                let members: BTreeMap<String, &RawValue> = serde_json::from_str(value).unwrap_or_default();
                let found = members.into_iter().filter_map(|(name, member)| {
                    let after = rest.strip_prefix(name.as_str())?;
                    let is_whole = after.is_empty() || after.starts_with(['.', '[', ' ']);
                    is_whole.then_some((member.get(), after))
                });
                found.min_by_key(|(_, after)| after.len())
            }
        };
        let Some((found, after)) = next else { break };
        (value, rest) = (found, after.trim_start_matches('.'));
    }
    (rest.len() < path.len()).then(|| value.as_ptr() as usize - text.as_ptr() as usize)
}

#[cfg(test)]
mod tests;
