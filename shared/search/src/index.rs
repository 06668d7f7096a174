//! The inverted index in memory: the documents of each stem (posting lists), and an embedding for each listing. The
//! index is updated in place, bucket by bucket, so that the cost of an update depends only on what changed.
//!
//! If a search backend finds the candidates ([`super::backend`]), the index of all listings is light: it lists them and
//! knows how frequent words are, but contains no posting lists and no embeddings.

mod names;

use std::collections::HashMap;

use indexmap::IndexMap;

use super::bucket::Bucket;
use super::embedding::{self, EmbeddingMatrix, WIDTH, WORD_WIDTH};
#[cfg(test)]
use super::entry::IndexEntry;
use super::entry::IndexedListing;
use super::words::{WordShape, is_generic, is_stop_word, stem};
use names::{NameHashes, NameOrder};
use registry_model::{Availability, HashPrefix, Kind, Listed};

/// The number of removed documents that may stay in the posting lists without a compaction. In a larger index, up to a
/// third of all documents may stay.
const MAX_REMOVED: usize = 2048;
/// Frequent words. A search compares each of its words with all of them.
const MAX_FREQUENT: usize = 30_000;

/// A related term must be a word in at least this many documents.
const MIN_FREQUENT_DOCS: u32 = 5;
/// For related terms: the minimum cosine similarity, the number of terms that are returned, and the number of terms
/// that are examined in addition, because several words may share a stem.
const MIN_SIMILARITY: f32 = 0.5;
const MAX_RELATED: usize = 4;
const EXTRA_RELATED: usize = 4;

/// A stem or a word: both share one table, because most stems are words themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct Term {
    /// The documents with this stem. Removed documents stay in this list until the next compaction.
    pub(super) postings: Vec<Posting>,
    /// Live documents with this stem.
    pub(super) doc_freq: u32,
    /// Live documents that contain exactly this word.
    pub(super) word_freq: u32,
    is_frequent: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Posting {
    pub(super) document: u32,
    /// From 0 to 1 in steps of 1/65,535.
    pub(super) weight: u16,
}

/// All listings as they are searched: the Live ones, and those that are gated or run locally. Documents are numbered; a number is reused only after a compaction.
#[derive(Clone, Debug, Default)]
pub struct Index {
    is_light: bool,
    pub(super) terms: IndexMap<Box<str>, Term>,
    /// One per term, in a separate column, because a spelling correction scans all of them.
    shapes: Vec<WordShape>,
    listings: Vec<Option<Document>>,
    pub(super) embeddings: EmbeddingMatrix<WIDTH>,
    buckets: HashMap<HashPrefix, LoadedBucket>,
    names: NameHashes,
    by_name: NameOrder,
    live_count: usize,
    /// Live documents with words. In a light index, these are a sample of the documents.
    described_count: usize,
    /// For an index of candidates: the number of documents in the whole index, whose frequencies its terms have.
    whole_count: Option<usize>,
    /// Live documents by kind and by how they are shown; a few entries.
    counts: Vec<((Kind, Availability), usize)>,
    /// Words of at least [`MIN_FREQUENT_DOCS`] documents, among which related terms are found.
    frequent_words: Vec<u32>,
    frequent_embeddings: EmbeddingMatrix<WORD_WIDTH>,
}

#[derive(Clone, Debug)]
struct Document {
    listing: IndexedListing,
    stems: Box<[u32]>,
    words: Box<[u32]>,
}

#[derive(Clone, Debug)]
struct LoadedBucket {
    version: u64,
    listings: Vec<u32>,
}

impl Index {
    /// An index that finds no documents by words or by meaning.
    pub fn light() -> Self {
        Self { is_light: true, ..Self::default() }
    }

    /// An index of candidates. It ranks them like the whole index, because its words are as frequent as in `whole`.
    pub fn of_candidates(candidates: Vec<Bucket>, whole: &Self) -> Self {
        let mut index = Self::default();
        candidates.into_iter().for_each(|bucket| drop(index.append(bucket)));
        for (word, term) in &mut index.terms {
            term.doc_freq = term.doc_freq.max(whole.doc_freq(word));
            term.word_freq = term.word_freq.max(whole.word_freq(word));
        }
        index.whole_count = Some(whole.len());
        index
    }

    /// The number of documents on which the frequencies of terms are based.
    pub(super) fn frequency_base(&self) -> usize {
        self.whole_count.unwrap_or(self.live_count)
    }

