//! The records of the table. A file contains the kinds of items that are one idea and are written together.

pub(crate) mod attestations;
pub(crate) mod callers;
pub(crate) mod collections;
pub(crate) mod counters;
pub(crate) mod due;
pub(crate) mod economy;
pub(crate) mod erasure;
pub(crate) mod evidence;
pub(crate) mod evidence_log;
pub(crate) mod federation;
pub(crate) mod feed;
pub(crate) mod funnel;
pub(crate) mod hosts;
pub(crate) mod inbox;
pub(crate) mod listings;
pub(crate) mod outreach;
pub(crate) mod pointers;
pub(crate) mod proofs;
pub(crate) mod purchases;
pub(crate) mod reports;
pub(crate) mod score_reports;
pub(crate) mod search_index;
pub(crate) mod seen;
pub(crate) mod sessions;
pub(crate) mod signing_keys;
pub(crate) mod state_changes;
pub(crate) mod tasks;
pub(crate) mod traces;
pub(crate) mod trail_reads;
pub(crate) mod trails;
pub(crate) mod transfer;

#[cfg(test)]
mod tests;
