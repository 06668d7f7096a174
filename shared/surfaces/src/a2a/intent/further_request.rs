//! Finds a second request in a message. If it only reads, it is answered, too; otherwise the reply says that it was not done.

use std::ptr;

use serde_json::{Map, Value, json};

use crate::a2a::intent::argument_slots::{ArgumentSlots, Slot};
use crate::a2a::intent::content::MessageContent;
use crate::a2a::intent::matching::{CERTAIN, MIN_PROBABILITY};
use crate::a2a::intent::parsed_text::ParsedText;
use crate::a2a::intent::request::{Hold, Intent};
use crate::a2a::intent::words::{lists, words};
use crate::a2a::intent::{command, matching};
use registry_features::AnyOperation;
use registry_features::interop::operations::DEPOSIT_OUTCOME;
use registry_features::listing::operations::{ARD_SEARCH, MATCH_CAPABILITY};
use registry_features::products::operations::{CHECKOUT, PREVIEW_PRODUCT};
use registry_features::review::operations::REPORT_LISTING;
use registry_features::trails::operations::{ENDORSE, LEAVE_TRACE, SENSE_TRACES};
use registry_model::error::shorten;

/// A part with fewer words, of which an id counts as two, is no request of its own, and more parts are not read.
const MIN_WORDS: usize = 3;
const MAX_PARTS: usize = 5;
const MAX_SHOWN: usize = 120;
/// The words with which a further request begins, after these polite ones.
const OPENINGS: &str = "find search show tell list give check compare report publish add register score looking what which \
    who let when where why how is are does do did has endorse leave take withdraw restore rename rate opt buy confirm post send";
const OPENINGS_ELSEWHERE: &str = "was welche welcher wann wer wo wie warum gibt ist sind hat zeige suche quel quelle quels quelles combien \
    comment où qui est reste montre cherche qué cuál cuánto cuántos cómo cuándo quién hay es muestra busca qual quais quanto quantos \
    como quando quem há mostra";
const BEFORE: &str = "and also first then please could can you i we would like want to am plus";

/// In English, German, French, Spanish, Italian and Portuguese.
const AND: [&str; 6] = [" and ", " und ", " et ", " y ", " ed ", " e "];

/// A request in a message besides the chosen one.
#[derive(Debug)]
pub(super) struct Further {
    /// The part of the message; `None` if all of it may mean this, too.
    pub(super) text: Option<String>,
    pub(super) intent: Intent,
    /// The chosen request by its own part: otherwise, its texts would contain the further request.
    pub(super) own: Option<Intent>,
}

pub(super) fn find(message: &MessageContent, chosen: &Intent) -> Option<Further> {
    let is_split = matches!(chosen, Intent::Refused(_, Hold::SeveralListings | Hold::Later));
    if is_split || !message.is_plain_text() {
        return None;
    }
    let (parsed, _) = message.parse();
    let is_enumeration = parsed.ids.windows(2).all(|two| parsed.are_listed_together(&two[0], &two[1]));
    if parsed.ids.len() > 2 && is_enumeration {
        return request_for_other_listings(&parsed, chosen);
    }
    let of_question = || also_meant(&parsed, chosen).filter(|_| matches!(chosen, Intent::Refused(..)));
    of_question()
        .or_else(|| by_parts(message, &parsed, chosen))
        .or_else(|| request_for_other_listings(&parsed, chosen))
        .or_else(|| also_meant(&parsed, chosen))
        .or_else(|| request_for_a_tool(&parsed, chosen))
}

/// What a message asks about a tool, whose listing is the first hit of the chosen search.
fn request_for_a_tool(parsed: &ParsedText, chosen: &Intent) -> Option<Further> {
    parsed
        .tool_name()
        .filter(|_| chosen.operation().is_some_and(|entry| ptr::eq(entry, &MATCH_CAPABILITY)))?;
    let intent = matching::interpret(parsed, &Map::new());
    let is_asked = matches!(intent, Intent::Missing(entry, Slot::Id, _) if entry.effect.read_only);
    is_asked.then_some(Further { text: None, intent, own: None })
}

