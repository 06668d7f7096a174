//! Analyzes the texts of a listing with word lists and stems. It finds what two abilities have in common, the
//! subject of a goal, and verbs of a change. No verb makes a call count as harmless. The same texts always give the same result.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

/// Verbs of names that contradict a declaration as read-only, or that a person should read before a call.
const CHANGING: &str = "book buy cancel charge click create delete deploy destroy drop eval evaluate execute install \
    invoke merge modify overwrite pay patch post publish purchase purge put remove rename run send set submit transfer \
    update upload wipe withdraw write";

const SECRETS: &str = "credential credentials env envs envvar envvars environ keys passphrase password passwords passwd \
    printenv secret secrets token tokens";

/// Words before a key that is a secret: an access key, but not the key of an entry.
const KEY_OF: &str = "access api auth encryption license private secret signing ssh";

/// Verbs that names and descriptions of abilities begin with.
const VERB_LIST: &str = include_str!("../files/verbs.txt");

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));
static PLAIN_VERBS: LazyLock<HashSet<&str>> = LazyLock::new(|| VERB_LIST.split_whitespace().collect());
static VERBS: LazyLock<HashSet<String>> = LazyLock::new(|| VERB_LIST.split_whitespace().map(stem).collect());
static STOP_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("../files/stop_words.txt").split_whitespace().collect());
static CHANGING_STEMS: LazyLock<HashMap<String, &str>> =
    LazyLock::new(|| CHANGING.split_whitespace().map(|verb| (stem(verb), verb)).collect());

fn stem(word: &str) -> String {
    STEMMER.stem(word).into_owned()
}

/// The words of a text in lower case; names in camel or snake case are split.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    // "getForecast" is two words; "arXiv" and "iOS" are one, because too few letters precede the capital.
    let (mut run, mut parted) = (0_u8, false);
    for c in text.chars().take(600) {
        let parts = c.is_uppercase() && (run > 2 || (parted && run > 0));
        if (parts || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
            parted = parts;
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        run = if c.is_lowercase() || c.is_ascii_digit() { run.saturating_add(1) } else { 0 };
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The words that describe a subject, in order, each once.
pub(super) fn subject_words(text: &str) -> Vec<String> {
    let mut known = HashSet::new();
    // Adverbs say how, not what; few short words in -ly are adverbs.
    let adverb = |word: &str| word.len() > 8 && word.ends_with("ly");
    let tells =
        |word: &String| word.chars().count() > 2 && !STOP_WORDS.contains(word.as_str()) && !adverb(word);
    words(text).into_iter().filter(|word| tells(word) && known.insert(stem(word))).collect()
}

pub(super) fn subject(text: &str) -> BTreeSet<String> {
    subject_words(text).iter().map(|word| stem(word)).collect()
}

pub(super) fn is_verb(word: &str) -> bool {
    VERBS.contains(&stem(word))
}

/// Whether the words begin with a verb in its base form: "search papers", but not "searching".
pub(super) fn commands(words: &[String]) -> bool {
    words.first().is_some_and(|word| PLAIN_VERBS.contains(word.as_str()))
}

/// The first verb among the words, if it is one of a change. A participle is no verb: "signed assessment" does not sign.
pub(super) fn changing_verb(words: &[String]) -> Option<&'static str> {
    let first = words.iter().find(|word| !word.ends_with("ed") && is_verb(word))?;
    CHANGING_STEMS.get(&stem(first)).copied()
}

/// The first word for secrets in a text. A call that only reads can reveal them.
pub(super) fn secret(text: &str) -> Option<&'static str> {
    let words: Vec<String> = sentences(text).iter().flat_map(|sentence| words(sentence)).collect();
    let word = words.iter().find_map(|word| SECRETS.split_whitespace().find(|secret| secret == word));
    let pair = || {
        words.windows(2).find_map(|pair| match pair {
            [one, two] if one == "environment" && two.starts_with("variable") => {
                Some("environment variables")
            }
            [one, two] if two == "key" && KEY_OF.split_whitespace().any(|of| of == one) => Some("key"),
            _ => None,
        })
    };
    word.or_else(pair)
}

pub(super) fn sentences(text: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut sentence = String::new();
    let mut rest = text.chars().take(2000).peekable();
    while let Some(c) = rest.next() {
        let breaks = matches!(c, '\n' | '\r');
        if !breaks {
            sentence.push(c);
        }
        // "e.g. this" and "U.S. parks" continue: the word before the dot is too short to end a sentence.
        let closes = matches!(c, '.' | '!' | '?') && rest.peek().is_none_or(|next| next.is_whitespace());
        let last = || {
            sentence.rsplit([' ', '.']).find(|part| !part.is_empty()).map_or(0, |part| part.chars().count())
        };
        let ends = closes && last() > 2;
        if ends || breaks || rest.peek().is_none() {
            let text = sentence.trim().trim_end_matches('.').trim().to_owned();
            sentence.clear();
            if text.chars().any(char::is_alphanumeric) {
                sentences.push(text);
            }
        }
    }
    sentences
}

#[cfg(test)]
mod tests;
