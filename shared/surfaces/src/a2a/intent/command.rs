//! The guard of operations that write: decides whether a text requests one. The text must contain the verb of the operation
//! at a place where a request starts. It must contain no word that cancels the request. These rules are not
//! used for read-only operations.

use std::collections::HashSet;

use crate::a2a::intent::parsed_text::ParsedText;
use crate::a2a::intent::words::{Word, lists};
use registry_model::ListingId;

/// Words that may come between the beginning of a clause and the verb of a request.
const BEFORE_A_VERB: &str = "ahead also and can could dear do dont go hello help hey hi i just kindly let \
    lets like may me need never not now ok okay or please pls plz registry should so then there to try us \
    wanna want we will wish would you";

/// What may follow "I" in a request. "Can I list it?" asks for permission and "I list" is a statement.
const AFTER_I: &str =
    "want wanna need wish would like dont do never endorse recommend report vouch complain have get";

/// Verbs too general to match without another word of their phrase.
const GENERAL: &str = "add ask be begin build call check combine confirm connect create do dont drop fetch \
    find follow generate get give go leave let link log look make mark move never new no not note open plan \
    post put read record run save see send set show start take talk tell test try update use write";

pub(super) const NEGATIONS: [&str; 3] = ["not", "dont", "never"];

const WISHES: &str = "want like need";

/// Words that retract a request from anywhere in the text.
const RETRACTIONS: &str = "dont never cancel stop nevermind forget kidding abort undo";

/// Words that retract a request, or make it conditional, within its own sentence.
const RETRACTIONS_NEARBY: &str = "not if unless until instead without cannot cant wont doesnt didnt isnt \
    shouldnt wouldnt mustnt neednt why how";

/// The verbs with which an example begins its clauses.
pub(super) fn verbs(words: &[Word]) -> impl Iterator<Item = String> {
    (0..words.len()).filter(|at| opens_a_request(words, *at)).filter_map(|at| {
        let low = &words[at].low;
        // "I would like a demo" has no other verb; "I want to list it" has one.
        let is_wish = lists(WISHES, low) && words.get(at + 1).is_some_and(|next| next.low != "to");
        let is_verb = words[at].is_significant() || is_general(low);
        (is_wish || is_verb && !lists(BEFORE_A_VERB, low)).then(|| low.clone())
    })
}

/// Whether the word at `at` names what is not wanted: "not an agent", "no MCP servers".
pub(super) fn is_excluded(words: &[Word], at: usize) -> bool {
    let before =
        words[at.saturating_sub(3)..at].iter().rev().take_while(|word| word.sentence == words[at].sentence);
    let mut before = before.skip_while(|word| matches!(word.low.as_str(), "a" | "an" | "the" | "mcp"));
    before.next().is_some_and(|word| matches!(word.low.as_str(), "not" | "no" | "without"))
}

pub(super) fn is_negation(low: &str) -> bool {
    NEGATIONS.contains(&low)
}

/// Whether the word at `at` is where a request has its verb: at the beginning of a clause, or after polite words and
/// negations only.
fn opens_a_request(words: &[Word], at: usize) -> bool {
    let mut at = at;
    while !words[at].starts_clause {
        let Some(before) = at.checked_sub(1) else { return false };
        let (low, next) = (words[before].low.as_str(), words[at].low.as_str());
        if matches!(low, "i" | "we") && !lists(AFTER_I, next) || !lists(BEFORE_A_VERB, low) {
            return false;
        }
        // "It is spam and I want to report it".
        if low == "and" && matches!(next, "i" | "please") {
            return true;
        }
        at = before;
    }
    true
}

/// How a text requests an operation that writes. The number is the index of the verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Clear(usize),
    /// It is taken back or made conditional.
    Retracted(usize),
    /// The text has no verb where a request has it, or it only asks whether or how to do it.
    Missing,
}

