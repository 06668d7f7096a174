//! Parses the body that the URL of a card returns. The body may not be JSON: the most common broken card is a
//! login page with status 200. So such pages are recognized, and the error contains the title of the page.

use serde_json::Value;

use super::likeness::OtherDocument;
use super::violation::CardFault;
use registry_model::error::shorten;
use registry_model::json;

/// The most JSON values in a card: lists, list items, members. Even a dense card of the maximum length has fewer.
const MOST_VALUES: usize = 20_000;

/// The number of bytes of a page in which its title is searched.
const HEAD: usize = 16 * 1024;

/// Parses the body of a response; a body that is not JSON is [`CardFault::NotACard`].
pub fn document(body: &[u8]) -> Result<Value, CardFault> {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    json::parse_limited(body, &mut { MOST_VALUES })
        .map_err(|error| CardFault::NotACard(OtherDocument::unknown(describe(body, &error))))
}

fn describe(body: &[u8], error: &serde_json::Error) -> String {
    let head = String::from_utf8_lossy(&body[..body.len().min(HEAD)]);
    let text = head.trim_start();
    let lower = text.to_ascii_lowercase();
    if text.is_empty() {
        "an empty body".to_owned()
    } else if error.is_data() {
        format!("a document of more than {MOST_VALUES} values")
    } else if lower.starts_with("<?xml") {
        "an XML document".to_owned()
    } else if text.starts_with('<') {
        match title(text, &lower) {
            Some(title) => format!("an HTML page (\"{title}\")"),
            None => "an HTML page".to_owned(),
        }
    } else if text.starts_with(['{', '[']) {
        format!("broken JSON (line {}, column {})", error.line(), error.column())
    } else {
        format!(
            "a text that is not JSON (\"{}\")",
            shorten(text.lines().next().unwrap_or_default().trim(), 60)
        )
    }
}

/// The title of a page; `lower` is `text` in ASCII lower case, so that offsets agree.
fn title(text: &str, lower: &str) -> Option<String> {
    let start = lower.find("<title>")? + "<title>".len();
    let end = start + lower[start..].find('<')?;
    let title = text[start..end].split_whitespace().collect::<Vec<_>>().join(" ");
    (!title.is_empty()).then(|| shorten(&title, 60))
}

#[cfg(test)]
mod tests;
