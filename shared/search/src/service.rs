//! The search of the registry. The index finds the hits. One batch read of the table then returns which hits
//! are still Live and their current data. It also shows whether the index is out of date.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::try_join_all;
use jiff::SignedDuration;

use super::backend::{self, Backend};
use super::engine::{self, CLEAR_RANK, Filter, IndexAnswer, IndexHit};
use super::facets::CountedFacets;
use super::index::{Index, IndexView};
use super::index_cache::{IndexCache, Reading};
use super::query::{Found, Hit, Query};
use registry_model::{Clock, LastProbe, Listing, ListingId, Moment};
use registry_store::{Store, StoreError};

/// The maximum that a fresh handshake and a full score add to a rank, as a factor. Together they add less than one word
/// of the query, so that evidence only decides between hits of equal relevance.
const FRESH: f32 = 0.01;
const SCORE: f32 = 0.01;
/// The longest time of [`Searcher::preload`]. AWS ends a start that takes ten seconds.
const MAX_PRELOAD: Duration = Duration::from_secs(5);
/// From this age a handshake adds nothing; a Live listing has no older one.
const WEEK_HOURS: f32 = 168.0;

#[derive(Clone, Debug)]
pub struct Searcher {
    pub(super) store: Store,
    pub(super) index: IndexCache,
    pub(super) counted_facets: Arc<Mutex<CountedFacets>>,
    pub(super) clock: Clock,
    pub(super) backend: Backend,
    /// The registry's own listings.
    pub own: [ListingId; 2],
    proof_lasts: SignedDuration,
}

impl Searcher {
    /// A search over a table. A proof is valid for `proof_lasts`. The index is loaded by [`Searcher::preload`] or with the first query.
    pub fn new(
        store: Store,
        clock: Clock,
        proof_lasts: SignedDuration,
        backend: Backend,
        own: [ListingId; 2],
    ) -> Self {
        let index = IndexCache::new(backend.is_light());
        Self { store, index, counted_facets: Arc::default(), clock, backend, own, proof_lasts }
    }

    /// The same search with the loaded index of another search of this table.
    #[must_use]
    pub fn with_index_of(self, other: &Self) -> Self {
        match self.backend.is_light() == other.backend.is_light() {
            true => Self { index: other.index.clone(), ..self },
            false => self,
        }
    }

    pub(super) fn oldest_proof(&self) -> Moment {
        self.clock.now() - self.proof_lasts
    }

    pub async fn load(&self) -> Result<(), StoreError> {
        self.index.load(&self.store).await
    }