/// The request in a text. `is_verb` tells whether a word is a verb of the operation; `own` are the stems of words that retract
/// nothing, because requests for the operation contain them.
pub(super) fn request(
    text: &str,
    words: &[Word],
    is_verb: impl Fn(usize) -> bool,
    own: &HashSet<String>,
) -> Request {
    // "Should I endorse it?" asks for advice; "could you endorse it?" is a request.
    if asks(text, words) && !asks_us(words) {
        return Request::Missing;
    }
    let verbs = (0..words.len()).filter(|at| is_verb(*at));
    let (retracted, valid): (Vec<_>, Vec<_>) = verbs.partition(|at| is_retracted(words, *at, own));
    let opens = |at: &usize| opens_a_request(words, *at);
    let clear = valid.into_iter().filter(opens).min_by_key(|at| is_general(&words[*at].low));
    let retracted = retracted.into_iter().find(|at| opens(at) || !is_general(&words[*at].low));
    match (clear, retracted) {
        (Some(at), _) => Request::Clear(at),
        (None, Some(at)) => Request::Retracted(at),
        (None, None) => Request::Missing,
    }
}

/// Whether something in the text retracts the request at `at`, except the words in `own`.
fn is_retracted(words: &[Word], at: usize, own: &HashSet<String>) -> bool {
    let stops = lists(RETRACTIONS, &words[at].low);
    words.iter().enumerate().any(|(index, word)| {
        // After "stop writing to us", a "not" says why.
        let retracts = !(stops && index > at) && (retracts(words, index) || is_condition(words, index, at));
        retracts && !own.contains(&word.stem)
    })
}

/// Whether the word at `index` negates the verb at `at`, or makes it conditional. "It would be nice if others found it, so
/// list it" has no condition, and neither has "endorse it, it worked without a mistake".
fn is_condition(words: &[Word], index: usize, at: usize) -> bool {
    let concluded = words
        .get(index..=at)
        .is_some_and(|between| between.iter().any(|word| word.starts_clause && word.low == "so"));
    let is_in_a_later_clause =
        words.get(at + 1..=index).is_some_and(|rest| rest.iter().any(|word| word.starts_clause));
    let describes = words[index].low == "without" && is_in_a_later_clause;
    let nearby = words[index].sentence == words[at].sentence && !concluded && !describes;
    nearby && lists(RETRACTIONS_NEARBY, &words[index].low)
}

/// Whether the word at `at` is a retraction, or the second of "do not".
fn retracts(words: &[Word], at: usize) -> bool {
    let low = words[at].low.as_str();
    lists(RETRACTIONS, low) || (low == "not" && at > 0 && words[at - 1].low == "do")
}

/// Whether a text contains a question, with or without its mark. What follows a colon is a text for somebody else, unless only
/// that names a listing: "before I trust it: should I endorse {id}?".
pub(super) fn asks(text: &str, words: &[Word]) -> bool {
    const QUESTION_WORDS: &str = "what whats when where which who whos whose why how is are does did has have was can \
        could would should may";
    let is_question = |word: &Word| lists(QUESTION_WORDS, &word.low);
    let has_id = |text: &str| {
        text.split(|c: char| c.is_whitespace() || "?!,;:.()\"'".contains(c))
            .any(|word| word.parse::<ListingId>().is_ok())
    };
    let own = text
        .split_once(": ")
        .filter(|(head, tail)| has_id(head) || !has_id(tail))
        .map_or(text, |(head, _)| head);
    // "It failed, what should I do" has no mark.
    let seeks_advice = |pair: &[Word]| {
        pair[1].at.end <= own.len()
            && lists("what how should", &pair[0].low)
            && lists("should do can now i we", &pair[1].low)
    };
    own.contains('?') || words.first().is_some_and(is_question) || words.windows(2).any(seeks_advice)
}

/// Whether a text asks something, or how to do it. "{id} did the job" asks nothing.
pub(super) fn asks_how(text: &str, words: &[Word]) -> bool {
    let begins = text.contains('?') || words.first().is_some_and(|word| word.at.start < 2);
    begins && asks(text, words) || words.iter().any(|word| word.low == "how")
}

/// Whether a sentence begins with the word of a question that is answered by a fact. In "{id} is spam" no word begins one.
pub(super) fn asks_for_a_fact(text: &str, words: &[Word]) -> bool {
    const WORDS: &str = "what whats when where which who whose is are was were does did has";
    let begins = |at: usize| at < 2 || text[..at].trim_end().ends_with(['.', '!', '?', ';']);
    words.iter().any(|word| begins(word.at.start) && lists(WORDS, &word.low))
}

