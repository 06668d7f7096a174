//! Finds what a long text asks for. A model may paste a whole task; most of its sentences are about something else.

/// Each of these sentences is searched, so their number bounds the work.
const MAX_SENTENCES: usize = 8;

/// A sentence with one of these words probably asks for something.
const REQUESTS: [&str; 8] = ["need", "want", "find", "looking", "search", "which", "agent", "server"];

/// The sentences of a task that probably say what it needs: those that ask, then the first and the last ones. `None` for a text
/// that is short enough to be a question.
pub(super) fn sentences(text: &str) -> Option<Vec<String>> {
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
    let mut seen = std::collections::HashSet::new();
    chosen.retain(|place| seen.insert(*place));
    chosen.truncate(MAX_SENTENCES);
    Some(chosen.into_iter().map(|place| all[place].chars().take(300).collect()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_that_ask_are_found_in_a_task() {
        assert_eq!(sentences("find a server that reads PDF files"), None);
        let filler = "The office has two floors and a garden. Lunch is at noon on most days! ".repeat(40);
        let task = format!(
            "Hello team. {filler} I need an agent that books trains. {filler} Which one is it? Thank you all"
        );
        let found = sentences(&task).unwrap();
        assert!(found.contains(&"I need an agent that books trains".to_owned()), "{found:?}");
        assert!(found.len() <= MAX_SENTENCES, "{found:?}");
    }
}
