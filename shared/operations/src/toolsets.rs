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
    /// Empty for a family: the catalog contains the family of each operation.
    selected: &'static [&'static AnyOperation],
}

/// What people ask for: find, check, publish, call and report.
pub static CORE: Toolset = Toolset {
    name: "core",
    about: "Find, check, call and report listings; publish and manage your own.",
    selected: &[
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
    selected: &[
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
    Toolset::family("listings", "Publish, browse, search, check and score listings."),
    Toolset::family("trust", "Signed statements, proven domains, and actions of the owner of a listing."),
    Toolset::family("interop", "Ready calls, listings that work together, sessions and reported outcomes."),
    Toolset::family("trails", "Signals of use: leave and read notes, endorse, follow what is used most."),
    Toolset::family("talk", "The message inbox of a listing."),
    Toolset::family("products", "Demos, feedback and the products that feedback opens."),
    Toolset::family("outreach", "Invitations that the registry sends, and how to opt out."),
    Toolset::family("economy", "Statistics about the registry: activity, value, cost and growth."),
    Toolset::family("federation", "Other registries."),
    OPERATOR,
];

/// Needs the token of the operator, and is listed only to the operator.
const OPERATOR: Toolset = Toolset::family("operator", "Actions of the operator.");

/// The operations of the core, without their code.
pub static DESCRIBED_CORE: [&Description; CORE.selected.len()] = {
    let mut all = [CORE.selected[0].described; CORE.selected.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = CORE.selected[at].described;
        at += 1;
    }
    all
};

impl Toolset {
    const fn family(name: &'static str, about: &'static str) -> Self {
        Self { name, about, selected: &[] }
    }

    pub fn operations(&self) -> Vec<&'static AnyOperation> {
        let of_family = CATALOGUE.iter().copied().zip(FAMILY_OF).filter(|(_, family)| *family == self.name);
        self.selected.iter().copied().chain(of_family.map(|(operation, _)| operation)).collect()
    }

    /// The operations of a family without their code, which pages do not need.
    pub fn described(&self) -> impl Iterator<Item = &'static Description> {
        DESCRIPTIONS.into_iter().zip(FAMILY_OF).filter(|(_, family)| *family == self.name).map(|(one, _)| one)
    }

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
    use super::*;

    #[test]
    fn every_operation_is_in_a_family() {
        for (operation, name) in CATALOGUE.iter().zip(FAMILY_OF) {
            assert!(FAMILIES.iter().any(|family| family.name == name), "{}: {name}", operation.name);
        }
    }

    #[test]
    fn core_is_small_and_the_specification_names_37_tools() {
        assert!((8..=12).contains(&CORE.selected.len()));
        assert_eq!(SPECIFIED.selected.len(), 37);
    }
}
