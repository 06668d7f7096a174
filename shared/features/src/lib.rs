//! The features of the registry. Each folder contains the rules, the operations and the views of one feature. Each
//! operation is defined once, as an implementation of [`Operation`]. REST routes, MCP tools, A2A skills, plain-text
//! requests and all documents are derived from it.
//!
//! This crate may use the crates `registry-probe`, `registry-products` and the crates below them. It contains no protocol
//! code: `registry-surfaces` and the functions serve the operations. A function reads its data through `registry_store`.
//! It returns a value, or a `Problem`, which is the error that callers see.
//!
//! Start with [`Operation`] in `operation.rs`. Then read [`publish`] (turns a submission into a listing), [`listing`]
//! (how a listing is shown and found) and [`funnel`] (demo, feedback, reward).

pub mod economy;
pub mod federation;
pub mod funnel;
pub mod interop;
pub mod listing;
pub mod log;
pub mod operation;
pub mod operator;
pub mod outreach;
mod prelude;
pub mod products;
pub mod publish;
pub mod review;
pub mod talk;
pub mod trails;
pub mod trust;

pub use operation::catalogue::{CATALOGUE, DESCRIPTIONS, named};
pub use operation::{
    Action, AdvertisedSkill, AnyOperation, Attachment, Description, Effect, Operation, Phrase, RawArguments,
    Rendered, Route, RouteInput, count_served, schema_of_answer, served,
};

use registry_model::{FeedItem, Listing, Moment};

/// An entry of the public feed about a listing; `text` follows its name.
pub(crate) fn feed_item(listing: &Listing, what: &str, at: Moment, text: &str) -> FeedItem {
    FeedItem::of_listing(listing, what, format!("{} {text}", listing.texts.name), at)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn operation_names_and_aliases_are_unique() {
        let mut seen = HashSet::new();
        for name in CATALOGUE.iter().flat_map(|entry| std::iter::once(&entry.name).chain(entry.aliases)) {
            assert!(seen.insert(name), "{name} is used twice in the catalogue");
        }
    }

    #[test]
    fn every_example_matches_its_schema() {
        for entry in CATALOGUE {
            let schema = (entry.input_schema)();
            assert_eq!(schema["type"], "object", "{}", entry.name);
            assert_eq!((entry.output_schema)()["type"], "object", "{}", entry.name);
            let example: Value = serde_json::from_str(entry.example).unwrap();
            let validator = jsonschema::validator_for(&schema).unwrap();
            assert!(validator.is_valid(&example), "{}: {example}", entry.name);
        }
    }
}
