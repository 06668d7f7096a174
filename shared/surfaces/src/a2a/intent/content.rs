//! The content of a message, independent of its protocol.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::a2a::intent::named_call;
use crate::a2a::intent::parsed_text::{ParsedText, push_new};
use registry_model::ListingId;

/// Fields of data parts, and URLs of file parts, that a message can have. Each is compared with the others.
pub(super) const MAX_FIELDS: usize = 50;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessageContent {
    /// The text parts, joined by line breaks.
    pub text: String,
    /// The data parts, which may contain a call or its arguments.
    pub data: Vec<Value>,
    /// URLs of file parts.
    pub urls: Vec<String>,
    /// Names of listings in the text, as they are written, and their ids.
    pub names: Vec<(String, ListingId)>,
}

impl MessageContent {
    /// Whether all of the message is plain words.
    pub(super) fn is_plain_text(&self) -> bool {
        self.data.is_empty() && !self.is_json()
    }

    pub(super) fn is_json(&self) -> bool {
        self.text.trim_start().starts_with('{')
    }

    /// Only for a message that does not call an operation by a data part.
    pub(super) fn has_too_many_fields(&self) -> bool {
        let fields: usize = self.data.iter().filter_map(Value::as_object).map(Map::len).sum();
        fields + self.urls.len() > MAX_FIELDS
    }

    /// The parsed text, and the arguments in the data parts. Reads at most [`MAX_FIELDS`] fields and URLs.
    pub(super) fn parse(&self) -> (ParsedText, Map<String, Value>) {
        let mut parsed = ParsedText::parse(&self.text);
        let names: BTreeMap<&str, &ListingId> =
            self.names.iter().map(|(name, id)| (name.as_str(), id)).collect();
        names.into_iter().for_each(|(name, id)| parsed.take_name(name, id.as_str()));
        let fields = self.data.iter().flat_map(named_call::loose_arguments);
        let fields: Map<String, Value> = fields.take(MAX_FIELDS).collect();
        let urls = self.urls.iter().map(String::as_str);
        for text in fields.values().filter_map(Value::as_str).chain(urls).take(MAX_FIELDS) {
            let alone = ParsedText::parse(text);
            match (alone.urls.as_slice(), alone.ids.as_slice()) {
                ([url], _) if alone.words.is_empty() => push_new(&mut parsed.urls, url),
                (_, [id]) if alone.words.is_empty() => push_new(&mut parsed.ids, id),
                _ => {}
            }
        }
        (parsed, fields)
    }
}
