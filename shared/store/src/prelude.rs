//! What most files of this crate use.

pub(crate) use crate::records::callers::Act;
pub(crate) use crate::records::listings::LISTING;
pub(crate) use crate::records::trails::{Deposit, TRAIL};
pub(crate) use crate::table;
pub(crate) use crate::table::Store;
pub(crate) use crate::table::attributes::{
    Item, b, blob, bytes, decimal, moment, ms, n, number, read_all, s, some_text, sum, text, to_blob, ttl,
    unsigned, yes,
};
pub(crate) use crate::table::error::{Result, StoreError};
pub(crate) use crate::table::expression::Expression;
pub(crate) use crate::table::key::{self, Key, KeyPattern, Record};
pub(crate) use crate::table::reads::{Consistency, Query, Range};
pub(crate) use crate::table::writes::{Outcome, Transaction, WriteId};
pub(crate) use registry_model::error::{During, Source, chain};
pub(crate) use registry_model::{Listing, ListingId, Moment};
