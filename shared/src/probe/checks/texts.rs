//! Plain text only: no hidden or reordering characters, no active markup, no endless names.
//! What is listed is read by people in pages and by models in prompts, and both can be misled by what they do not see.

use std::sync::LazyLock;

use regex::Regex;

use crate::formats::limits::LONGEST_NAME;
use crate::model::Facts;

/// The longest description of a skill or tool, in characters; longer ones are usually whole prompts.
const LONGEST_TEXT: usize = 4000;

/// One text of a listing and its place in the document.
pub(super) struct Text<'f> {
    /// Such as `skills[2].description`.
    pub(super) place: String,
    /// The text itself.
    pub(super) words: &'f str,
    /// A name, held to more than a description is.
    is_name: bool,
}

/// Every text that a peer says of itself.
pub(super) fn all(facts: &Facts) -> Vec<Text<'_>> {
    let text = |place: String, words, is_name| Text { place, words, is_name };
    let mut texts = Vec::new();
    texts.extend(facts.name.as_deref().map(|name| text("name".to_owned(), name, true)));
    texts.extend(facts.description.as_deref().map(|words| text("description".to_owned(), words, false)));
    texts.extend(facts.version.as_deref().map(|words| text("version".to_owned(), words, true)));
    for (index, skill) in facts.skills.iter().enumerate() {
        texts.push(text(format!("skills[{index}].id"), &skill.id, true));
        texts.push(text(format!("skills[{index}].name"), &skill.name, true));
        texts.push(text(format!("skills[{index}].description"), &skill.description, false));
        texts.extend(skill.tags.iter().map(|tag| text(format!("skills[{index}].tags"), tag, true)));
    }
    for (index, tool) in facts.tools.iter().enumerate() {
        texts.push(text(format!("tools[{index}].name"), &tool.name, true));
        texts.push(text(format!("tools[{index}].description"), &tool.description, false));
    }
    texts
}

/// The first text that is not sane, and why.
pub(super) fn fault(facts: &Facts) -> Option<String> {
    all(facts).iter().find_map(|text| {
        let why = length(text).or_else(|| hidden(text)).or_else(|| markup(text))?;
        Some(format!("{}: {why}", text.place))
    })
}

/// A text longer than its kind should be; what was cut to the limit carries one more character, the mark of the cut.
fn length(text: &Text<'_>) -> Option<String> {
    let limit = if text.is_name { LONGEST_NAME + 8 } else { LONGEST_TEXT };
    let limit = if text.place == "name" { LONGEST_NAME } else { limit };
    text.words.chars().nth(limit).map(|_| format!("it is longer than {limit} characters; shorten it."))
}

/// A character that is not seen, or that changes the order of those that are.
fn hidden(text: &Text<'_>) -> Option<String> {
    let mut in_flag = 0_u8;
    for c in text.words.chars() {
        // The flags of England, Scotland and Wales are spelled in tag characters behind a black flag.
        in_flag = match c {
            '\u{1F3F4}' => 7,
            '\u{E0020}'..='\u{E007F}' => in_flag.saturating_sub(1),
            _ => 0,
        };
        let kind = match c {
            '\n' | '\r' | '\t' if !text.is_name => continue,
            c if c.is_control() => "a control character",
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => "a character that reorders text",
            '\u{200B}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' | '\u{180E}' => "an invisible character",
            '\u{2028}' | '\u{2029}' => "a line separator",
            '\u{E0000}'..='\u{E007F}' if in_flag == 0 => "an invisible tag character",
            _ => continue,
        };
        return Some(format!("{kind} (U+{:04X}) is in it; take it out.", u32::from(c)));
    }
    None
}

/// Markup: any tag in a name, anything active in a description (`<city>` as a placeholder is neither).
fn markup(text: &Text<'_>) -> Option<String> {
    let found = if text.is_name { tag().find(text.words) } else { active().find(text.words) };
    found.map(|found| {
        let shown: String = found.as_str().chars().take(40).collect();
        format!("markup (\"{shown}\") is in it; write plain text.")
    })
}

/// Anything that looks like a tag, opening or closing.
#[expect(clippy::expect_used, reason = "a literal pattern, compiled by the tests")]
fn tag() -> &'static Regex {
    static TAG: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)<!--|</?[a-z][a-z0-9-]*(?:\s[^<>]*)?/?>").expect("a literal pattern")
    });
    &TAG
}

