//! Writes the texts of replies. They are for clients that show the text and ignore the data. Each operation has templates
//! for the sentences of its answer ([`Description::summary`]). The module also writes the help text with examples.

use serde_json::{Map, Value, json};

use super::operation_call;
use super::parsed_text::ParsedText;
use crate::{
    AnyOperation, CATALOGUE, CHECK_STATUS, GET_FOUNDING_DEAL, INTEROP_RESOLVE, LIST_YOURSELF,
    MATCH_CAPABILITY, SCORE, SEARCH_ACTIVE,
};
use registry_model::error::shorten;

const NEXT_MEMBERS: [&str; 3] = ["next", "list_hint", "hint"];
/// Rows of a list are shown up to so many bytes, but at least one.
const MAX_ROWS_BYTES: usize = 1200;
const MAX_VALUE_CHARS: usize = 300;

pub(super) fn answer(entry: &AnyOperation, result: &Value) -> String {
    let sentences = entry.summary.iter().filter_map(|template| sentence(template, result));
    let next = NEXT_MEMBERS.iter().find_map(|member| next(&result[*member]));
    let text = sentences.chain(next).collect::<Vec<_>>().join(" ");
    if text.is_empty() { format!("{}: done.", entry.title) } else { text }
}

/// A sentence of an answer; `None` if the answer has no value for it. `{a.b}` is the value of a member, `{a#}` the length of a
/// list, `{a?yes|no}` depends on a boolean. After `[a]`, the rest is written for each row of a list. A part between two ` | `
/// is left out if it has no value.
fn sentence(template: &str, answer: &Value) -> Option<String> {
    let Some((before, (list, row))) =
        template.split_once('[').and_then(|(before, rest)| Some((before, rest.split_once(']')?)))
    else {
        return parts(template, answer);
    };
    let rows = member(answer, list)?.as_array()?;
    let (mut texts, mut shown) = (String::new(), 0);
    for text in rows.iter().filter_map(|value| parts(row, value)) {
        if shown > 0 && texts.len() + text.len() > MAX_ROWS_BYTES {
            break;
        }
        texts += if shown == 0 { "" } else { "; " };
        texts += &text;
        shown += 1;
    }
    let more = rows.len().checked_sub(shown).filter(|more| *more > 0);
    let more = more.map(|more| format!("; and {more} more in the data")).unwrap_or_default();
    (shown > 0).then(|| format!("{}{texts}{more}.", parts(before, answer).unwrap_or_default()))
}

/// The first part is required.
fn parts(template: &str, answer: &Value) -> Option<String> {
    let mut parts = template.split(" | ").map(|part| filled_part(part, answer));
    let first = parts.next()??;
    Some(parts.flatten().fold(first, |text, part| {
        let glued = part.starts_with([',', ';', ':', '.']);
        text + if glued { "" } else { " " } + &part
    }))
}

fn filled_part(part: &str, answer: &Value) -> Option<String> {
    let mut text = String::new();
    let mut rest = part;
    while let Some((before, after)) = rest.split_once('{') {
        let (slot, after) = after.split_once('}')?;
        text += before;
        text += &value(slot, answer)?;
        rest = after;
    }
    Some(text + rest)
}

fn value(slot: &str, answer: &Value) -> Option<String> {
    if let Some(path) = slot.strip_suffix('#') {
        return Some(member(answer, path)?.as_array()?.len().to_string());
    }
    if let Some((path, (yes, no))) =
        slot.split_once('?').and_then(|(path, words)| Some((path, words.split_once('|')?)))
    {
        return Some(if member(answer, path)?.as_bool()? { yes } else { no }.to_owned());
    }
    match member(answer, slot)? {
        // What others wrote may contain a quotation mark, which would end the quotation around it.
        Value::String(text) if slot.ends_with("lane") => Some(text.replace('_', " ")),
        Value::String(text) if !text.is_empty() => Some(shorten(&text.replace('"', "'"), MAX_VALUE_CHARS)),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Array(values) if !values.is_empty() => {
            let texts: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
            Some(shorten(&texts?.join(", "), MAX_VALUE_CHARS))
        }
        Value::Object(_) => Some(shorten(&member(answer, slot)?.to_string(), MAX_VALUE_CHARS)),
        _ => None,
    }
}

fn member<'a>(answer: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').filter(|name| !name.is_empty()).try_fold(answer, |value, name| value.get(name))
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
    let arguments = next.get("body").or_else(|| next.get("arguments"))?;
    let phrase = operation_call::named(tool).and_then(|entry| phrase(entry, arguments.as_object()?));
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
    let phrase = entry.phrases.iter().find(|phrase| phrase.contains(slot))?;
    Some(phrase.replace(slot, value))
}

/// Placeholders for examples where the text contains no URL or id.
const URL: &str = "https://agent.example.com/.well-known/agent-card.json";
const ID: &str = "agtpub_0123456789abcdef0123";
const TOKEN: &str = "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl";

/// An example of an operation in plain words, with the URL or id of the text filled in.
pub(super) fn example(entry: &AnyOperation, parsed: Option<&ParsedText>) -> String {
    let first =
        |list: fn(&ParsedText) -> &Vec<String>| parsed.and_then(|parsed| list(parsed).first().cloned());
    let (url, id) = (first(|parsed| &parsed.urls), first(|parsed| &parsed.ids));
    let has_slot = |phrase: &str| {
        (phrase.contains("{url}") && url.is_some()) || (phrase.contains("{id}") && id.is_some())
    };
    let phrase = entry.phrases.iter().find(|phrase| has_slot(phrase)).or(entry.phrases.first()).copied();
    let phrase = phrase.unwrap_or(entry.name);
    fill(phrase, url.as_deref().unwrap_or(URL), id.as_deref().unwrap_or(ID))
}

