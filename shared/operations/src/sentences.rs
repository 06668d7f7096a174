//! The sentences of `assets/sentences.json`: what people and agents say when they want an operation. The `phrases` of an
//! operation are also the examples on the agent card and in documents; its `sentences` are only compared with messages, so
//! each should say something new. `help` contains sentences that ask for help, or for nothing.
//!
//! `{url}`, `{id}` and `{token}` are slots for what a message contains. Any other slot is for a text and contains an example
//! of it. After ` => `, a sentence names arguments that it implies, such as `kind=dangerous`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sentences {
    help: Vec<String>,
    operations: BTreeMap<String, SentencesOfOperation>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SentencesOfOperation {
    phrases: Vec<String>,
    #[serde(default)]
    sentences: Vec<String>,
}

#[expect(clippy::expect_used, reason = "a file in the program, read by the tests")]
static SENTENCES: LazyLock<Sentences> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../assets/sentences.json")).expect("a file in the program")
});

/// The phrases of an operation; the first is its best example.
pub(crate) fn phrases(operation: &str) -> &'static [String] {
    SENTENCES.operations.get(operation).map_or(&[], |of| &of.phrases)
}

/// All phrases and sentences of an operation.
pub(crate) fn all(operation: &str) -> impl Iterator<Item = &'static str> {
    let of = SENTENCES.operations.get(operation);
    of.into_iter().flat_map(|of| of.phrases.iter().chain(&of.sentences)).map(String::as_str)
}

pub(crate) fn help() -> impl Iterator<Item = &'static str> {
    SENTENCES.help.iter().map(String::as_str)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::DESCRIPTIONS;

    #[test]
    fn every_operation_has_phrases_and_no_other_name_has_any() {
        let operations: BTreeSet<&str> = DESCRIPTIONS.iter().map(|operation| operation.name).collect();
        let named: BTreeSet<&str> = SENTENCES.operations.keys().map(String::as_str).collect();
        assert_eq!(named, operations);
        assert!(operations.iter().all(|operation| !phrases(operation).is_empty()));
    }

    #[test]
    fn sentences_are_unique() {
        let mut seen = BTreeSet::new();
        for sentence in SENTENCES.operations.keys().flat_map(|operation| all(operation)).chain(help()) {
            assert!(seen.insert(sentence), "{sentence} occurs twice");
        }
    }
}
