//! What callers' texts may be, in the words of JSON Schema, for the schemas of arguments. What a pattern cannot say has a
//! `format` with a name of ours, which tells readers, and whoever makes up data, what is meant.

use serde_json::{Value, json};

/// What is blank, as a class of characters.
macro_rules! blank {
    () => {
        r"[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*"
    };
}

/// What is neither blank nor a control or direction character.
macro_rules! ink {
    () => {
        r"[^\u0000- \u007f-\u00a0\u1680\u2000-\u200a\u200e\u200f\u2028-\u202f\u205f\u2066-\u2069\u3000]"
    };
}

/// What may stand inside a line.
macro_rules! inside {
    () => {
        r"[^\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]*"
    };
}

/// What may stand inside a text of several lines.
macro_rules! inside_text {
    () => {
        r"[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]*"
    };
}

/// A line that says something ([`super::argument_text::line`]).
pub const LINE: &str = concat!("^", blank!(), ink!(), "(", inside!(), ink!(), ")?", blank!(), "$");

/// A line, or a blank that counts as nothing said.
pub const LINE_OR_BLANK: &str =
    concat!("^", blank!(), "(", ink!(), "(", inside!(), ink!(), ")?", blank!(), ")?$");

/// A text that says something ([`super::argument_text::text`]).
pub const TEXT: &str = concat!("^", blank!(), ink!(), "(", inside_text!(), ink!(), ")?", blank!(), "$");

/// A text, or a blank that counts as nothing said.
pub const TEXT_OR_BLANK: &str =
    concat!("^", blank!(), "(", ink!(), "(", inside_text!(), ink!(), ")?", blank!(), ")?$");

/// Words to search by ([`registry_search::Text`]): at least one character that is no blank.
pub const WORDS: &str = r"[^\u0000- \u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]";

/// What is given, and not as null. Said by what it is: readers of schemas make more of that than of a `not`.
const GIVEN: [&str; 5] = ["string", "number", "boolean", "object", "array"];

/// One of these arguments must be given, and not as null.
#[must_use]
pub fn one_of(names: &[&str]) -> Value {
    names.iter().map(|name| all_of(&[name])).collect()
}

/// All of these arguments are given, and not as null.
#[must_use]
pub fn all_of(names: &[&str]) -> Value {
    let properties: Value = names.iter().map(|name| ((*name).to_owned(), json!({ "type": GIVEN }))).collect();
    json!({ "required": names, "properties": properties })
}

/// None of these arguments is given, unless as null.
#[must_use]
pub fn none_of(names: &[&str]) -> Value {
    let properties: Value =
        names.iter().map(|name| ((*name).to_owned(), json!({ "type": "null" }))).collect();
    json!({ "properties": properties })
}

/// All of these arguments go together, or none of them.
#[must_use]
pub fn together(names: &[&str]) -> Value {
    json!([all_of(names), none_of(names)])
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;
    use crate::argument_text;

    #[test]
    fn the_patterns_say_what_is_taken() {
        let (line, text) = (Regex::new(LINE).unwrap(), Regex::new(TEXT).unwrap());
        let (line_or_blank, text_or_blank) =
            (Regex::new(LINE_OR_BLANK).unwrap(), Regex::new(TEXT_OR_BLANK).unwrap());
        for said in [
            "a",
            " a ",
            "\na\n",
            "a b",
            "a\nb",
            "a\tb",
            "",
            " ",
            "\n",
            "\u{3000}",
            "a\u{0}",
            "\u{0}",
            "a\u{202e}b",
            "\u{85}a",
            "a\u{85}b",
            "ü – 日本",
            "\u{2028}a",
            "a\u{2028}b",
            "\u{7f}",
            "\u{200b}",
            "a\u{200e}",
            "\u{1c}",
        ] {
            let taken = |result: Result<String, _>| result.is_ok();
            assert_eq!(line.is_match(said), taken(argument_text::line("x", said, 9)), "line {said:?}");
            assert_eq!(text.is_match(said), taken(argument_text::text("x", said, 9)), "text {said:?}");
            let is_blank = said.trim().is_empty();
            assert_eq!(line_or_blank.is_match(said), is_blank || line.is_match(said), "{said:?}");
            assert_eq!(text_or_blank.is_match(said), is_blank || text.is_match(said), "{said:?}");
        }
    }
}
