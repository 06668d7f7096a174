use super::*;
use crate::embedding::{self, dot};
use sha2::{Digest as _, Sha256};

/// One of so many embeddings is computed again by a test; all of them with `UPDATE=1`.
const CHECKED: usize = 100;

/// The phrases, then the words that listings use.
fn texts() -> Vec<&'static str> {
    let entries = || TEXT.lines().filter_map(entry);
    entries()
        .flat_map(|(phrases, _)| phrases.split('|'))
        .chain(entries().map(|entry| entry.1))
        .map(str::trim)
        .collect()
}

/// `UPDATE=1` writes the file.
#[test]
fn stored_vectors_are_those_of_the_phrases() {
    let digest: [u8; DIGEST] = Sha256::digest(TEXT).into();
    if std::env::var_os("UPDATE").is_some() {
        let embeddings: Vec<_> = texts().into_iter().map(embedding::embed).collect();
        let scales = embeddings.iter().flat_map(|one| one.scale.to_le_bytes());
        let parts = embeddings.iter().flat_map(|one| one.parts.iter().copied());
        let bytes: Vec<u8> = digest.into_iter().chain(scales).chain(parts).collect();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/phrasebook.vectors");
        return std::fs::write(path, bytes).unwrap();
    }
    assert_eq!(VECTORS[..DIGEST], digest, "UPDATE=1 computes the vectors of a changed phrasebook");
    assert_eq!(VECTORS.len(), DIGEST + texts().len() * (size_of::<f32>() + WIDTH));
    for (number, text) in texts().into_iter().enumerate().step_by(CHECKED) {
        let scale = VECTORS[DIGEST + number * size_of::<f32>()..].first_chunk().unwrap();
        let parts = VECTORS[DIGEST + texts().len() * size_of::<f32>() + number * WIDTH..][..WIDTH].to_vec();
        let stored = embedding::Embedding { scale: f32::from_le_bytes(*scale), parts };
        // The model rounds often, so another order of its sums moves a vector a little.
        assert!(dot(&stored.components(), &embedding::vector(text).unwrap()) > 0.99, "{text}");
    }
}

fn first_words(query: &str) -> Vec<&'static str> {
    let matches = phrase_matches(&embedding::vector(query).unwrap());
    matches.iter().map(|one| one.terms.words[0].as_str()).collect()
}

#[test]
fn every_line_is_a_valid_entry() {
    let text = TEXT;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((phrases, catalogue)) = entry(line) else { panic!("no `=` in {line}") };
        assert!((2..=8).contains(&words(catalogue).len()), "2 to 8 words: {line}");
        assert!(phrases.split('|').all(|phrase| (1..=14).contains(&words(phrase).len())), "{line}");
    }
    assert_eq!(BOOK.targets.len(), text.lines().filter(|line| !line.starts_with('#')).count());
}

#[test]
fn paraphrases_match() {
    assert!(first_words("my order from china is late").contains(&"shipment"));
    assert!(first_words("kubernetes").is_empty(), "a catalogue's own word needs no book");
}
