//! Parses untrusted JSON and limits the number of values in it. A limit on the length of the text is not
//! enough: in memory, a list of zeros takes forty times as many bytes as its text.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Parses a document (nested at most 128 deep). `left` is the number of values that may still be read; it is counted
/// down, so that several documents have one limit.
///
/// # Errors
/// The text is not JSON, or it contains more values than are left (then `is_data` of the error is true).
pub fn parse_limited(text: &[u8], left: &mut usize) -> Result<Value, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let value = Counted { left }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Parses a document from a stranger, as [`parse_limited`], with any number of values.
///
/// # Errors
/// The text is not JSON.
pub fn parse(text: &[u8]) -> Result<Value, serde_json::Error> {
    parse_limited(text, &mut { usize::MAX })
}

struct Counted<'a> {
    left: &'a mut usize,
}

impl Counted<'_> {
    const fn next(&mut self) -> Counted<'_> {
        Counted { left: self.left }
    }
}

impl<'de> DeserializeSeed<'de> for Counted<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        *self.left = self.left.checked_sub(1).ok_or_else(|| D::Error::custom("too many values"))?;
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Counted<'_> {
    type Value = Value;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self.next())? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            // Where `Value` is read with serde, serde_json parses the text under such a name, without the limit of levels.
            if name.starts_with("$serde_json::private") {
                return Err(A::Error::custom("a reserved name"));
            }
            map.insert(name, members.next_value_seed(self.next())?);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests;