/// What a message also means if its operation is uncertain, or if it only asks about one that writes: "should I endorse it?"
fn also_meant(parsed: &ParsedText, chosen: &Intent) -> Option<Further> {
    let entry = chosen.operation()?;
    let fields = Map::new();
    let asks = command::asks_how(&parsed.text, &parsed.words);
    let is_asked = matches!(chosen, Intent::Refused(_, why) if *why == Hold::Retracted || *why == Hold::Unrequested && asks);
    let is_uncertain = matches!(chosen, Intent::Run(..))
        && entry.effect.read_only
        && !ptr::eq(entry, &MATCH_CAPABILITY)
        && matching::probability(parsed, &fields, entry) < CERTAIN;
    if !is_asked && !is_uncertain {
        return None;
    }
    let judging = [&ENDORSE, &LEAVE_TRACE, &REPORT_LISTING, &DEPOSIT_OUTCOME];
    let is_about_others = judging.into_iter().any(|judging| ptr::eq(entry, judging));
    let intent = match parsed.ids.as_slice() {
        [id] if is_asked && is_about_others => Some(Intent::Run(&SENSE_TRACES, json!({ "listing_id": id }))),
        _ if is_asked && ptr::eq(entry, &CHECKOUT) => Some(Intent::Run(&PREVIEW_PRODUCT, json!({}))),
        _ => matching::second(parsed, &fields, entry),
    }?;
    let further = intent.with_short_answer();
    let is_same = further.operation().is_some_and(|other| ptr::eq(other, entry))
        && further.arguments() == chosen.arguments();
    (!is_same).then_some(Further { text: None, intent: further, own: None })
}

/// The same question about the second listing of "are {id} and {id} live?"; of more, it only names the others.
fn request_for_other_listings(parsed: &ParsedText, chosen: &Intent) -> Option<Further> {
    let Intent::Run(entry, Value::Object(arguments)) = chosen else { return None };
    let (first, others) = parsed.ids.split_first()?;
    if !entry.effect.read_only || ArgumentSlots::of(entry).argument(Slot::Id, 1).is_some() {
        return None;
    }
    let mut arguments = arguments.clone();
    *arguments.values_mut().find(|value| **value == *first)? = others.first()?.as_str().into();
    let one = Intent::Run(entry, Value::Object(arguments));
    let intent = if others.len() == 1 { one } else { Intent::Unclear };
    Some(Further { text: Some(shorten(&others.join(" and "), MAX_SHOWN)), intent, own: None })
}

