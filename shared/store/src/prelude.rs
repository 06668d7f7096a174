//! What most files of this crate use.

pub(crate) use crate::records::deposits::{self, Deposit};
pub(crate) use crate::records::feed;
pub(crate) use crate::records::listing_items::LISTING;
pub(crate) use crate::records::rates::Act;
pub(crate) use crate::table;
pub(crate) use crate::table::attributes::{
    Item, b, blob, bytes, decimal, moment, ms, n, number, read_all, s, some_text, sum, text, to_blob, ttl,
    unsigned, yes,
};
pub(crate) use crate::table::batch_get::Consistency;
pub(crate) use crate::table::client::Store;
pub(crate) use crate::table::error::{Result, StoreError};
pub(crate) use crate::table::expression::Expression;
pub(crate) use crate::table::key::{self, Key, KeyPattern, Record};
pub(crate) use crate::table::reads::{Query, Range};
pub(crate) use crate::table::transaction::{Outcome, Transaction, WriteId};
pub(crate) use registry_model::error::{During, Source, chain};
pub(crate) use registry_model::{Listing, ListingId, Moment};
