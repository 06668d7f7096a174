//! Finds documents by their names, and lists them in the order of their names. Neither stores the names, which are in the
//! documents: the first only their hashes, the second only the numbers of the documents, four bytes each.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Hashes that are compared together.
const CHUNK: usize = 64;

/// Finds documents by name. Scanning all hashes takes microseconds; a map would take more memory than the names.
#[derive(Clone, Debug, Default)]
pub(super) struct NameHashes {
    hashes: Vec<u32>,
    documents: Vec<u32>,
}

impl NameHashes {
    pub(super) fn push<'a>(&mut self, document: u32, names: impl Iterator<Item = &'a str>) {
        let mut hashes: Vec<u32> = names.map(hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        self.documents.extend(std::iter::repeat_n(document, hashes.len()));
        self.hashes.extend(hashes);
    }

    pub(super) fn shrink(&mut self) {
        self.hashes.shrink_to_fit();
        self.documents.shrink_to_fit();
    }

    /// The documents that may have one of these names, by number and each once.
    pub(super) fn documents(&self, names: [&str; 2]) -> impl Iterator<Item = usize> {
        let [one, other] = names.map(hash);
        let matches = |found: u32| found == one || found == other;
        let mut documents: Vec<u32> = Vec::new();
        for (hashes, of) in self.hashes.chunks(CHUNK).zip(self.documents.chunks(CHUNK)) {
            // Without a branch per hash, so that the compiler can vectorize it; few chunks contain a match.
            if hashes.iter().fold(false, |any, found| any | matches(*found)) {
                let found = hashes.iter().zip(of).filter(|(found, _)| matches(**found));
                documents.extend(found.map(|(_, document)| *document));
            }
        }
        documents.dedup();
        documents.into_iter().map(|document| document as usize)
    }
}

fn hash(name: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    for byte in name.bytes() {
        byte.to_ascii_lowercase().hash(&mut hasher);
    }
    #[expect(clippy::cast_possible_truncation, reason = "half of a hash is a hash")]
    let half = hasher.finish() as u32;
    half
}

/// The documents in the order of their names, so that a page of a list costs only its own rows.
#[derive(Clone, Debug, Default)]
pub(super) struct NameOrder(Vec<u32>);

impl NameOrder {
    /// Adds documents. `key` returns the sort key of each document, those that are here already and the new ones.
    pub(super) fn insert<K: Ord>(&mut self, mut numbers: Vec<u32>, key: impl Fn(u32) -> K) {
        numbers.sort_unstable_by_key(|number| key(*number));
        let mut end = self.0.len();
        self.0.resize(end + numbers.len(), 0);
        // From the last to the first, so that each number that is here already moves only once.
        while let Some(number) = numbers.pop() {
            let place = self.0[..end].partition_point(|other| key(*other) < key(number));
            self.0.copy_within(place..end, place + numbers.len() + 1);
            self.0[place + numbers.len()] = number;
            end = place;
        }
    }

    /// Removes the documents of a bucket, which are in ascending order.
    pub(super) fn remove(&mut self, numbers: &[u32]) {
        self.0.retain(|number| numbers.binary_search(number).is_err());
    }

    /// The documents for which `is_before` is false; it must be true for those at the beginning only.
    pub(super) fn from(&self, is_before: impl Fn(u32) -> bool) -> &[u32] {
        &self.0[self.0.partition_point(|number| is_before(*number))..]
    }

    pub(super) fn renumber(&mut self, new_number: impl Fn(u32) -> Option<u32>) {
        self.0 = self.0.iter().filter_map(|number| new_number(*number)).collect();
    }

    pub(super) fn shrink(&mut self) {
        self.0.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_stay_in_order_while_they_are_added_and_removed() {
        // Not in the order of the numbers; some keys occur twice.
        let key = |number: u32| (number * 7919 % 101, number);
        let mut order = NameOrder::default();
        for bucket in [0..1, 1..40, 40..40, 40..200, 200..207] {
            order.insert(bucket.collect(), key);
        }
        order.remove(&(40..200).collect::<Vec<u32>>());
        order.insert((207..300).collect(), key);
        let mut expected: Vec<u32> = (0..40).chain(200..300).collect();
        expected.sort_by_key(|number| key(*number));
        assert_eq!(order.from(|_| false), expected);
        let begin = key(expected[70]);
        assert_eq!(order.from(|number| key(number) <= begin), &expected[71..]);
        order.renumber(|number| number.checked_sub(10));
        let renumbered: Vec<u32> = expected.iter().filter_map(|number| number.checked_sub(10)).collect();
        assert_eq!(order.from(|_| false), renumbered);
    }
}
