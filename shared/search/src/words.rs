//! Splits texts into words and reduces words to stems. Listings and queries use the same rules, because terms
//! that are split or stemmed differently never match.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_contain_only_letters_and_digits() {
        assert_eq!(words("Don't e-mail: K8s/Docker_2!"), ["dont", "e", "mail", "k8s", "docker", "2"]);
        assert_eq!(words("Größe 日本"), ["größe", "日本"]);
        assert!(words(" \u{1F980} ?!").is_empty());
    }

    #[test]
    fn names_are_split_at_capitals() {
        assert_eq!(words_of_name("listPullRequests"), ["listpullrequests", "list", "pull", "requests"]);
        assert_eq!(words_of_name("HTMLParser"), ["htmlparser", "html", "parser"]);
        assert_eq!(words_of_name("arXiv"), ["arxiv", "ar", "xiv"]);
        assert_eq!(words_of_name("plain"), ["plain"]);
    }

    #[test]
    fn quick_comparison_excludes_words_that_are_too_different() {
        let may = |a: &str, b: &str, edits| WordShape::of(a).may_be_within(WordShape::of(b), edits);
        assert!(may("gihtub", "github", 1) && may("kubernets", "kubernetes", 1) && may("slack", "slick", 1));
        assert!(!may("slack", "sleek", 1) && may("slack", "sleek", 2));
        assert!(!may("post", "posters", 2), "three letters longer");
        assert!(!may("k8s", "k8s", 3), "a word with a digit is not corrected");
    }
}