/// Markup that a careless page would run, load or hide.
#[expect(clippy::expect_used, reason = "a literal pattern, compiled by the tests")]
fn active() -> &'static Regex {
    const PATTERN: &str = concat!(
        r"(?i)<!--|<!doctype\b|<(?:script|style)\s*>[^<]*\S[^<]*</|<script\s[^<>]*=",
        r"|<(?:a|base|body|button|div|embed|font|form|iframe|img|input|link|meta|object|p|span|svg|table|video)\s[^<>]*=",
        r"|<[a-z][^<>]*\son[a-z]+\s*=",
        r"|\]\(\s*(?:javascript|vbscript|data):",
    );
    static ACTIVE: LazyLock<Regex> = LazyLock::new(|| Regex::new(PATTERN).expect("a literal pattern"));
    &ACTIVE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &str, is_name: bool) -> Option<String> {
        let (name, description) = if is_name { (words, "") } else { ("", words) };
        fault(&Facts {
            name: Some(name.to_owned()),
            description: Some(description.to_owned()),
            ..Facts::default()
        })
    }

    #[test]
    fn plain_texts_of_any_language_pass() {
        let names = [
            "Weather agent",
            "天気エージェント",
            "Agent « Météo »",
            "سفر بخیر",
            "👩‍💻 Coder",
            "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} Agent",
            "C++ <3",
            "A < B > C",
            "می\u{200C}خواهم",
        ];
        for name in names {
            assert_eq!(of(name, true), None, "{name}");
        }
        let descriptions = [
            "Lines\nand\ttabs.\r\n",
            "Weather for <city>, in <unit>.",
            "Converts <h1> headings and <b>bold</b> text to Markdown.",
            "See [the docs](https://example.com).",
            "if a<b then x = 1",
            "Adds a <script> or <style> tag to the page.",
            "Takes List<String> values.",
        ];
        for description in descriptions {
            assert_eq!(of(description, false), None, "{description}");
        }
    }

    #[test]
    fn hidden_characters_markup_and_endless_texts_do_not() {
        let names = [
            ("a\u{0}b", "control character (U+0000)"),
            ("a\nb", "control character (U+000A)"),
            ("a\u{1B}[31m", "control character (U+001B)"),
            ("a\u{202E}b", "reorders text (U+202E)"),
            ("a\u{2066}b", "reorders text (U+2066)"),
            ("a\u{200B}b", "invisible character (U+200B)"),
            ("a\u{E0041}b", "tag character (U+E0041)"),
            ("<b>Best</b>", "markup"),
            ("</title>", "markup"),
            ("<img src=x>", "markup"),
        ];
        for (name, why) in names {
            assert!(
                of(name, true).is_some_and(|told| told.starts_with("name: ") && told.contains(why)),
                "{name}"
            );
        }
        let descriptions = [
            "<script>alert(1)</script>",
            "<SCRIPT src=//x>",
            "<img src=x onerror=alert(1)>",
            "<a href='https://x'>x</a>",
            "<x onload=1>",
            "text <!-- hidden instructions --> text",
            "[click](javascript:alert(1))",
            "hidden 🏴\u{E0069}\u{E0067}\u{E006E}\u{E006F}\u{E0072}\u{E0065}\u{E0020}\u{E0061} text",
        ];
        for description in descriptions {
            assert!(of(description, false).is_some(), "{description}");
        }
        assert!(of(&"x".repeat(LONGEST_NAME + 1), true).is_some());
        assert!(of(&"x".repeat(LONGEST_NAME), true).is_none());
        assert!(of(&"x".repeat(LONGEST_TEXT + 1), false).is_some());
    }

    #[test]
    fn the_place_of_the_fault_is_told() {
        let facts = Facts {
            tools: vec![
                crate::model::Tool { name: "fine".to_owned(), description: String::new() },
                crate::model::Tool { name: "x".to_owned(), description: "\u{202D}".to_owned() },
            ],
            ..Facts::default()
        };
        assert!(fault(&facts).is_some_and(|told| told.starts_with("tools[1].description: ")));
    }
}
