//! Writes an answer in words, from the templates of its operation ([`registry_features::Operation::SUMMARY`]), and the step that
//! follows. The texts are for clients that show the text and ignore the data.

use serde_json::{Map, Value, json};

use crate::a2a::intent::named_call;
use registry_features::AnyOperation;
use registry_model::error::shorten;

/// Rows of a list are written up to so many bytes, but at least one.
const MAX_ROWS_BYTES: usize = 1200;
const MAX_VALUE_CHARS: usize = 400;
const MAX_NEXT_CHARS: usize = 600;

const NEXT_MEMBERS: [&str; 3] = ["next", "list_hint", "hint"];

/// The text of an answer and of its next step, which is empty if there is none.
pub(super) fn answer(entry: &AnyOperation, result: &Value) -> (String, String) {
    let sentences = entry.summary.iter().filter_map(|template| sentence(template, result));
    let sentences = sentences.collect::<Vec<_>>().join(" ");
    let next_step = NEXT_MEMBERS.iter().find_map(|member| next_step(&result[*member])).unwrap_or_default();
    // A listing that was never Live may have its id as its name.
    let id = result["listing_id"].as_str().unwrap_or_default();
    let [text, next_step] = [sentences, next_step].map(|text| text.replace(&format!("\"{id}\" ({id})"), id));
    let text = match (text.is_empty(), next_step.is_empty()) {
        (true, true) => format!("{}: done.", entry.title),
        (false, false) => text + " ",
        _ => text,
    };
    (text, next_step)
}

/// The next step: its text, and the message that executes it.
pub(super) fn next_step(next: &Value) -> Option<String> {
    let text = next.as_str().or_else(|| next["note"].as_str())?;
    let message = message(next).map(|message| format!(" {message}")).unwrap_or_default();
    (!text.is_empty()).then(|| format!("Next: {}{message}", shorten(text, MAX_NEXT_CHARS)))
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

/// A sentence of an answer; `None` if the answer has no value for it. `{a.b}` is the value of a member, `{a#}` the length of a
/// list or a count, `{a#row}` with its noun, `{a?yes|no}` depends on a boolean, `{a:words}` has words for an absent value, and `{a~}` is a number of hours in words. After `[a]`, the rest is written for each row of a list. A part between two ` | `
/// is left out if it has no value.
fn sentence(template: &str, answer: &Value) -> Option<String> {
    let Some((before, (list, row))) =
        template.split_once('[').and_then(|(before, rest)| Some((before, rest.split_once(']')?)))
    else {
        return parts(template, answer).map(ended);
    };
    let rows = member(answer, list)?.as_array()?;
    let (mut texts, mut written) = (String::new(), 0);
    for text in rows.iter().filter_map(|value| parts(row, value)) {
        if written > 0 && texts.len() + text.len() > MAX_ROWS_BYTES {
            break;
        }
        texts += if written == 0 { "" } else { "; " };
        texts += text.trim_end_matches('.');
        written += 1;
    }
    let more = rows.len().checked_sub(written).filter(|more| *more > 0);
    let more = more.map(|more| format!("; and {more} more not in this text")).unwrap_or_default();
    (written > 0).then(|| ended(format!("{}{texts}{more}", parts(before, answer).unwrap_or_default())))
}

/// With a full stop, unless it ends with another mark.
fn ended(sentence: String) -> String {
    if sentence.ends_with(['.', '!', '?']) { sentence } else { sentence + "." }
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
        // A control character of a stranger's text would command a terminal.
        let value = value(slot, answer)?.replace(|c: char| c.is_control() && c != '\n', " ");
        // What others wrote may contain a quotation mark or a line end, which would end the quotation around it.
        let is_quoted = before.ends_with('"') && after.starts_with('"');
        text += &if is_quoted {
            value.replace('"', "'").split_whitespace().collect::<Vec<_>>().join(" ")
        } else {
            value
        };
        rest = after;
    }
    Some(text + rest)
}

fn value(slot: &str, answer: &Value) -> Option<String> {
    if let Some((path, noun)) = slot.split_once('#') {
        let value = member(answer, path)?;
        let count = value.as_array().map_or_else(|| value.as_u64(), |rows| u64::try_from(rows.len()).ok())?;
        let plural = if noun.is_empty() || count == 1 { "" } else { "s" };
        return Some(format!("{count} {noun}{plural}").trim_end().to_owned());
    }
    if let Some(path) = slot.strip_suffix('~') {
        let hours = member(answer, path)?.as_f64()?;
        return Some(match hours {
            // The hours are rounded to tenths, by up to three minutes.
            ..0.2 => "less than 10 minutes".to_owned(),
            ..2.0 => format!("{:.0} to {:.0} minutes", hours * 60.0 - 3.0, hours * 60.0 + 3.0),
            2.0..48.0 => format!("{hours:.0} hours"),
            _ => format!("{:.0} days", hours / 24.0),
        });
    }
    if let Some((path, (yes, no))) =
        slot.split_once('?').and_then(|(path, words)| Some((path, words.split_once('|')?)))
    {
        // A check that does not apply neither passed nor failed.
        let applies = path != "ok" || answer["applies"] != false;
        return applies.then_some(if member(answer, path)?.as_bool()? { yes } else { no }.to_owned());
    }
    if let Some((path, otherwise)) = slot.split_once(':') {
        return value(path, answer).or_else(|| Some(otherwise.to_owned()));
    }
    match member(answer, slot)? {
        Value::String(text) if slot == "access" && text == "open" => Some("open (no sign-in)".to_owned()),
        Value::String(text) if slot.ends_with("lane") => {
            Some(text.replace("needs_fix", "waiting for a fix").replace("active", "active (Live)"))
        }
        Value::String(text) if !text.is_empty() => Some(shorten(text, MAX_VALUE_CHARS)),
        Value::Number(number) => number
            .as_f64()
            .map(|number| if number.abs() < 0.001 { number } else { (number * 1000.0).round() / 1000.0 })
            .map(|number| number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Array(values) if !values.is_empty() => {
            let named = |value: &Value| {
                let kind = value["type"].as_str().into_iter();
                let words = kind.chain((value["required"] == true).then_some("required"));
                let words = words.collect::<Vec<_>>().join(", ");
                let name = value["name"].as_str()?;
                Some(if words.is_empty() { name.to_owned() } else { format!("{name} ({words})") })
            };
            let text = |value: &Value| value.as_str().map(str::to_owned).or_else(|| named(value));
            let texts: Option<Vec<String>> = values.iter().map(text).collect();
            Some(shorten(&texts?.join(", "), MAX_VALUE_CHARS))
        }
        Value::Object(_) => Some(shorten(&member(answer, slot)?.to_string(), MAX_VALUE_CHARS)),
        _ => None,
    }
}

fn member<'a>(answer: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').filter(|name| !name.is_empty()).try_fold(answer, |value, name| value.get(name))
}

#[cfg(test)]
mod tests;
