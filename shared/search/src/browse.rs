//! Returns listings when there is no search query. It finds them by name, returns them page by page, or
//! counts them by facet. The order and the counts come from the index. The rows are read from the table, so
//! that they are up to date.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError};

use super::entry::{AbilityNames, IndexedListing};
use super::index::Index;
use super::parsed_query::{MAX_EXPANDED_TERMS, ParsedQuery, Vocabulary};
use super::rank::{self, Filter};
use super::{Query, Searcher, Text};
use registry_model::{Category, Kind, Listed, Listing, ListingId, Moment};
use registry_store::StoreError;

#[derive(Clone, Debug, Default)]
pub struct BrowseQuery {
    pub kind: Option<Kind>,
    pub category: Option<Category>,
    pub listed: Listed,
    /// Only listings whose name in the registry API or shown name contains this in any case. Must be in lower case.
    pub name_contains: Option<String>,
    pub named: Option<String>,
    /// Only listings whose name or id is in it.
    pub only: Option<Arc<HashSet<String>>>,
    pub changed_since: Option<Moment>,
    /// Only names after this name: the `next` of an earlier page.
    pub after: Option<String>,
    pub limit: usize,
    pub with_total: bool,
}

#[derive(Clone, Debug)]
pub struct Page {
    pub rows: Vec<Row>,
    /// Listings on all pages. With other filters than `kind` and `listed`, all listings must be examined for it.
    pub total: Option<usize>,
    /// What [`BrowseQuery::after`] must be for the next page; `None` on the last.
    pub next: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Row {
    pub name: String,
    pub listing: Arc<Listing>,
    pub abilities: AbilityNames,
    pub changed_at: Moment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Facet {
    Kind,
    Category,
    Tag,
    Publisher,
}

impl Row {
    /// What [`BrowseQuery::after`] must be for a page that begins after this row.
    pub fn place(&self) -> String {
        format!("{} {}", self.name, self.listing.id)
    }
}

impl BrowseQuery {
    fn matches(&self, entry: &IndexedListing) -> bool {
        let contains = |part: &String| {
            [&entry.registry_name, &entry.name].into_iter().any(|name| name.to_lowercase().contains(part))
        };
        self.listed.admits(entry.shown)
            && self.kind.is_none_or(|kind| entry.kind == kind)
            && self.category.as_ref().is_none_or(|category| entry.category == category.id())
            && self.name_contains.as_ref().is_none_or(contains)
            && self.named.as_ref().is_none_or(|name| entry.registry_name == *name)
            && self
                .only
                .as_ref()
                .is_none_or(|only| only.contains(&entry.registry_name) || only.contains(entry.id.as_str()))
            && self.changed_since.is_none_or(|since| entry.changed_at >= since.as_millisecond())
    }
}

fn place(entry: &IndexedListing) -> String {
    let (name, id) = entry.sort_key();
    format!("{name} {id}")
}

/// The listings of a page, and whether any follow. Only the entries from the beginning of the page to its end are examined.
fn select_page(index: &Index, part: &BrowseQuery) -> (Vec<IndexedListing>, bool) {
    let after = part.after.as_deref().map(|place| place.split_once(' ').unwrap_or((place, "")));
    let name = part.named.as_deref();
    let entries = index.by_name(after.max(name.map(|name| (name, ""))));
    let has_name = |entry: &&IndexedListing| name.is_none_or(|name| entry.registry_name == name);
    let mut matching = entries.take_while(has_name).filter(|entry| part.matches(entry));
    let page = matching.by_ref().take(part.limit).cloned().collect();
    (page, matching.next().is_some())
}

fn total(index: &Index, part: &BrowseQuery) -> usize {
    match part {
        BrowseQuery {
            kind,
            listed,
            category: None,
            name_contains: None,
            named: None,
            only: None,
            changed_since: None,
            after: _,
            limit: _,
            with_total: _,
        } => index.count_of(*kind, *listed),
        _ => index.listings().filter(|(_, entry)| part.matches(entry)).count(),
    }
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
    fn of(&mut self, version: Option<u64>, index: &Index, filter: &Filter, facet: Facet) -> Arc<Counts> {
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

fn count_by_facet<'a>(entries: impl Iterator<Item = &'a IndexedListing>, facet: Facet) -> Counts {
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

impl Searcher {
    pub async fn browse(&self, part: &BrowseQuery) -> Result<Page, StoreError> {
        self.refresh().await?;
        self.browse_loaded(part).await
    }

    /// A page of listings by the index as it is loaded, for a caller that has just refreshed it.
    pub async fn browse_loaded(&self, part: &BrowseQuery) -> Result<Page, StoreError> {
        let ((entries, more), total) = {
            let index = self.read();
            (select_page(&index, part), part.with_total.then(|| total(&index, part)))
        };
        let ids: Vec<ListingId> = entries.iter().map(|entry| entry.id.clone()).collect();
        let listings = self.store.shown_listings(&ids).await?.into_iter();
        let mut listings: HashMap<ListingId, Arc<Listing>> =
            listings.map(|listing| (listing.id.clone(), listing)).collect();
        let next = entries.last().filter(|_| more).map(place);
        let oldest_proof = self.oldest_proof();
        let row = |entry: IndexedListing| {
            let shown = |listing: &Listing| listing.availability(oldest_proof);
            let is_listed =
                |listing: &Arc<Listing>| shown(listing).is_some_and(|shown| part.listed.admits(shown));
            let listing = listings.remove(&entry.id).filter(is_listed)?;
            let changed_at = Moment::from_millisecond(entry.changed_at)?;
            Some(Row { abilities: entry.ability_names(), name: entry.registry_name, listing, changed_at })
        };
        Ok(Page { rows: entries.into_iter().filter_map(row).collect(), total, next })
    }

    /// Ids of Live listings in the order of their names, each with when its searched texts last changed: as many as `limit`
    /// after the first `skip`; and how many there are. Only the index is read.
    pub async fn listed(
        &self,
        skip: usize,
        limit: usize,
    ) -> Result<(Vec<(ListingId, Moment)>, usize), StoreError> {
        self.refresh().await?;
        let index = self.read();
        let live = index.by_name(None).filter(|entry| Listed::Live.admits(entry.shown));
        let part = live.skip(skip).take(limit);
        let part =
            part.filter_map(|entry| Some((entry.id.clone(), Moment::from_millisecond(entry.changed_at)?)));
        Ok((part.collect(), index.count_of(None, Listed::Live)))
    }

    /// The number of listings per value of each facet, of all in a list or of the hits for `text`; the most frequent first.
    pub async fn count(
        &self,
        text: &Text,
        kind: Option<Kind>,
        listed: Listed,
        by: &[Facet],
    ) -> Result<Vec<Arc<Counts>>, StoreError> {
        self.refresh().await?;
        let filter = Filter { kind, category: None, listed };
        if text.is_empty() {
            let version = self.version();
            let index = self.read();
            let mut counted = self.counted_facets.lock().unwrap_or_else(PoisonError::into_inner);
            return Ok(by.iter().map(|facet| counted.of(version, &index, &filter, *facet)).collect());
        }
        let query = Query { text: text.clone(), kind, category: None, listed, skip: 0, limit: 0 };
        let candidates = self.candidates_of(&query).await?;
        let whole = self.read();
        let (index, words) = match &candidates {
            Some(candidates) => (candidates, Vocabulary::with_candidates(&whole, candidates)),
            None => (&*whole, Vocabulary::from(&*whole)),
        };
        let parsed = ParsedQuery::of(text.as_str(), words, MAX_EXPANDED_TERMS);
        let among = rank::ranked(index, &parsed, text.as_str(), &filter, Some(&self.own), index.slots());
        let entries = || among.best.iter().filter_map(|hit| index.listing(hit.number));
        Ok(by.iter().map(|facet| Arc::new(count_by_facet(entries(), *facet))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{IndexEntry, IndexedText};
    use registry_model::{Access, Availability};

    /// Three listings have the same name; every fourth is gated.
    fn index() -> Index {
        let entry = |n: i64| {
            let access = if n % 4 == 0 { Access::Gated } else { Access::Open };
            let listing = IndexedListing {
                kind: if n % 5 == 0 { Kind::Agent } else { Kind::Mcp },
                registry_name: format!("org.example/{}", n * 31 % 67),
                changed_at: n,
                shown: Availability { is_live: n % 4 != 0, access },
                ..IndexedListing::example(&format!("mcp-{n}"))
            };
            IndexEntry::from_text(listing, &IndexedText::default())
        };
        Index::default().with((0..200).map(entry))
    }

    #[test]
    fn pages_contain_every_matching_listing_once_and_in_order() {
        let index = index();
        let plain = BrowseQuery { limit: 7, ..BrowseQuery::default() };
        let only = ["org.example/3", "mcp-7"].map(str::to_owned).into_iter().collect();
        let queries = [
            plain.clone(),
            BrowseQuery { kind: Some(Kind::Agent), ..plain.clone() },
            BrowseQuery { listed: Listed::With(Access::Gated), ..plain.clone() },
            BrowseQuery { named: Some("org.example/31".to_owned()), limit: 1, ..plain.clone() },
            BrowseQuery { named: Some("org.example/none".to_owned()), ..plain.clone() },
            BrowseQuery { name_contains: Some("/3".to_owned()), ..plain.clone() },
            BrowseQuery { changed_since: Moment::from_millisecond(150), ..plain.clone() },
            BrowseQuery { only: Some(Arc::new(only)), ..plain.clone() },
            BrowseQuery { limit: 1000, ..plain },
        ];
        for mut part in queries {
            let mut expected: Vec<IndexedListing> = index
                .listings()
                .map(|(_, entry)| entry.clone())
                .filter(|entry| part.matches(entry))
                .collect();
            expected.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
            assert_eq!(total(&index, &part), expected.len(), "{part:?}");
            let mut found = Vec::new();
            loop {
                let (page, more) = select_page(&index, &part);
                assert!(page.len() == part.limit || !more, "{part:?}");
                found.extend(page);
                if !more {
                    break;
                }
                part.after = found.last().map(place);
            }
            assert_eq!(found, expected, "{part:?}");
        }
        let part =
            BrowseQuery { after: Some("org.example/2".to_owned()), limit: 1, ..BrowseQuery::default() };
        let (page, _) = select_page(&index, &part);
        assert_eq!(page[0].registry_name, "org.example/2", "a place without an id begins at its name");
    }

    #[test]
    fn name_is_found_as_it_is_shown_and_as_the_registry_api_has_it() {
        let listing = IndexedListing {
            name: "Postgres Gate".to_owned(),
            registry_name: "org.example/pg".to_owned(),
            ..IndexedListing::example("mcp-pg")
        };
        for (part, is_found) in [("gate", true), ("example/pg", true), ("mysql", false)] {
            let query = BrowseQuery { name_contains: Some(part.to_owned()), ..BrowseQuery::default() };
            assert_eq!(query.matches(&listing), is_found, "{part}");
        }
    }

    #[test]
    fn facets_of_all_listings_are_counted_once_for_each_version_of_the_index() {
        let (mut counted, filter) = (CountedFacets::default(), Filter::default());
        let first = counted.of(Some(1), &index(), &filter, Facet::Kind);
        assert!(first.len() == 2, "{first:?}");
        let again = counted.of(Some(1), &Index::default(), &filter, Facet::Kind);
        assert!(Arc::ptr_eq(&first, &again));
        assert_eq!(*counted.of(Some(2), &Index::default(), &filter, Facet::Kind), []);
    }
}
