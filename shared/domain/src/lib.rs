//! The business rules of the registry: what happens when something is published, proven, bought, invited or
//! attested.
//!
//! It may use probe, products and the crates below them, and knows no protocol: operations and surfaces call
//! it. A module decides with the data of `registry_store` and returns a value or a `Problem`, the error that
//! callers see.
//!
//! Start with [`publish`] (a submission becomes a listing), then [`funnel`] (demo, feedback, reward) and
//! [`views`] (how a listing is shown). [`trust`] signs statements, [`evidence_log`] proves decisions,
//! [`payments`] sells products, [`outreach`] writes invitations, [`interop`] and [`federation`] connect
//! listings and registries, [`economy`] computes growth and cost.

pub mod economy;
pub mod evidence_log;
pub mod federation;
pub mod funnel;
pub mod interop;
pub mod outreach;
pub mod payments;
pub mod publish;
pub mod trust;
pub mod views;

use registry_model::{FeedItem, Listing, Moment};

/// An entry of the public feed about a listing; `text` follows its name.
pub(crate) fn feed_item(listing: &Listing, what: &str, at: Moment, text: &str) -> FeedItem {
    FeedItem {
        what: what.to_owned(),
        at,
        listing_id: Some(listing.id.clone()),
        kind: listing.kind,
        name: listing.name.clone(),
        text: format!("{} {text}", listing.name),
    }
}