    /// Loads the index before the first request, within some seconds. If that fails, the first search loads it.
    pub async fn preload(&self) {
        match tokio::time::timeout(MAX_PRELOAD, self.load()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "could not load the search index at the start"),
            Err(_) => tracing::warn!("the search index was not loaded within {MAX_PRELOAD:?}"),
        }
    }

    /// Updates the index to the version in the table; loads it unless it is loaded.
    pub async fn refresh(&self) -> Result<(), StoreError> {
        self.index.refresh(&self.store).await
    }

    /// The version of the loaded index; `None` before the first load.
    pub fn version(&self) -> Option<u64> {
        self.index.version()
    }

    /// The number of hits, by the loaded index alone. A search backend is asked if there is one; it returns some hundred candidates
    /// at most.
    pub async fn total(&self, query: &Query) -> Result<usize, StoreError> {
        Ok(self.answer(query).await?.total)
    }

    /// The hits of each query with their scores from 0 to 100, by the loaded index or the search backend alone. The table is not
    /// read unless the index must be loaded, so a hit may be no longer listed.
    pub async fn candidates(&self, queries: &[Query]) -> Result<Vec<Vec<(ListingId, u8)>>, StoreError> {
        self.load().await?;
        let scored = |hit: IndexHit| (hit.id, percent(hit.rank));
        let mut found = Vec::with_capacity(queries.len());
        for query in queries {
            found.push(self.answer(query).await?.hits.into_iter().map(scored).collect());
        }
        Ok(found)
    }

    /// The listings of the loaded index that have this name, each with its own way to write it.
    pub fn listings_named(&self, name: &str) -> Vec<(ListingId, String)> {
        let index = self.read();
        let named = index.named([name, name]).map(|(_, listing)| listing);
        let named = named.filter(|listing| listing.name.eq_ignore_ascii_case(name));
        named.map(|listing| (listing.id.clone(), listing.name.clone())).collect()
    }

    /// The only listing of the loaded index whose name begins with this word.
    pub fn only_beginning_with(&self, word: &str) -> Option<ListingId> {
        let index = self.read();
        let begins =
            |name: &str| name.split(' ').next().is_some_and(|first| first.eq_ignore_ascii_case(word));
        let mut named = index.listings().map(|(_, listing)| listing).filter(|listing| begins(&listing.name));
        let only = named.next()?;
        named.next().is_none().then(|| only.id.clone())
    }

    /// The hits by the loaded index, or by the backend.
    async fn answer(&self, query: &Query) -> Result<IndexAnswer, StoreError> {
        let candidates = self.candidates_of(query).await?;
        let view = IndexView { whole: &self.read(), candidates: candidates.as_ref() };
        Ok(engine::search_in(view, query, Some(&self.own)))
    }

    /// An index of the candidates for a query; `None` if the loaded index finds the hits itself.
    pub(super) async fn candidates_of(&self, query: &Query) -> Result<Option<Index>, StoreError> {
        let chroma = self.backend.chroma.as_ref().filter(|_| !query.text.is_empty());
        let Some(chroma) = chroma else { return Ok(None) };
        let (text, filter) = (query.text.as_str(), Filter::of(query));
        let (questions, named) = {
            let whole = self.read();
            (backend::questions(&whole, text), backend::named(&whole, text))
        };
        let found = questions.iter().map(|question| chroma.nearest(question, &filter));
        let mut ids = try_join_all(found).await?.concat();
        ids.extend(named);
        ids.sort_unstable();
        ids.dedup();
        let entries = if ids.is_empty() { Vec::new() } else { chroma.entries(&ids).await? };
        Ok(Some(Index::of_candidates(entries, &self.read())))
    }

    /// Must not be held across an await.
    pub(super) fn read(&self) -> Reading<'_> {
        self.index.read()
    }

    /// Finds listings by one read of the table, or two for more than 99 hits. Where that read shows a newer index,
    /// the changed buckets are loaded and the search is repeated.
    pub async fn find(&self, query: &Query, now: Moment) -> Result<Found, StoreError> {
        self.load().await?;
        let mut answer = self.answer(query).await?;
        let mut shown = self.store.shown(&answer.ids()).await?;
        if self.index.refreshed(&self.store, &shown.manifest).await? {
            answer = self.answer(query).await?;
            shown = self.store.shown(&answer.ids()).await?;
        }
        let is_clear = query.text.is_empty() || answer.hits.first().is_some_and(|hit| hit.rank >= CLEAR_RANK);
        let oldest_proof = self.oldest_proof();
        let candidates = answer.hits.len();
        let mut hits: Vec<(f32, Hit)> = Vec::with_capacity(candidates);
        for hit in answer.hits {
            // No longer listed like that since the index was built.
            let is_listed = |listing: &Arc<Listing>| {
                listing.availability(oldest_proof).is_some_and(|shown| query.listed.admits(shown))
            };
            let listing = shown.listings.remove(&hit.id).filter(is_listed);
            let Some(listing) = listing else { continue };
            let probe = listing.proof.probe.as_ref().filter(|_| !query.text.is_empty());
            let (rank, boosts) = boosted(hit.rank, probe, now);
            let IndexHit { words, other_words, matched_abilities, abilities, .. } = hit;
            hits.push((
                rank,
                Hit { listing, score: 0, words, other_words, matched_abilities, abilities, boosts },
            ));
        }
        hits.sort_by(|a, b| b.0.total_cmp(&a.0));
        let scored = |(rank, hit): (f32, Hit)| Hit { score: percent(rank), ..hit };
        // The last page shows which of its listings still count.
        let is_last = query.skip + candidates >= answer.total;
        let dropped = if is_last { candidates - hits.len() } else { 0 };
        Ok(Found {
            nearest_only: !is_clear && query.skip == 0 && !hits.is_empty(),
            hits: hits.into_iter().map(scored).collect(),
            total: answer.total.saturating_sub(dropped),
            searched: answer.searched,
            corrected: answer.corrected,
            seats_claimed: shown.seats_claimed,
        })
    }
}

fn boosted(rank: f32, probe: Option<&LastProbe>, now: Moment) -> (f32, Vec<String>) {
    let Some(probe) = probe else { return (rank, Vec::new()) };
    #[expect(clippy::cast_possible_truncation, reason = "hours, within a week")]
    let hours = now.duration_since(probe.at).as_secs_f64() as f32 / 3600.0;
    let fresh = (1.0 - hours / WEEK_HOURS).clamp(0.0, 1.0);
    let score = f32::from(probe.score.min(100)) / 100.0;
    let mut boosts = Vec::new();
    if hours < 24.0 {
        boosts.push("its evidence is less than a day old".to_owned());
    }
    if probe.score >= 90 {
        boosts.push(format!("its score is {} of 100", probe.score));
    }
    // Scaled so that the best possible evidence leaves the rank unchanged and it stays within 1.
    (rank * (1.0 + FRESH * fresh + SCORE * score) / (1.0 + FRESH + SCORE), boosts)
}

fn percent(rank: f32) -> u8 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
    let percent = (rank.clamp(0.0, 1.0) * 100.0).round() as u8;
    percent
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::Handshake;

    fn probed(score: u8, hours_ago: i64) -> (Listing, Moment) {
        let now: Moment = "2026-11-20T12:00:00Z".parse().unwrap();
        let id = "agtpub_0123456789abcdef0123".parse().unwrap();
        let mut listing = Listing::new(id, "Weather".to_owned(), now);
        let at = now - jiff::SignedDuration::from_hours(hours_ago);
        let target = String::new();
        listing.proof.probe =
            Some(LastProbe { handshake: Handshake::Ok, score, at, target, latency_ms: None });
        (listing, now)
    }

    #[test]
    fn evidence_decides_only_between_equal_hits() {
        let rank = |score, hours| {
            let (listing, now) = probed(score, hours);
            boosted(0.5, listing.proof.probe.as_ref(), now).0
        };
        assert!(rank(95, 1) > rank(95, 160) && rank(95, 1) > rank(50, 1));
        assert!((rank(100, 0) - 0.5).abs() < 1e-6, "the best evidence leaves the rank unchanged");
        assert!(rank(0, 10_000) > 0.48, "the worst loses two parts in a hundred");
        let (listing, now) = probed(95, 1);
        assert_eq!(boosted(0.5, listing.proof.probe.as_ref(), now).1.len(), 2);
    }
}
