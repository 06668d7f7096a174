//! Groups of operations that an MCP client lists together. A model chooses badly among many tools, and each tool costs
//! tokens before the first question. So the short endpoint offers only the core, and a client adds what it needs.

use crate::catalogue::*;
use crate::operation::{AnyOperation, Description};

/// A group of operations.
#[derive(Clone, Copy, Debug)]
pub struct Toolset {
    pub name: &'static str,
    /// What its tools are for, for a model that must choose.
    pub about: &'static str,
    pub operations: &'static [&'static AnyOperation],
}

/// What people ask for: find, check, publish, call and report.
pub static CORE: Toolset = Toolset {
    name: "core",
    about: "Find, check, call and report listings; publish and manage your own.",
    operations: &[
        &MATCH_CAPABILITY,
        &CHECK_STATUS,
        &CHECK_LIVENESS,
        &INTEROP_RESOLVE,
        &DEPOSIT_OUTCOME,
        &LIST_YOURSELF,
        &SCORE,
        &MANAGE_LISTING,
        &INCLUSION_PROOF,
        &VERIFY_ATTESTATION,
        &REPORT_LISTING,
    ],
};

/// The tools that the specification names (`specification.md#mcp-tools`).
pub static SPECIFIED: Toolset = Toolset {
    name: "specified",
    about: "All tools that the specification names.",
    operations: &[
        &LIST_YOURSELF,
        &CHECK_STATUS,
        &SEARCH_ACTIVE,
        &MATCH_CAPABILITY,
        &ARD_SEARCH,
        &PROBE_CLEAN,
        &CHECK_LIVENESS,
        &GET_FOUNDING_DEAL,
        &TAKE_DEMO,
        &LEAVE_FEEDBACK,
        &LEAVE_TRACE,
        &SENSE_TRACES,
        &FOLLOW_TRAIL,
        &ENDORSE,
        &USED_WITH,
        &CAPABILITY_HASH,
        &ATTEST,
        &VERIFY_ATTESTATION,
        &BIND_IDENTITY,
        &GET_RECIPROCITY,
        &INTEROP_RESOLVE,
        &COMPOSE_PEERS,
        &INTEROP_SESSION,
        &EXECUTE_COMPOSE,
        &DEPOSIT_OUTCOME,
        &SEED_COMPOSITIONS,
        &JOIN_AND_CONTRIBUTE,
        &ATTRACTOR_TARGETS,
        &GET_INCENTIVES,
        &GET_ACCELERATION,
        &GET_EXONOMICS,
        &NETWORK_VALUE,
        &HYPER_INDEX,
        &COST_MODEL,
        &ABUNDANCE_RANK,
        &ZERO_MC_PACK,
        &S_CURVE_BOARD,
    ],
};

