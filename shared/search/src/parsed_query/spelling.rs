//! Corrects the spelling of queries with the words of listings. A word is corrected only if it is in no
//! dictionary and in few listings. So the name of a product is not replaced by a more frequent word.

use crate::embedding;
use crate::index_view::IndexView;
use crate::stop_words::is_stop_word;
use crate::words::{WordShape, is_plain, stem};

/// A word that is in more documents than this is never corrected.
const MAX_FREQ: u32 = 5;
/// A word that some documents contain is corrected only to a word that is this many times as frequent.
const MIN_FREQ_RATIO: u32 = 15;
/// Words of up to this many letters are corrected by one edit, longer ones by more.
const MAX_ONE_EDIT_LEN: usize = 5;

/// The word that the caller probably meant by the misspelled `word`, and the number of edits between the two.
pub(super) fn corrected<'a>(index: IndexView<'a>, word: &str) -> Option<(&'a str, usize)> {
    if word.len() < 4 || !is_plain(word) || is_stop_word(word) || embedding::is_ordinary(word) {
        return None;
    }
    let word_freq = index.word_freq(word);
    if word_freq > MAX_FREQ {
        return None;
    }
    let best = nearest(index, word)?;
    // An inflected form needs no correction: its stem is the same.
    if stem(best.word) == stem(word) {
        return None;
    }
    let is_unknown = word_freq == 0;
    let likely =
        best.edits == 1 && best.word_freq >= MIN_FREQ_RATIO * word_freq && !best.word.starts_with(word);
    (is_unknown || likely).then_some((best.word, best.edits))
}

#[derive(Clone, Copy)]
struct Candidate<'a> {
    word: &'a str,
    word_freq: u32,
    edits: usize,
    rank: f32,
}

fn nearest<'a>(index: IndexView<'a>, word: &str) -> Option<Candidate<'a>> {
    let (shape, first) = (WordShape::of(word), word.as_bytes().first());
    let max = if word.len() <= MAX_ONE_EDIT_LEN { 1 } else { 3 };
    let mut best: Option<Candidate<'a>> = None;
    // The expensive checks come last, for the few words that are near.
    for (other, other_shape, term) in index.whole.written_words(|other| shape.may_be_within(other, max)) {
        let other_first = other.as_bytes().first() != first;
        let one_edit = other_first || word.len() <= MAX_ONE_EDIT_LEN;
        if (one_edit && !shape.may_be_within(other_shape, 1)) || other.len() < 4 || other == word {
            continue;
        }
        let same_skeleton = skeleton(word).eq(skeleton(other));
        let max = match (one_edit, same_skeleton) {
            (true, _) => 1,
            (_, true) => 3,
            _ => 2,
        };
        if !shape.may_be_within(other_shape, max) {
            continue;
        }
        // The edit distance with transpositions (optimal string alignment).
        let edits = strsim::osa_distance(word, other);
        if edits > max || is_stop_word(other) || (term.word_freq < 2 && !embedding::is_ordinary(other)) {
            continue;
        }
        let mut rank = (1.0 + term.word_freq as f32).ln() - 4.0 * edits as f32;
        rank += f32::from(u8::from(same_skeleton)) - 1.5 * f32::from(u8::from(other_first));
        let candidate = Candidate { word: other, word_freq: term.word_freq, edits, rank };
        if best.is_none_or(|best| (best.rank, best.word) < (rank, other)) {
            best = Some(candidate);
        }
    }
    best
}

/// A phonetic key: the first letter and the consonants, those that sound alike folded into one.
fn skeleton(word: &str) -> impl Iterator<Item = u8> {
    let mut last = None;
    word.bytes().filter_map(move |letter| {
        if b"aeiouy".contains(&letter) && last.is_some() {
            return None;
        }
        let sound = match letter {
            b'z' => b's',
            b'k' | b'q' => b'c',
            b'v' => b'f',
            other => other,
        };
        let repeated = last.replace(sound) == Some(sound);
        (!repeated).then_some(sound)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_counts_two_swapped_letters_as_one_edit() {
        let between = strsim::osa_distance;
        assert_eq!(between("kubernets", "kubernetes"), 1);
        assert_eq!(between("gihtub", "github"), 1);
        assert_eq!(between("pyhton", "python"), 1);
        assert_eq!(between("slack", "slack"), 0);
        assert!(between("calender", "weather") > 2 && between("ab", "abcdef") > 2);
    }

    #[test]
    fn words_that_sound_similar_have_the_same_phonetic_key() {
        let alike = |a: &str, b: &str| skeleton(a).eq(skeleton(b));
        assert!(alike("calender", "calendar") && alike("managment", "management"));
        assert!(!alike("weather", "whether"));
    }
}
