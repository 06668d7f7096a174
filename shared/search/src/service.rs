//! Search as the registry offers it: the index finds the hits, one batch read of the table tells which of them are still
//! Live and what they look like now, and whether the index itself is out of date.

use jiff::SignedDuration;

use super::engine::{self, IndexAnswer, IndexHit};
use super::index_cache::{IndexCache, Reading};
use super::{Found, Hit, Query, evidence};
use registry_model::{Clock, Moment};
use registry_store::{Store, StoreError};

#[derive(Clone, Debug)]
pub struct Searcher {
    pub(super) store: Store,
    pub(super) index: IndexCache,
    pub(super) clock: Clock,
    proof_lasts: SignedDuration,
}

impl Searcher {
    /// A search over a table, where a proof is good for `proof_lasts`; the index is loaded with the first query.
    #[must_use]
    pub fn new(store: Store, clock: Clock, proof_lasts: SignedDuration) -> Self {
        Self { store, index: IndexCache::default(), clock, proof_lasts }
    }

    pub(super) fn oldest_proof(&self) -> Moment {
        self.clock.now() - self.proof_lasts
    }

    /// Loads the index unless it is loaded.
    pub async fn load(&self) -> Result<(), StoreError> {
        self.index.load(&self.store).await
    }

    pub async fn refresh(&self) -> Result<(), StoreError> {
        self.index.refresh(&self.store).await
    }

    /// The version of the loaded index; `None` before the first load.
    #[must_use]
    pub fn version(&self) -> Option<u64> {
        self.index.version()
    }

    #[must_use]
    pub fn search_index(&self, query: &Query) -> IndexAnswer {
        engine::search(&self.index.read(), query)
    }

    /// Must not be held across an await.
    pub(super) fn read(&self) -> Reading<'_> {
        self.index.read()
    }

    /// Finds Live listings by one read of the table, or two for more than 99 hits. Where that read shows a newer index,
    /// the changed buckets are loaded and the search is repeated.
    pub async fn find(&self, query: &Query, now: Moment) -> Result<Found, StoreError> {
        self.load().await?;
        let mut answer = self.search_index(query);
        let mut shown = self.store.shown(&answer.ids()).await?;
        if self.index.refreshed(&self.store, &shown.manifest).await? {
            answer = self.search_index(query);
            shown = self.store.shown(&answer.ids()).await?;
        }
        let oldest_proof = self.oldest_proof();
        let mut hits: Vec<(f32, Hit)> = Vec::with_capacity(answer.hits.len());
        for hit in answer.hits {
            // No longer Live since the index was built.
            let listing = shown.live.remove(&hit.id).filter(|listing| listing.is_live(oldest_proof));
            let Some(listing) = listing else { continue };
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
            seats_claimed: shown.seats_claimed,
        })
    }
}

fn percent(rank: f32) -> u8 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
    let percent = (rank.clamp(0.0, 1.0) * 100.0).round() as u8;
    percent
}