    /// Live documents, without the removed ones.
    pub const fn len(&self) -> usize {
        self.live_count
    }

    pub const fn is_empty(&self) -> bool {
        self.live_count == 0
    }

    /// The version at which a bucket was loaded; `None` where it is not loaded.
    pub fn version(&self, prefix: HashPrefix) -> Option<u64> {
        self.buckets.get(&prefix).map(|loaded| loaded.version)
    }

    pub fn prefixes(&self) -> impl Iterator<Item = HashPrefix> {
        self.buckets.keys().copied()
    }

    pub fn put(&mut self, prefix: HashPrefix, version: u64, bucket: Bucket) {
        self.remove(prefix);
        let numbers = self.append(bucket);
        self.by_name.insert(numbers.clone(), |number| sort_key(&self.listings, number));
        self.buckets.insert(prefix, LoadedBucket { version, listings: numbers });
    }

    fn append(&mut self, bucket: Bucket) -> Vec<u32> {
        let term_numbers: Vec<u32> =
            bucket.dictionary.into_iter().map(|word| self.term_number(word)).collect();
        let mut numbers = Vec::with_capacity(bucket.entries.len());
        for entry in bucket.entries {
            let number = u32::try_from(self.listings.len()).unwrap_or(u32::MAX);
            let stems: Box<[u32]> =
                entry.stems.iter().map(|(place, _)| term_numbers[*place as usize]).collect();
            for (stem, (_, part)) in stems.iter().zip(&entry.stems) {
                let term = &mut self.terms[*stem as usize];
                if !self.is_light {
                    term.postings.push(Posting { document: number, weight: *part });
                }
                term.doc_freq += 1;
            }
            let words: Box<[u32]> = entry.words.iter().map(|place| term_numbers[*place as usize]).collect();
            for word in &words {
                self.terms[*word as usize].word_freq += 1;
                self.note_frequent_word(*word);
            }
            if !self.is_light {
                self.embeddings.push(&entry.embedding);
            }
            self.described_count += usize::from(!words.is_empty());
            self.names.push(number, entry.listing.names());
            self.change_count(&entry.listing, 1);
            self.listings.push(Some(Document { listing: entry.listing, stems, words }));
            numbers.push(number);
        }
        self.live_count += numbers.len();
        numbers
    }

    pub(super) fn shrink(&mut self) {
        for term in self.terms.values_mut() {
            term.postings.shrink_to_fit();
        }
        self.shapes.shrink_to_fit();
        self.listings.shrink_to_fit();
        self.embeddings.shrink();
        self.names.shrink();
        self.by_name.shrink();
    }

    /// Marks a version that cannot be read as loaded: keeps the loaded bucket, or an empty one.
    pub fn stand_in(&mut self, prefix: HashPrefix, version: u64) {
        let empty = LoadedBucket { version, listings: Vec::new() };
        self.buckets.entry(prefix).or_insert(empty).version = version;
    }

    pub fn remove(&mut self, prefix: HashPrefix) {
        let Some(loaded) = self.buckets.remove(&prefix) else { return };
        self.by_name.remove(&loaded.listings);
        for number in loaded.listings {
            let Some(document) = self.listings[number as usize].take() else { continue };
            for stem in &document.stems {
                self.terms[*stem as usize].doc_freq -= 1;
            }
            for word in &document.words {
                self.terms[*word as usize].word_freq -= 1;
            }
            self.live_count -= 1;
            self.described_count -= usize::from(!document.words.is_empty());
            self.change_count(&document.listing, -1);
        }
        let removed = self.listings.len() - self.live_count;
        if removed > MAX_REMOVED && removed * 3 > self.listings.len() {
            self.compact();
        }
    }

    /// The number of a term, which may be in no live document.
    pub(super) fn find(&self, term: &str) -> Option<u32> {
        self.terms.get_index_of(term).and_then(|place| u32::try_from(place).ok())
    }

    pub(super) fn written_words(
        &self,
        passes: impl Fn(WordShape) -> bool,
    ) -> impl Iterator<Item = (&str, WordShape, &Term)> {
        let shapes = self.shapes.iter().copied().enumerate().filter(move |(_, shape)| passes(*shape));
        let words = shapes.filter_map(|(place, shape)| Some((shape, self.terms.get_index(place)?)));
        words.filter(|(_, (_, term))| term.word_freq > 0).map(|(shape, (word, term))| (&**word, shape, term))
    }

    pub(super) fn has_stem(&self, number: usize, stem: u32) -> bool {
        self.document(number).is_some_and(|document| document.stems.contains(&stem))
    }

