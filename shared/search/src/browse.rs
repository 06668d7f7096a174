//! Returns listings when there is no search query. It finds them by name, returns them page by page, or
//! counts them by facet. The order and the counts come from the index. The rows are read from the table, so
//! that they are up to date.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::entry::{AbilityNames, IndexedListing};
use super::index::Index;
use super::parsed_query::{MAX_EXPANDED_TERMS, ParsedQuery};
use super::rank::{self, Filter};
use super::{Searcher, Text};
use registry_model::{Category, Kind, Listed, Listing, ListingId, Moment};
use registry_store::StoreError;

#[derive(Clone, Debug, Default)]
pub struct BrowseQuery {
    pub kind: Option<Kind>,
    pub category: Option<Category>,
    pub listed: Listed,
    /// Only names that contain this in any case. Must be in lower case.
    pub name_contains: Option<String>,
    pub named: Option<String>,
    /// Only listings whose name or id is in it.
    pub only: Option<Arc<HashSet<String>>>,
    /// Only listings changed at this moment or later.
    pub changed_since: Option<Moment>,
    /// Only names after this name: the `next` of an earlier page.
    pub after: Option<String>,
    pub limit: usize,
}

#[derive(Clone, Debug)]
pub struct Page {
    pub rows: Vec<Row>,
    pub total: usize,
    /// What [`BrowseQuery::after`] must be for the next page; `None` on the last.
    pub next: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Row {
    pub name: String,
    pub listing: Listing,
    pub abilities: AbilityNames,
    pub changed_at: Moment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facet {
    Kind,
    Category,
    Tag,
    Publisher,
}

impl BrowseQuery {
    fn matches(&self, entry: &IndexedListing) -> bool {
        let contains = |part: &String| entry.registry_name.to_lowercase().contains(part);
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

/// The sort key: the name, then the id, since two listings may have one name. A name holds no space.
fn sort_key(entry: &IndexedListing) -> (&str, &str) {
    (&entry.registry_name, entry.id.as_str())
}

fn place(entry: &IndexedListing) -> String {
    format!("{} {}", entry.registry_name, entry.id)
}

/// The listings of a page by sort key, their number on all pages, and whether any follow.
fn select_page(index: &Index, part: &BrowseQuery) -> (Vec<IndexedListing>, usize, bool) {
    let (mut page, mut total, mut after) = (BTreeMap::<(&str, &str), &IndexedListing>::new(), 0, 0);
    let begin = part.after.as_deref().map(|place| place.split_once(' ').unwrap_or((place, "")));
    for (_, entry) in index.listings().filter(|(_, entry)| part.matches(entry)) {
        total += 1;
        let key = sort_key(entry);
        if begin.is_some_and(|begin| key <= begin) {
            continue;
        }
        after += 1;
        // Only the rows of the page are kept, so that sorting does not grow with the number of listings.
        let full = page.len() >= part.limit;
        if !full || page.last_key_value().is_some_and(|(last, _)| key < *last) {
            page.insert(key, entry);
            if full {
                page.pop_last();
            }
        }
    }
    let more = after > page.len();
    (page.into_values().cloned().collect(), total, more)
}

fn count_by_facet(entries: &[&IndexedListing], facet: Facet) -> Vec<(String, usize)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for entry in entries {
        match facet {
            Facet::Kind => *counts.entry(entry.kind.as_str()).or_default() += 1,
            Facet::Category => *counts.entry(&entry.category).or_default() += 1,
            Facet::Publisher => *counts.entry(&entry.publisher).or_default() += 1,
            Facet::Tag => entry.tags.iter().for_each(|tag| *counts.entry(tag).or_default() += 1),
        }
    }
    let mut counts: Vec<(String, usize)> =
        counts.into_iter().map(|(value, count)| (value.to_owned(), count)).collect();
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
        let (entries, total, more) = select_page(&self.read(), part);
        let ids: Vec<ListingId> = entries.iter().map(|entry| entry.id.clone()).collect();
        let listings = self.store.listings(&ids).await?.into_iter();
        let mut listings: HashMap<ListingId, Listing> =
            listings.map(|listing| (listing.id.clone(), listing)).collect();
        let next = entries.last().filter(|_| more).map(place);
        let oldest_proof = self.oldest_proof();
        let row = |entry: IndexedListing| {
            let shown = |listing: &Listing| listing.availability(oldest_proof);
            let is_listed = |listing: &Listing| shown(listing).is_some_and(|shown| part.listed.admits(shown));
            let listing = listings.remove(&entry.id).filter(is_listed)?;
            let changed_at = Moment::from_millisecond(entry.changed_at)?;
            Some(Row { abilities: entry.ability_names(), name: entry.registry_name, listing, changed_at })
        };
        Ok(Page { rows: entries.into_iter().filter_map(row).collect(), total, next })
    }

    /// Ids of Live listings in their order, each with when its searched texts last changed: as many as `limit` after the
    /// first `skip`; and how many there are. Only the index is read.
    pub async fn listed(
        &self,
        skip: usize,
        limit: usize,
    ) -> Result<(Vec<(ListingId, Moment)>, usize), StoreError> {
        self.refresh().await?;
        let index = self.read();
        let is_live = |entry: &&IndexedListing| Listed::Live.admits(entry.shown);
        let mut all: Vec<&IndexedListing> =
            index.listings().map(|(_, entry)| entry).filter(is_live).collect();
        all.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        let part = all.iter().skip(skip).take(limit);
        let part =
            part.filter_map(|entry| Some((entry.id.clone(), Moment::from_millisecond(entry.changed_at)?)));
        Ok((part.collect(), all.len()))
    }

    /// The number of listings per value of each facet, of all in a list or of the hits for `text`; the most frequent first.
    pub async fn count(
        &self,
        text: &Text,
        kind: Option<Kind>,
        listed: Listed,
        by: &[Facet],
    ) -> Result<Vec<Vec<(String, usize)>>, StoreError> {
        self.refresh().await?;
        let index = self.read();
        let filter = Filter { kind, category: None, listed };
        let among = if text.is_empty() {
            rank::newest(&index, &filter, index.slots())
        } else {
            let parsed = ParsedQuery::of(text.as_str(), &index, MAX_EXPANDED_TERMS);
            rank::ranked(&index, &parsed, text.as_str(), &filter, index.slots())
        };
        let entries: Vec<&IndexedListing> =
            among.best.iter().filter_map(|hit| index.listing(hit.number)).collect();
        Ok(by.iter().map(|facet| count_by_facet(&entries, *facet)).collect())
    }
}
