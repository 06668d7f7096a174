//! Decides whether a text requests an operation that writes. The text must contain the verb of the operation
//! at a place where a request starts. It must contain no word that cancels the request. These rules are not
//! used for read-only operations.

use super::words::Word;

/// Words that may come between the beginning of a clause and the verb of a request.
const BEFORE_A_VERB: [&str; 38] = [
    "ahead", "also", "and", "can", "could", "dear", "go", "hello", "help", "hey", "hi", "i", "just",
    "kindly", "let", "lets", "like", "me", "need", "now", "ok", "okay", "or", "please", "pls", "registry",
    "so", "then", "there", "to", "try", "us", "want", "we", "will", "wish", "would", "you",
];

/// Verbs too general to match without another word of their phrase.
const GENERAL: [&str; 34] = [
    "add", "ask", "be", "check", "create", "do", "fetch", "find", "follow", "get", "give", "go", "leave",
    "look", "make", "move", "open", "post", "put", "read", "run", "save", "see", "send", "set", "show",
    "start", "take", "tell", "test", "try", "update", "use", "write",
];

/// Words that retract a request from anywhere in the text.
const RETRACTIONS: [&str; 8] = ["dont", "never", "cancel", "stop", "nevermind", "kidding", "abort", "undo"];

/// Words that retract a request, or make it conditional, within its own sentence.
const RETRACTIONS_NEARBY: [&str; 18] = [
    "not", "if", "unless", "until", "instead", "without", "cannot", "cant", "wont", "doesnt", "didnt",
    "isnt", "shouldnt", "wouldnt", "mustnt", "neednt", "why", "how",
];

/// The index of `verb` where the text requests it; `None` where the text only mentions it.
pub(super) fn requested_verb(words: &[Word], verb: &str) -> Option<usize> {
    (0..words.len()).find(|at| words[*at].low == verb && opens_a_request(words, *at))
}

/// Whether the word at `at` is where a request has its verb: at the beginning of a clause, or after polite words only.
pub(super) fn opens_a_request(words: &[Word], at: usize) -> bool {
    let mut at = at;
    while !words[at].starts_clause {
        let Some(before) = at.checked_sub(1) else { return false };
        // "Can I list it?" asks for permission and "I list" is a statement; only "I want to" is a request.
        let alone = matches!(words[before].low.as_str(), "i" | "we");
        if alone && !matches!(words[at].low.as_str(), "want" | "need" | "wish" | "would" | "like") {
            return false;
        }
        if !BEFORE_A_VERB.contains(&words[before].low.as_str()) {
            return false;
        }
        at = before;
    }
    true
}

/// Whether something in the text retracts the request at `at`; `own` are the stems of the matched phrase.
pub(super) fn is_retracted(words: &[Word], at: usize, own: &[String]) -> bool {
    words.iter().enumerate().any(|(index, word)| {
        let nearby = word.sentence == words[at].sentence && RETRACTIONS_NEARBY.contains(&word.low.as_str());
        (retracts(words, index) || nearby) && !own.contains(&word.stem)
    })
}

/// Whether the word at `at` is a retraction, or the second of "do not".
fn retracts(words: &[Word], at: usize) -> bool {
    let low = words[at].low.as_str();
    RETRACTIONS.contains(&low) || (low == "not" && at > 0 && words[at - 1].low == "do")
}

/// Whether the whole text is a refusal.
pub(super) fn refuses(words: &[Word]) -> bool {
    let no = words.first().is_some_and(|word| matches!(word.low.as_str(), "no" | "nope"));
    no || (0..words.len()).any(|at| retracts(words, at))
}

/// Whether a later message contains any word that objects to the request it completes.
pub(super) fn objects(words: &[Word]) -> bool {
    refuses(words) || words.iter().any(|word| RETRACTIONS_NEARBY.contains(&word.low.as_str()))
}

/// Whether a verb needs another word of its phrase.
pub(super) fn is_general(verb: &str) -> bool {
    GENERAL.contains(&verb)
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    fn requests(text: &str) -> bool {
        let words = words(text);
        requested_verb(&words, "list").is_some_and(|at| !is_retracted(&words, at, &[]))
    }

    #[test]
    fn explicit_request_is_recognized() {
        for text in [
            "list me",
            "Please list me",
            "Hi there, could you list my agent?",
            "I want you to list us",
            "I'd like to list my agent",
            "We would like to list our server",
            "Hello! Can you please list me",
            "ok now list it",
            "Here is my agent. List it. It does not need a key.",
            "let us list it",
        ] {
            assert!(requests(text), "{text}");
        }
    }

    #[test]
    fn mention_of_an_operation_is_not_a_request() {
        for text in [
            "don't list me",
            "Do not list me",
            "please never list us",
            "can I list my agent?",
            "how do I list my agent?",
            "what happens if you list me?",
            "is my listing live?",
            "who can list agents",
            "I list agents for a living",
            "list me if it scores above 50",
            "list me... just kidding",
            "list me? Stop.",
            "the list of agents",
            "I did not ask you to list me",
            "why did you list me",
        ] {
            assert!(!requests(text), "{text}");
        }
    }

    #[test]
    fn answers_that_mean_no_are_recognized() {
        for text in ["no", "No, thanks", "cancel that", "never mind", "please don't"] {
            assert!(refuses(&words(text)), "{text}");
        }
        assert!(!refuses(&words("list me")));
    }
}
