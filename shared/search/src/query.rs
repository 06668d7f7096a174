//! A search request and its result, shared by every endpoint that searches.

use std::collections::HashSet;
use std::sync::Arc;

use super::entry::AbilityNames;
use registry_model::error::{Code, Problem};
use registry_model::{Category, Kind, Listed, Listing};

#[derive(Clone, Debug)]
pub struct Query {
    /// Empty for all listings, the last changed first.
    pub text: Text,
    pub kind: Option<Kind>,
    pub category: Option<Category>,
    pub listed: Listed,
    pub skip: usize,
    pub limit: usize,
}

#[derive(Clone, Debug)]
pub struct Found {
    pub hits: Vec<Hit>,
    pub total: usize,
    pub searched: usize,
    /// Nothing matches by its words, or clearly by its meaning: the hits are only the nearest listings.
    pub nearest_only: bool,
    /// The words that were searched, if the spelling was corrected.
    pub corrected: Option<String>,
    pub seats_claimed: u32,
}

#[derive(Clone, Debug)]
pub struct Hit {
    pub listing: Arc<Listing>,
    /// From 0 to 100; falls from hit to hit.
    pub score: u8,
    pub words: Vec<String>,
    pub other_words: Vec<String>,
    pub matched_abilities: Vec<String>,
    pub abilities: AbilityNames,
    pub boosts: Vec<String>,
}

impl Hit {
    /// Why it matches; at least one reason.
    pub fn reasons(&self) -> Vec<String> {
        let quoted =
            |words: &[String]| words.iter().map(|word| format!("“{word}”")).collect::<Vec<_>>().join(", ");
        let ability = match (self.listing.likely_kind(), self.matched_abilities.len()) {
            (Kind::Agent, 1) => "its skill",
            (Kind::Agent, _) => "its skills",
            (Kind::Mcp, 1) => "its tool",
            (Kind::Mcp, _) => "its tools",
        };
        let reasons = [
            ("mentions", &self.words),
            ("has words related to", &self.other_words),
            (ability, &self.matched_abilities),
        ];
        let reasons = reasons.into_iter().filter(|(_, words)| !words.is_empty());
        let mut reasons: Vec<String> =
            reasons.map(|(how, words)| format!("{how} {}", quoted(words))).collect();
        if reasons.is_empty() {
            reasons.push("close in name or meaning".to_owned());
        }
        reasons
    }
}

/// Bounds the work for one query. A model may paste a whole task; only one sentence of it is searched.
pub const MAX_QUERY_CHARS: usize = 20_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(String);

impl Text {
    /// Normalizes white space; control characters count as spaces. `field` is the name of the argument in the error.
    pub fn parse(text: &str, field: &str) -> Result<Self, Problem> {
        if text.chars().count() > MAX_QUERY_CHARS {
            let detail = format!(
                "`{field}` may have at most {MAX_QUERY_CHARS} characters. Describe what you need in one sentence."
            );
            return Err(Problem::invalid(field, Code::TooLong, detail));
        }
        Ok(Self::normalized(text))
    }

    /// Normalizes a text whose length was checked.
    pub(super) fn normalized(text: &str) -> Self {
        let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        Self(spaced.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Each of these sentences is searched, so their number bounds the work.
const MAX_SENTENCES: usize = 8;

/// A sentence with one of these words probably asks for something.
const REQUESTS: [&str; 8] = ["need", "want", "find", "looking", "search", "which", "agent", "server"];

/// A model may paste a whole task; most of its sentences are about something else. These are the sentences that probably say what it needs: those that ask, then the first and the last ones. `None` for a text
/// that is short enough to be a question.
pub(super) fn sentences_of_task(text: &str) -> Option<Vec<String>> {
    // A longer text is a task.
    text.chars().nth(400)?;
    let mut all: Vec<&str> = Vec::new();
    let parts = text
        .split_inclusive(['.', '?', '!', ';', ':'])
        .map(|part| part.trim_matches([' ', '.', ';', ':', '!']));
    for sentence in parts.filter(|part| part.contains(' ')) {
        if !all.contains(&sentence) && all.len() < 500 {
            all.push(sentence);
        }
    }
    let asks = |sentence: &str| {
        sentence.ends_with('?')
            || sentence.split(' ').any(|word| REQUESTS.contains(&word.to_lowercase().as_str()))
    };
    let places = 0..all.len();
    let first_and_last = places.clone().take(2).chain(places.clone().rev().take(2));
    let asking = places.filter(|place| asks(all[*place]));
    let mut chosen: Vec<usize> = first_and_last.chain(asking).collect();
    let mut seen = HashSet::new();
    chosen.retain(|place| seen.insert(*place));
    chosen.truncate(MAX_SENTENCES);
    Some(chosen.into_iter().map(|place| all[place].chars().take(300).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_is_normalized_and_bounded() {
        assert_eq!(Text::parse(" a\u{0}b\n\tc ", "q").unwrap().as_str(), "a b c");
        assert!(Text::parse(" \u{7}", "q").unwrap().is_empty());
        let long = "word ".repeat(4001);
        assert_eq!(Text::parse(&long, "q").unwrap_err().kind, registry_model::error::ErrorKind::Invalid);
    }

    #[test]
    fn sentences_that_ask_are_found_in_a_task() {
        assert_eq!(sentences_of_task("find a server that reads PDF files"), None);
        let filler = "The office has two floors and a garden. Lunch is at noon on most days! ".repeat(40);
        let task = format!(
            "Hello team. {filler} I need an agent that books trains. {filler} Which one is it? Thank you all"
        );
        let found = sentences_of_task(&task).unwrap();
        assert!(found.contains(&"I need an agent that books trains".to_owned()), "{found:?}");
        assert!(found.len() <= MAX_SENTENCES, "{found:?}");
    }
}
