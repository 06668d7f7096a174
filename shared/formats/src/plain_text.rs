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
mod tests;
