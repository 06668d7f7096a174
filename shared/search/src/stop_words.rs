//! Two lists of words that say little about what is searched for. Stop words are ignored in listings and in
//! queries. Generic words are removed from a query only if the query also contains a more specific word.

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
const GENERIC_WORDS: &str = "find look looking show give tell something someone somebody way good best able tool tools app \
    service server servers mcp mcps agent agents assistant ai";

static STOP_WORD_SET: LazyLock<HashSet<&'static str>> = LazyLock::new(|| STOP_WORDS.split(' ').collect());
static GENERIC_SET: LazyLock<HashSet<&'static str>> = LazyLock::new(|| GENERIC_WORDS.split(' ').collect());

/// Whether an English word says little about a subject, such as "the" or "need".
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORD_SET.contains(word)
}

pub(super) fn is_generic(word: &str) -> bool {
    GENERIC_SET.contains(word)
}
