//! Every capability of the registry, written once. A new one is a file here, its module below, and two lines of the
//! catalogue; REST routes, MCP tools, A2A skills and documents follow.

pub mod allowance;
pub mod arguments;
mod attachment;
mod catalogue;
pub mod economy;
pub mod federation;
pub mod funnel;
mod goals;
pub mod intent;
pub mod interop;
pub mod listings;
mod lookup;
mod operation;
pub mod operator;
mod operator_token;
pub mod outreach;
mod prelude;
pub mod products;
mod route;
pub mod talk;
pub mod trails;
pub mod trust;

pub use arguments::RawArguments;
pub use attachment::Attachment;
pub use catalogue::*;
pub use operation::{
    AdvertisedSkill, AnyOperation, Description, Effect, Operation, Rendered, schema_of_answer,
};
pub use route::{Action, CacheRule, Route, RouteInput};

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn names_and_aliases_are_unique() {
        let mut seen = HashSet::new();
        for name in CATALOGUE.iter().flat_map(|entry| std::iter::once(&entry.name).chain(entry.aliases)) {
            assert!(seen.insert(name), "{name} stands twice in the catalogue");
        }
    }

    #[test]
    fn every_example_fits_its_schema() {
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