    /// Whether a document contains a word as it is written.
    pub(super) fn has_word(&self, number: usize, word: &str) -> bool {
        let Some(word) = self.find(word) else { return false };
        self.document(number).is_some_and(|document| document.words.contains(&word))
    }

    fn document(&self, number: usize) -> Option<&Document> {
        self.listings.get(number).and_then(Option::as_ref)
    }

    pub(super) fn doc_freq(&self, stem: &str) -> u32 {
        self.terms.get(stem).map_or(0, |term| self.scaled(term.doc_freq))
    }

    pub(super) fn word_freq(&self, word: &str) -> u32 {
        self.terms.get(word).map_or(0, |term| self.scaled(term.word_freq))
    }

    /// A number of documents of the sample of a light index, as a number of all documents.
    fn scaled(&self, documents: u32) -> u32 {
        if !self.is_light || self.described_count == 0 {
            return documents;
        }
        let scaled = u64::from(documents) * self.live_count as u64 / self.described_count as u64;
        u32::try_from(scaled).unwrap_or(u32::MAX)
    }

    /// Document numbers in use, including removed documents: the length of a table by document number.
    pub(super) const fn slots(&self) -> usize {
        self.listings.len()
    }

    /// `None` for a removed document.
    pub(super) fn listing(&self, number: usize) -> Option<&IndexedListing> {
        self.listings.get(number)?.as_ref().map(|document| &document.listing)
    }

    /// The number of documents that a list contains.
    pub(super) fn listed_count(&self, kind: Option<Kind>, listed: Listed) -> usize {
        let counted =
            |(of, shown): (Kind, Availability)| kind.is_none_or(|kind| kind == of) && listed.admits(shown);
        self.counts.iter().filter(|(shown, _)| counted(*shown)).map(|(_, count)| count).sum()
    }

    fn change_count(&mut self, listing: &IndexedListing, change: isize) {
        let shown = (listing.kind, listing.shown);
        match self.counts.iter_mut().find(|(known, _)| *known == shown) {
            Some((_, count)) => *count = count.saturating_add_signed(change),
            None => self.counts.push((shown, usize::try_from(change).unwrap_or_default())),
        }
    }

    /// The documents in the order of lists that come after a sort key; all for `None`.
    pub(super) fn by_name(&self, after: Option<(&str, &str)>) -> impl Iterator<Item = &IndexedListing> {
        let numbers = self
            .by_name
            .from(|number| after.is_some_and(|after| sort_key(&self.listings, number) <= Some(after)));
        numbers.iter().filter_map(|number| self.listing(*number as usize))
    }

    pub fn listings(&self) -> impl Iterator<Item = (usize, &IndexedListing)> {
        (0..self.listings.len()).filter_map(|number| Some((number, self.listing(number)?)))
    }

