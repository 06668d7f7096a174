//! The business rules of the registry. They cover publishing, proofs, purchases, invitations and signed statements.
//!
//! This crate may use the crates `registry-probe`, `registry-products` and the crates below them. It contains
//! no protocol code. The crates for operations and surfaces call it. A function reads its data through
//! `registry_store`. It returns a value, or a `Problem`, which is the error that callers see.
//!
//! Start with [`publish`] (turns a submission into a listing), then read [`funnel`] (demo, feedback, reward)
//! and [`views`] (how a listing is shown). [`trust`] signs statements. [`evidence_log`] proves decisions.
//! [`payments`] sells products. [`outreach`] writes invitations. [`interop`] connects listings, and
//! [`federation`] connects registries. [`score_report`] stores what a score found. [`economy`] computes growth and costs.

pub mod changes;
pub mod collections;
pub mod dump;
pub mod economy;
pub mod evidence_log;
pub mod federation;
pub mod funnel;
pub mod hastened_rechecks;
pub mod imports;
pub mod interop;
pub mod outreach;
pub mod payments;
mod prelude;
pub mod publish;
pub mod score_report;
pub mod trust;
pub mod views;

use registry_model::{FeedItem, Listing, Moment};

/// An entry of the public feed about a listing; `text` follows its name.
pub(crate) fn feed_item(listing: &Listing, what: &str, at: Moment, text: &str) -> FeedItem {
    FeedItem::of_listing(listing, what, format!("{} {text}", listing.name), at)
}
