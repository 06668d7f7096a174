//! Every capability of the registry, written once. A new one is a file here, its module below, and two lines of the
//! catalogue; REST routes, MCP tools, A2A skills and documents follow.

pub mod abundance_rank;
pub mod agentfinder;
pub(crate) mod allowance;
pub mod ard_search;
pub mod arguments;
mod attachment;
pub mod attest;
pub mod attestations;
pub mod attractor_targets;
pub mod autocatalysis;
pub mod bind_identity;
pub mod bump_acceleration;
pub mod capability_hash;
mod catalogue;
pub mod check_liveness;
pub mod check_status;
pub mod checkout;
pub mod compose_peers;
pub mod conversion_pressure;
pub mod cost_model;
pub mod daily_connector;
pub mod demo_confirm;
pub mod demo_nudge;
pub mod deposit_outcome;
pub mod endorse;
pub mod evaporate;
pub mod execute_compose;
pub mod export_product;
pub mod federation;
pub mod federation_pull;
pub mod federation_push;
pub mod first_principles;
pub mod follow_trail;
pub mod get_acceleration;
pub mod get_access;
pub mod get_exonomics;
pub mod get_founding_deal;
pub mod get_incentives;
pub mod get_learning;
pub mod get_reciprocity;
mod goals;
pub mod hyper_index;
pub mod improvement_log;
pub mod inclusion_proof;
pub mod interop;
pub mod interop_resolve;
pub mod interop_session;
pub mod join_and_contribute;
pub mod leave_feedback;
pub mod leave_trace;
mod lessons;
pub mod list_connectors;
pub mod list_yourself;
mod lookup;
pub mod manage_listing;
pub mod match_capability;
pub mod network_value;
mod operation;
mod operator;
pub mod outreach_opt_out;
mod owner;
pub mod preview_product;
pub mod probe_clean;
pub mod product_agent;
pub mod reply_capture;
pub mod revoke_attestation;
pub mod rotate_signing_key;
mod route;
pub mod run_product;
pub mod s_curve_board;
mod said;
pub mod score;
pub mod search_active;
pub mod seed_compositions;
pub mod sense_traces;
pub mod stigmergy;
mod subject;
pub mod take_demo;
pub mod talk;
pub mod talk_inbox;
mod totals;
mod trace;
pub mod used_with;
pub mod verify_attestation;
pub mod verify_product;
pub mod zero_mc_pack;

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
