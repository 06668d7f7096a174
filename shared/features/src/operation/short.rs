//! Parts of an answer. A model pays for each token of an answer, so MCP and A2A send the short form of an operation
//! ([`super::Description::short`]) unless the caller asks for `detail: "full"`. REST sends the whole answer unless the query asks for
//! `detail=short`.

use std::fmt::Write as _;

use registry_model::error::shorten;
use serde_json::Value;

/// A description is cut after so many characters, and in the text of a row after less.
const MAX_DESCRIPTION: usize = 150;
const MAX_DESCRIPTION_IN_TEXT: usize = 50;

/// Keeps the members with these paths. A path names a member, or a member of each row, such as `hits.name`.
pub(super) fn pick(value: Value, paths: &[&str]) -> Value {
    match value {
        Value::Array(rows) => rows.into_iter().map(|row| pick(row, paths)).collect(),
        Value::Object(members) => {
            let kept = members.into_iter().filter_map(|(name, member)| {
                if paths.contains(&name.as_str()) {
                    return Some((name, member));
                }
                let below: Vec<&str> = paths
                    .iter()
                    .filter_map(|path| path.strip_prefix(name.as_str())?.strip_prefix('.'))
                    .collect();
                (!below.is_empty()).then(|| (name, pick(member, &below)))
            });
            Value::Object(kept.collect())
        }
        other => other,
    }
}

pub(super) fn cut(value: Value) -> Value {
    match value {
        Value::Array(rows) => rows.into_iter().map(cut).collect(),
        Value::Object(members) => {
            let cut = |(name, member): (String, Value)| match member {
                Value::String(text) if name == "description" => {
                    (name, Value::String(shorten(&text, MAX_DESCRIPTION)))
                }
                other => (name, cut(other)),
            };
            Value::Object(members.into_iter().map(cut).collect())
        }
        other => other,
    }
}

/// An answer without the ends of its longest lists and texts, so that it has at most so many bytes; and whether it was cut.
/// `next` is not cut, because it is a call. `max_bytes` is below 9999, so the first step cuts nothing that fits.
pub fn fitted(answer: Value, max_bytes: usize) -> (Value, bool) {
    let mut fitted = answer;
    for (step, (rows, chars)) in
        [(9999, 9999), (20, 1000), (12, 300), (8, 160), (5, 100), (3, 60), (1, 30)].into_iter().enumerate()
    {
        fitted = cut_to(fitted, rows, chars);
        if fitted.to_string().len() <= max_bytes {
            return (fitted, step > 0);
        }
    }
    (Value::Null, true)
}

fn cut_to(value: Value, rows: usize, chars: usize) -> Value {
    match value {
        Value::Array(values) => values.into_iter().take(rows).map(|row| cut_to(row, rows, chars)).collect(),
        Value::Object(members) => {
            let cut = |(name, member): (String, Value)| {
                let member = if name == "next" { member } else { cut_to(member, rows, chars) };
                (name, member)
            };
            Value::Object(members.into_iter().map(cut).collect())
        }
        Value::String(text) => Value::String(shorten(&text, chars)),
        other => other,
    }
}

/// A short answer as a list in Markdown, for a model that reads only text.
pub fn as_markdown(answer: &Value) -> String {
    let mut text = String::new();
    for (name, member) in answer.as_object().into_iter().flatten() {
        match member {
            Value::Array(rows) if rows.iter().any(Value::is_object) => {
                let _ = writeln!(text, "{name}:");
                for (number, row) in rows.iter().enumerate() {
                    let row = listing(row).unwrap_or_else(|| line(row));
                    let _ = writeln!(text, "{}. {row}", number + 1);
                }
            }
            Value::Null => {}
            _ if name == "ok" => {}
            other => {
                let _ = writeln!(text, "{name}: {}", line(other));
            }
        }
    }
    text
}

/// A row that describes a listing: what it is and how to reach it. The structure contains the rest. A row with a `text` is a
/// change of a listing.
fn listing(row: &Value) -> Option<String> {
    let id = row["listing_id"].as_str()?;
    let name = row["name"].as_str().filter(|_| row.get("text").is_none())?;
    let call = row["first"].as_str().map(|first| &row[first]).filter(|call| call.is_object());
    let request = |call: &Value| {
        format!("{} {} {} {}", line(&call["method"]), line(&call["url"]), call["headers"], call["body"])
    };
    let before = call.into_iter().flat_map(|call| call["before"].as_array().into_iter().flatten());
    let requests = before.map(|call| format!("before: {}", request(call))).chain(call.map(request));
    let parts = [
        row["access"].as_str().map(|access| format!("access {access}")).into(),
        shorten(row["description"].as_str().unwrap_or_default(), MAX_DESCRIPTION_IN_TEXT).into(),
        ["endpoint", "agent_card_url", "url"].iter().find_map(|at| row.get(at)).cloned().unwrap_or_default(),
        pick(row["name_standing"].clone(), &["name", "standing"]),
        row["match_reasons"].clone(),
        requests.collect::<Vec<_>>().into(),
        call.map(|call| call["note"].clone()).unwrap_or_default(),
        pick(row["probe"].clone(), &["score"]),
        row["probe"]["failing_since"].as_str().map(|since| format!("failing since {since}")).into(),
    ];
    let parts: Vec<String> =
        parts.iter().map(line).filter(|part| !part.is_empty() && part != "null").collect();
    let kind = row["kind"].as_str().map(|kind| format!("{kind}, ")).unwrap_or_default();
    Some(format!("{} ({kind}{id}): {}", line(&name.into()), parts.join("; ")))
}

fn line(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let parts = members.iter().filter(|(_, member)| !member.is_null());
            parts
                .map(|(name, member)| match member {
                    Value::Object(_) => line(member),
                    other => format!("{name} {}", line(other)),
                })
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join("; ")
        }
        Value::Array(values) => values.iter().map(line).collect::<Vec<_>>().join(", "),
        Value::String(text) => {
            text.replace(char::is_control, " ").split_whitespace().collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    }
}

/// Whether the schema of an answer has a member with this path. Tests of templates and of short answers use it.
pub fn has_path(schema: &Value, path: &str) -> bool {
    fn has(schema: &Value, path: &[&str], defs: &Value) -> bool {
        let Some((name, rest)) = path.split_first() else { return true };
        let target = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/$defs/"));
        if let Some(target) = target {
            return has(&defs[target], path, defs);
        }
        let choices =
            ["anyOf", "allOf", "oneOf"].iter().filter_map(|keyword| schema[*keyword].as_array()).flatten();
        let below = choices.chain(schema.get("items"));
        let own = schema["properties"].get(name).is_some_and(|member| has(member, rest, defs));
        own || below.into_iter().any(|choice| has(choice, path, defs))
    }
    let path: Vec<&str> = path.split('.').filter(|name| !name.is_empty()).collect();
    has(schema, &path, &schema["$defs"])
}

#[cfg(test)]
mod tests;