/// The families of operations. Each operation is in one of them.
pub static FAMILIES: [Toolset; 10] = [
    Toolset {
        name: "listings",
        about: "Publish, browse, search, check and score listings.",
        operations: &[
            &LIST_YOURSELF,
            &CHECK_STATUS,
            &SEARCH_ACTIVE,
            &MATCH_CAPABILITY,
            &ARD_SEARCH,
            &PROBE_CLEAN,
            &CHECK_LIVENESS,
            &CHANGES,
            &LISTING_TOOLS,
            &INCLUSION_PROOF,
            &SCORE,
            &REPORT_LISTING,
        ],
    },
    Toolset {
        name: "trust",
        about: "Signed statements, proven domains, and actions of the owner of a listing.",
        operations: &[
            &CAPABILITY_HASH,
            &ATTEST,
            &VERIFY_ATTESTATION,
            &ATTESTATIONS,
            &CHECK_PINS,
            &BIND_IDENTITY,
            &MANAGE_LISTING,
            &PUBLISH_COLLECTION,
            &COLLECTIONS,
            &GET_RECIPROCITY,
            &FIRST_PRINCIPLES,
        ],
    },
    Toolset {
        name: "interop",
        about: "Ready calls, listings that work together, sessions and reported outcomes.",
        operations: &[
            &INTEROP,
            &INTEROP_RESOLVE,
            &COMPOSE_PEERS,
            &INTEROP_SESSION,
            &EXECUTE_COMPOSE,
            &DEPOSIT_OUTCOME,
            &SEED_COMPOSITIONS,
            &JOIN_AND_CONTRIBUTE,
            &ATTRACTOR_TARGETS,
            &GET_INCENTIVES,
        ],
    },
    Toolset {
        name: "trails",
        about: "Signals of use: leave and read notes, endorse, follow what is used most.",
        operations: &[&STIGMERGY, &LEAVE_TRACE, &SENSE_TRACES, &FOLLOW_TRAIL, &ENDORSE, &USED_WITH],
    },
    Toolset { name: "talk", about: "The message inbox of a listing.", operations: &[&TALK_INBOX, &TALK] },
    Toolset {
        name: "products",
        about: "Demos, feedback and the products that feedback opens.",
        operations: &[
            &GET_FOUNDING_DEAL,
            &TAKE_DEMO,
            &LEAVE_FEEDBACK,
            &DEMO_CONFIRM,
            &GET_ACCESS,
            &EXPORT_PRODUCT,
            &PRODUCT_AGENT,
            &PREVIEW_PRODUCT,
            &VERIFY_PRODUCT,
            &RUN_PRODUCT,
            &GET_LEARNING,
            &IMPROVEMENT_LOG,
            &CHECKOUT,
        ],
    },
    Toolset {
        name: "outreach",
        about: "Invitations that the registry sends, and how to opt out.",
        operations: &[
            &DAILY_CONNECTOR,
            &LIST_CONNECTORS,
            &DEMO_NUDGE,
            &OUTREACH_OPT_OUT,
            &CONVERSION_PRESSURE,
            &REPLY_CAPTURE,
            &AGENTFINDER,
        ],
    },
    Toolset {
        name: "economy",
        about: "Statistics about the registry: activity, value, cost and growth.",
        operations: &[
            &GET_ACCELERATION,
            &AUTOCATALYSIS,
            &GET_EXONOMICS,
            &NETWORK_VALUE,
            &HYPER_INDEX,
            &COST_MODEL,
            &ABUNDANCE_RANK,
            &ZERO_MC_PACK,
            &S_CURVE_BOARD,
        ],
    },
    Toolset { name: "federation", about: "Other registries.", operations: &[&FEDERATION] },
    OPERATOR,
];

/// Needs the token of the operator, and is listed only to the operator.
const OPERATOR: Toolset = Toolset {
    name: "operator",
    about: "Actions of the operator.",
    operations: &[
        &FEDERATION_PULL,
        &FEDERATION_PUSH,
        &EVAPORATE,
        &REVOKE_ATTESTATION,
        &ROTATE_SIGNING_KEY,
        &BUMP_ACCELERATION,
    ],
};

/// The family of each operation: its name, what it is for, and the description of the operation. Pages need no code of
/// operations, so they use this table.
pub static DESCRIBED: [(&str, &str, &Description); CATALOGUE.len()] = {
    let mut all = [("", "", FAMILIES[0].operations[0].described); CATALOGUE.len()];
    let (mut family, mut operation, mut at) = (0, 0, 0);
    while family < FAMILIES.len() {
        let Toolset { name, about, operations } = FAMILIES[family];
        while operation < operations.len() {
            all[at] = (name, about, operations[operation].described);
            operation += 1;
            at += 1;
        }
        family += 1;
        operation = 0;
    }
    all
};

/// The operations of the core, without their code.
pub static DESCRIBED_CORE: [&Description; CORE.operations.len()] = {
    let mut all = [CORE.operations[0].described; CORE.operations.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = CORE.operations[at].described;
        at += 1;
    }
    all
};

impl Toolset {
    pub fn is_for_operators(&self) -> bool {
        self.name == OPERATOR.name
    }
}

/// The toolset of this name.
pub fn toolset(name: &str) -> Option<&'static Toolset> {
    [&CORE, &SPECIFIED].into_iter().chain(&FAMILIES).find(|toolset| toolset.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_operation_is_in_one_family() {
        let all: Vec<&str> =
            FAMILIES.iter().flat_map(|family| family.operations).map(|operation| operation.name).collect();
        let once: BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(all.len(), once.len(), "an operation is in two families");
        assert_eq!(once, CATALOGUE.iter().map(|operation| operation.name).collect());
    }

    #[test]
    fn core_is_small_and_the_specification_names_37_tools() {
        assert!((8..=12).contains(&CORE.operations.len()));
        assert_eq!(SPECIFIED.operations.len(), 37);
    }
}
