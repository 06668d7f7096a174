//! Words that carry little or nothing about what is searched for. Listings and queries drop the same stop words, so
//! the list is shared by both; generic words are dropped from a query only while something more specific is left.

use std::collections::HashSet;
use std::sync::LazyLock;

/// English function words, and the words of asking.
const STOP_WORDS: &str = "a an the and or of to in on at by for with from as is are be been was were am it its this that \
    these those i you he she we they me my your his her our their us them do does did doing have has had having can \
    could will would shall should may might must not no so if then than there here what which who whom whose where \
    when why how about into over under up down out off again more most some any all each other another such only own \
    same too very just also via using use uses used get gets let lets want need needs like please help make makes s t \
    d ll m re ve";

static STOP_WORD_SET: LazyLock<HashSet<&'static str>> = LazyLock::new(|| STOP_WORDS.split(' ').collect());

/// Words that only say that something is searched for.
const GENERIC: [&str; 25] = [
    "find",
    "look",
    "looking",
    "show",
    "give",
    "tell",
    "something",
    "someone",
    "somebody",
    "way",
    "good",
    "best",
    "able",
    "tool",
    "tools",
    "app",
    "service",
    "server",
    "servers",
    "mcp",
    "mcps",
    "agent",
    "agents",
    "assistant",
    "ai",
];

pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORD_SET.contains(word)
}

/// Whether a word only says that something is searched for, as `find` or `server`.
pub(super) fn is_generic(word: &str) -> bool {
    GENERIC.contains(&word)
}
