//! Returns listings when there is no search query. It finds them by name, returns them page by page, or
//! counts them by facet. The order and the counts come from the index. The rows are read from the table, so
//! that they are up to date.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError};

use super::engine::{self, Filter};
use super::entry::{AbilityNames, IndexedListing};
use super::facets::count_by_facet;
pub use super::facets::{Counts, Facet};
use super::index::{Index, IndexView};
use super::parsed_query::{MAX_EXPANDED_TERMS, ParsedQuery};
use super::query::{Query, Text};
use super::service::Searcher;
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

impl Row {
    /// What [`BrowseQuery::after`] must be for a page that begins after this row.
    pub fn place(&self) -> String {
        cursor((&self.name, self.listing.id.as_str()))
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

fn cursor((name, id): (&str, &str)) -> String {
    format!("{name} {id}")
}

/// The listings of a page, and whether any follow. Only the entries from the beginning of the page to its end are examined.
fn select_page(index: &Index, part: &BrowseQuery) -> (Vec<IndexedListing>, bool) {
    let after = part.after.as_deref().map(|cursor| cursor.split_once(' ').unwrap_or((cursor, "")));
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
        } => index.listed_count(*kind, *listed),
        _ => index.listings().filter(|(_, entry)| part.matches(entry)).count(),
    }
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
        let next = entries.last().filter(|_| more).map(|entry| cursor(entry.sort_key()));
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
        Ok((part.collect(), index.listed_count(None, Listed::Live)))
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
            return Ok(by.iter().map(|facet| counted.get(version, &index, &filter, *facet)).collect());
        }
        let query = Query { text: text.clone(), kind, category: None, listed, skip: 0, limit: 0 };
        let candidates = self.candidates_of(&query).await?;
        let whole = self.read();
        let view = IndexView { whole: &whole, candidates: candidates.as_ref() };
        let (index, parsed) = (view.documents(), ParsedQuery::of(text.as_str(), view, MAX_EXPANDED_TERMS));
        let among = engine::ranked(index, &parsed, text.as_str(), &filter, Some(&self.own), index.slots());
        let entries = || among.best.iter().filter_map(|hit| index.listing(hit.number));
        Ok(by.iter().map(|facet| Arc::new(count_by_facet(entries(), *facet))).collect())
    }
}

#[cfg(test)]
mod tests;
