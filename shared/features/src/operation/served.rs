//! The operations that a Lambda function serves: those whose path begins with one of its prefixes. They are selected at
//! compile time, so that a function links only the code of its own operations.

use super::AnyOperation;
use super::catalogue::CATALOGUE;

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
