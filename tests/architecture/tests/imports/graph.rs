//! What must not be in a graph of imports: circles, and arrows that run up.

use std::collections::{BTreeMap, BTreeSet};

use crate::sources::Use;

/// The imports that are part of a circle: from what they lead to, a way leads back.
pub(crate) fn circle(uses: &[Use]) -> Vec<String> {
    let mut uses_of: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for one in uses {
        uses_of.entry(&one.from).or_default().insert(&one.to);
    }
    let leads_back = |one: &&Use| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![one.to.as_str()]);
        while let Some(module) = next.pop() {
            if module == one.from {
                return true;
            }
            if seen.insert(module) {
                next.extend(uses_of.get(module).into_iter().flatten());
            }
        }
        false
    };
    uses.iter().filter(leads_back).map(ToString::to_string).collect()
}

/// The imports that do not lead to a floor below. `floors` says on which floor a room stands.
pub(crate) fn upward(floors: &BTreeMap<String, usize>, uses: &[Use]) -> Vec<String> {
    let floor = |module: &str| floors.get(room(module));
    let leads_down = |one: &&Use| match (floor(&one.from), floor(&one.to)) {
        (Some(from), Some(to)) => to < from || room(&one.from) == room(&one.to),
        _ => false,
    };
    // What stands in the root, such as the version, belongs to no floor.
    let between_rooms = |one: &&Use| !one.from.is_empty() && !one.to.is_empty();
    uses.iter().filter(between_rooms).filter(|one| !leads_down(one)).map(ToString::to_string).collect()
}

/// The room of a module: the first part of its path.
fn room(module: &str) -> &str {
    module.split("::").next().unwrap_or(module)
}
