//! Asks the index alone, without the table: what answers to a question, in which order and why. Pure, so that relevance
//! can be measured without a registry.

use super::Query;
use super::index::Index;
use super::parsed_query::ParsedQuery;
use super::rank::{self, Filter, Ranked};
use crate::model::ListingId;

/// What the index says to a question, before the table is asked.
#[derive(Clone, Debug)]
pub struct IndexAnswer {
    /// What answers, the best first.
    pub hits: Vec<IndexHit>,
    /// How many there are on all pages.
    pub total: usize,
    /// How many listings were searched.
    pub searched: usize,
    /// The words as they were searched, where spelling was corrected.
    pub corrected: Option<String>,
}

/// A listing that the index says answers.
#[derive(Clone, Debug)]
pub struct IndexHit {
    /// Its id.
    pub id: ListingId,
    /// How well it answers, from 0 to 1.
    pub rank: f32,
    /// Which of the words it bears, or of those by which catalogues call what is asked for.
    pub words: Vec<String>,
    /// Which of the words it answers in others.
    pub other_words: Vec<String>,
    /// Its skills or tools that bear one of the words.
    pub abilities: Vec<String>,
}

impl IndexAnswer {
    pub(super) fn ids(&self) -> Vec<ListingId> {
        self.hits.iter().map(|hit| hit.id.clone()).collect()
    }
}

/// Asks the index alone.
#[must_use]
pub fn search(index: &Index, query: &Query) -> IndexAnswer {
    let filter = Filter { kind: query.kind, category: query.category.clone() };
    let parsed = ParsedQuery::of(query.text.as_str(), index);
    let ranked = if query.text.is_empty() {
        rank::newest(index, &filter)
    } else {
        rank::ranked(index, &parsed, query.text.as_str(), &filter)
    };
    let shown = |hit: &Ranked| {
        let entry = index.listing(hit.number)?;
        let (words, other_words) = rank::matched_words(index, &parsed, hit.number);
        Some(IndexHit {
            id: entry.id.clone(),
            rank: hit.rank,
            words,
            other_words,
            abilities: rank::matched_abilities(&parsed, &entry.abilities),
        })
    };
    IndexAnswer {
        hits: ranked.iter().skip(query.skip).take(query.limit).filter_map(shown).collect(),
        total: ranked.len(),
        searched: index.len(),
        corrected: parsed.corrected.then_some(parsed.text),
    }
}
