//! Decides how a search by text finds its hits. Without a backend, the index in memory finds and orders them. With a
//! backend, the server of the operator finds candidates by words and by meaning, and the ranking of this crate orders
//! these. Then the index in memory is light, so a process needs far less memory.

use super::chroma::{Chroma, Question};
use super::embedding;
use super::entry::IndexEntry;
use super::index::Index;
use super::parsed_query::{MAX_EXPANDED_TERMS, ParsedQuery, QueryTerm};
use super::query::sentences_of_task;
use super::words::short_name;
use registry_model::{ListingId, Secret, id_hash};
use registry_store::StoreError;

/// Candidates by meaning alone, with all words, and for each rare word.
const BY_MEANING: usize = 150;
const WITH_ALL_WORDS: usize = 100;
const WITH_ONE_WORD: usize = 60;
/// The rarest words of a question, each of which is searched alone.
const RARE_WORDS: usize = 2;
/// Stems with a lower weight are not searched: the vector of the query leads to them, too.
const MIN_WEIGHT: f32 = 0.5;
/// Listings whose name is the query, at most.
const MAX_NAMED: usize = 50;

/// The words of about as many listings as this number of buckets contains stay in the stored index. They show how frequent
/// words are, and which words exist.
const SAMPLED_BUCKETS: u64 = 128;

/// Where searches by text find their candidates.
#[derive(Clone, Debug, Default)]
pub struct Backend {
    /// `None` if the index in memory finds the candidates.
    pub(super) chroma: Option<Chroma>,
}

impl Backend {
    pub fn new(url: Option<&str>, token: Option<&Secret>) -> Self {
        Self { chroma: url.map(|url| Chroma::new(url, token.cloned())) }
    }

    /// Whether the index of all listings contains the words of a sample only, and no embeddings.
    pub(super) const fn is_light(&self) -> bool {
        self.chroma.is_some()
    }

    /// What a bucket contains of an entry, in an index of this number of buckets.
    pub fn stored(&self, entry: IndexEntry, buckets: usize) -> IndexEntry {
        if self.is_light() && !is_sampled(&entry.listing.id, buckets) { entry.light() } else { entry }
    }

    /// Sends entries to the server, and removes listings from it.
    pub async fn apply(&self, entries: &[IndexEntry], removed: &[ListingId]) -> Result<(), StoreError> {
        let Some(chroma) = &self.chroma else { return Ok(()) };
        chroma.apply(entries, removed).await
    }
}

/// Whether a listing is in the sample. Buckets are chosen by the first bits of the hash, so the last bits are used.
fn is_sampled(id: &ListingId, buckets: usize) -> bool {
    let part = id_hash(id) & u64::from(u32::MAX);
    part.saturating_mul(buckets as u64) >> 32 < SAMPLED_BUCKETS
}

/// Listings whose name is the query.
pub(super) fn named(whole: &Index, text: &str) -> Vec<ListingId> {
    let short = short_name(text);
    whole.named([text, &short]).take(MAX_NAMED).map(|(_, entry)| entry.id.clone()).collect()
}

/// The questions to the backend for a query. Of a long text, each sentence that may ask for something has its own questions.
pub(super) fn questions(whole: &Index, text: &str) -> Vec<Question> {
    match sentences_of_task(text) {
        None => {
            let parsed = ParsedQuery::of(text, whole, MAX_EXPANDED_TERMS);
            let (first, further) = questions_of(whole, &parsed);
            first.into_iter().chain(further).collect()
        }
        Some(sentences) => {
            let expanded = MAX_EXPANDED_TERMS / sentences.len().max(1);
            let parsed = sentences.iter().map(|sentence| ParsedQuery::of(sentence, whole, expanded));
            parsed.flat_map(|parsed| questions_of(whole, &parsed).0).collect()
        }
    }
}

/// The questions by meaning and by all words, and those by one word.
fn questions_of(whole: &Index, parsed: &ParsedQuery) -> (Vec<Question>, Vec<Question>) {
    let vector = parsed.vector.clone().map(embedding::normalized);
    let question = |words, limit| Question { vector: vector.clone(), words, limit };
    let group = |term: &QueryTerm| {
        let stems = parsed.expansions(term).into_iter().filter(|(_, weight)| *weight >= MIN_WEIGHT);
        let stems: Vec<String> = stems.map(|(stem, _)| stem.to_owned()).collect();
        let frequency: u32 = stems.iter().map(|stem| whole.doc_freq(stem)).sum();
        (frequency, stems)
    };
    let mut groups: Vec<(u32, Vec<String>)> = parsed.terms.iter().map(group).collect();
    groups.sort();
    let words: Vec<Vec<String>> = groups.into_iter().map(|(_, stems)| stems).collect();
    let by_meaning = vector.is_some().then(|| question(Vec::new(), BY_MEANING));
    let with_all_words = (!words.is_empty()).then(|| question(words.clone(), WITH_ALL_WORDS));
    let rare = if words.len() > 1 { RARE_WORDS } else { 0 };
    let alone = words.into_iter().take(rare).map(|stems| question(vec![stems], WITH_ONE_WORD));
    (by_meaning.into_iter().chain(with_all_words).collect(), alone.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_of_a_large_index_is_small() {
        let sampled = |buckets: usize| {
            let ids = (0..20_000).map(|n| format!("mcp-{n}").parse().unwrap());
            ids.filter(|id| is_sampled(id, buckets)).count()
        };
        assert_eq!(sampled(128), 20_000, "a small index is its own sample");
        let tenth = sampled(1280);
        assert!((1800..2200).contains(&tenth), "{tenth} of 20,000");
    }
}
