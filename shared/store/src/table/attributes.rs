//! Short helpers that build and read attribute values; the SDK needs many lines for this. A missing attribute
//! is read as an empty value, because items of earlier versions may lack the attribute. An attribute of the
//! wrong type is also read as an empty value.

use std::collections::HashMap;
use std::fmt;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::Result;
use registry_model::Moment;

/// The attribute with the time, in seconds since the epoch, after which DynamoDB may remove an item.
pub const TTL_ATTRIBUTE: &str = "ttl";

/// An item as the SDK represents it.
pub(crate) type Item = HashMap<String, AttributeValue>;

pub(crate) fn s(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

pub(crate) fn n(number: impl fmt::Display) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

pub(crate) fn b(bytes: impl Into<Vec<u8>>) -> AttributeValue {
    AttributeValue::B(Blob::new(bytes))
}

pub(crate) const fn yes() -> AttributeValue {
    AttributeValue::Bool(true)
}

/// A time in milliseconds since the epoch, which [`moment`] reads.
pub(crate) fn ms(at: Moment) -> AttributeValue {
    n(at.as_millisecond())
}

/// When DynamoDB may remove the item: `seconds` after `at`.
pub(crate) fn ttl(at: Moment, seconds: i64) -> (&'static str, AttributeValue) {
    (TTL_ATTRIBUTE, n(at.as_second() + seconds))
}

/// A value as JSON text in one attribute, which [`blob`] reads.
pub(crate) fn to_blob(value: &(impl Serialize + ?Sized)) -> Result<AttributeValue> {
    Ok(s(serde_json::to_string(value)?))
}

pub(crate) fn blob<T: DeserializeOwned>(item: &Item, name: &str) -> Result<T> {
    Ok(serde_json::from_str(text(item, name))?)
}

/// The data of whole items.
pub(crate) fn read_all<T: DeserializeOwned>(items: Vec<Item>) -> Result<Vec<T>> {
    Ok(items.into_iter().map(serde_dynamo::from_item).collect::<Result<_, _>>()?)
}

/// 0 where the attribute is missing.
pub(crate) fn number(item: &Item, name: &str) -> i64 {
    parsed(item, name).unwrap_or(0)
}

/// 0 where the attribute is missing; for numbers with decimals.
pub(crate) fn decimal(item: &Item, name: &str) -> f64 {
    parsed(item, name).unwrap_or(0.0)
}

/// 0 where the attribute is missing, negative or too large.
pub(crate) fn unsigned<T: TryFrom<i64> + Default>(item: &Item, name: &str) -> T {
    T::try_from(number(item, name)).unwrap_or_default()
}

/// The sum of a number over items; 0 where it is negative or too large.
pub(crate) fn sum<T: TryFrom<i64> + Default>(items: &[Item], name: &str) -> T {
    T::try_from(items.iter().map(|item| number(item, name)).sum()).unwrap_or_default()
}

pub(crate) fn moment(item: &Item, name: &str) -> Option<Moment> {
    parsed(item, name).and_then(Moment::from_millisecond)
}

fn parsed<T: std::str::FromStr>(item: &Item, name: &str) -> Option<T> {
    match item.get(name) {
        Some(AttributeValue::N(text)) => text.parse().ok(),
        _ => None,
    }
}

/// Empty where the attribute is missing.
pub(crate) fn bytes<'a>(item: &'a Item, name: &str) -> &'a [u8] {
    match item.get(name) {
        Some(AttributeValue::B(bytes)) => bytes.as_ref(),
        _ => &[],
    }
}

/// Empty where the attribute is missing.
pub(crate) fn text<'a>(item: &'a Item, name: &str) -> &'a str {
    match item.get(name) {
        Some(AttributeValue::S(text)) => text,
        _ => "",
    }
}

/// `None` where the attribute is missing or empty.
pub(crate) fn some_text(item: &Item, name: &str) -> Option<String> {
    Some(text(item, name).to_owned()).filter(|text| !text.is_empty())
}
