//! Search as the registry offers it: the index says what answers, the table says what is still Live and how it looks
//! now. One read of the table a search.

use super::engine::{self, IndexAnswer, IndexHit};
use super::index_cache::{IndexCache, Reading};
use super::{Found, Hit, Query, evidence};
use crate::model::Moment;
use crate::store::{Store, StoreError};

/// The search of this process; clones share its index.
#[derive(Clone, Debug)]
pub struct Searcher {
    pub(super) store: Store,
    pub(super) index: IndexCache,
}

impl Searcher {
    /// A search over a table, its index not loaded yet.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self { store, index: IndexCache::default() }
    }

    /// Loads the index where nothing is held yet.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn load(&self) -> Result<(), StoreError> {
        self.index.load(&self.store).await
    }

    /// Brings the index up to what the table says now.
    ///
    /// # Errors
    /// The table is busy or refused; what was held stays.
    pub async fn refresh(&self) -> Result<(), StoreError> {
        self.index.refresh(&self.store).await
    }

    /// The version of the index that is held; `None` before the first load.
    #[must_use]
    pub fn version(&self) -> Option<u64> {
        self.index.version()
    }

    /// Asks the index that is held, and nothing else.
    #[must_use]
    pub fn search_index(&self, query: &Query) -> IndexAnswer {
        engine::search(&self.index.read(), query)
    }

    /// The index that is held. Whoever holds this must not wait for anything else.
    pub(super) fn read(&self) -> Reading<'_> {
        self.index.read()
    }

    /// Finds Live listings. A search costs one read of the table, or two for more than 99 hits; one that comes upon a
    /// newer index than this process holds reads what is new and looks again.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn find(&self, query: &Query, now: Moment) -> Result<Found, StoreError> {
        self.load().await?;
        let mut answer = self.search_index(query);
        let mut shown = self.store.shown(&answer.ids()).await?;
        if self.index.refreshed(&self.store, shown.manifest).await? {
            answer = self.search_index(query);
            shown = self.store.shown(&answer.ids()).await?;
        }
        let mut hits: Vec<(f32, Hit)> = Vec::with_capacity(answer.hits.len());
        for hit in answer.hits {
            // Gone since the index was built: it is not Live, so it is no hit.
            let Some(listing) = shown.live.remove(&hit.id) else { continue };
            let (rank, boosts) = evidence::boosted(hit.rank, &listing, now);
            let IndexHit { words, other_words, abilities, .. } = hit;
            hits.push((rank, Hit { listing, score: 0, words, other_words, abilities, boosts }));
        }
        hits.sort_by(|a, b| b.0.total_cmp(&a.0));
        let scored = |(rank, hit): (f32, Hit)| Hit { score: percent(rank), ..hit };
        Ok(Found {
            hits: hits.into_iter().map(scored).collect(),
            total: answer.total,
            searched: answer.searched,
            corrected: answer.corrected,
        })
    }
}

fn percent(rank: f32) -> u8 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
    let percent = (rank.clamp(0.0, 1.0) * 100.0).round() as u8;
    percent
}