/// The part of a message that requests another operation than the chosen one, if a part requests that one, too.
fn by_parts(message: &MessageContent, parsed: &ParsedText, chosen: &Intent) -> Option<Further> {
    let (whole, chosen) = (chosen, chosen.operation()?);
    // "Compare {id} and {id}" is one request.
    let has_all = |all: &Value| parsed.ids.iter().all(|id| all.to_string().contains(&format!("\"{id}\"")));
    if parsed.ids.len() > 1 && whole.arguments().is_some_and(has_all) {
        return None;
    }
    // What follows a colon is the text of the request before it.
    let end = parsed.colon().unwrap_or(parsed.text.len());
    let head = AND.iter().fold(parsed.text[..end].to_owned(), |text, and| text.replace(and, "\n"));
    // A URL and a number contain points, too.
    let head =
        [". ", "? ", "! ", "; "].iter().fold(head, |text, end| text.replace(end, &end.replace(' ', "\n")));
    let parts = head.split('\n').map(|part| part.trim().to_owned());
    let mut parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    if parts.len() < 2 {
        return None;
    }
    parts.last_mut()?.push_str(&parsed.text[end..]);
    parts.truncate(MAX_PARTS);
    let meant: Vec<_> =
        parts.into_iter().filter_map(|part| meant(message, &part).map(|meant| (part, meant))).collect();
    // The part with this operation was chosen, or else the part with an id or a URL: the message is about it.
    let is_search = ptr::eq(chosen, &MATCH_CAPABILITY) || ptr::eq(chosen, &ARD_SEARCH);
    // "Can I trust {id}? My shop ships boxes." is no search.
    let target = meant.iter().find(|(_, part)| part.has_target);
    let is_guess = is_search || matches!(whole, Intent::Refused(_, Hold::Unrequested));
    let is_about_one = is_guess && target.is_some_and(|(_, part)| part.entry.effect.read_only);
    let requests_chosen = !is_about_one && meant.iter().any(|(_, part)| ptr::eq(part.entry, chosen));
    let is_chosen =
        |part: &Meant| if requests_chosen { ptr::eq(part.entry, chosen) } else { part.has_target };
    let (chosen_parts, others): (Vec<_>, Vec<_>) = meant.into_iter().partition(|(_, part)| is_chosen(part));
    let mut chosen_parts = chosen_parts.into_iter();
    let (_, first) = chosen_parts.next()?;
    let of_listing = |intent: &Intent| intent.arguments().map(|arguments| arguments["listing_id"].clone());
    // "I used {id}, it worked. Report that {id} worked" is one report.
    let differs = |part: &Meant| match part.entry.effect.read_only {
        true => part.intent.arguments() != first.intent.arguments(),
        false => of_listing(&part.intent) != of_listing(whole),
    };
    let repeated = chosen_parts.filter(|(_, part)| part.has_target && differs(part));
    let is_further = |part: &Meant| part.is_request && (is_search || !part.refers);
    let further = others.into_iter().chain(repeated).find(|(_, part)| is_further(part));
    if is_about_one && further.is_none() {
        return Some(Further { text: None, intent: Intent::Unclear, own: Some(first.intent) });
    }
    let (further, part) = further?;
    // A write stays at the listing that was chosen.
    let may_replace = match (whole, &first.intent) {
        (Intent::Run(..), Intent::Run(entry, _)) => {
            is_about_one
                || ptr::eq(*entry, chosen)
                    && (first.has_target || parsed.ids.is_empty())
                    && (entry.effect.read_only || of_listing(whole) == of_listing(&first.intent))
        }
        _ => is_search && ptr::eq(first.entry, chosen),
    };
    Some(Further {
        text: Some(shorten(&further.trim_end_matches(['.', '?', '!', ',']).replace('"', "'"), MAX_SHOWN)),
        intent: part.intent,
        own: may_replace.then_some(first.intent),
    })
}

/// Whether a text begins as a request or a question.
pub(super) fn opens(text: &str) -> bool {
    let first = words(text).into_iter().find(|word| !lists(BEFORE, &word.low));
    first.is_some_and(|first| lists(OPENINGS, &first.low) || lists(OPENINGS_ELSEWHERE, &first.low))
}

struct Meant {
    entry: &'static AnyOperation,
    intent: Intent,
    has_target: bool,
    /// Whether it is likely, and either begins as a request does or reads about the listing of the message.
    is_request: bool,
    /// Whether it is about "it", which can be the first hit of a search.
    refers: bool,
}

fn meant(message: &MessageContent, part: &str) -> Option<Meant> {
    let content = |text: &str| {
        let names = message.names.clone();
        MessageContent { text: text.to_owned(), names, ..MessageContent::default() }.parse()
    };
    let (parsed, fields) = content(part);
    if parsed.words.len() + 2 * (parsed.ids.len() + parsed.urls.len()) < MIN_WORDS {
        return None;
    }
    let mut intent = matching::interpret(&parsed, &fields);
    let entry = intent.operation()?;
    let (whole, _) = content(&message.text);
    let mut reads_it = entry.effect.read_only && !parsed.ids.is_empty();
    if let (Intent::Missing(_, Slot::Id, _), [id]) = (&intent, whole.ids.as_slice()) {
        reads_it = entry.effect.read_only;
        // "And how do I connect to it?"
        let (with_id, fields) = content(&format!("{part} {id}"));
        intent = matching::interpret(&with_id, &fields);
    }
    let has_target = !parsed.ids.is_empty() || !parsed.urls.is_empty();
    let least = if has_target { MIN_PROBABILITY } else { CERTAIN };
    let is_likely = matching::probability(&parsed, &fields, entry) >= least;
    // "When do they expire?" is about the answer to the other part.
    let refers = parsed.words.iter().any(|word| lists("it they them these those", &word.low));
    let is_of_a_hit = matches!(intent, Intent::Missing(_, Slot::Id, _)) && entry.effect.read_only;
    let refers = refers && !reads_it;
    let is_request = is_likely && (reads_it || opens(part) && (!refers || is_of_a_hit));
    Some(Meant { entry, intent: intent.with_short_answer(), has_target, is_request, refers })
}
