//! What a query searches: the index of all listings, or candidates from a search backend next to it.

use super::index::Index;

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
