//! Lists of words that say little about what is searched for. Stop words are ignored in listings and in
//! queries. Generic words are removed from a query only if the query also contains a more specific word. Texts are embedded
//! without the words that say what every listing is ([`subject`]).

use std::collections::HashSet;
use std::sync::LazyLock;

/// English function words, and words of requests.
const STOP_WORDS: &str = "a an the and or of to in on at by for with from as is are be been was were am it its this that \
    these those i you he she we they me my your his her our their us them do does did doing have has had having can \
    could will would shall should may might must not no so if then than there here what which who whom whose where \
    when why how about into over under up down out off again more most some any all each other another such only own \
    same too very just also via using use uses used get gets let lets want need needs like please help make makes s t \
    d ll m re ve";

/// Words that only say that the caller searches for something.
const GENERIC_WORDS: &str =
    "find look looking show give tell something someone somebody way good best able app service ai";

/// What every listing is. These words are generic, too.
const CATALOG_WORDS: [&str; 9] =
    ["mcp", "mcps", "server", "servers", "tool", "tools", "agent", "agents", "assistant"];

static STOP_WORD_SET: LazyLock<HashSet<&'static str>> = LazyLock::new(|| STOP_WORDS.split(' ').collect());
static GENERIC_SET: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| GENERIC_WORDS.split(' ').chain(CATALOG_WORDS).collect());

/// Whether an English word says little about a subject, such as "the" or "need".
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORD_SET.contains(word)
}

pub(super) fn is_generic(word: &str) -> bool {
    GENERIC_SET.contains(word)
}

/// The text without the words that say what every listing is. A text of only such words stays.
pub(super) fn subject(text: &str) -> String {
    let is_subject = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        !CATALOG_WORDS.iter().any(|one| one.eq_ignore_ascii_case(bare))
    };
    let without_protocol = text.replace("Model Context Protocol", "MCP");
    let left: Vec<&str> = without_protocol.split_whitespace().filter(is_subject).collect();
    if left.iter().any(|word| word.chars().any(char::is_alphanumeric)) {
        left.join(" ")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subject_lacks_the_words_that_every_listing_has() {
        assert_eq!(subject("Weather MCP Server. Model Context Protocol (MCP) tools."), "Weather");
        assert_eq!(subject("an agent that plays chess"), "an that plays chess");
        assert_eq!(subject("MCP Server. "), "MCP Server. ", "it has no other words");
    }
}
