//! Searches the index without the table: which listings match, in which order, and why. This is a pure
//! function, so that relevance can be measured without a registry.
//!
//! The rank is a weighted sum of two scores: words find names and rare terms, and embeddings find texts with other words
//! for the same subject. The best hits are then used to improve the query (relevance feedback). Exact names rank first.

use std::cmp::Ordering;

use super::embedding;
use super::entry::{AbilityNames, IndexedListing};
use super::index::{Index, IndexView};
use super::parsed_query::{MAX_EXPANDED_TERMS, ParsedQuery, QueryTerm};
use super::query::{Query, Text, sentences_of_task};
use super::words::{is_generic, is_stop_word, short_name, stem, words_of_name};
use registry_model::{Category, Kind, Listed, ListingId};

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
            newest(index, &filter, wanted)
        } else {
            ranked(index, &parsed, query.text.as_str(), &filter, own, wanted)
        };
        let shown = |hit: &Ranked| {
            let entry = index.listing(hit.number)?;
            let (words, other_words) = matched_words(index, &parsed, hit.number);
            Some(IndexHit {
                id: entry.id.clone(),
                rank: hit.rank,
                words,
                other_words,
                matched_abilities: matched_abilities(&parsed, &entry.abilities),
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
    let Some(sentences) = sentences_of_task(query.text.as_str()) else {
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

/// The weight of the lexical score in the sum, and its minimum if few words of the query match. The similarity has the rest.
const LEXICAL_WEIGHT: f32 = 0.65;
const MIN_LEXICAL_WEIGHT: f32 = 0.35;
/// The lexical score has its full weight if at least one document covers this fraction of the query.
const FULL_COVERAGE: f32 = 0.6;
/// The best matching stem of a term counts fully, the others by this factor.
const FURTHER_STEMS: f32 = 0.6;
/// The higher, the more a hit on all terms outranks a strong hit on one.
const COVERAGE_EXPONENT: f32 = 0.75;
/// For pseudo-relevance feedback: the number of best hits that it uses, of hits that it reorders, and its weight.
const FEEDBACK_LISTINGS: usize = 6;
const FEEDBACK_POOL: usize = 1000;
const FEEDBACK_WEIGHT: f32 = 0.3;
/// The increase of the rank of a listing of the intended kind, as a factor.
const KIND_INTENT: f32 = 0.2;
/// The increase of the rank of a listing whose display name, or short name or title, is the query, as a part of the best rank.
const DISPLAY_NAME_BOOST: f32 = 0.5;
const NAME_BOOST: f32 = 0.15;
/// A similarity that counts as a perfect match in the displayed score.
const FULL_SIMILARITY: f32 = 0.75;
/// The most skills or tools named for a hit.
const MAX_ABILITIES: usize = 6;
/// The minimum similarity of a hit without a matching word.
const MIN_SIMILARITY: f32 = 0.3;
/// From this rank on, a first hit clearly matches. Among 12 real listings, 154 of 165 searches that none of them answers
/// stay below; among 160, 135 of 143 whose first hit is a good answer reach it.
pub(super) const CLEAR_RANK: f32 = 0.35;

/// The registry's own listings, if any.
pub type Own<'a> = Option<&'a [ListingId; 2]>;

#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    pub(super) kind: Option<Kind>,
    pub(super) category: Option<Category>,
    pub(super) listed: Listed,
}

impl Filter {
    pub(super) fn of(query: &Query) -> Self {
        Self { kind: query.kind, category: query.category.clone(), listed: query.listed }
    }

    pub(super) fn allows(&self, entry: &IndexedListing) -> bool {
        self.listed.admits(entry.shown)
            && self.kind.is_none_or(|kind| entry.kind == kind)
            && self.category.as_ref().is_none_or(|category| entry.category == category.id())
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ranked {
    pub(super) number: usize,
    /// From 0 to 1; comparable within one search only.
    pub(super) rank: f32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Ranking {
    pub(super) best: Vec<Ranked>,
    pub(super) total: usize,
}

/// The registry's `own` listings have words for every subject, so they are hits only if they clearly match a specific word.
pub(super) fn ranked(
    index: &Index,
    query: &ParsedQuery,
    text: &str,
    filter: &Filter,
    own: Own<'_>,
    count: usize,
) -> Ranking {
    let allowed = |number: usize| index.listing(number).is_some_and(|entry| filter.allows(entry));
    let (lexical, coverage) = lexical_scores(index, query);
    let near = query.vector.as_ref().map(|about| index.embeddings.similarities(about)).unwrap_or_default();
    let near = |number: usize| near.get(number).copied().unwrap_or_default().max(0.0);

    let hits: Vec<usize> = (0..index.slots())
        .filter(|number| (lexical[*number] > 0.0 || near(*number) >= MIN_SIMILARITY) && allowed(*number))
        .collect();
    let most = |of: &dyn Fn(usize) -> f32| hits.iter().fold(f32::EPSILON, |most, n| most.max(of(*n)));
    let (max_lexical, max_near) = (most(&|n| lexical[n]), most(&near));
    let lexical_weight = match query.terms.is_empty() {
        true => LEXICAL_WEIGHT,
        false => (LEXICAL_WEIGHT * (most(&|n| coverage[n]) / FULL_COVERAGE).min(1.0)).max(MIN_LEXICAL_WEIGHT),
    };
    let mut ranked: Vec<Ranked> = hits
        .iter()
        .map(|&number| {
            let by_words = lexical[number] / max_lexical;
            let by_embedding = near(number) / max_near;
            Ranked { number, rank: lexical_weight * by_words + (1.0 - lexical_weight) * by_embedding }
        })
        .collect();
    best_to_front(&mut ranked, FEEDBACK_POOL);
    apply_feedback(index, &mut ranked);
    for hit in ranked.iter_mut().take(FEEDBACK_POOL) {
        let intended =
            query.kind.is_some() && index.listing(hit.number).map(|entry| entry.kind) == query.kind;
        hit.rank *= 1.0 + if intended { KIND_INTENT } else { 0.0 };
    }
    boost_names(index, &mut ranked, text, filter);
    let own: Vec<usize> = own.map(|ids| numbers(index, ids)).unwrap_or_default();
    best_to_front(&mut ranked, count.saturating_add(own.len()));
    normalise(&mut ranked, |number| {
        LEXICAL_WEIGHT * coverage[number] + (1.0 - LEXICAL_WEIGHT) * near(number) / FULL_SIMILARITY
    });
    // Who asks with one word that listings contain gets no listing that is only a little similar to it.
    let is_one_word = query.terms.len() == 1 && max_lexical > f32::EPSILON;
    let is_generic_query = query.terms.iter().all(|term| is_generic(&term.word));
    let has_word = |number: usize| {
        let (words, other_words) = matched_words(index, query, number);
        is_generic_query || words.iter().chain(&other_words).any(|word| !is_generic(word))
    };
    ranked.retain(|hit| match own.contains(&hit.number) {
        true => hit.rank >= CLEAR_RANK && has_word(hit.number),
        false => hit.rank >= CLEAR_RANK || !is_one_word || lexical[hit.number] > 0.0,
    });
    let total = ranked.len();
    ranked.truncate(count);
    Ranking { best: ranked, total }
}

fn numbers(index: &Index, ids: &[ListingId; 2]) -> Vec<usize> {
    let named = index.named([ids[0].as_str(), ids[1].as_str()]);
    named.filter(|(_, entry)| ids.contains(&entry.id)).map(|(number, _)| number).collect()
}

/// The `count` listings that changed last: the result of an empty query.
fn newest(index: &Index, filter: &Filter, count: usize) -> Ranking {
    let mut newest: Vec<(i64, usize)> = index
        .listings()
        .filter(|(_, entry)| filter.allows(entry))
        .map(|(number, entry)| (entry.changed_at, number))
        .collect();
    let (total, all) = (newest.len(), newest.len() as f32);
    if count < total {
        newest.select_nth_unstable_by(count, |a, b| b.cmp(a));
        newest.truncate(count);
    }
    newest.sort_unstable_by(|a, b| b.cmp(a));
    let falling =
        |(place, (_, number)): (usize, (i64, usize))| Ranked { number, rank: (all - place as f32) / all };
    Ranking { best: newest.into_iter().enumerate().map(falling).collect(), total }
}

/// The lexical score and the covered part of the query (0 to 1) of each document, by number.
fn lexical_scores(index: &Index, query: &ParsedQuery) -> (Vec<f32>, Vec<f32>) {
    let (mut score, mut coverage) = (vec![0.0_f32; index.slots()], vec![0.0_f32; index.slots()]);
    let (mut best, mut sum) = (vec![0.0_f32; index.slots()], vec![0.0_f32; index.slots()]);
    let mut all = 0.0;
    for term in &query.terms {
        let term_idf = idf_of_term(index, term);
        all += term.weight * term_idf;
        let mut touched: Vec<usize> = Vec::new();
        for (stem, weight) in query.expansions(term) {
            let Some(place) = index.find(stem) else { continue };
            let indexed = &index.terms[place as usize];
            let counts = weight * idf(index, indexed.doc_freq).min(term_idf);
            for posting in &indexed.postings {
                let number = posting.document as usize;
                let here = counts * f32::from(posting.weight) / f32::from(u16::MAX);
                if sum[number] == 0.0 {
                    touched.push(number);
                }
                best[number] = best[number].max(here);
                sum[number] += here;
            }
        }
        for number in touched {
            score[number] += term.weight * (best[number] + FURTHER_STEMS * (sum[number] - best[number]));
            coverage[number] += term.weight * term_idf * (2.0 * best[number] / term_idf).min(1.0);
            (best[number], sum[number]) = (0.0, 0.0);
        }
    }
    if all > 0.0 {
        for (score, coverage) in score.iter_mut().zip(&mut coverage) {
            *coverage /= all;
            if *score > 0.0 {
                *score *= coverage.powf(COVERAGE_EXPONENT);
            }
        }
    }
    (score, coverage)
}

/// BM25's inverse document frequency, of the rarest spelling of the word.
fn idf_of_term(index: &Index, term: &QueryTerm) -> f32 {
    term.own_stems().map(|stem| idf(index, index.doc_freq(stem))).fold(f32::EPSILON, f32::max)
}

fn idf(index: &Index, doc_freq: u32) -> f32 {
    let (all, doc_freq) = (index.frequency_base() as f32, doc_freq as f32);
    ((all - doc_freq + 0.5) / (doc_freq + 0.5)).ln_1p().max(f32::EPSILON)
}

/// Pseudo-relevance feedback: hits similar to the best ones rise, because these use the words of listings.
fn apply_feedback(index: &Index, ranked: &mut [Ranked]) {
    let Some(best) = ranked.first().map(|best| best.rank).filter(|rank| *rank > 0.0) else { return };
    let feedback = &ranked[..FEEDBACK_LISTINGS.min(ranked.len())];
    let total_rank: f32 = feedback.iter().map(|hit| hit.rank).sum();
    let mut vector = vec![0.0_f32; embedding::WIDTH];
    for hit in feedback {
        index.embeddings.add(hit.number, hit.rank / total_rank, &mut vector);
    }
    let pool = FEEDBACK_POOL.min(ranked.len());
    let similarity = index.embeddings.similarities_of(ranked[..pool].iter().map(|hit| hit.number), &vector);
    let similarity: Vec<f32> = similarity.map(|similarity| similarity.max(0.0)).collect();
    let most = similarity.iter().copied().fold(f32::EPSILON, f32::max);
    for (place, hit) in ranked.iter_mut().enumerate() {
        hit.rank /= best;
        if let Some(similarity) = similarity.get(place) {
            hit.rank += FEEDBACK_WEIGHT * similarity / most;
        } else {
            // Outside the pool: kept in their order, and behind it.
            hit.rank *= 0.5;
        }
    }
}

/// A listing whose registry name or id is the query ranks first; these names are unique. One whose display name is the query
/// rises, and less if only its short name is. Anybody can choose a display name, so it must not outweigh relevance.
fn boost_names(index: &Index, ranked: &mut Vec<Ranked>, text: &str, filter: &Filter) {
    let best = ranked.iter().fold(0.0_f32, |best, hit| best.max(hit.rank)).max(1.0);
    let short = short_name(text);
    for (number, entry) in index.named([text, &short]) {
        if !filter.allows(entry) {
            continue;
        }
        let is_unique_name = |name: &str| name.eq_ignore_ascii_case(text);
        let lift = if is_unique_name(&entry.registry_name) || is_unique_name(entry.id.as_str()) {
            10.0 * best
        } else if entry.name.eq_ignore_ascii_case(text) {
            DISPLAY_NAME_BOOST * best
        } else if !short.is_empty() && entry.short_names.contains(&short) {
            NAME_BOOST * best
        } else {
            continue;
        };
        match ranked.iter_mut().find(|hit| hit.number == number) {
            Some(hit) => hit.rank += lift,
            None => ranked.push(Ranked { number, rank: lift }),
        }
    }
}

/// Scales ranks to 0 to 1: the best gets its absolute quality, the others follow in proportion.
fn normalise(ranked: &mut [Ranked], quality: impl Fn(usize) -> f32) {
    let Some(best) = ranked.first().copied() else { return };
    let is_exact_name = best.rank > 5.0;
    let quality = if is_exact_name { 1.0 } else { quality(best.number).clamp(0.05, 1.0) };
    for hit in ranked {
        hit.rank = (hit.rank / best.rank).clamp(0.0, 1.0) * quality;
    }
}

/// Sorts the `count` best to the front; the order of the others is undefined.
fn best_to_front(ranked: &mut [Ranked], count: usize) {
    let count = count.min(ranked.len());
    if count < ranked.len() {
        ranked.select_nth_unstable_by(count, best_first);
    }
    ranked[..count].sort_unstable_by(best_first);
}

fn best_first(a: &Ranked, b: &Ranked) -> Ordering {
    b.rank.total_cmp(&a.rank).then(a.number.cmp(&b.number))
}

/// The words of a query or its matched phrases that a document contains, and those that it matches by other words.
pub(super) fn matched_words(index: &Index, query: &ParsedQuery, number: usize) -> (Vec<String>, Vec<String>) {
    let has = |stem: &String| index.find(stem).is_some_and(|stem| index.has_stem(number, stem));
    let (mut exact, mut expanded) = (Vec::new(), Vec::new());
    for term in &query.terms {
        if term.own_stems().any(has) {
            exact.push(term.spelling.clone());
        } else if term.stems.iter().any(|(stem, _)| has(stem)) {
            expanded.push(term.spelling.clone());
        }
    }
    // Words of a phrase that the caller did not write, only as they are written there.
    for word in query.phrase_matches.iter().flat_map(|one| &one.terms.words) {
        if index.has_word(number, word) && !is_stop_word(word) && !exact.contains(word) {
            exact.push(word.clone());
        }
    }
    (exact, expanded)
}

fn matched_abilities(query: &ParsedQuery, abilities: &[String]) -> Vec<String> {
    let of_phrases = query.phrase_matches.iter().flat_map(|one| &one.terms.stems);
    let of_terms = query.terms.iter().flat_map(|term| &term.stems).map(|(stem, _)| stem);
    let stems: Vec<&str> = of_terms.chain(of_phrases).map(String::as_str).collect();
    let is_searched = |word: String| {
        // A stem has the first letter of its word; stemming each word of each ability would take longer than the search.
        let first = word.chars().next();
        stems.iter().any(|stem| stem.chars().next() == first) && stems.contains(&stem(&word).as_str())
    };
    let matches = |ability: &&String| words_of_name(&ability.replace('_', " ")).into_iter().any(is_searched);
    abilities.iter().filter(matches).take(MAX_ABILITIES).cloned().collect()
}
