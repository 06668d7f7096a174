//! Corrects the spelling of queries with the words of listings. A word is corrected only if it is in no
//! dictionary and in few listings. So the name of a product is not replaced by a more frequent word.

use super::embedding;
use super::parsed_query::Vocabulary;
use super::stop_words::is_stop_word;
use super::words::{WordShape, is_plain, stem};

/// A word that is in more documents than this is never corrected.
const MAX_FREQ: u32 = 5;
/// A word that some documents contain is corrected only to a word that is this many times as frequent.
const MIN_FREQ_RATIO: u32 = 15;
/// Words of up to this many letters are corrected by one edit, longer ones by more.
const MAX_ONE_EDIT_LEN: usize = 5;

/// The word that the caller probably meant by the misspelled `word`, and the number of edits between the two.
pub(super) fn corrected<'a>(index: Vocabulary<'a>, word: &str) -> Option<(&'a str, usize)> {
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

fn nearest<'a>(index: Vocabulary<'a>, word: &str) -> Option<Candidate<'a>> {
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
        let Some(edits) = edits(word.as_bytes(), other.as_bytes(), max) else { continue };
        if is_stop_word(other) || (term.word_freq < 2 && !embedding::is_ordinary(other)) {
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

/// The edit distance with transpositions (optimal string alignment); `None` where it is above `max`.
fn edits(a: &[u8], b: &[u8], max: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > max {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let changed = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = changed.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        if row.iter().min().is_some_and(|least| *least > max) {
            return None;
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|edits| *edits <= max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_counts_two_swapped_letters_as_one_edit() {
        let between = |a: &str, b: &str| edits(a.as_bytes(), b.as_bytes(), 2);
        assert_eq!(between("kubernets", "kubernetes"), Some(1));
        assert_eq!(between("gihtub", "github"), Some(1));
        assert_eq!(between("pyhton", "python"), Some(1));
        assert_eq!(between("slack", "slack"), Some(0));
        assert_eq!(between("calender", "weather"), None);
        assert_eq!(between("ab", "abcdef"), None);
    }

    #[test]
    fn words_that_sound_similar_have_the_same_phonetic_key() {
        let alike = |a: &str, b: &str| skeleton(a).eq(skeleton(b));
        assert!(alike("calender", "calendar") && alike("managment", "management"));
        assert!(!alike("weather", "whether"));
    }
}
