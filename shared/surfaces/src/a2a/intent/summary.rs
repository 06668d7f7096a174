//! Writes an answer in words, from the templates of its operation ([`registry_features::Operation::SUMMARY`]).

use registry_model::error::shorten;
use serde_json::Value;

/// Rows of a list are shown up to so many bytes, but at least one.
const MAX_ROWS_BYTES: usize = 1200;
const MAX_VALUE_CHARS: usize = 400;

/// A sentence of an answer; `None` if the answer has no value for it. `{a.b}` is the value of a member, `{a#}` the length of a
/// list or a count, `{a#row}` with its noun, `{a?yes|no}` depends on a boolean, `{a:words}` has words for an absent value, and `{a~}` is a number of hours in words. After `[a]`, the rest is written for each row of a list. A part between two ` | `
/// is left out if it has no value.
pub(crate) fn sentence(template: &str, answer: &Value) -> Option<String> {
    let Some((before, (list, row))) =
        template.split_once('[').and_then(|(before, rest)| Some((before, rest.split_once(']')?)))
    else {
        return parts(template, answer).map(ended);
    };
    let rows = member(answer, list)?.as_array()?;
    let (mut texts, mut shown) = (String::new(), 0);
    for text in rows.iter().filter_map(|value| parts(row, value)) {
        if shown > 0 && texts.len() + text.len() > MAX_ROWS_BYTES {
            break;
        }
        texts += if shown == 0 { "" } else { "; " };
        texts += text.trim_end_matches('.');
        shown += 1;
    }
    let more = rows.len().checked_sub(shown).filter(|more| *more > 0);
    let more = more.map(|more| format!("; and {more} more not in this text")).unwrap_or_default();
    (shown > 0).then(|| ended(format!("{}{texts}{more}", parts(before, answer).unwrap_or_default())))
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
