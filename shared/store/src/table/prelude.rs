//! What nearly every record uses.

pub(crate) use super::attributes::{
    Item, b, blob, bytes, count, decimal, moment, ms, n, number, read_all, s, some_text, sum, text, to_blob,
    ttl, yes,
};
pub(crate) use super::batch_get::Consistency;
pub(crate) use super::client::Store;
pub(crate) use super::error::{Result, StoreError};
pub(crate) use super::expression::Expression;
pub(crate) use super::key::{self, Key, Place, Record};
pub(crate) use super::reads::{Query, Range};
pub(crate) use super::transaction::{Outcome, Transaction, WriteId};
pub(crate) use crate::table;
pub(crate) use registry_model::{Listing, ListingId, Moment};
