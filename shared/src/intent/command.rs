//! Whether a text bids that something be done. What only reads may be understood generously; what writes must be
//! bidden: its verb stands where a request has it, and nothing takes it back.

use super::words::Word;

/// Words that may stand between the beginning of a clause and the verb of a request.
const BEFORE_A_VERB: [&str; 38] = [
    "ahead", "also", "and", "can", "could", "dear", "go", "hello", "help", "hey", "hi", "i", "just",
    "kindly", "let", "lets", "like", "me", "need", "now", "ok", "okay", "or", "please", "pls", "registry",
    "so", "then", "there", "to", "try", "us", "want", "we", "will", "wish", "would", "you",
];

/// Verbs so general that they say little without another word of their phrase.
const GENERAL: [&str; 34] = [
    "add", "ask", "be", "check", "create", "do", "fetch", "find", "follow", "get", "give", "go", "leave",
    "look", "make", "move", "open", "post", "put", "read", "run", "save", "see", "send", "set", "show",
    "start", "take", "tell", "test", "try", "update", "use", "write",
];

/// Words that take a request back, wherever they stand.
const RETRACTIONS: [&str; 8] = ["dont", "never", "cancel", "stop", "nevermind", "kidding", "abort", "undo"];

/// Words that take it back, or make it depend on something, within its own sentence.
const RETRACTIONS_NEARBY: [&str; 18] = [
    "not", "if", "unless", "until", "instead", "without", "cannot", "cant", "wont", "doesnt", "didnt",
    "isnt", "shouldnt", "wouldnt", "mustnt", "neednt", "why", "how",
];

/// The place of a verb that is bidden, by `verb` as it is written; none where the text only mentions it.
pub(super) fn requested_verb(words: &[Word], verb: &str) -> Option<usize> {
    (0..words.len()).find(|at| words[*at].low == verb && opens_a_request(words, *at))
}

/// Whether the word at `at` stands where a request has its verb: at the beginning of a clause, or after nothing
/// but words of politeness.
pub(super) fn opens_a_request(words: &[Word], at: usize) -> bool {
    let mut at = at;
    while !words[at].opens {
        let Some(before) = at.checked_sub(1) else { return false };
        // "Can I list it?" asks for leave, and "I" alone tells of oneself; only "I want to" bids.
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

/// Whether something in the text takes back what the word at `at` bids; `own` are the stems of its phrase.
pub(super) fn is_retracted(words: &[Word], at: usize, own: &[String]) -> bool {
    words.iter().enumerate().any(|(place, word)| {
        let low = word.low.as_str();
        let denied = low == "not" && place > 0 && words[place - 1].low == "do";
        let nearby = word.sentence == words[at].sentence && RETRACTIONS_NEARBY.contains(&low);
        (RETRACTIONS.contains(&low) || denied || nearby) && !own.contains(&word.stem)
    })
}

/// Whether the text as a whole takes something back.
pub(super) fn refuses(words: &[Word]) -> bool {
    let no = words.first().is_some_and(|word| matches!(word.low.as_str(), "no" | "nope"));
    no || words.iter().enumerate().any(|(at, word)| {
        RETRACTIONS.contains(&word.low.as_str())
            || (word.low == "not" && at > 0 && words[at - 1].low == "do")
            || (word.low == "mind" && at > 0 && words[at - 1].low == "never")
    })
}

/// Whether an answer to a question holds any word that speaks against what was asked for.
pub(super) fn objects(words: &[Word]) -> bool {
    refuses(words) || words.iter().any(|word| RETRACTIONS_NEARBY.contains(&word.low.as_str()))
}

/// Whether a verb says little by itself.
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
    fn a_request_is_recognised() {
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
    fn a_mention_is_no_request() {
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
    fn refusals() {
        for text in ["no", "No, thanks", "cancel that", "never mind", "please don't"] {
            assert!(refuses(&words(text)), "{text}");
        }
        assert!(!refuses(&words("list me")));
    }
}
