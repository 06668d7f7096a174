//! Writes the texts of replies. They are for clients that show the text and ignore the data. The module also writes the help
//! text with examples.

use serde_json::{Map, Value, json};

use crate::a2a::intent::named_call;
use crate::a2a::intent::parsed_text::ParsedText;
use crate::a2a::intent::summary;
use crate::a2a::intent::words::{Word, words};
use crate::a2a::intent::{command, examples, filling, matching, runs_as_written, topics};
use registry_features::funnel::operations::GET_FOUNDING_DEAL;
use registry_features::interop::operations::INTEROP_RESOLVE;
use registry_features::listing::operations::{CHECK_STATUS, MATCH_CAPABILITY, SEARCH_ACTIVE};
use registry_features::publish::operations::LIST_YOURSELF;
use registry_features::review::operations::{REPORT_LISTING, SCORE};
use registry_features::talk::operations::TALK;
use registry_features::trails::operations::LEAVE_TRACE;
use registry_features::{AnyOperation, CATALOGUE};
use registry_model::counted;
use registry_model::error::shorten;
use registry_settings::Settings;

const NEXT_MEMBERS: [&str; 3] = ["next", "list_hint", "hint"];

pub(super) fn answer(entry: &AnyOperation, result: &Value) -> String {
    let sentences = entry.summary.iter().filter_map(|template| summary::sentence(template, result));
    let next = NEXT_MEMBERS.iter().find_map(|member| next(&result[*member]));
    let text = sentences.chain(next).collect::<Vec<_>>().join(" ");
    // A listing that was never Live may have its id as its name.
    let id = result["listing_id"].as_str().unwrap_or_default();
    let text = text.replace(&format!("\"{id}\" ({id})"), id);
    if text.is_empty() { format!("{}: done.", entry.title) } else { text }
}

/// The next step: its text, and the message that executes it.
pub(super) fn next(next: &Value) -> Option<String> {
    let text = next.as_str().or_else(|| next["note"].as_str())?;
    let message = message(next).map(|message| format!(" {message}")).unwrap_or_default();
    (!text.is_empty()).then(|| format!("Next: {}{message}", shorten(text, 600)))
}

/// The message that executes the next step: a phrase if it expresses all arguments, else the call as JSON.
fn message(next: &Value) -> Option<String> {
    let tool = next["tool"].as_str()?;
    let mut arguments = next.get("body").or_else(|| next.get("arguments"))?.as_object()?.clone();
    // At an endpoint of several operations the body names the operation.
    arguments.retain(|name, value| name != "action" || value != tool);
    let phrase = named_call::named(tool).and_then(|entry| phrase(entry, &arguments));
    Some(match phrase {
        Some(phrase) => format!("Say: \"{phrase}\""),
        None => format!("Send: {}", json!({ "tool": tool, "arguments": arguments })),
    })
}

fn phrase(entry: &AnyOperation, arguments: &Map<String, Value>) -> Option<String> {
    let mut values = arguments.iter();
    let (Some((name, Value::String(value))), None) = (values.next(), values.next()) else { return None };
    let slot = match name.as_str() {
        "id" | "listing_id" => "{id}",
        "url" => "{url}",
        _ => return None,
    };
    let phrase = entry.phrases().find(|phrase| phrase.contains(slot))?;
    Some(phrase.replace(slot, value))
}

/// Placeholders for examples where the text contains no URL or id.
const URL: &str = "https://agent.example.com/.well-known/agent-card.json";
const ID: &str = "agtpub_0123456789abcdef0123";
const OTHER_ID: &str = "mcp-com-example-weather";
const ORDER: &str = "ord_0123456789abcdef";
const TOKEN: &str = "at_0123456789abcdef0123456789abcdef";
const JWS: &str = "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl";
const YOUR_TEXT: &str = "<your text>";

/// Whether an example contains what only stands for a value of the caller.
pub(super) fn has_placeholder(example: &str) -> bool {
    [URL, ID, OTHER_ID, ORDER, TOKEN, JWS, YOUR_TEXT].iter().any(|placeholder| example.contains(placeholder))
}

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
        let (_, shown) = examples::parse(phrase);
        let all = matching::examples_of(entry).map_or(&[][..], |operation| operation.examples.as_slice());
        let acts = || all.iter().filter(|one| !one.implied.is_empty());
        let implied = acts().find(|one| one.stems == shown.stems).map(|one| &one.implied);
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
    let is_told = std::ptr::eq(entry, &TALK) || std::ptr::eq(entry, &LEAVE_TRACE);
    let after_that = || parsed.text.split_once(" that ").filter(|_| is_told);
    let after_colon = after_colon.or_else(after_that);
    let said = filling::said(parsed, phrase);
    let own = match (parsed.names.first().filter(|_| parsed.quoted > 0), after_colon) {
        (Some(quotation), _) => quotation.as_str(),
        (None, Some((_, text))) => text,
        // "Someone should warn others about {id}" is no text.
        (None, None) if before.ends_with(": ") && !parsed.text.is_empty() => {
            let names_it = parsed.end_of_ids(1) > 0 && !std::ptr::eq(entry, &REPORT_LISTING);
            if names_it { YOUR_TEXT } else { &parsed.text }
        }
        (None, None) => said.as_deref().unwrap_or(YOUR_TEXT),
    };
    let own = shorten(&own.replace('\'', "’").replace(['"', '{', '}'], ""), 300);
    Some(format!("{before}'{own}'{}", rest.split_once('}')?.1))
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

pub(super) fn names() -> Value {
    CATALOGUE.iter().map(|entry| entry.name).collect()
}

/// Every operation as data, with an example in words and as a call. The agent card describes them.
pub fn operations() -> Value {
    let summary = |entry: &AnyOperation| {
        json!({
            "operation": entry.name,
            "title": entry.title,
            "say": example(entry, None),
            // As text, because A2A requires camel case for every member name, and these names are snake case.
            "data": format!("{{\"operation\": \"{}\", \"arguments\": {}}}", entry.name, entry.example),
        })
    };
    CATALOGUE.iter().copied().map(summary).collect()
}

/// A short help with examples, and the answers to what people ask most about a registry.
pub fn help_text(settings: &Settings) -> String {
    let examples = [
        &MATCH_CAPABILITY,
        &SEARCH_ACTIVE,
        &LIST_YOURSELF,
        &SCORE,
        &CHECK_STATUS,
        &INTEROP_RESOLVE,
        &GET_FOUNDING_DEAL,
    ];
    let lines = examples.map(|entry| format!("\n- {}", example(entry, None))).concat();
    format!(
        "This is {}, a registry of agents and MCP servers that answered a real handshake. A program answers here; it \
         only knows the registry, and works best in English.\n\
         Listing and searching are free, without an account or key; {}. To publish, send a URL: it is usually \
         probed within seconds, and a Live listing again within {}. A short outage does not end Live. A probe calls no \
         tool. Gated means: callers sign in. The owner can rename or withdraw a listing, with a signature. Several \
         listings can have one name.\n\
         A conversation is stored for 24 hours, your address only as a digest; an e-mail address is never shown. Contact and \
         privacy: {}\n\
         Examples:{lines}\nThe method `help` describes all {} operations. \
         You can also send a data part {{\"operation\": …, \"arguments\": {{…}}}}; `next` in an answer can be such a call.",
        settings.brand,
        topics::limits(settings),
        counted(settings.recheck_days, "day"),
        settings.url("/privacy"),
        CATALOGUE.len()
    )
}

#[cfg(test)]
mod tests;
