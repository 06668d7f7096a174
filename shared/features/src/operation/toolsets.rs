//! Groups of operations that an MCP client lists together. A model chooses badly among many tools, and each tool costs
//! tokens before the first question. So the short endpoint offers only the core, and a client adds what it needs.

use super::catalogue::{DESCRIPTIONS, named};
use super::{AnyOperation, Description};

/// The tool that lists the toolsets, at each MCP endpoint. It is no operation, because other protocols have no toolsets.
pub const LIST_TOOLSETS: &str = "list_toolsets";
pub const ABOUT_TOOLSETS: &str = "Lists the toolsets of this registry and how to add them, for example trust, trails, talk \
    or products. Use it if no tool here fits.";

/// A group of operations.
#[derive(Clone, Copy, Debug)]
pub struct Toolset {
    pub name: &'static str,
    /// What its tools are for, for a model that must choose.
    pub about: &'static str,
    /// Names of operations. Empty for a family: the catalog contains the family of each operation.
    selected: &'static str,
}

/// What people ask for: find, check, publish, call and report.
pub static CORE: Toolset = Toolset {
    name: "core",
    about: "Find, check, call and report listings; publish and manage your own.",
    selected: "match_capability check_status check_liveness interop_resolve deposit_outcome list_yourself score \
        manage_listing inclusion_proof verify_attestation report_listing",
};

/// The tools that the specification names (`specification.md#mcp-tools`), and the rest of the core, which the instructions
/// name.
pub static SPECIFIED: Toolset = Toolset {
    name: "specified",
    about: "The core, and all tools that the specification names.",
    selected: "list_yourself check_status search_active match_capability ard_search probe_clean check_liveness \
        get_founding_deal take_demo leave_feedback leave_trace sense_traces follow_trail endorse \
        used_with capability_hash attest verify_attestation bind_identity get_reciprocity \
        interop_resolve compose_peers interop_session execute_compose deposit_outcome seed_compositions \
        join_and_contribute attractor_targets get_incentives get_acceleration get_exonomics \
        network_value hyper_index cost_model abundance_rank zero_mc_pack s_curve_board score \
        manage_listing inclusion_proof report_listing",
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

impl Toolset {
    const fn family(name: &'static str, about: &'static str) -> Self {
        Self { name, about, selected: "" }
    }

    pub fn operations(&self) -> Vec<&'static AnyOperation> {
        self.described().filter_map(|described| named(described.name)).collect()
    }

    /// Its operations without their code, which documents do not need.
    pub fn described(&self) -> impl Iterator<Item = &'static Description> {
        let of_family = DESCRIPTIONS.into_iter().filter(|one| one.toolset == self.name);
        let of_name = |name| DESCRIPTIONS.into_iter().find(|one| one.name == name);
        self.selected.split_whitespace().filter_map(of_name).chain(of_family)
    }

    pub fn is_for_operators(&self) -> bool {
        self.name == OPERATOR.name
    }
}

pub fn toolset(name: &str) -> Option<&'static Toolset> {
    [&CORE, &SPECIFIED].into_iter().chain(&FAMILIES).find(|toolset| toolset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_in_a_family() {
        for operation in DESCRIPTIONS {
            let is_its = |family: &Toolset| family.name == operation.toolset;
            assert!(FAMILIES.iter().any(is_its), "{}: {}", operation.name, operation.toolset);
        }
    }

    #[test]
    fn core_is_small_and_part_of_the_longer_list() {
        let names = |toolset: &Toolset| toolset.described().map(|one| one.name).collect::<Vec<_>>();
        for toolset in [&CORE, &SPECIFIED] {
            assert_eq!(names(toolset), toolset.selected.split_whitespace().collect::<Vec<_>>());
        }
        assert!((8..=12).contains(&names(&CORE).len()));
        assert!(names(&CORE).iter().all(|name| names(&SPECIFIED).contains(name)));
    }
}