/// A phrase of the catalogue with example values in its slots.
pub fn filled(phrase: &str) -> String {
    fill(phrase, URL, ID)
}

/// The slot of a text contains its example; a name of another kind of slot has no blank.
fn fill(phrase: &str, url: &str, id: &str) -> String {
    let filled = phrase.replace("{url}", url).replace("{id}", id).replace("{token}", TOKEN);
    let texts = filled.split('{').map(|part| match part.split_once('}') {
        Some((text, rest)) if text.contains(' ') => format!("{text}{rest}"),
        Some(_) => format!("{{{part}"),
        None => part.to_owned(),
    });
    texts.collect()
}

pub(super) fn line(entry: &AnyOperation, parsed: Option<&ParsedText>) -> String {
    format!("- {}: \"{}\"", entry.title, example(entry, parsed))
}

/// The names of all operations.
pub(super) fn names() -> Value {
    CATALOGUE.iter().map(|entry| entry.name).collect()
}

/// Every operation as data, with an example in words and as a call.
pub fn operations() -> Value {
    let summary = |entry: &AnyOperation| {
        json!({
            "operation": entry.name,
            "title": entry.title,
            "description": entry.description,
            "say": example(entry, None),
            // As text, because A2A requires camel case for every member name, and these names are snake case.
            "data": format!("{{\"operation\": \"{}\", \"arguments\": {}}}", entry.name, entry.example),
        })
    };
    CATALOGUE.iter().copied().map(summary).collect()
}

/// A short help with examples.
pub fn help_text(brand: &str) -> String {
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
        "This is {brand}, a registry of agents and MCP servers that answered a real handshake. Say what you need, \
         for example:{lines}\nThe method `help` and the agent card describe all {} operations. You can also send a \
         data part {{\"operation\": …, \"arguments\": {{…}}}}; `next` in an answer is such a call.",
        CATALOGUE.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn template_is_filled_with_the_members_of_the_answer() {
        let value = json!({ "ok": true, "name": "A \"B\"", "deal": { "left": 3 }, "live": false, "none": null,
            "tags": ["x", "y"], "rows": [{ "id": "mcp-a", "url": "u" }, { "id": "mcp-b" }], "empty": [] });
        for (template, text) in [
            ("\"{name}\" is {live?Live|not Live}.", Some("\"A 'B'\" is not Live.")),
            ("{deal.left} seats | of {none} | , {tags}.", Some("3 seats, x, y.")),
            ("{rows#} rows: [rows]{id} | at {url}", Some("2 rows: mcp-a at u; mcp-b.")),
            ("{none}.", None),
            ("Rows: [empty]{id}", None),
        ] {
            assert_eq!(sentence(template, &value).as_deref(), text, "{template}");
        }
    }

    #[test]
    fn templates_use_only_members_of_the_answer() {
        let mut unknown = Vec::new();
        for entry in CATALOGUE {
            let schema = (entry.output_schema)();
            assert!(!entry.summary.is_empty(), "{} has no summary", entry.name);
            for template in entry.summary {
                let (before, rows) = template.split_once('[').unwrap_or((template, ""));
                let (list, row) = rows.split_once(']').unwrap_or_default();
                let in_row = paths(row).map(|path| format!("{list}.{path}"));
                for path in paths(before).map(str::to_owned).chain(in_row).chain([list.to_owned()]) {
                    if !crate::short::has_path(&schema, &path) {
                        unknown.push(format!("{}: {path}", entry.name));
                    }
                }
            }
        }
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    fn paths(template: &str) -> impl Iterator<Item = &str> {
        let slots = template.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0));
        slots.map(|slot| slot.split(['?', '#']).next().unwrap_or_default())
    }

    #[test]
    fn help_is_short() {
        assert!(help_text("Agent and MCP Registry").len() < 1000);
        assert_eq!(filled("is {listing_id} live?"), "is {listing_id} live?");
        assert_eq!(filled("find an agent that can {read papers}"), "find an agent that can read papers");
    }

    #[test]
    fn next_step_contains_the_message_to_send() {
        for (step, message) in [
            (
                json!({ "tool": "take_demo", "body": { "listing_id": "mcp-a" } }),
                r#"Say: "take the demo for mcp-a""#,
            ),
            (json!({ "tool": "check_status", "arguments": { "id": "mcp-a" } }), r#"Say: "is mcp-a live?""#),
            (
                json!({ "tool": "list_yourself", "body": { "url": "https://a.example/" } }),
                r#"Say: "list my agent at https://a.example/""#,
            ),
            (
                json!({ "tool": "get_access", "arguments": { "token": "at_x" } }),
                r#"Send: {"tool":"get_access","arguments":{"token":"at_x"}}"#,
            ),
            (json!({ "tool": "take_demo" }), ""),
            (json!({ "method": "GET", "url": "/x" }), ""),
        ] {
            let mut step = step;
            step["note"] = json!("Go on.");
            assert_eq!(next(&step).unwrap(), format!("Next: Go on. {message}").trim_end());
        }
    }
}
