//! Searches the index without the table: which listings match, in which order, and why. This is a pure
//! function, so that relevance can be measured without a registry.

use super::entry::AbilityNames;
use super::index::Index;
use super::index_view::IndexView;
use super::parsed_query::{MAX_EXPANDED_TERMS, ParsedQuery};
use super::query::{Query, Text};
pub use super::rank::Own;
use super::rank::{self, Filter, Ranked};
use super::task;
use registry_model::ListingId;

#[derive(Clone, Debug)]
pub struct IndexAnswer {
    pub hits: Vec<IndexHit>,
    pub total: usize,
    pub searched: usize,
    /// The words that were searched, if the spelling was corrected.
    pub corrected: Option<String>,
}

#[derive(Clone, Debug)]
pub struct IndexHit {
    pub id: ListingId,
    /// From 0 to 1.
    pub rank: f32,
    pub words: Vec<String>,
    pub other_words: Vec<String>,
    pub matched_abilities: Vec<String>,
    pub abilities: AbilityNames,
}

impl IndexAnswer {
    pub(super) fn ids(&self) -> Vec<ListingId> {
        self.hits.iter().map(|hit| hit.id.clone()).collect()
    }
}

/// Searches the whole index.
pub fn search(index: &Index, query: &Query, own: Own<'_>) -> IndexAnswer {
    search_in(index.into(), query, own)
}

/// Of a long text, the sentence with the best hit is searched. To find this sentence, few words are expanded, so that a long
/// text costs about as much as two questions. With candidates, the frequencies of words and the number of searched listings
/// are those of the whole index.
pub(super) fn search_in(view: IndexView<'_>, query: &Query, own: Own<'_>) -> IndexAnswer {
    let index = view.documents();
    let searched = view.whole.listed_count(None, query.listed);
    let question = |query: &Query, expanded: usize| {
        let filter = Filter::of(query);
        let parsed = ParsedQuery::of(query.text.as_str(), view, expanded);
        let wanted = query.skip.saturating_add(query.limit);
        let ranking = if query.text.is_empty() {
            rank::newest(index, &filter, wanted)
        } else {
            rank::ranked(index, &parsed, query.text.as_str(), &filter, own, wanted)
        };
        let shown = |hit: &Ranked| {
            let entry = index.listing(hit.number)?;
            let (words, other_words) = rank::matched_words(index, &parsed, hit.number);
            Some(IndexHit {
                id: entry.id.clone(),
                rank: hit.rank,
                words,
                other_words,
                matched_abilities: rank::matched_abilities(&parsed, &entry.abilities),
                abilities: entry.ability_names(),
            })
        };
        IndexAnswer {
            hits: ranking.best.iter().skip(query.skip).filter_map(shown).collect(),
            total: ranking.total,
            searched,
            corrected: parsed.corrected.then_some(parsed.text),
        }
    };
    let Some(sentences) = task::sentences(query.text.as_str()) else {
        return question(query, MAX_EXPANDED_TERMS);
    };
    let about = |sentence: &str| Query { text: Text::normalized(sentence), ..query.clone() };
    let expanded = MAX_EXPANDED_TERMS / sentences.len().max(1);
    let best_rank = |sentence: &String| {
        let first = Query { skip: 0, limit: 1, ..about(sentence) };
        question(&first, expanded).hits.first().map_or(0.0, |hit| hit.rank)
    };
    let ranked = sentences.iter().map(|sentence| (best_rank(sentence), sentence));
    let Some((_, sentence)) = ranked.max_by(|a, b| a.0.total_cmp(&b.0)) else {
        return IndexAnswer { hits: Vec::new(), total: 0, searched, corrected: None };
    };
    let answer = question(&about(sentence), MAX_EXPANDED_TERMS);
    IndexAnswer { corrected: Some(answer.corrected.unwrap_or_else(|| sentence.clone())), ..answer }
}
