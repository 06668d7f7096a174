//! Suggests messages that a caller can send: examples of operations, with what the message of the caller contains.

use serde_json::{Map, Value};

use crate::a2a::intent::examples::{self, OperationExamples};
use crate::a2a::intent::parsed_text::ParsedText;
use crate::a2a::intent::request::Intent;
use crate::a2a::intent::words::{Word, words};
use crate::a2a::intent::{command, filling, matching};
use registry_features::AnyOperation;
use registry_features::review::operations::REPORT_LISTING;
use registry_features::talk::operations::TALK;
use registry_features::trails::operations::LEAVE_TRACE;
use registry_model::error::shorten;

/// Placeholders for examples where the text contains no URL or id.
const URL: &str = "https://agent.example.com/.well-known/agent-card.json";
const ID: &str = "agtpub_0123456789abcdef0123";
const OTHER_ID: &str = "mcp-com-example-weather";
const ORDER: &str = "ord_0123456789abcdef";
const TOKEN: &str = "at_0123456789abcdef0123456789abcdef";
const JWS: &str = "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl";
const YOUR_TEXT: &str = "<your text>";

/// An example of an operation in plain words, with the URL or id of the text filled in.
pub(super) fn example(entry: &AnyOperation, parsed: Option<&ParsedText>) -> String {
    let first =
        |list: fn(&ParsedText) -> &Vec<String>| parsed.and_then(|parsed| list(parsed).first().cloned());
    let url = first(|parsed| &parsed.urls);
    let ids = parsed.iter().flat_map(|parsed| &parsed.ids);
    let sender = parsed.and_then(ParsedText::sending_listing).filter(|_| !entry.effect.read_only);
    let mut ids = ids.filter(|id| sender.as_ref().is_none_or(|(sender, _)| id != sender));
    let (id, other) = (ids.next().cloned(), ids.next());
    let own = parsed.map_or(&[][..], |parsed| parsed.words.as_slice());
    let fitness = |phrase: &str| {
        let has_slot = phrase.contains("{url}") && url.is_some() || phrase.contains("{id}") && id.is_some();
        let words = words(phrase);
        let common =
            words.iter().filter(|word| word.is_significant() && own.iter().any(|own| own.stem == word.stem));
        // "How does one change its name?" gets the example of a rename, the only act whose sentences contain these words.
        let (_, parsed_phrase) = examples::parse(phrase);
        let all = OperationExamples::of(entry).map_or(&[][..], |operation| operation.examples.as_slice());
        let acts = || all.iter().filter(|one| !one.implied.is_empty());
        let implied = acts().find(|one| one.stems == parsed_phrase.stems).map(|one| &one.implied);
        let says = |word: &Word, same: bool| {
            acts().any(|one| (Some(&one.implied) == implied) == same && one.stems.contains(&word.stem))
        };
        let like = own.iter().filter(|word| says(word, true) && !says(word, false)).count();
        // Who says that it failed gets no example that says that it worked.
        (
            has_slot,
            command::verdict(&words) == command::verdict(own),
            // "Manage {id}" does not say how.
            entry.effect.read_only
                || parsed.is_none()
                || runs_as_written(entry, &fill(phrase, "https://a.example", "mcp-a")),
            like,
            common.count(),
            parsed.is_some_and(|parsed| !parsed.text.is_empty()) && phrase.contains(": {"),
        )
    };
    // Of equals, the first.
    let phrase = entry.phrases().rev().max_by_key(|phrase| fitness(phrase)).unwrap_or(entry.name);
    let phrase = match other {
        Some(other) => phrase.replacen("{id}", id.as_deref().unwrap_or(ID), 1).replace("{id}", other),
        None => phrase.to_owned(),
    };
    let own_text =
        parsed.filter(|_| !entry.effect.read_only).and_then(|parsed| with_own_text(entry, &phrase, parsed));
    fill(&own_text.unwrap_or(phrase), url.as_deref().unwrap_or(URL), id.as_deref().unwrap_or(ID))
}