/// Whether a message asks for the state of one thing: "is Old Bot up?", "status of Old Bot".
pub(super) fn asks_for_its_state(words: &[Word]) -> bool {
    const STATES: &str = "live alive up down online offline gated";
    let [first, second, ..] = words else { return false };
    let is_live = || words.last().is_some_and(|word| lists(STATES, &word.low));
    first.low == "is" && is_live() || first.low == "status" && second.low == "of"
}

/// Whether a message takes back what was written: "withdraw my endorsement of {id}".
pub(super) fn takes_back(words: &[Word]) -> bool {
    const WRITTEN: &str =
        "endorsement feedback mark message messages note outcome post rating report review trace warning";
    begins_with(words, "withdraw delete remove retract erase cancel undo", WRITTEN)
}

/// Whether a message changes what a probe reads: "change the description of {id}".
pub(super) fn changes_a_text(words: &[Word]) -> bool {
    const READ: &str = "description url endpoint version website category kind tools skills card";
    begins_with(words, "change update set edit replace", READ)
}

/// Whether a request begins with one of these verbs, and one of these objects follows.
fn begins_with(words: &[Word], verbs: &str, objects: &str) -> bool {
    const BEFORE: &str = "i we you want wish need would like to can could how do may";
    let mut own = words.iter().skip_while(|word| word.is_polite() || lists(BEFORE, &word.low));
    own.next().is_some_and(|word| lists(verbs, &word.low))
        && own.take(3).any(|word| lists(objects, &word.low))
}

/// Whether a text asks the registry to do something, or for a thing: "could you list it?", "may I have the demo?"
fn asks_us(words: &[Word]) -> bool {
    let is_modal = |word: &Word| matches!(word.low.as_str(), "can" | "could" | "would" | "will" | "may");
    // "Add it to your directory, would you?"
    if matches!(words, [.., modal, you] if is_modal(modal) && you.low == "you") {
        return true;
    }
    words.windows(3).any(|three| {
        let (who, verb) = (three[1].low.as_str(), three[2].low.as_str());
        is_modal(&three[0])
            && (who == "you" || matches!(who, "i" | "we") && matches!(verb, "have" | "get" | "see"))
    })
}

/// "Was it live at 9:30?" and "on Monday?"; "why was it refused at first?" asks about the present.
pub(super) fn asks_for_the_past(parsed: &ParsedText, has_day: bool) -> bool {
    const TIMES: &str =
        "ago noon midnight today morning evening monday tuesday wednesday thursday friday saturday sunday";
    let has = |list| parsed.words.iter().any(|word| lists(list, &word.low));
    let is_hour = |word: &str| word.starts_with(char::is_numeric) && word.contains(':');
    has("was were") && (has_day || has(TIMES) || parsed.text.split(' ').any(is_hour))
}

/// "Add it, but don't probe it."
pub(super) fn forbids_a_probe(words: &[Word]) -> bool {
    let forbids = |word: &Word| is_negation(&word.low) || word.low == "without";
    words.windows(2).any(|two| forbids(&two[0]) && lists("probe probing test testing score", &two[1].low))
}

/// Whether a request names a time at which it is to be done, outside of the texts that it passes on: "endorse it tomorrow".
pub(super) fn names_a_later_time(parsed: &ParsedText, texts: &[&str]) -> bool {
    const LATER: &str = "tomorrow tonight morgen demain mañana domani amanhã";
    const UNITS: &str =
        "week month year time weekend monday tuesday wednesday thursday friday saturday sunday";
    const STATES: &str = "i ill we well it its they theyll";
    let words = &parsed.words;
    let end = parsed.colon().unwrap_or(parsed.text.len());
    let is_time = |at: usize| {
        let next = words.get(at + 1).map_or("", |word| word.low.as_str());
        lists(LATER, &words[at].low) || words[at].low == "next" && lists(UNITS, next)
    };
    (0..words.len()).filter(|at| is_time(*at) && words[*at].at.start < end).any(|at| {
        // "Tell {id} that I am back tomorrow": the time belongs to the text. "Endorse it next week" has no text.
        let time = &parsed.text[words[at].at.clone()];
        let is_in_text = texts.iter().any(|text| text.contains(time) && text.split(' ').count() > 2);
        let begins = (0..=at).rev().find(|at| words[*at].starts_clause).unwrap_or(0);
        // "List it, I will fix it tomorrow."
        let states = lists(STATES, &words[begins].low)
            && words.get(begins + 1).is_none_or(|next| !lists(WISHES, &next.low) && next.low != "would");
        !is_in_text && !states
    })
}

