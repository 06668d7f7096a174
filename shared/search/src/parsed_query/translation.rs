//! Queries in German, French, Spanish, Italian and Portuguese: words that are common in searches are replaced by the English
//! words that listings use, because the language model is English. `assets/translations.txt` describes the format of the list.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::embedding;
use crate::stop_words::is_stop_word;

static LIST: &str = include_str!("../../assets/translations.txt");

/// A word of the list also stands for words with so many letters more; one with fewer letters than [`MIN_STEM`] for less of them.
const MAX_ENDING: usize = 5;
const MAX_SHORT_ENDING: usize = 2;
const MIN_STEM: usize = 5;
const MIN_LETTERS: usize = 3;
const MAX_LETTERS: usize = 40;
/// One of these words may be part of a query in English, such as `la`.
const MIN_FILLERS: usize = 2;

#[derive(Debug, Default)]
struct Translations {
    /// Words that only ask or connect.
    fillers: HashSet<&'static str>,
    english: HashMap<&'static str, Vec<&'static str>>,
}

static TRANSLATIONS: LazyLock<Translations> = LazyLock::new(|| {
    let mut all = Translations::default();
    let lines = LIST.lines().filter(|line| !line.starts_with('#'));
    for (english, foreign) in lines.filter_map(|line| line.split_once(':')) {
        match english {
            "-" => all.fillers.extend(foreign.split_whitespace()),
            english => {
                let english: Vec<&str> = english.split(' ').collect();
                foreign.split_whitespace().for_each(|word| {
                    all.english.entry(word).or_insert_with(|| english.clone());
                });
            }
        }
    }
    all
});

/// The words of a query in English, as far as they are known; `None` if the query is in English, or if nothing of it is known.
pub(super) fn in_english(words: &[String]) -> Option<Vec<String>> {
    let plain: Vec<String> = words.iter().map(|word| without_accents(word)).collect();
    let is_filler = |word: &str| TRANSLATIONS.fillers.contains(word) && !is_stop_word(word);
    let fillers = plain.iter().filter(|word| is_filler(word)).count();
    if fillers < words.iter().filter(|word| is_stop_word(word)).count() {
        return None;
    }
    // Of words alone, such as "Wetter Berlin", those are translated that are no English words.
    let is_foreign = fillers >= MIN_FILLERS;
    let mut translated: Vec<String> = Vec::new();
    for (word, plain) in words.iter().zip(&plain) {
        let is_kept = !is_foreign && embedding::is_ordinary(word);
        match english_of(plain).filter(|_| !is_kept) {
            Some(english) => translated.extend(english.into_iter().map(str::to_owned)),
            None if is_foreign && TRANSLATIONS.fillers.contains(plain.as_str()) => {}
            None => translated.push(word.clone()),
        }
    }
    (!translated.is_empty() && translated != *words).then_some(translated)
}

/// By the longest word of the list with which it begins, and for a compound such as `Wettervorhersage` by that of its rest. A
/// French or Italian article may be joined to the word, as in `l'avion`.
fn english_of(word: &str) -> Option<Vec<&'static str>> {
    if word.len() > MAX_LETTERS {
        return None;
    }
    let mut ends = (MIN_LETTERS..=word.len()).rev().filter(|end| word.is_char_boundary(*end));
    let known = ends.find_map(|end| {
        let (mut english, rest) = (TRANSLATIONS.english.get(&word[..end])?.clone(), &word[end..]);
        let longest = if end < MIN_STEM { MAX_SHORT_ENDING } else { MAX_ENDING };
        if rest.len() > longest {
            english.extend(english_of(rest.trim_start_matches(['s', 'n']))?);
        }
        Some(english)
    });
    known.or_else(|| english_of(word.strip_prefix(['l', 'd']).filter(|rest| rest.len() >= MIN_STEM)?))
}

fn without_accents(word: &str) -> String {
    let plain = |c: char| match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' => 'a',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => 'o',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        other => other,
    };
    word.chars().map(plain).collect()
}
