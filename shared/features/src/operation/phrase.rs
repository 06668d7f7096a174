//! The phrases of an operation: plain requests that mean it, and that documents show.

/// A phrase as an operation states it, such as `[quick-demo] demo {id}`.
#[derive(Clone, Copy, Debug)]
pub struct Phrase {
    /// The only skill whose example it is.
    skill: Option<&'static str>,
    /// With the arguments that it implies, after ` => `.
    pub sentence: &'static str,
}

impl Phrase {
    pub(super) fn parse(stated: &'static str) -> Self {
        let marked = stated.strip_prefix('[').and_then(|rest| rest.split_once("] "));
        let (skill, sentence) = marked.map_or((None, stated), |(skill, sentence)| (Some(skill), sentence));
        Self { skill, sentence }
    }

    /// The request.
    pub fn text(&self) -> &'static str {
        self.sentence.split(" => ").next().unwrap_or(self.sentence)
    }
}

/// The examples of a skill: its own phrases, else those that belong to no other skill.
pub(super) fn examples_of_skill(phrases: &[Phrase], skill: &str) -> Vec<&'static str> {
    let texts =
        |skill| phrases.iter().filter(move |phrase| phrase.skill == skill).map(Phrase::text).collect();
    let own: Vec<_> = texts(Some(skill));
    if own.is_empty() { texts(None) } else { own }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::DESCRIPTIONS;

    #[test]
    fn each_skill_has_its_own_examples() {
        for operation in DESCRIPTIONS {
            assert!(!operation.stated_phrases.is_empty(), "{}", operation.name);
            let examples = operation.skills.iter().flat_map(|skill| operation.examples_of(skill));
            let mut seen = BTreeSet::new();
            let mut repeated: Vec<_> = examples.filter(|example| !seen.insert(*example)).collect();
            assert_eq!(repeated.pop(), None, "{}", operation.name);
        }
    }
}
