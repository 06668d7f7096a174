//! Short helpers to build and read attribute values, which the SDK spells at length.
//! A missing or differently typed attribute reads as empty: items written by earlier versions may lack it.

use std::collections::HashMap;
use std::fmt;

use aws_sdk_dynamodb::types::AttributeValue;

/// An item as the SDK carries it.
pub(super) type Item = HashMap<String, AttributeValue>;

pub(super) fn s(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

pub(super) fn n(number: impl fmt::Display) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// 0 where the attribute is missing.
pub(super) fn number(item: &Item, name: &str) -> i64 {
    match item.get(name) {
        Some(AttributeValue::N(text)) => text.parse().unwrap_or(0),
        _ => 0,
    }
}

/// Empty where the attribute is missing.
pub(super) fn text<'a>(item: &'a Item, name: &str) -> &'a str {
    match item.get(name) {
        Some(AttributeValue::S(text)) => text,
        _ => "",
    }
}

/// 0 where the attribute is missing; for numbers with decimals.
pub(super) fn decimal(item: &Item, name: &str) -> f64 {
    match item.get(name) {
        Some(AttributeValue::N(text)) => text.parse().unwrap_or(0.0),
        _ => 0.0,
    }
}
