//! The table: its definition, reads, writes, transactions and the read cache, without anything about its records.

pub(crate) mod attributes;
pub(crate) mod batch_get;
pub(crate) mod client;
mod definition;
pub(crate) mod error;
pub(crate) mod expression;
#[cfg(test)]
pub(crate) mod fake_table;
pub(crate) mod key;
pub(crate) mod read_cache;
pub(crate) mod reads;
pub(crate) mod transaction;
mod writes;

pub use definition::{DUE, INDEXES, Index, KEY, SHOWN, TTL_ATTRIBUTE, ensure};
