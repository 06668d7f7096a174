//! Checks that a text is plain: it contains no active markup, and no characters that are hidden or reorder
//! others. A name must also not be too long. People read the texts of listings on pages, and language models
//! read them in prompts. A hidden part could mislead both.

use std::sync::LazyLock;

use regex::Regex;
use registry_model::characters::{is_invisible, is_reordering, is_variation_selector};

use super::limits::LONGEST_NAME;

/// What a text is used for. The use decides the rules for the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// A display name: one line of bounded length, without any tag.
    Name,
    /// The name of a part, a tag, a version: one line without any tag; it is cut when shown.
    Label,
    /// Displayed prose: no active markup; it is cut when shown.
    Description,
    /// Prose that clients give to their models but that is not shown here: no hidden characters.
    ForModels,
    /// Anything else, such as a default value or a URL.
    Value,
}

/// Why a text is not plain, with the fix.
pub fn fault(words: &str, kind: TextKind) -> Option<String> {
    match kind {
        TextKind::Name => length(words).or_else(|| hidden(words, false)).or_else(|| markup(words, &TAG)),
        TextKind::Label => hidden(words, false).or_else(|| markup(words, &TAG)),
        TextKind::Description => hidden(words, true).or_else(|| markup(words, &ACTIVE)),
        TextKind::ForModels => hidden(words, true),
        TextKind::Value => None,
    }
}

/// A display name that is too long.
fn length(words: &str) -> Option<String> {
    let excess = words.chars().nth(LONGEST_NAME);
    excess.map(|_| format!("it is longer than {LONGEST_NAME} characters; shorten it."))
}

/// A character that is invisible or changes the order of others.
fn hidden(words: &str, lines: bool) -> Option<String> {
    let mut in_flag = 0_u8;
    let mut before = [None, None];
    for c in words.chars() {
        // The flags of England, Scotland and Wales are written with tag characters after a black flag.
        in_flag = match c {
            '\u{1F3F4}' => 7,
            '\u{E0020}'..='\u{E007F}' => in_flag.saturating_sub(1),
            _ => 0,
        };
        let kind = match c {
            '\n' | '\r' | '\t' if lines => None,
            c if c.is_control() => Some("a control character"),
            c if is_reordering(c) => Some("a character that changes the text direction"),
            '\u{2028}' | '\u{2029}' => Some("a line separator"),
            // Readers give them a meaning of their own, such as a part of a font or of a terminal's control sequence.
            '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFF}' => Some("a private-use character"),
            '\u{E0000}'..='\u{E007F}' => (in_flag == 0).then_some("an invisible tag character"),
            c => (is_invisible(c) && !has_a_use(c, before)).then_some("an invisible character"),
        };
        if let Some(kind) = kind {
            return Some(format!("it contains {kind} (U+{:04X}); remove it.", u32::from(c)));
        }
        before = [before[1], Some(c)];
    }
    None
}

/// Whether an invisible character changes how the characters beside it are written, after the two characters `before`.
/// Longer rows of such characters have no use. They can hide a whole message.
fn has_a_use(c: char, before: [Option<char>; 2]) -> bool {
    let [second, last] = before;
    if is_variation_selector(c) {
        // Those of pictures are often left behind where a picture was.
        let is_of_picture = matches!(c, '\u{FE0E}'..='\u{FE0F}');
        return last.map_or(is_of_picture, |last| !is_invisible(last) && (is_of_picture || !last.is_ascii()));
    }
    let are_all_invisible = last.is_some_and(is_invisible) && second.is_some_and(is_invisible);
    matches!(c, '\u{AD}' | '\u{61C}' | '\u{200C}'..='\u{200F}') && !are_all_invisible
}

/// Any tag or Markdown link in a name, active markup in a description (`<city>` as a placeholder is neither).
fn markup(words: &str, pattern: &Regex) -> Option<String> {
    pattern.find(words).map(|found| {
        let quote: String = found.as_str().chars().take(40).collect();
        format!("it contains markup (\"{quote}\"); write plain text.")
    })
}

static TAG: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"(?i)<!--|</?[a-z][a-z0-9-]*(?:[\s/][^<>]*)?>|\]\("));

