//! What nearly every module of this crate uses.

pub(super) use super::attributes::{
    Item, b, blob, blobs, bytes, count, decimal, moment, n, number, read_all, s, some_text, sum, text,
    to_blob, ttl, yes,
};
pub(super) use super::batch_get::Consistency;
pub(super) use super::client::Store;
pub(super) use super::error::{Result, StoreError};
pub(super) use super::expression::Expression;
pub(super) use super::keys::{self, Key};
pub(super) use super::reads::{Query, Range};
pub(super) use super::table;
pub(super) use super::transaction::{Outcome, Transaction, WriteId};
pub(super) use registry_model::{Listing, ListingId, Moment};
