//! The table of all operations, from the lists of the features. REST routes, MCP tools, A2A skills and all documents are
//! derived from this table.
//!
//! A Lambda function serves the operations whose path begins with one of its prefixes. They are selected at compile time, so
//! that a function links only the code of its own operations.

use super::{AnyOperation, Description};
use crate::{
    economy, federation, funnel, interop, listing, log, outreach, products, publish, review, talk, trails,
    trust,
};

/// The operations of a feature, and what documents need of them. The descriptions are separate, so that a function that
/// only describes operations links none of their code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Feature {
    pub(crate) operations: &'static [&'static AnyOperation],
    pub(crate) descriptions: &'static [&'static Description],
}

/// In the order in which documents list the operations.
const FEATURES: [Feature; 13] = [
    publish::operations::FEATURE,
    listing::operations::FEATURE,
    log::operations::FEATURE,
    review::operations::FEATURE,
    funnel::operations::FEATURE,
    talk::operations::FEATURE,
    outreach::operations::FEATURE,
    products::operations::FEATURE,
    federation::operations::FEATURE,
    trails::operations::FEATURE,
    trust::operations::FEATURE,
    interop::operations::FEATURE,
    economy::operations::FEATURE,
];

/// Declares a static for each operation of a feature, with the toolset that contains it, and the list of them. Each has its
/// own static, so that a function links only the operations that it serves.
macro_rules! operations {
    ($($name:ident in $toolset:literal = $operation:ty,)*) => {
        $(pub static $name: $crate::AnyOperation = $crate::AnyOperation::new::<$operation>(&const {
            $crate::Description::new::<$operation>($toolset)
        });)*

        pub(crate) const FEATURE: $crate::operation::catalogue::Feature = $crate::operation::catalogue::Feature {
            operations: &[$(&$name),*],
            descriptions: &[$($name.described),*],
        };
    };
}
pub(crate) use operations;

const COUNT: usize = {
    let (mut count, mut feature) = (0, 0);
    while feature < FEATURES.len() {
        count += FEATURES[feature].operations.len();
        feature += 1;
    }
    count
};

const ALL: ([&AnyOperation; COUNT], [&Description; COUNT]) = {
    let mut all = ([FEATURES[0].operations[0]; COUNT], [FEATURES[0].descriptions[0]; COUNT]);
    let (mut feature, mut at) = (0, 0);
    while feature < FEATURES.len() {
        let Feature { operations, descriptions } = FEATURES[feature];
        let mut one = 0;
        while one < operations.len() {
            (all.0[at], all.1[at]) = (operations[one], descriptions[one]);
            (one, at) = (one + 1, at + 1);
        }
        feature += 1;
    }
    all
};

/// Every operation, in the order in which documents list them.
pub static CATALOGUE: [&AnyOperation; COUNT] = ALL.0;

/// The description of each operation, in the same order.
pub static DESCRIPTIONS: [&Description; COUNT] = ALL.1;

pub fn named(name: &str) -> Option<&'static AnyOperation> {
    CATALOGUE.into_iter().find(|entry| entry.name == name || entry.aliases.contains(&name))
}

/// The number of operations at paths with these prefixes.
pub const fn count_served(prefixes: &[&str]) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < CATALOGUE.len() {
        count += is_served(CATALOGUE[at], prefixes) as usize;
        at += 1;
    }
    count
}

/// The operations at paths with these prefixes; `N` is their number.
pub const fn served<const N: usize>(prefixes: &[&str]) -> [&'static AnyOperation; N] {
    let mut served = [CATALOGUE[0]; N];
    let (mut count, mut at) = (0, 0);
    while at < CATALOGUE.len() {
        if is_served(CATALOGUE[at], prefixes) {
            served[count] = CATALOGUE[at];
            count += 1;
        }
        at += 1;
    }
    served
}

const fn is_served(operation: &AnyOperation, prefixes: &[&str]) -> bool {
    let (routes, actions) = (operation.described.routes, operation.described.actions);
    let mut at = 0;
    while at < routes.len() + actions.len() {
        let path = if at < routes.len() { routes[at].path } else { actions[at - routes.len()].path };
        if begins_with_one(path, prefixes) {
            return true;
        }
        at += 1;
    }
    false
}

const fn begins_with_one(path: &str, prefixes: &[&str]) -> bool {
    let mut at = 0;
    while at < prefixes.len() {
        let (path, prefix) = (path.as_bytes(), prefixes[at].as_bytes());
        let mut same = 0;
        while same < prefix.len() && same < path.len() && path[same] == prefix[same] {
            same += 1;
        }
        if same == prefix.len() {
            return true;
        }
        at += 1;
    }
    false
}
