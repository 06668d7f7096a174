//! The catalog of operations. Each feature of the registry is defined once, as an implementation of [`Operation`]. REST
//! routes, MCP tools, A2A skills, plain-text requests and all documents are derived from it.
//!
//! This crate depends on `registry-domain` and the layers below. It contains no protocol code:
//! `registry-surfaces` and the functions serve the operations.
//!
//! Start with [`Operation`] in `operation.rs`. Then read `listings/check_status.rs` as an example, and then
//! `catalogue.rs`. Each folder contains one family of operations. The module `intent` selects the operation
//! that a plain-text message requests.
//!
//! To add an operation, write its file in the folder of a family. Then declare the module in `<family>.rs`,
//! add one line to `catalogue.rs`, and say in `assets/sentences.txt` how people ask for it.

mod argument_names;
pub mod arguments;
mod bounded;
mod catalogue;
pub mod economy;
pub mod examples;
pub mod federation;
pub mod funnel;
pub mod intent;
pub mod interop;
pub mod listings;
pub mod lookup;
mod named_call;
mod operation;
pub mod operator;
pub mod operator_token;
pub mod outreach;
mod prelude;
pub mod products;
mod route;
mod sentences;
pub mod short;
mod summary;
pub mod talk;
pub mod toolsets;
pub mod trails;
pub mod trust;

pub use arguments::RawArguments;
pub use catalogue::*;
pub use operation::{
    AdvertisedSkill, AnyOperation, Attachment, Description, Effect, Operation, Rendered, schema_of_answer,
};
pub use route::{Action, Route, RouteInput};

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
