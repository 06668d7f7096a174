//! The sentences of `assets/intent/sentences.txt`: what people and agents say when they want an operation, and where a message
//! contains what. A section begins with `# ` and the name of its operation; the phrases of an operation are constants of it.
//! The section `help` contains sentences that ask for help, or for nothing. `training.txt` has the same form; its sentences
//! only train the classifier (`meaning`), and are in several languages.
//!
//! `{url}`, `{id}` and `{token}` are slots for what a message contains. Any other slot is for a text and contains an example
//! of it. After ` => `, a sentence names arguments that it implies, such as `kind=dangerous`.

use crate::prelude::*;

pub(super) const SENTENCES: &str = include_str!("../../../assets/intent/sentences.txt");

/// The lines of a file of sentences, each with the name of its section.
pub(super) fn lines(file: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut name = "";
    file.lines().filter(|line| !line.is_empty()).filter_map(move |line| match line.strip_prefix("# ") {
        Some(next) => {
            name = next;
            None
        }
        None => Some((name, line)),
    })
}

/// All sentences of an operation; the phrases come first, then those with arguments that they imply.
pub(super) fn all(operation: &'static Description) -> impl Iterator<Item = &'static str> {
    let implying = operation.all_phrases().map(|phrase| phrase.sentence).filter(|text| text.contains(" => "));
    let others = lines(SENTENCES).filter(|(name, _)| *name == operation.name).map(|(_, line)| line);
    operation.phrases().chain(implying).chain(others)
}
