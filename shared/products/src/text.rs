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
    Some(String::from(url)).filter(|url| opens && bare && url.len() <= registry_formats::limits::LONGEST_URL)
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
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped() {
        assert_eq!(
            prose("# Hi\n* <b>you</b> [x](y) a_b _c_", 99),
            r"\# Hi \* \<b>you\</b> \[x\](y) a_b \_c\_"
        );
        assert_eq!(
            prose("url: \"https://a.org/x_y_\", see HTTP://b.org/*. www www.c.org", 99),
            "url: \"`https://a.org/x_y_`\", see `HTTP://b.org/*`. www `www.c.org`"
        );
        for (text, shown) in
            [("1. one", r"1\. one"), ("2.0", "2.0"), ("> a", r"\> a"), ("---", r"\---"), ("7)", r"7\)")]
        {
            assert_eq!(prose(text, 99), shown);
        }
        assert_eq!(prose("one two three", 9), "one two…");
        assert_eq!(code("a`b``c", 99), "```a`b``c```");
        assert_eq!(code("`", 99), "`` ` ``");
        assert_eq!(row([&code("a|b", 9), &prose("c|d", 9)]), r"| `a\|b` | c\|d |");
        assert_eq!(plain("a\u{202E}b\n---\n\u{7}c", 99), "a b --- c");
    }

    #[test]
    fn slug_is_valid_for_agent_skills() {
        assert_eq!(slug("Météo & Weather™ 2").as_deref(), Some("meteo-weathertm-2"));
        assert_eq!(slug("--A  b--").as_deref(), Some("a-b"));
        assert_eq!(slug("天気"), None);
        assert_eq!(slug(&"ab-".repeat(50)).map(|slug| slug.len()), Some(64));
        assert_eq!(slug_after("improve", &"a".repeat(64)).len(), 64);
    }

    #[test]
    fn only_http_urls_without_credentials_pass() {
        assert_eq!(address(Some(" https://a.org/x y ")).as_deref(), Some("https://a.org/x%20y"));
        for url in ["javascript:alert(1)", "https://u:p@a.org", "a.org", "file:///etc/passwd"] {
            assert_eq!(address(Some(url)), None, "{url}");
        }
    }
}
