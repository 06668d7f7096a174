//! What people and agents say when they want an operation: its phrases, which are a constant of the operation, and the sentences
//! of `assets/sentences.txt`, which show what a message can contain, and where. There, a section begins with `# ` and the
//! name of its operation. The section `help` contains sentences that ask for help, or for nothing. `assets/training.txt` has
//! the same form; its sentences only train the classifier (`intent::meaning`), and are in several languages.
//!
//! `{url}`, `{id}` and `{token}` are slots for what a message contains. Any other slot is for a text and contains an example
//! of it. After ` => `, a sentence names arguments that it implies, such as `kind=dangerous`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::DESCRIPTIONS;

#[derive(Debug, Default)]
struct Section {
    phrases: Vec<&'static str>,
    /// Skills and their examples, which are also phrases.
    of_skills: Vec<(&'static str, &'static str)>,
    others: Vec<&'static str>,
}

static SECTIONS: LazyLock<BTreeMap<&str, Section>> = LazyLock::new(|| {
    let mut sections = BTreeMap::<&str, Section>::new();
    for operation in DESCRIPTIONS {
        let section = sections.entry(operation.name).or_default();
        for phrase in operation.marked_phrases {
            let tagged = phrase.strip_prefix('[').and_then(|phrase| phrase.split_once("] "));
            section.of_skills.extend(tagged);
            let phrase = tagged.map_or(*phrase, |(_, phrase)| phrase);
            let shown = phrase.split(" => ").next().unwrap_or(phrase);
            section.phrases.push(shown);
            section.others.extend(Some(phrase).filter(|phrase| *phrase != shown));
        }
    }
    for (name, line) in lines(include_str!("../../assets/sentences.txt")) {
        sections.entry(name).or_default().others.push(line);
    }
    sections
});

/// The lines of a file of sentences, each with the name of its section.
pub(crate) fn lines(file: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut name = "";
    file.lines().filter(|line| !line.is_empty()).filter_map(move |line| match line.strip_prefix("# ") {
        Some(next) => {
            name = next;
            None
        }
        None => Some((name, line)),
    })
}

/// The phrases of an operation; the first is its best example.
pub(crate) fn phrases(operation: &str) -> &'static [&'static str] {
    SECTIONS.get(operation).map_or(&[], |section| &section.phrases)
}

/// The examples of a skill: its own phrases, else those of its operation that belong to no other skill.
pub(crate) fn of_skill(operation: &str, skill: &str) -> Vec<&'static str> {
    let tagged = SECTIONS.get(operation).map_or(&[][..], |section| &section.of_skills);
    let own: Vec<&str> = tagged.iter().filter(|(id, _)| *id == skill).map(|(_, phrase)| *phrase).collect();
    if !own.is_empty() {
        return own;
    }
    let is_free = |phrase: &&&str| !tagged.iter().any(|(_, other)| other == *phrase);
    phrases(operation).iter().filter(is_free).copied().collect()
}

/// All sentences of an operation; the phrases come first.
pub(crate) fn all(operation: &str) -> impl Iterator<Item = &'static str> {
    let section = SECTIONS.get(operation);
    section.into_iter().flat_map(|section| section.phrases.iter().chain(&section.others)).copied()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_operation_has_a_section_with_phrases() {
        let operations: BTreeSet<&str> = DESCRIPTIONS.iter().map(|operation| operation.name).collect();
        let sections: BTreeSet<&str> = SECTIONS.keys().copied().filter(|name| *name != "help").collect();
        assert_eq!(sections, operations);
        assert!(operations.iter().all(|operation| !phrases(operation).is_empty()));
    }

    #[test]
    fn each_skill_has_its_own_examples() {
        for operation in DESCRIPTIONS {
            let examples = operation.skills.iter().flat_map(|skill| operation.examples_of(skill));
            let mut seen = BTreeSet::new();
            let mut repeated: Vec<_> = examples.filter(|example| !seen.insert(*example)).collect();
            assert_eq!(repeated.pop(), None, "{}", operation.name);
        }
    }

    #[test]
    fn sentences_are_unique() {
        let mut seen = BTreeSet::new();
        for sentence in SECTIONS.keys().flat_map(|section| all(section)) {
            assert!(seen.insert(sentence), "{sentence} occurs twice");
        }
    }
}
