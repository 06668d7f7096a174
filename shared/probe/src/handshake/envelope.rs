//! Whether a text is the reply to a request, told without keeping any of it.
//! An event stream is asked this about each of its events while others wait, so it must cost no memory.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// True for a response (not a request or notification) with this `id` as a number or a text, or an error without an
/// id; also within an array.
pub(super) fn is_reply_to(text: &str, id: u64) -> bool {
    ReplyTo(id).deserialize(&mut serde_json::Deserializer::from_str(text)).unwrap_or(false)
}

#[derive(Clone, Copy)]
struct ReplyTo(u64);

impl<'de> DeserializeSeed<'de> for ReplyTo {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<bool, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ReplyTo {
    type Value = bool;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a JSON-RPC message, or an array of them")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut batch: A) -> Result<bool, A::Error> {
        let mut found = false;
        while let Some(one) = batch.next_element_seed(self)? {
            found |= one;
        }
        Ok(found)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut message: A) -> Result<bool, A::Error> {
        let (mut asks, mut fails, mut named) = (false, false, "null");
        while let Some(member) = message.next_key::<String>()? {
            match member.as_str() {
                "id" => named = message.next_value::<&RawValue>()?.get(),
                other => {
                    message.next_value::<IgnoredAny>()?;
                    asks |= other == "method";
                    fails |= other == "error";
                }
            }
        }
        let id = self.0.to_string();
        let ours = match named {
            "null" => fails,
            named => named.trim_matches('"') == id,
        };
        Ok(ours && !asks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_told_by_its_id_and_by_not_being_a_request() {
        for ours in [
            r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
            r#"{"id":"7","result":[{"id":9,"method":"x"}]}"#,
            r#"{"id":null,"error":{"code":-32700}}"#,
            r#"{"error":{}}"#,
            r#"[{"method":"ping"},{"id":7,"result":1}]"#,
        ] {
            assert!(is_reply_to(ours, 7), "{ours}");
        }
        for other in [
            r#"{"id":8,"result":{}}"#,
            r#"{"id":7,"method":"ping"}"#,
            r#"{"id":[7],"result":{}}"#,
            r#"{"id":7.5,"result":{}}"#,
            r#"{"result":{}}"#,
            r#"{"id":7,"result":{}"#,
            "7",
            "[]",
            "",
        ] {
            assert!(!is_reply_to(other, 7), "{other}");
        }
        assert!(!is_reply_to(&"[".repeat(100_000), 7), "nesting without end");
    }
}
