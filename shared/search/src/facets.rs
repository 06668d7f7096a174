//! Counts the listings by the values of a facet.

use std::collections::HashMap;
use std::sync::Arc;

use super::engine::Filter;
use super::entry::IndexedListing;
use super::index::Index;
use registry_model::{Kind, Listed};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Facet {
    Kind,
    Category,
    Tag,
    Publisher,
}

/// How often each value of a facet occurs, the most frequent first.
pub type Counts = Vec<(String, usize)>;

/// The counts of all listings of a list, for the facets that were asked for. They are counted once for each version of the
/// index, because that takes longer the more listings there are.
#[derive(Debug, Default)]
pub(super) struct CountedFacets {
    version: Option<u64>,
    counts: HashMap<(Option<Kind>, Listed, Facet), Arc<Counts>>,
}

impl CountedFacets {
    /// `version` must have been read before the index.
    pub(super) fn get(
        &mut self,
        version: Option<u64>,
        index: &Index,
        filter: &Filter,
        facet: Facet,
    ) -> Arc<Counts> {
        if self.version != version {
            *self = Self { version, ..Self::default() };
        }
        let count = || {
            let entries = index.listings().map(|(_, entry)| entry);
            Arc::new(count_by_facet(entries.filter(|entry| filter.allows(entry)), facet))
        };
        Arc::clone(self.counts.entry((filter.kind, filter.listed, facet)).or_insert_with(count))
    }
}

pub(super) fn count_by_facet<'a>(entries: impl Iterator<Item = &'a IndexedListing>, facet: Facet) -> Counts {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for entry in entries {
        match facet {
            Facet::Kind => *counts.entry(entry.kind.as_str()).or_default() += 1,
            Facet::Category => *counts.entry(&entry.category).or_default() += 1,
            Facet::Publisher => *counts.entry(&entry.publisher).or_default() += 1,
            Facet::Tag => entry.tags.iter().for_each(|tag| *counts.entry(tag).or_default() += 1),
        }
    }
    let mut counts: Counts = counts.into_iter().map(|(value, count)| (value.to_owned(), count)).collect();
    counts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{IndexEntry, IndexedText};

    #[test]
    fn facets_of_all_listings_are_counted_once_for_each_version_of_the_index() {
        let (mut counted, filter) = (CountedFacets::default(), Filter::default());
        let entry = |kind, id| {
            let listing = IndexedListing { kind, ..IndexedListing::example(id) };
            IndexEntry::from_text(listing, &IndexedText::default())
        };
        let index = Index::default().with([entry(Kind::Agent, "agent-a"), entry(Kind::Mcp, "mcp-a")]);
        let first = counted.get(Some(1), &index, &filter, Facet::Kind);
        assert!(first.len() == 2, "{first:?}");
        let again = counted.get(Some(1), &Index::default(), &filter, Facet::Kind);
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(*counted.get(Some(2), &Index::default(), &filter, Facet::Kind), []);
    }
}
