//! Analyzes the texts of a listing with word lists and stems. It finds what two abilities have in common, the
//! subject of a goal, and whether a call changes something. The same texts always give the same result.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

/// Verbs of calls that change something.
const ACTING: &str = "accept add allocate apply approve arrange assign attest bind book buy call cancel charge click \
    close commit configure copy create delete deploy deposit disable drag drop edit enable execute fill fork grant \
    import insert install invoke issue launch lock make merge mint modify move navigate order overwrite patch pay \
    place play post press process provision publish purchase push put record refund register reimburse remove rename \
    replace reply reserve reset resize restart revert revoke run save schedule send set sell sign stake start stop \
    store submit swap sync trade transfer trigger uninstall unlock update upload upsert wipe withdraw write";

/// Verbs of calls that only read.
const READING: &str = "access analyse analyze answer assess audit browse calculate check classify collect compare compute \
    consult convert count crawl decode describe detect determine discover diff download encode estimate evaluate \
    examine explain explore extract fetch filter find forecast format generate get give identify inspect interpret list \
    look lookup map measure monitor observe parse plan predict preview provide query rank rate read recommend report \
    resolve retrieve return reverse scan scrape screenshot search see select show simulate summarise summarize suggest tell track \
    transcribe translate validate verify view watch";

/// Nouns with their verbs. If a noun is the last word of a name, it decides more than the verbs before it.
const NOUNS: &str = "analysis=analyse, assessment=assess, calculation=calculate, check=check, comparison=compare, \
    conversion=convert, discovery=discover, explanation=explain, extraction=extract, \
    identification=identify, lookup=look up, overview=show, search=search, summary=summarize, \
    translation=translate, validation=validate, verification=verify, payment=pay, \
    registration=register";

/// Words that say nothing about a subject.
const STOP_WORD_LIST: &str = "a about above across after again against agent agents ai all also an and any are as assist assistant at be \
    been before being between both but by can could data do does each either every for from get given has have help helps \
    her here him his how i if in including information input into is it its like make many may more most mcp must my new no not of on one only \
    or other our out output over own per please provide provides request response returns same server service should skill so some such task than that the their them \
    then there these they this those through to tool tools under up us use used user users uses using various via was we were what when where \
    which while who will with within without would you your various based following specific";

/// Words of abilities that return texts of third parties.
const OUTSIDE: &str = "article browse browser comment content crawl document documentation email feed fetch file html inbox \
    issue mail message news page paper pdf review scrape search site transcript url web website";

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));
static VERBS: LazyLock<HashMap<String, (&str, bool)>> = LazyLock::new(|| {
    let reading = READING.split_whitespace().map(|verb| (stem(verb), (verb, false)));
    reading.chain(ACTING.split_whitespace().map(|verb| (stem(verb), (verb, true)))).collect()
});
static PLAIN_VERBS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| ACTING.split_whitespace().chain(READING.split_whitespace()).collect());
static NOUN_VERBS: LazyLock<HashMap<String, (&str, bool)>> = LazyLock::new(|| {
    let acts = |verb: &str| ACTING.split_whitespace().any(|acting| acting == verb);
    let pairs = NOUNS.split(", ").filter_map(|pair| pair.split_once('='));
    pairs.map(|(noun, verb)| (stem(noun), (verb, acts(verb)))).collect()
});
static STOP_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP_WORD_LIST.split_whitespace().collect());
static OUTSIDE_STEMS: LazyLock<HashSet<String>> = LazyLock::new(|| stems(OUTSIDE));

const MAX_PROSE_CHARS: usize = 2000;

const MAX_WORDS_CHARS: usize = 600;

fn stems(words: &str) -> HashSet<String> {
    words.split_whitespace().map(stem).collect()
}

fn stem(word: &str) -> String {
    STEMMER.stem(word).into_owned()
}

