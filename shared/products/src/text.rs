//! Escapes the texts of listings for Markdown, YAML, TOML, JSON, and shell lines. Every such text is escaped
//! here. A stranger wrote it, and it must not change the structure of the file.

use std::fmt::Write as _;

use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;
use url::Url;

pub(super) use registry_model::characters::one_line as plain;

/// The limit of Agent Skills for a name.
const MAX_SLUG_CHARS: usize = 64;

/// Prose in a line of Markdown, with all markup escaped. URLs become code, so that none becomes a link.
pub(super) fn prose(text: &str, limit: usize) -> String {
    let line = plain(text, limit);
    let mut safe = String::with_capacity(line.len() + 8);
    let mut rest = line.as_str();
    // At the start of a line or item these would begin a heading, a quotation or a list.
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let numbered =
        digits > 0 && [". ", ") "].iter().any(|dot| format!("{} ", &rest[digits..]).starts_with(dot));
    if numbered || rest.starts_with(['#', '>', '+', '-', '=']) {
        let (number, after) = rest.split_at(digits);
        safe.push_str(number);
        safe.push('\\');
        safe.extend(after.chars().take(1));
        rest = after.get(1..).unwrap_or_default();
    }
    let first_url = |rest: &str| {
        let lower = rest.to_ascii_lowercase();
        ["http://", "https://", "www."].iter().filter_map(|scheme| lower.find(scheme)).min()
    };
    while let Some(at) = first_url(rest) {
        let (before, url) = rest.split_at(at);
        let end =
            url.find([' ', '"', '\'', '`', '<', '>', '(', ')', '[', ']', '|', '\\']).unwrap_or(url.len());
        let (url, after) =
            url.split_at(url[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '…']).len());
        safe.push_str(&escaped(before));
        safe.push_str(&code(url, usize::MAX));
        rest = after;
    }
    safe + &escaped(rest)
}

fn escaped(line: &str) -> String {
    let mut safe = String::with_capacity(line.len() + 8);
    let mut before = ' ';
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        let inside_word = before.is_alphanumeric() && rest.peek().is_some_and(|next| next.is_alphanumeric());
        if matches!(c, '\\' | '`' | '*' | '[' | ']' | '<' | '|' | '~' | '$') || (c == '_' && !inside_word) {
            safe.push('\\');
        }
        safe.push(c);
        before = c;
    }
    safe
}

pub(super) fn quoted(text: &str, limit: usize) -> String {
    format!("“{}”", prose(text, limit).trim_end_matches('.'))
}

pub(super) fn code(text: &str, limit: usize) -> String {
    let line = plain(text, limit);
    if line.is_empty() {
        return "(unnamed)".to_owned();
    }
    let longest = line.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let pad = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{line}{pad}{fence}")
}

/// Code spans of the first `most` texts, and the number of the others.
pub(super) fn codes<'a>(texts: impl IntoIterator<Item = &'a str>, most: usize) -> String {
    let mut texts = texts.into_iter();
    let spans: Vec<String> = texts.by_ref().take(most).map(|text| code(text, 64)).collect();
    let mut line = spans.join(", ");
    let more = texts.count();
    if more > 0 {
        let _ = write!(line, " and {more} more");
    }
    line
}

/// A row of a table, with bars inside cells escaped.
pub(super) fn row<const N: usize>(cells: [&str; N]) -> String {
    let mut line = "|".to_owned();
    for cell in cells {
        line.push(' ');
        let mut escaped = false;
        for c in cell.chars() {
            if c == '|' && !escaped {
                line.push('\\');
            }
            escaped = c == '\\' && !escaped;
            line.push(c);
        }
        line.push_str(" |");
    }
    line
}

pub(super) fn rule(columns: usize) -> String {
    format!("|{}", "---|".repeat(columns))
}

pub(super) fn scalar(text: &str, limit: usize) -> String {
    Value::from(plain(text, limit)).to_string()
}

pub(super) fn shell(text: &str) -> String {
    let line: String = text.chars().filter(|c| !c.is_control()).collect();
    format!("'{}'", line.replace('\'', r"'\''"))
}

/// The normalized URL; `None` where a client cannot open it.
pub(super) fn address(url: Option<&str>) -> Option<String> {
    let url = Url::parse(url?.trim()).ok()?;
    let opens = matches!(url.scheme(), "http" | "https") && url.has_host();
    let bare = url.username().is_empty() && url.password().is_none();
    Some(String::from(url))
        .filter(|url| opens && bare && url.len() <= registry_model::protocol::MAX_URL_BYTES)
}

pub(super) fn query(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// Lowercase letters, digits and single hyphens, as Agent Skills require for names; `None` where nothing is left.
pub(super) fn slug(text: &str) -> Option<String> {
    let mut slug = String::new();
    for c in text.nfkd().take(4 * MAX_SLUG_CHARS) {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if c.is_ascii() && !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= MAX_SLUG_CHARS {
            break;
        }
    }
    Some(slug.trim_end_matches('-').to_owned()).filter(|slug| !slug.is_empty())
}

/// A slug with a prefix, cut to the limit.
pub(super) fn slug_after(word: &str, slug: &str) -> String {
    let cut: String = format!("{word}-{slug}").chars().take(MAX_SLUG_CHARS).collect();
    cut.trim_end_matches('-').to_owned()
}

pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
