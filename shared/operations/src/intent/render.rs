//! Writes the texts of replies: one or two sentences about an answer. They are for clients that show the text
//! and ignore the data. The sentences use fields that many operations have in common, so that no operation
//! needs code here. The module also writes the help text with examples.

use serde_json::{Map, Value, json};

use super::operation_call;
use super::parsed_text::ParsedText;
use crate::{AnyOperation, CATALOGUE};
use registry_model::error::shorten;

/// Members with a text for people; the first that is present is shown.
const TEXT_MEMBERS: [&str; 6] = ["message", "lane_reason", "summary", "thanks", "note", "one_liner"];
const NEXT_MEMBERS: [&str; 3] = ["next", "list_hint", "hint"];
const MAX_ROWS: usize = 10;
const MAX_SCALARS: usize = 6;

pub(super) fn answer(entry: &AnyOperation, result: &Value) -> String {
    let mut sentences = Vec::new();
    sentences.extend(subject(result));
    let words = TEXT_MEMBERS.iter().find_map(|member| result[*member].as_str());
    sentences.extend(words.map(str::to_owned));
    sentences.extend(rows(result));
    if words.is_none() && sentences.len() < 2 {
        sentences.extend(facts(result));
    }
    sentences.extend(NEXT_MEMBERS.iter().find_map(|member| next(&result[*member])));
    if sentences.is_empty() {
        sentences.push(format!("{}: done.", entry.title));
    }
    sentences.join(" ")
}

fn subject(result: &Value) -> Option<String> {
    let name = result["name"].as_str().or_else(|| result["listing_id"].as_str())?;
    let id = result["listing_id"]
        .as_str()
        .filter(|id| *id != name)
        .map(|id| format!(" ({id})"))
        .unwrap_or_default();
    let lane =
        result["lane"].as_str().map(|lane| format!(" is {}", lane.replace('_', " "))).unwrap_or_default();
    let is_name = result["name"].is_string();
    Some(format!("{}{id}{lane}.", if is_name { quoted(name, 120) } else { shorten(name, 120) }))
}

/// A name as its publisher wrote it. It could be a sentence, so the quotation marks show where it ends.
fn quoted(name: &str, limit: usize) -> String {
    format!("\"{}\"", shorten(name, limit).replace('"', "'"))
}

/// The first list of rows with names or ids.
fn rows(result: &Value) -> Option<String> {
    let (list, rows) = result.as_object()?.iter().find_map(|(name, value)| {
        let rows = value.as_array().filter(|rows| rows.iter().all(|row| row["listing_id"].is_string()))?;
        Some((name, rows))
    })?;
    if rows.is_empty() {
        // In an answer about one listing, an empty list is not worth a sentence.
        return result.get("listing_id").is_none().then(|| format!("No {}.", list.replace('_', " ")));
    }
    let named = rows.iter().take(MAX_ROWS).map(|row| {
        let id = row["listing_id"].as_str().unwrap_or_default();
        match row["name"].as_str() {
            Some(name) if name != id => format!("{} ({id})", quoted(name, 80)),
            _ => id.to_owned(),
        }
    });
    let named = named.collect::<Vec<_>>().join(", ");
    let more = rows.len().checked_sub(MAX_ROWS).filter(|more| *more > 0);
    let more = more.map(|more| format!(" and {more} more in the data")).unwrap_or_default();
    Some(format!("{} {}: {named}{more}.", rows.len(), list.replace('_', " ")))
}

/// The scalar members.
fn facts(result: &Value) -> Option<String> {
    let facts = result.as_object()?.iter().filter(|(name, _)| {
        !matches!(name.as_str(), "ok" | "found" | "id" | "listing_id" | "name" | "lane")
            && !NEXT_MEMBERS.contains(&name.as_str())
    });
    let facts = facts.filter_map(|(name, value)| {
        let value = match value {
            Value::String(text) => shorten(text, 120),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            _ => return None,
        };
        Some(format!("{}: {value}", name.replace('_', " ")))
    });
    let facts: Vec<String> = facts.take(MAX_SCALARS).collect();
    (!facts.is_empty()).then(|| format!("{}.", facts.join(", ")))
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

fn fill(phrase: &str, url: &str, id: &str) -> String {
    phrase.replace("{url}", url).replace("{id}", id).replace("{text}", "Weather Bot")
}

pub(super) fn lines<'a>(
    entries: impl IntoIterator<Item = &'a AnyOperation>,
    parsed: Option<&ParsedText>,
) -> String {
    let lines = entries.into_iter().map(|entry| format!("- {}: \"{}\"", entry.title, example(entry, parsed)));
    lines.collect::<Vec<_>>().join("\n")
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

pub fn help_text(brand: &str) -> String {
    format!(
        "This is {brand}: a registry in which every Live agent and MCP server has answered a real handshake. \
         You can ask in plain words, or send a data part {{\"operation\": …, \"arguments\": {{…}}}}. The \
         data of an answer contains `next`. You can send it back unchanged as a data part. Examples of \
         messages:\n{}",
        lines(CATALOGUE.iter().copied(), None)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::named;
    use serde_json::json;

    #[test]
    fn summary_is_made_from_the_members_of_the_answer() {
        let entry = named("check_status").unwrap();
        let status = json!({ "ok": true, "listing_id": "agtpub_1", "name": "Bot", "lane": "needs_fix",
            "lane_reason": "The probe found something to fix.", "reasons": [], "next": { "note": "Serve a card." } });
        assert_eq!(
            answer(entry, &status),
            "\"Bot\" (agtpub_1) is needs fix. The probe found something to fix. Next: Serve a card."
        );
        let rows =
            json!({ "ok": true, "listings": [{ "listing_id": "mcp-a", "name": "A" }], "next_cursor": null });
        assert_eq!(answer(entry, &rows), "1 listings: \"A\" (mcp-a).");
        assert_eq!(answer(entry, &json!({ "ok": true, "listings": [] })), "No listings.");
        let facts = json!({ "ok": true, "listing_id": "mcp-a", "live": true, "score": 0.5 });
        assert_eq!(answer(entry, &facts), "mcp-a. live: true, score: 0.5.");
        assert_eq!(answer(entry, &json!({})), "Check a listing's status: done.");
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