/// The words of a text in lower case; names in camel or snake case are split.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    // "getForecast" is two words; "arXiv" and "iOS" are one, because too few letters precede the capital.
    let (mut run, mut parted) = (0_u8, false);
    for c in text.chars().take(MAX_WORDS_CHARS) {
        let parts = c.is_uppercase() && (run > 2 || (parted && run > 0));
        if (parts || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
            parted = parts;
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        run = if c.is_lowercase() || c.is_ascii_digit() { run.saturating_add(1) } else { 0 };
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The words that describe a subject, in order, each once.
pub(super) fn subject_words(text: &str) -> Vec<String> {
    let mut known = HashSet::new();
    // Adverbs say how, not what; few short words in -ly are adverbs.
    let adverb = |word: &str| word.len() > 8 && word.ends_with("ly");
    let tells =
        |word: &String| word.chars().count() > 2 && !STOP_WORDS.contains(word.as_str()) && !adverb(word);
    words(text).into_iter().filter(|word| tells(word) && known.insert(stem(word))).collect()
}

pub(super) fn subject(text: &str) -> BTreeSet<String> {
    subject_words(text).iter().map(|word| stem(word)).collect()
}

/// The first verb among the words in its base form, and whether it changes something.
pub(super) fn verb(words: &[String]) -> Option<(&'static str, bool)> {
    words.iter().find_map(|word| VERBS.get(&stem(word)).copied())
}

/// The verb of a name, where verbs may be nouns: "signed assessment" does not sign, "return policy analysis" analyses.
pub(super) fn verb_of_name(words: &[String]) -> Option<(&'static str, bool)> {
    let candidates = words.iter().filter(|word| *word != "return" && !word.ends_with("ed"));
    let mut verbs = candidates.filter_map(|word| VERBS.get(&stem(word)).copied());
    let first = verbs.next();
    let noun = words.last().and_then(|word| NOUN_VERBS.get(&stem(word)).copied());
    // A noun at the end never makes a call that may change something count as harmless.
    if first.is_some_and(|(_, acts)| acts) { first } else { noun.or(first) }
}

pub(super) fn is_verb(word: &str) -> bool {
    VERBS.contains_key(&stem(word))
}

/// Whether the words begin with a verb in its base form: "search papers", but not "searching" or "return policy analysis".
pub(super) fn commands(words: &[String]) -> bool {
    let plain = |word: &String| PLAIN_VERBS.contains(word.as_str());
    let noun = || words.last().is_some_and(|word| NOUN_VERBS.contains_key(&stem(word)));
    words.first().is_some_and(|word| plain(word) && !(word == "return" && noun()))
}

pub(super) fn returns_third_party_text(text: &str) -> bool {
    words(text).iter().any(|word| OUTSIDE_STEMS.contains(&stem(word)))
}

pub(super) fn sentences(text: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut sentence = String::new();
    let mut rest = text.chars().take(MAX_PROSE_CHARS).peekable();
    while let Some(c) = rest.next() {
        let breaks = matches!(c, '\n' | '\r');
        if !breaks {
            sentence.push(c);
        }
        // "e.g. this" and "U.S. parks" continue: the word before the dot is too short to end a sentence.
        let closes = matches!(c, '.' | '!' | '?') && rest.peek().is_none_or(|next| next.is_whitespace());
        let last = || {
            sentence.rsplit([' ', '.']).find(|part| !part.is_empty()).map_or(0, |part| part.chars().count())
        };
        let ends = closes && last() > 2;
        if ends || breaks || rest.peek().is_none() {
            let text = sentence.trim().trim_end_matches('.').trim().to_owned();
            sentence.clear();
            if text.chars().any(char::is_alphanumeric) {
                sentences.push(text);
            }
        }
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(
            words("getUserById_v2 book-air.tickets"),
            ["get", "user", "by", "id", "v2", "book", "air", "tickets"]
        );
        assert_eq!(
            subject_words("Helps with booking of air tickets, tickets"),
            ["booking", "air", "tickets"]
        );
    }

    #[test]
    fn short_prefix_is_not_split_from_a_capitalized_word() {
        assert_eq!(words("arXiv iOS OpenAPI listIssues"), ["arxiv", "ios", "open", "api", "list", "issues"]);
    }

    #[test]
    fn verb_decides_whether_a_call_changes_something() {
        let of = |text: &str| verb(&words(text));
        assert_eq!(of("book_air_tickets"), Some(("book", true)));
        assert_eq!(of("Helps with booking"), Some(("book", true)));
        assert_eq!(of("search_papers"), Some(("search", false)));
        assert_eq!(of("text_info"), None);
    }

    #[test]
    fn verb_comes_from_the_last_noun_unless_a_verb_changes_something() {
        let of = |text: &str| verb_of_name(&words(text));
        assert_eq!(of("return-policy-analysis"), Some(("analyse", false)));
        assert_eq!(of("signed-assessment"), Some(("assess", false)));
        assert_eq!(of("delete_analysis"), Some(("delete", true)));
        assert_eq!(of("return_order"), Some(("order", true)));
        assert_eq!(of("card-payment"), Some(("pay", true)));
    }

    #[test]
    fn abbreviations_do_not_end_a_sentence() {
        assert_eq!(
            sentences("Verify it, e.g. a U.S. plan. Returns ALLOW.\nFail-closed!"),
            ["Verify it, e.g. a U.S. plan", "Returns ALLOW", "Fail-closed!"]
        );
        assert_eq!(sentences(" . "), Vec::<String>::new());
    }
}
