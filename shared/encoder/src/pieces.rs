//! Splits a text into word pieces like the tokenizer of the model (`WordPiece`, uncased), except that words with an unknown
//! part are left out. The text is changed to lower case without accents. Each word is then split from left to right: the
//! next piece is always the longest piece of the vocabulary that fits.

use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Pieces in the order of the vocabulary; a piece inside a word begins with `##`.
static PIECES: LazyLock<HashMap<&'static str, u32>> =
    LazyLock::new(|| include_str!("../assets/pieces.txt").lines().zip(0..).collect());

/// The length of each piece in bytes, without the mark of a piece inside a word.
static PIECE_LENGTHS: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let lines = include_str!("../assets/pieces.txt").lines();
    lines.map(|piece| piece.strip_prefix("##").unwrap_or(piece).len()).collect()
});

/// The model treats longer words as unknown.
const MAX_WORD_CHARS: usize = 100;

/// The first pieces of a text, as numbers of the vocabulary.
pub fn split(text: &str, limit: usize) -> Vec<u32> {
    let plain: String = text.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect();
    let mut pieces = Vec::new();
    for word in words(&plain) {
        if let Some(parts) = parts(word) {
            pieces.extend(parts);
        }
        if pieces.len() >= limit {
            break;
        }
    }
    pieces.truncate(limit);
    pieces
}

/// The length of the longest piece of a word, in bytes; 0 where some part of it is unknown.
pub fn longest(word: &str) -> usize {
    let length = |place: u32| PIECE_LENGTHS.get(place as usize).copied().unwrap_or_default();
    parts(word).unwrap_or_default().into_iter().map(length).max().unwrap_or_default()
}

/// Whether a word is a piece of its own.
pub fn is_known(word: &str) -> bool {
    PIECES.contains_key(word)
}

/// Words separated by white space; each punctuation character is a word of its own.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let apart = |c: char| !c.is_alphanumeric();
    text.split_inclusive(apart)
        .flat_map(move |chunk| match chunk.char_indices().last() {
            Some((at, last)) if apart(last) => [&chunk[..at], &chunk[at..]],
            _ => [chunk, ""],
        })
        .filter(|word| !word.trim().is_empty())
}

/// The pieces of a word; `None` where some part of it is unknown.
fn parts(word: &str) -> Option<Vec<u32>> {
    if word.chars().count() > MAX_WORD_CHARS {
        return None;
    }
    let mut parts = Vec::new();
    let mut rest = word;
    let mut continuation = String::with_capacity(word.len() + 2);
    while !rest.is_empty() {
        let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
        let found = ends.into_iter().find_map(|end| {
            let part = &rest[..end];
            let known = if parts.is_empty() {
                PIECES.get(part)
            } else {
                continuation.clear();
                continuation.push_str("##");
                continuation.push_str(part);
                PIECES.get(continuation.as_str())
            };
            known.map(|place| (*place, end))
        });
        let (place, end) = found?;
        parts.push(place);
        rest = &rest[end..];
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> Vec<&'static str> {
        let names: HashMap<u32, &str> = PIECES.iter().map(|(piece, place)| (*place, *piece)).collect();
        split(text, 256).iter().map(|place| names[place]).collect()
    }

    #[test]
    fn words_are_split_into_the_longest_known_pieces() {
        assert_eq!(spelled("Résumé parsing"), ["resume", "par", "##sing"]);
        assert_eq!(spelled("e-mail, now!"), ["e", "-", "mail", ",", "now", "!"]);
        assert_eq!(spelled(""), [""; 0]);
    }

    #[test]
    fn unknown_text_has_no_pieces_and_long_text_is_cut() {
        assert!(split(&"x".repeat(500), 256).is_empty());
        assert!(split("\u{1F980}", 256).is_empty());
        assert_eq!(split(&"word ".repeat(5000), 256).len(), 256);
    }
}
