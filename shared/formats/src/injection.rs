//! Finds known phrases of prompt injection: texts that give instructions to the model that reads them. It is allowed to write
//! about prompt injection: a phrase in quotation marks passes if the words before it say that it is an example. What has no
//! known phrase may still be an injection.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use crate::plain_text::{self, TextKind};
use percent_encoding::percent_decode_str;
use regex::{Regex, RegexBuilder};
use registry_model::characters::is_invisible;
use unicode_normalization::UnicodeNormalization as _;

/// One pattern a line; the files say what each group looks for.
const PHRASES: &str = include_str!("injection/phrases.txt");
const UNSPACED: &str = include_str!("injection/unspaced.txt");

/// Stands for a text that is not fit to be shown.
pub const WITHHELD: &str =
    "(text withheld: it looks like an instruction to a model, or has hidden characters)";

/// What is repeated of a text of a stranger.
pub fn text_unless_injection(text: &str) -> &str {
    if is_fit(text) { text } else { WITHHELD }
}

/// Whether a text has no known phrase, and no character that would command a terminal or hide another.
pub fn is_fit(text: &str) -> bool {
    fault(text).is_none() && plain_text::fault(text, TextKind::ForModels).is_none()
}

/// How many characters may follow a phrase within its quotation.
const MAX_REST: usize = 3;

/// How far before a quotation such a word may stand, in characters.
const MAX_BEFORE: usize = 80;

/// Words before a quotation that make it an example.
const DESCRIBES: &str = "such as|like|e.g.|for example|detect|block|prevent|guard|attack|injection|jailbreak|filter|flag|\
                         scan|例如|检测|拦截";

/// How a sentence in Japanese goes on after an example.
const DESCRIBES_AFTER: &str = "のような";

/// Phrases of one text that are shown.
const MAX_SHOWN: usize = 3;

/// Room for all states that a search from one place can have.
const MAX_STATES_BYTES: usize = 16 * 1024 * 1024;

/// Why a text counts as an instruction to its reader, with the phrases.
pub fn fault(words: &str) -> Option<String> {
    let phrases = phrases(words);
    (!phrases.is_empty()).then(|| {
        let quoted = phrases.join("\", \"");
        format!(
            "looks like an instruction to a language model: \"{quoted}\". Describe what you offer instead."
        )
    })
}

fn phrases(text: &str) -> Vec<String> {
    static SPACED: LazyLock<Regex> = LazyLock::new(|| any_of(PHRASES, " "));
    static MARKS: LazyLock<Regex> = LazyLock::new(|| any_of(UNSPACED, ""));
    let readable = readable(text);
    let words = Words::of(&readable);
    let spaces = words.text.match_indices(' ').map(|(at, _)| at);
    let is_sign = |(_, c): &(usize, char)| !c.is_ascii_alphanumeric() && *c != ' ';
    let signs = readable.char_indices().filter(is_sign).map(|(at, _)| at);
    let phrases = matches(&SPACED, &words.text, spaces).map(|found| words.range(found));
    let found = phrases.chain(matches(&MARKS, &readable, signs));
    let found = found.filter(|found| !is_example(&readable, found.clone())).take(MAX_SHOWN);
    let in_one_line = |found: &str| found.split_whitespace().collect::<Vec<_>>().join(" ");
    found.map(|found| in_one_line(&readable[found]).chars().take(80).collect()).collect()
}

/// Finds a pattern of a file only where a text begins.
#[expect(clippy::expect_used, reason = "literal patterns, compiled by the tests")]
fn any_of(file: &str, around: &str) -> Regex {
    let patterns = file.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let any = patterns.collect::<Vec<_>>().join("|");
    let pattern = format!("(?i)^{around}(?:{any}){around}");
    RegexBuilder::new(&pattern).dfa_size_limit(MAX_STATES_BYTES).build().expect("literal patterns")
}

/// The matches that begin at these places. One search of the whole text would have a state for every mixture of begun
/// patterns, and a text that is made of such mixtures would take 50 times as long.
fn matches(
    pattern: &Regex,
    text: &str,
    places: impl Iterator<Item = usize>,
) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    places.filter_map(move |at| {
        let found = if at < end { None } else { pattern.find(&text[at..]) };
        end = at + found?.end();
        Some(at..end)
    })
}

/// The words of a text, with one space around each. A pattern for each possible separator would be 1000 times as slow.
struct Words {
    text: String,
    /// The place of each byte in the text.
    places: Vec<usize>,
}

impl Words {
    fn of(readable: &str) -> Self {
        let mut words = Self { text: " ".to_owned(), places: vec![0] };
        for (at, c) in readable.char_indices() {
            // Chinese and Japanese stand next to Latin words without a space.
            let is_letter = c.is_ascii_alphanumeric() || c.is_alphabetic() && c < '\u{250}';
            if is_letter || !words.text.ends_with(' ') {
                words.text.push(if is_letter { c } else { ' ' });
                words.places.resize(words.text.len(), at);
            }
        }
        words.text.push(' ');
        words.places.push(readable.len());
        words
    }

    /// Where a match is in the text, without the spaces around it.
    fn range(&self, found: Range<usize>) -> Range<usize> {
        self.places[found.start + 1]..self.places[found.end - 1]
    }
}

/// Whether a phrase is quoted, and words before or after it say that it is an example.
fn is_example(text: &str, phrase: Range<usize>) -> bool {
    let is_quote = |c: char| "\"'\u{201C}\u{201D}\u{2018}\u{2019}\u{201E}\u{AB}\u{BB}`「」『』".contains(c);
    let (before, after) = (&text[..phrase.start], &text[phrase.end..]);
    let rest = after.split_once(is_quote).filter(|(end, _)| end.chars().count() <= MAX_REST);
    let Some((_, after)) = rest.filter(|_| before.trim_end().ends_with(is_quote)) else { return false };
    let just_before = before.char_indices().rev().nth(MAX_BEFORE).map_or(before, |(at, _)| &before[at..]);
    let just_before = just_before.to_lowercase();
    after.starts_with(DESCRIBES_AFTER) || DESCRIBES.split('|').any(|word| just_before.contains(word))
}

/// The text as a model reads it. Invisible characters between letters, full-width letters or URL escapes would hide a
/// phrase from the search for known phrases.
fn readable(text: &str) -> Cow<'_, str> {
    let mut readable = percent_decode_str(text).decode_utf8_lossy();
    if !readable.is_ascii() {
        // These two ligatures stand for up to 18 letters, so a text of them would become eleven times as long.
        let short = readable.chars().filter(|c| !matches!(c, '\u{FDFA}' | '\u{FDFB}'));
        readable = Cow::Owned(short.nfkc().filter(|c| !is_invisible(*c)).collect());
    }
    readable
}

#[cfg(test)]
mod tests;
