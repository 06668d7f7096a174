//! Splits a text into words and reduces each word to its stem. The rules are for English: a request in
//! another language is recognized (`meaning`), but what writes is not run, except to publish a URL (`command::requests`).

use std::ops::Range;

use registry_search::stem;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// In lower case, without apostrophes.
    pub(super) low: String,
    /// The same for all forms of the word.
    pub(super) stem: String,
    /// Begins with a capital letter and is not an acronym.
    pub(super) capital: bool,
    /// Whether it is the first word of its clause.
    pub(super) starts_clause: bool,
    pub(super) sentence: usize,
    /// Byte range in the text.
    pub(super) at: Range<usize>,
}

const POLITE: &str = "please pls plz kindly thanks thank thx hello hi hey dear cheers";

/// Words without a meaning of their own.
const STOP_WORDS: &str = "a about all also am an and any are as at be been being but by can could did do \
    does for from get give had has have i in is it its just me my no not now of on or our so some tell that \
    the then there these this to us was we what which with would yes you";

/// Words of a sentence that only says thanks.
const MAX_THANKS: usize = 5;

pub(super) fn lists(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

impl Word {
    fn read(text: &str, at: Range<usize>, starts_clause: bool, sentence: usize) -> Self {
        let raw = &text[at.clone()];
        let low = plain(raw);
        let mut letters = raw.chars();
        let capital = letters.next().is_some_and(char::is_uppercase)
            && (letters.clone().next().is_none() || letters.any(char::is_lowercase));
        Self { stem: stem(&low), capital, starts_clause, sentence, at, low }
    }

    /// Whether the word can be part of any message.
    pub(super) fn is_polite(&self) -> bool {
        lists(POLITE, &self.low)
    }

    pub(super) fn is_significant(&self) -> bool {
        !lists(STOP_WORDS, &self.low) && !self.is_polite()
    }
}

/// Whether a sentence only says thanks.
pub(super) fn is_thanks(words: &[Word], sentence: usize) -> bool {
    let mut own = words.iter().filter(|word| word.sentence == sentence);
    own.clone().count() <= MAX_THANKS && own.next().is_some_and(|word| word.low.starts_with("thank"))
}

/// The words of a text from which nothing else is extracted.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut splitter = WordSplitter::default();
    splitter.add(text, 0..text.len());
    splitter.words
}

/// Splits a text into words part by part; the parts left out are URLs, ids and the like.
#[derive(Debug, Default)]
pub(super) struct WordSplitter {
    pub(super) words: Vec<Word>,
    sentence: usize,
    in_clause: bool,
}

impl WordSplitter {
    pub(super) fn add(&mut self, text: &str, part: Range<usize>) {
        let mut start: Option<usize> = None;
        for (offset, c) in text[part.clone()].char_indices() {
            let at = part.start + offset;
            if c.is_alphanumeric() || (matches!(c, '\'' | '’') && start.is_some()) {
                start.get_or_insert(at);
                continue;
            }
            self.end_word(text, start.take(), at);
            let after_blank = text[..at].ends_with(char::is_whitespace);
            match c {
                '-' if after_blank => self.in_clause = false,
                '.' | '!' | '?' | ';' | '\n' => {
                    self.sentence += 1;
                    self.in_clause = false;
                }
                ',' | ':' | '(' | ')' | '–' | '—' | '>' | '*' => self.in_clause = false,
                _ => {}
            }
        }
        self.end_word(text, start, part.end);
    }

    fn end_word(&mut self, text: &str, start: Option<usize>, end: usize) {
        if let Some(start) = start {
            self.words.push(Word::read(text, start..end, !self.in_clause, self.sentence));
            self.in_clause = true;
        }
    }
}

/// Lower case without apostrophes; short forms are cut: `what's` becomes `what`, `don't` becomes `dont`.
fn plain(raw: &str) -> String {
    let low = raw.to_lowercase().replace('’', "'");
    let low = low.trim_end_matches('\'');
    match low.rsplit_once('\'') {
        None if low == "u" => "you".to_owned(),
        None if low == "ur" => "your".to_owned(),
        Some((head, "s" | "d" | "ll" | "re" | "ve" | "m")) => head.to_owned(),
        _ => low.replace('\'', ""),
    }
}
