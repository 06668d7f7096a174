//! Splits texts into words and reduces words to stems. Listings and queries use the same rules, because terms
//! that are split or stemmed differently never match. It also has the forms of a listing's name that a search compares:
//! without the owner, as separate words, and as people type it.

use std::collections::HashSet;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// The words of a text in lower case. Apostrophes are dropped; other characters than letters and digits separate words.
pub(super) fn words(text: &str) -> Vec<String> {
    tokens(text).iter().map(|word| word.to_lowercase()).collect()
}

/// The words of a name, where `ListPullRequests` returns the whole word and each of its parts.
pub(super) fn words_of_name(name: &str) -> Vec<String> {
    let mut all = Vec::new();
    for word in tokens(name) {
        all.push(word.to_lowercase());
        let parts = camel_parts(&word);
        if parts.len() > 1 {
            all.extend(parts.into_iter().filter(|part| part.chars().count() > 1).map(str::to_lowercase));
        }
    }
    all
}

/// The stem of a word in lower case (Snowball, English). Numbers and words of other scripts are their own stems.
pub fn stem(word: &str) -> String {
    if word.bytes().all(|b| b.is_ascii_alphanumeric()) && !word.bytes().all(|b| b.is_ascii_digit()) {
        ENGLISH.stem(word).into_owned()
    } else {
        word.to_owned()
    }
}

/// Whether a word is of the letters a to z only.
pub(super) fn is_plain(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_lowercase())
}

/// The letters of a word (one bit for each letter of the alphabet) and its length. They allow a quick check whether two
/// words differ by too many edits.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordShape {
    /// 0 for a word that is not [plain](is_plain).
    letters: u32,
    /// At most 255.
    length: u8,
}

impl WordShape {
    pub(super) fn of(word: &str) -> Self {
        let letters = || word.bytes().fold(0, |set, letter| set | 1 << (letter - b'a'));
        Self {
            letters: if is_plain(word) { letters() } else { 0 },
            length: u8::try_from(word.len()).unwrap_or(u8::MAX),
        }
    }

    pub(super) const fn is_plain(self) -> bool {
        self.letters != 0
    }

    /// False if the words differ by more edits, or one is not plain. An edit changes at most two letters of the set, and the
    /// length by at most one.
    pub(super) const fn may_be_within(self, other: Self, edits: usize) -> bool {
        self.is_plain()
            && other.is_plain()
            && (self.letters ^ other.letters).count_ones() as usize <= 2 * edits
            && self.length.abs_diff(other.length) as usize <= edits
    }
}

fn tokens(text: &str) -> Vec<String> {
    let bound: String = text.chars().filter(|c| !matches!(c, '\'' | '\u{2019}')).collect();
    let words = bound.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// The parts of a camel-case word: cut before a capital that follows a small letter or digit, and before the last of
/// several capitals that a small letter follows.
fn camel_parts(word: &str) -> Vec<&str> {
    let letters: Vec<(usize, char)> = word.char_indices().collect();
    let small = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let mut cuts = vec![0];
    for window in 1..letters.len() {
        let (before, (at, here)) = (letters[window - 1].1, letters[window]);
        let after = letters.get(window + 1).map(|letter| letter.1);
        let rises = small(before) && here.is_ascii_uppercase();
        let ends_capitals = before.is_ascii_uppercase()
            && here.is_ascii_uppercase()
            && after.is_some_and(|after| after.is_ascii_lowercase());
        if rises || ends_capitals {
            cuts.push(at);
        }
    }
    cuts.iter().enumerate().map(|(n, from)| &word[*from..*cuts.get(n + 1).unwrap_or(&word.len())]).collect()
}

/// The name without its owner, and the owner: `io.github.acme/weather`, `com.acme.weather`, `@acme/weather`.
pub(super) fn name_and_owner(name: &str) -> (&str, &str) {
    let name = name.trim_start_matches('@');
    if let Some((owner, name)) = name.split_once('/') {
        return (name, owner);
    }
    match name.rsplit_once('.') {
        Some((owner, last)) if owner.contains('.') && !name.contains(' ') => (last, owner),
        _ => (name, ""),
    }
}

/// A name as words, without its owner: `acme/cloudWatch-logs` as `cloud Watch logs`.
pub(super) fn display_name(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or_default();
    let mut shown = String::with_capacity(name.len() + 4);
    let mut before = ' ';
    for c in name.chars() {
        if c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
            shown.push(' ');
        }
        shown.push(if c.is_alphanumeric() { c } else { ' ' });
        before = c;
    }
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The letters and digits of a name, without a suffix such as `mcp server`.
pub(super) fn short_name(name: &str) -> String {
    let joined = words(name).concat();
    let suffixes = ["mcpserver", "mcp", "server"];
    let bare = suffixes.iter().find_map(|suffix| joined.strip_suffix(suffix)).filter(|bare| !bare.is_empty());
    bare.map(str::to_owned).unwrap_or(joined)
}

/// English function words, and words of requests. They are ignored in listings and in queries.
const STOP_WORDS: &str = "a an the and or of to in on at by for with from as is are be been was were am it its this that \
    these those i you he she we they me my your his her our their us them do does did doing have has had having can \
    could will would shall should may might must not no so if then than there here what which who whom whose where \
    when why how about into over under up down out off again more most some any all each other another such only own \
    same too very just also via using use uses used get gets let lets want need needs like please help make makes s t \
    d ll m re ve";

/// Words that only say that the caller searches for something. They are removed from a query only if it also contains a more
/// specific word.
const GENERIC_WORDS: &str = "find look looking show give tell something someone somebody way good best able tool tools app \
    service server servers mcp mcps agent agents assistant ai";

static STOP_WORD_SET: LazyLock<HashSet<&'static str>> = LazyLock::new(|| STOP_WORDS.split(' ').collect());
static GENERIC_SET: LazyLock<HashSet<&'static str>> = LazyLock::new(|| GENERIC_WORDS.split(' ').collect());

/// Whether an English word says little about a subject, such as "the" or "need".
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORD_SET.contains(word)
}

pub(super) fn is_generic(word: &str) -> bool {
    GENERIC_SET.contains(word)
}

#[cfg(test)]
mod tests;
