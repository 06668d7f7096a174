//! Searches the index alone, without the table: which listings match, in which order and why. A pure function, so that
//! relevance can be measured without a registry.

use super::Query;
use super::index::Index;
use super::parsed_query::ParsedQuery;
use super::rank::{self, Filter, Ranked};
use registry_model::ListingId;

/// The result of the index, before the table is read.
#[derive(Clone, Debug)]
pub struct IndexAnswer {
    /// The best first.
    pub hits: Vec<IndexHit>,
    /// How many there are on all pages.
    pub total: usize,
    /// How many listings were searched.
    pub searched: usize,
    /// The words as they were searched, where spelling was corrected.
    pub corrected: Option<String>,
}

/// A hit in the index.
#[derive(Clone, Debug)]
pub struct IndexHit {
    /// Its id.
    pub id: ListingId,
    /// From 0 to 1.
    pub rank: f32,
    /// The words of the query, or of its matched phrases, that it contains.
    pub words: Vec<String>,
    /// The words of the query that it matches by other words.
    pub other_words: Vec<String>,
    /// Its skills or tools whose names contain one of the words.
    pub abilities: Vec<String>,
}

impl IndexAnswer {
    pub(super) fn ids(&self) -> Vec<ListingId> {
        self.hits.iter().map(|hit| hit.id.clone()).collect()
    }
}

/// Searches the index alone.
#[must_use]
pub fn search(index: &Index, query: &Query) -> IndexAnswer {
    let filter = Filter { kind: query.kind, category: query.category.clone() };
    let parsed = ParsedQuery::of(query.text.as_str(), index);
    let wanted = query.skip.saturating_add(query.limit);
    let ranking = if query.text.is_empty() {
        rank::newest(index, &filter, wanted)
    } else {
        rank::ranked(index, &parsed, query.text.as_str(), &filter, wanted)
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
        hits: ranking.best.iter().skip(query.skip).filter_map(shown).collect(),
        total: ranking.total,
        searched: index.len(),
        corrected: parsed.corrected.then_some(parsed.text),
    }
}
