//! Search with a condition that the index cannot check. Each page examines at most one window: a fixed number
//! of hits of the ranking. The next page continues where the last page ended. So no hit is lost or repeated,
//! and the number of reads per page is fixed.

use super::query::{Found, Hit, Query};
use super::service::Searcher;
use registry_model::Moment;
use registry_store::StoreError;

/// Hits examined for a page. A window starts at a multiple of it: evidence changes the order of the hits within one read.
const WINDOW: usize = 99;

#[derive(Clone, Debug)]
pub struct FilteredPage {
    pub hits: Vec<Hit>,
    /// What [`Query::skip`] must be for the next page; `None` on the last.
    pub next: Option<usize>,
    /// Hits on all pages; `None` if the rest would have to be examined.
    pub total: Option<usize>,
    pub nearest_only: bool,
}

impl Searcher {
    pub async fn find_filtered(
        &self,
        query: Query,
        now: Moment,
        condition: Option<&(dyn Fn(&Hit) -> bool + Sync)>,
    ) -> Result<FilteredPage, StoreError> {
        let (from, limit) = (query.skip, query.limit);
        let Some(matches) = condition else {
            let Found { hits, total, nearest_only, .. } = self.find(&query, now).await?;
            let next = Some(from + limit).filter(|next| *next < total);
            return Ok(FilteredPage { hits, next, total: Some(total), nearest_only });
        };
        let first = from % WINDOW;
        let window = from - first;
        let window_query = Query { skip: window, limit: WINDOW, ..query };
        let Found { hits, total, nearest_only, .. } = self.find(&window_query, now).await?;
        let behind = Some(window + WINDOW).filter(|next| *next < total);
        let mut kept = Vec::new();
        for (place, hit) in hits.into_iter().enumerate().skip(first) {
            if !matches(&hit) {
                continue;
            }
            if kept.len() == limit {
                let next = Some(window + place);
                return Ok(FilteredPage { hits: kept, next, total: None, nearest_only });
            }
            kept.push(hit);
        }
        let whole = from == 0 && behind.is_none();
        Ok(FilteredPage { total: whole.then_some(kept.len()), hits: kept, next: behind, nearest_only })
    }
}
