//! What people say and what catalogues write: "where is my parcel" and "shipment tracking". A question is held against
//! every phrase of the book by meaning, so it need not be in the book's own words.

use std::sync::LazyLock;

use super::meaning::{self, Directions};
use super::words::{stem, words};

/// A phrase must be so near to a question. Below, most of what is near only has the same manner of asking.
const NEAR: f32 = 0.6;
/// At most so many needs are behind a question, each at least this part as likely as the likeliest.
const NEEDS: usize = 2;
const AS_LIKELY: f32 = 0.8;

static BOOK: LazyLock<Book> = LazyLock::new(|| Book::read(include_str!("../../assets/phrasebook.txt")));

/// What people need, as catalogues write it.
#[derive(Clone, Debug)]
pub(super) struct Need {
    /// The words, the most telling first.
    pub(super) words: Vec<String>,
    /// Their stems.
    pub(super) stems: Vec<String>,
    /// What they are about.
    pub(super) direction: Vec<f32>,
}

/// A need that may be behind a question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Behind {
    /// The need.
    pub(super) need: &'static Need,
    /// How likely it is meant, from 0 to 1.
    pub(super) likely: f32,
}

/// Reads the book, if nobody has yet.
pub(super) fn open() {
    LazyLock::force(&BOOK);
}

/// The needs that may be behind what is asked, the likeliest first.
pub(super) fn behind(asked: &[f32]) -> Vec<Behind> {
    let mut nearest = vec![0.0_f32; BOOK.needs.len()];
    for (near, need) in BOOK.phrases.nearness(asked).zip(&BOOK.needs_of_phrases) {
        nearest[*need] = nearest[*need].max(near);
    }
    let likely = |near: f32| ((near - NEAR) / (1.0 - NEAR)).min(1.0);
    let mut behind: Vec<Behind> = BOOK
        .needs
        .iter()
        .zip(nearest)
        .filter(|(_, near)| *near > NEAR)
        .map(|(need, near)| Behind { need, likely: likely(near) })
        .collect();
    behind.sort_by(|a, b| b.likely.total_cmp(&a.likely));
    behind.truncate(NEEDS);
    if let Some(likeliest) = behind.first().map(|first| first.likely) {
        behind.retain(|one| one.likely >= AS_LIKELY * likeliest);
    }
    behind
}

#[derive(Debug, Default)]
struct Book {
    needs: Vec<Need>,
    phrases: Directions,
    /// By the number of the phrase.
    needs_of_phrases: Vec<usize>,
}

impl Book {
    fn read(text: &str) -> Self {
        let mut book = Self::default();
        for (said, written) in text.lines().filter_map(entry) {
            let Some(direction) = meaning::direction(written) else { continue };
            for phrase in said.split('|') {
                book.phrases.push(&meaning::of(&[phrase.to_owned()]));
                book.needs_of_phrases.push(book.needs.len());
            }
            let words = words(written);
            let stems = words.iter().map(|word| stem(word)).collect();
            book.needs.push(Need { words, stems, direction });
        }
        book
    }
}

/// `a phrase | another = the words of catalogues`; `#` begins a comment.
fn entry(line: &str) -> Option<(&str, &str)> {
    line.split('#').next().and_then(|line| line.split_once('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(asked: &str) -> Vec<&'static str> {
        let behind = behind(&meaning::direction(asked).unwrap());
        behind.iter().map(|behind| behind.need.words[0].as_str()).collect()
    }

    #[test]
    fn every_line_of_the_book_is_an_entry() {
        let text = include_str!("../../assets/phrasebook.txt");
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((said, written)) = entry(line) else { panic!("no `=` in {line}") };
            assert!((2..=8).contains(&words(written).len()), "2 to 8 words: {line}");
            assert!(said.split('|').all(|phrase| (1..=14).contains(&words(phrase).len())), "{line}");
        }
        assert_eq!(BOOK.needs.len(), text.lines().filter(|line| !line.starts_with('#')).count());
    }

    #[test]
    fn what_is_asked_in_other_words_is_understood() {
        assert!(needs("my order from china is late").contains(&"shipment"));
        assert!(needs("kubernetes").is_empty(), "a catalogue's own word needs no book");
    }

    #[test]
    fn the_likeliest_comes_first_and_few_are_meant() {
        let behind = behind(&meaning::direction("where is my parcel").unwrap());
        assert!((1..=NEEDS).contains(&behind.len()));
        assert!(behind.is_sorted_by(|a, b| a.likely >= b.likely) && behind[0].likely <= 1.0);
    }
}