    /// All documents with one of these names, and by hash collision possibly others.
    pub(super) fn named<'a>(&'a self, names: [&str; 2]) -> impl Iterator<Item = (usize, &'a IndexedListing)> {
        self.names.documents(names).filter_map(|number| Some((number, self.listing(number)?)))
    }

    /// The stems of the frequent words most similar to `word`, other than its own stem, with their similarity.
    pub(super) fn related_terms(&self, word: &str, own: &str) -> Vec<(String, f32)> {
        let vector = embedding::normalized(embedding::word_vector(word));
        let mut near: Vec<(f32, u32)> = self
            .frequent_embeddings
            .similarities(&vector)
            .into_iter()
            .zip(&self.frequent_words)
            .filter(|(near, _)| *near >= MIN_SIMILARITY)
            .map(|(n, w)| (n, *w))
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        near.truncate(MAX_RELATED + EXTRA_RELATED);
        let named = near.into_iter().filter_map(|(near, word)| {
            let (word, term) = self.terms.get_index(word as usize)?;
            let stem = stem(word);
            (term.word_freq >= MIN_FREQUENT_DOCS && stem != own).then_some((stem, near))
        });
        named.take(MAX_RELATED).collect()
    }

    /// Adds a word to the frequent words once enough documents contain it.
    fn note_frequent_word(&mut self, place: u32) {
        let Some((word, term)) = self.terms.get_index_mut(place as usize) else { return };
        let plain = self.shapes[place as usize].is_plain()
            && word.len() > 2
            && !is_stop_word(word)
            && !is_generic(word);
        let is_full = self.frequent_words.len() >= MAX_FREQUENT;
        if term.word_freq < MIN_FREQUENT_DOCS || term.is_frequent || !plain || is_full {
            return;
        }
        term.is_frequent = true;
        self.frequent_words.push(place);
        self.frequent_embeddings.push(&embedding::quantised_word(word));
    }

    fn term_number(&mut self, word: String) -> u32 {
        let shapes = &mut self.shapes;
        let shape = WordShape::of(&word);
        let term = self.terms.entry(word.into_boxed_str());
        let place = term.index();
        term.or_insert_with(|| {
            shapes.push(shape);
            Term::default()
        });
        u32::try_from(place).unwrap_or(u32::MAX)
    }

    /// Drops the terms that no document contains, and renumbers the others.
    fn drop_unused_terms(&mut self) {
        let is_used = |term: &Term| term.doc_freq > 0 || term.word_freq > 0 || term.is_frequent;
        let new_numbers = renumbered(self.terms.values().map(is_used));
        let mut stays = new_numbers.iter().map(Option::is_some);
        self.terms.retain(|_, _| stays.next().unwrap_or(true));
        let mut stays = new_numbers.iter().map(Option::is_some);
        self.shapes.retain(|_| stays.next().unwrap_or(true));
        let documents = self.listings.iter_mut().flatten();
        let numbers = documents.flat_map(|document| document.stems.iter_mut().chain(&mut document.words));
        for number in numbers.chain(&mut self.frequent_words) {
            *number = new_numbers[*number as usize].unwrap_or_default();
        }
    }

    /// Renumbers the live documents and drops the removed ones, and the terms that were only in these.
    fn compact(&mut self) {
        let new_numbers = renumbered(self.listings.iter().map(Option::is_some));
        let new_number = |number: u32| new_numbers[number as usize];
        for term in self.terms.values_mut() {
            term.postings.retain_mut(|posting| {
                new_number(posting.document).inspect(|number| posting.document = *number).is_some()
            });
        }
        for loaded in self.buckets.values_mut() {
            loaded.listings = loaded.listings.iter().filter_map(|number| new_number(*number)).collect();
        }
        self.embeddings = self.embeddings.retained(|number| new_numbers[number].is_some());
        self.by_name.renumber(new_number);
        self.listings.retain(Option::is_some);
        self.names = NameHashes::default();
        for (number, document) in (0..).zip(self.listings.iter().flatten()) {
            self.names.push(number, document.listing.names());
        }
        self.drop_unused_terms();
    }
}

/// Numbers those that stay anew, in their order; `None` for the others.
fn renumbered(stays: impl Iterator<Item = bool>) -> Vec<Option<u32>> {
    let mut next = 0;
    let number = |stays: bool| {
        let number = stays.then_some(next);
        next += u32::from(stays);
        number
    };
    stays.map(number).collect()
}

#[cfg(test)]
impl Index {
    pub(super) fn with(mut self, entries: impl IntoIterator<Item = IndexEntry>) -> Self {
        let entries = entries.into_iter().collect();
        for (prefix, bytes) in Bucket::default().changed(HashPrefix::default(), entries, &[]).unwrap() {
            self.put(prefix, 1, Bucket::read(&bytes).unwrap());
        }
        self
    }
}

fn sort_key(listings: &[Option<Document>], number: u32) -> Option<(&str, &str)> {
    listings.get(number as usize)?.as_ref().map(|document| document.listing.sort_key())
}

/// What a query searches: the index of all listings, or candidates from a search backend next to it.
#[derive(Clone, Copy)]
pub(super) struct IndexView<'a> {
    pub(super) whole: &'a Index,
    /// They may have words that the sample in `whole` lacks.
    pub(super) candidates: Option<&'a Index>,
}

impl<'a> From<&'a Index> for IndexView<'a> {
    fn from(whole: &'a Index) -> Self {
        Self { whole, candidates: None }
    }
}

impl<'a> IndexView<'a> {
    /// The documents that may be hits.
    pub(super) fn documents(self) -> &'a Index {
        self.candidates.unwrap_or(self.whole)
    }

    pub(super) fn doc_freq(self, stem: &str) -> u32 {
        self.whole.doc_freq(stem).max(self.candidates.map_or(0, |index| index.doc_freq(stem)))
    }

    pub(super) fn word_freq(self, word: &str) -> u32 {
        self.whole.word_freq(word).max(self.candidates.map_or(0, |index| index.word_freq(word)))
    }
}

#[cfg(test)]
mod tests;