/// The phrase with what the caller wrote instead of the example of a text, so that the suggestion says no more and no less: a
/// quotation, what follows a colon, or all of it where the phrase has a reason.
fn with_own_text(entry: &AnyOperation, phrase: &str, parsed: &ParsedText) -> Option<String> {
    let is_text =
        |(at, _): &(usize, &str)| phrase[*at..].split('}').next().is_some_and(|slot| slot.contains(' '));
    let (at, _) = phrase.match_indices('{').find(is_text)?;
    let (before, rest) = phrase.split_at(at);
    let after_colon = parsed.text.split_once(": ").filter(|_| !std::ptr::eq(entry, &REPORT_LISTING));
    // "Tell the owner of it that …".
    let takes_that = std::ptr::eq(entry, &TALK) || std::ptr::eq(entry, &LEAVE_TRACE);
    let after_that = || parsed.text.split_once(" that ").filter(|_| takes_that);
    let after_colon = after_colon.or_else(after_that);
    let own_text = filling::text_of_phrase(parsed, phrase);
    let own = match (parsed.names.first().filter(|_| parsed.quoted > 0), after_colon) {
        (Some(quotation), _) => quotation.as_str(),
        (None, Some((_, text))) => text,
        // "Someone should warn others about {id}" is no text.
        (None, None) if before.ends_with(": ") && !parsed.text.is_empty() => {
            let names_it = parsed.end_of_ids(1) > 0 && !std::ptr::eq(entry, &REPORT_LISTING);
            if names_it { YOUR_TEXT } else { &parsed.text }
        }
        (None, None) => own_text.as_deref().unwrap_or(YOUR_TEXT),
    };
    let own = shorten(&own.replace('\'', "’").replace(['"', '{', '}'], ""), 300);
    Some(format!("{before}'{own}'{}", rest.split_once('}')?.1))
}

/// Whether a suggested message runs the operation as it stands: it contains what is required, and nothing that stands for what
/// only the caller knows.
pub(super) fn runs_as_written(entry: &AnyOperation, example: &str) -> bool {
    let schema = (entry.input_schema)();
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    match matching::interpret(&ParsedText::parse(example), &Map::new()) {
        Intent::Run(meant, arguments) => {
            std::ptr::eq(meant, entry)
                && !has_placeholder(example)
                && required.into_iter().all(|name| arguments.get(name).is_some())
        }
        _ => false,
    }
}

/// Whether an example contains what only stands for a value of the caller.
fn has_placeholder(example: &str) -> bool {
    [URL, ID, OTHER_ID, ORDER, TOKEN, JWS, YOUR_TEXT].iter().any(|placeholder| example.contains(placeholder))
}

/// What an operation does and needs: the first two sentences of its description.
pub(super) fn about(entry: &AnyOperation) -> String {
    let sentences: Vec<&str> = entry.description.split_inclusive(". ").take(2).collect();
    sentences.concat().trim_end().to_owned()
}

/// A phrase of the catalogue with example values in its slots.
pub fn filled(phrase: &str) -> String {
    fill(phrase, URL, ID)
}

/// A phrase of the catalogue with the names that documents use for the values of the caller.
pub fn template(phrase: &str) -> String {
    let phrase = phrase.replace("{token}", "{access_token}").replace(ORDER, "{order_id}");
    fill(&phrase, "{url}", "{listing_id}").replace(OTHER_ID, "{listing_b}")
}

/// The slot of a text contains its example; a name of another kind of slot has no blank.
fn fill(phrase: &str, url: &str, id: &str) -> String {
    let filled = phrase.replace("{url}", url).replacen("{id}", id, 1).replace("{id}", OTHER_ID);
    let filled = filled.replace("{token}", TOKEN).replace("{jws}", JWS);
    let texts = filled.split('{').map(|part| match part.split_once('}') {
        Some((text, rest)) if text.contains(' ') => format!("{text}{rest}"),
        Some(_) => format!("{{{part}"),
        None => part.to_owned(),
    });
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_slots_are_filled_with_their_examples() {
        assert_eq!(filled("is {listing_id} live?"), "is {listing_id} live?");
        assert_eq!(filled("find an agent that can {read papers}"), "find an agent that can read papers");
    }
}