/// Verbs of publishing and of reporting in German, French, Spanish, Italian and Portuguese, as infinitives and imperatives.
pub(super) const TO_PUBLISH: &str = "eintragen tragt trage aufnehmen nehmt veröffentlichen veröffentliche veröffentlicht registrieren registriere \
    registriert auflisten liste listet hinzufügen publier publiez publie inscrire inscrivez inscris ajouter ajoutez ajoute \
    référencer référencez enregistrer enregistrez enregistre publicar publica publicad publique publiquen registrar registra \
    registren añadir añade añadid añadan agregar agrega inscribir incluir incluye pubblicare pubblica pubblicate registrare \
    aggiungere aggiungi aggiungete inserire inserisci adicionar adicione publiquem registre cadastrar cadastre inclua";
pub(super) const TO_REPORT: &str = "melden melde meldet signaler signale signalez denunciar denuncio denuncien reportar reporto \
    segnalare segnalo segnalate";

/// Whether a text contains one of these verbs, and no word that denies it, asks about it or makes it conditional.
pub(super) fn requests(verbs: &str, text: &str, words: &[Word]) -> bool {
    const DOUBTS: &str = "ohne statt nicht kein keine nie niemals noch erst wenn falls bevor warum wieso wie ob ne pas jamais plus si avant \
        pourquoi comment quand sans no nunca ni antes cuando porque cómo como sin non né mai se quando perché senza prima não nem sem";
    let has = |list| words.iter().any(|word| lists(list, &word.low));
    has(verbs) && !has(DOUBTS) && !asks(text, words) && !objects(words)
}

pub(super) fn refuses(words: &[Word]) -> bool {
    words.first().is_some_and(|word| matches!(word.low.as_str(), "no" | "nope"))
        || (0..words.len()).any(|at| retracts(words, at))
}

/// Whether a later message contains any word that objects to the request it completes.
pub(super) fn objects(words: &[Word]) -> bool {
    refuses(words) || words.iter().any(|word| lists(RETRACTIONS_NEARBY, &word.low))
}

/// Whether a text says that a use went well. `None` if it says nothing about it, or both.
pub(super) fn verdict(words: &[Word]) -> Option<bool> {
    const GOOD: &str = "worked works working succeeded success successful successfully good great perfect perfectly \
        excellent fine correct correctly helpful useful";
    const BAD: &str = "failed fails failing failure broke broken breaks crashed crashes timeout timeouts timed error errors \
        garbage wrong bad terrible awful useless nonsense mistake mistakes problem problems";
    // After one of these, a word means its opposite.
    const NOT: &str =
        "not no never nothing without stopped didnt doesnt dont isnt wasnt wont cant cannot hardly";
    let mut found = words.iter().enumerate().filter_map(|(at, word)| {
        let from = at.saturating_sub(3);
        // "I do not like it, it failed": a comma ends what is negated.
        let from = (from..=at).rev().find(|at| words[*at].starts_clause).unwrap_or(from);
        let is_negated = words[from..at].iter().any(|before| lists(NOT, &before.low));
        match (lists(GOOD, &word.low), lists(BAD, &word.low)) {
            (true, _) => Some(!is_negated),
            (_, true) => Some(is_negated),
            // "The work" is a thing, "does not work" is a verdict.
            _ => (word.low == "work" && is_negated).then_some(false),
        }
    });
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

pub(super) fn is_general(verb: &str) -> bool {
    lists(GENERAL, verb) || lists(WISHES, verb)
}
