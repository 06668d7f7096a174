//! Search hits that a further condition must hold for, which the index does not know. They are looked at in windows of
//! the ranking, one for a page, and the next page goes on where this one ended: none is lost or shown twice.

use std::collections::HashMap;

use super::{Hit, Query, Searcher};
use crate::model::{Assessment, ListingId, Moment};
use crate::store::StoreError;

/// So many hits are looked at for one page, so that a page costs a fixed number of reads. Windows begin at multiples of
/// it, because the order of hits is settled within what is read together.
const WINDOW: usize = 99;

/// A hit with the evidence of its last probe.
#[derive(Clone, Debug)]
pub struct FilteredHit {
    /// The hit.
    pub hit: Hit,
    /// The evidence.
    pub evidence: Option<Assessment>,
}

/// A page of what held.
#[derive(Clone, Debug)]
pub struct FilteredPage {
    /// The hits that held, the best first.
    pub hits: Vec<FilteredHit>,
    /// What [`Query::skip`] must be for the next page; `None` on the last.
    pub next: Option<usize>,
    /// How many there are on all pages; `None` where only the rest of them would tell.
    pub total: Option<usize>,
}

impl Searcher {
    /// Finds what is wanted, with evidence, and keeps what holds.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn find_filtered(
        &self,
        query: Query,
        now: Moment,
        condition: Option<&(dyn Fn(&FilteredHit) -> bool + Sync)>,
    ) -> Result<FilteredPage, StoreError> {
        let (from, limit) = (query.skip, query.limit);
        let Some(holds) = condition else {
            let found = self.find(&query, now).await?;
            let next = Some(from + limit).filter(|next| *next < found.total);
            return Ok(FilteredPage {
                total: Some(found.total),
                next,
                hits: self.with_evidence(found.hits).await?,
            });
        };
        let first = from % WINDOW;
        let window = from - first;
        let found = self.find(&Query { skip: window, limit: WINDOW, ..query }, now).await?;
        let behind = Some(window + WINDOW).filter(|next| *next < found.total);
        let mut kept = Vec::new();
        for (place, hit) in self.with_evidence(found.hits).await?.into_iter().enumerate().skip(first) {
            if !holds(&hit) {
                continue;
            }
            if kept.len() == limit {
                return Ok(FilteredPage { hits: kept, next: Some(window + place), total: None });
            }
            kept.push(hit);
        }
        let whole = from == 0 && behind.is_none();
        Ok(FilteredPage { total: whole.then_some(kept.len()), hits: kept, next: behind })
    }

    async fn with_evidence(&self, hits: Vec<Hit>) -> Result<Vec<FilteredHit>, StoreError> {
        let ids: Vec<ListingId> = hits.iter().map(|hit| hit.listing.id.clone()).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let named = self.store.listings_with_evidence(&ids).await?;
        let mut evidence: HashMap<ListingId, Option<Assessment>> =
            named.into_iter().map(|(listing, evidence)| (listing.id, evidence)).collect();
        Ok(hits
            .into_iter()
            .map(|hit| FilteredHit { evidence: evidence.remove(&hit.listing.id).flatten(), hit })
            .collect())
    }
}