/// Markup that a careless page would run, load or hide. A slash also separates a tag's name from its attributes, and a
/// quote separates attributes (HTML, "Tokenization").
static ACTIVE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(concat!(
        r"(?i)<!--|<!\[cdata|<!doctype(?-u:\b)|<script[\s/][^<>]*=",
        r"|<(?:script|style)[\s/]*>(?s:.*?\S.*?)</(?:script|style)",
        r"|<(?:a|area|audio|base|body|button|div|embed|font|form|frame|iframe|image|img|input|link|math|meta|object|p|source|span|svg|table|video)[\s/][^<>]*=",
        r#"|<[a-z][^<>]*[\s/"']on[a-z]+\s*="#,
        r"|\]\(\s*<?\s*(?:javascript|vbscript|data):|(?:\]:|<)\s*<?\s*(?:javascript|vbscript):",
    ))
});

#[expect(clippy::expect_used, reason = "literal patterns, compiled by the tests")]
fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a literal pattern")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault_of(words: &str, is_name: bool) -> Option<String> {
        fault(words, if is_name { TextKind::Name } else { TextKind::Description })
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
            "❤\u{FE0F}\u{200D}🔥 1\u{FE0F}\u{20E3} 葛\u{E0100}飾 ᠮ\u{180B}",
        ];
        for name in names {
            assert_eq!(fault_of(name, true), None, "{name}");
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
            assert_eq!(fault_of(description, false), None, "{description}");
        }
    }

    #[test]
    fn hidden_characters_markup_and_long_names_are_found() {
        let names = [
            ("a\u{0}b", "control character (U+0000)"),
            ("a\nb", "control character (U+000A)"),
            ("a\u{1B}[31m", "control character (U+001B)"),
            ("a\u{202E}b", "changes the text direction (U+202E)"),
            ("a\u{2066}b", "changes the text direction (U+2066)"),
            ("a\u{200B}b", "invisible character (U+200B)"),
            ("a\u{3164}b", "invisible character (U+3164)"),
            ("a\u{FE01}b", "invisible character (U+FE01)"),
            ("a\u{FFFF}b", "invisible character (U+FFFF)"),
            ("❤\u{FE0F}\u{E0101}", "invisible character (U+E0101)"),
            ("可\u{200C}\u{200D}\u{200C}", "invisible character (U+200C)"),
            ("a\u{E0041}b", "tag character (U+E0041)"),
            ("a\u{E000}2Jb", "private-use character (U+E000)"),
            ("<b>Best</b>", "markup"),
            ("</title>", "markup"),
            ("<img src=x>", "markup"),
            ("<svg/onload=alert(1)>", "markup"),
            ("![x](https://evil.example/p.png)", "markup"),
        ];
        for (name, why) in names {
            assert!(fault_of(name, true).is_some_and(|fault| fault.contains(why)), "{name}");
            assert!(fault(name, TextKind::Label).is_some_and(|fault| fault.contains(why)), "{name}");
        }
        let descriptions = [
            "<script>alert(1)</script>",
            "<script>0<1;0<2;alert(1)</script>",
            "[x](<javascript:alert(1)>)",
            "[x][1] [1]: javascript:alert(1)",
            "<math href=\"javascript:alert(1)\">",
            "<SCRIPT src=//x>",
            "<img src=x onerror=alert(1)>",
            "<a href='https://x'>x</a>",
            "<x onload=1>",
            "<svg/onload=alert(1)>",
            "<x id=''onload=1>",
            "<script/src=//x>",
            "text <!-- hidden instructions --> text",
            "[click](javascript:alert(1))",
            "hidden 🏴\u{E0069}\u{E0067}\u{E006E}\u{E006F}\u{E0072}\u{E0065}\u{E0020}\u{E0061} text",
        ];
        for description in descriptions {
            assert!(fault_of(description, false).is_some(), "{description}");
        }
        assert!(fault_of(&"x".repeat(LONGEST_NAME + 1), true).is_some());
        assert!(fault_of(&"x".repeat(LONGEST_NAME), true).is_none());
        assert!(fault_of(&"x".repeat(100_000), false).is_none(), "it is cut when shown");
    }

    #[test]
    fn texts_for_models_must_not_hide_anything() {
        let hiding = ["a\u{0}b", "a\u{202E}b", "a\u{200B}b", "a\u{E0041}b"];
        for words in hiding {
            assert!(fault(words, TextKind::ForModels).is_some(), "{words:?}");
            assert_eq!(fault(words, TextKind::Value), None, "a pattern may contain such a character");
        }
        assert_eq!(fault("Write <a href='x'>,\nin a line.", TextKind::ForModels), None);
    }
}
