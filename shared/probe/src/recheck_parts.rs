//! The weekly recheck in parts: a run asks some thousands of listings in its ten minutes, and where more is due, as many
//! run at once as there are places at one host, each over its share of all ids. So no host is asked more than ever.

use super::host_slots::PER_HOST;
use registry_model::HashPrefix;

/// What one run can probe in its time: 64 at once, about six seconds each on average.
const OF_A_RUN: u32 = 6_000;
/// Each part needs at least one slot at a host.
const MOST: usize = PER_HOST;
/// A higher count makes no further part.
pub(super) const MOST_COUNTED: u32 = OF_A_RUN * MOST as u32;

/// Returns one, two or four parts.
pub(super) fn of(due: u32) -> Vec<HashPrefix> {
    let mut parts = vec![HashPrefix::default()];
    while parts.len() < MOST && due as usize > parts.len() * OF_A_RUN as usize {
        parts = parts.into_iter().flat_map(HashPrefix::halves).collect();
    }
    parts
}

/// The slots of a part at one host: its share of all slots.
pub(super) fn per_host(part: HashPrefix) -> usize {
    (PER_HOST >> part.length().min(31)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_parts_as_are_needed_and_all_of_them_have_the_places_of_one() {
        for (due, parts) in [(0, 1), (6_000, 1), (6_001, 2), (12_000, 2), (12_001, 4), (1_000_000, 4)] {
            let of = of(due);
            assert_eq!(of.len(), parts, "{due}");
            assert_eq!(of.iter().map(|part| per_host(*part)).sum::<usize>(), PER_HOST, "{due}");
        }
    }

    #[test]
    fn a_part_of_another_making_has_a_place_all_the_same() {
        assert_eq!(per_host("20-00000abc".parse().unwrap()), 1);
    }
}
