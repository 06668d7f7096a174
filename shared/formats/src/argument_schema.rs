//! JSON Schema fragments for the text arguments of operations. If a pattern cannot express a rule, the
//! fragment has a `format` with a name that this project defines.

use serde_json::{Value, json};

macro_rules! blank {
    () => {
        r"[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*"
    };
}

/// A character that is neither white space nor a control or direction character.
macro_rules! ink {
    () => {
        r"[^\u0000- \u007f-\u00a0\u1680\u2000-\u200a\u200e\u200f\u2028-\u202f\u205f\u2066-\u2069\u3000]"
    };
}

/// Any characters inside a line.
macro_rules! inside {
    () => {
        r"[^\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]*"
    };
}

/// Any characters inside a text of several lines.
macro_rules! inside_text {
    () => {
        r"[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]*"
    };
}

/// A line that is not blank ([`super::argument_text::line`]).
pub const LINE: &str = concat!("^", blank!(), ink!(), "(", inside!(), ink!(), ")?", blank!(), "$");

/// A line, or a blank that counts as absent.
pub const LINE_OR_BLANK: &str =
    concat!("^", blank!(), "(", ink!(), "(", inside!(), ink!(), ")?", blank!(), ")?$");

/// A text that is not blank ([`super::argument_text::text`]).
pub const TEXT: &str = concat!("^", blank!(), ink!(), "(", inside_text!(), ink!(), ")?", blank!(), "$");

/// A text, or a blank that counts as absent.
pub const TEXT_OR_BLANK: &str =
    concat!("^", blank!(), "(", ink!(), "(", inside_text!(), ink!(), ")?", blank!(), ")?$");

/// Search words ([`registry_search::Text`]): at least one character that is not blank.
pub const WORDS: &str = r"[^\u0000- \u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]";

/// Any type except null. It is a list of types, because clients handle a list better than a `not`.
pub const GIVEN: [&str; 5] = ["string", "number", "boolean", "object", "array"];

/// Requires one of these arguments, not null.
pub fn one_of(names: &[&str]) -> Value {
    names.iter().map(|name| all_of(&[name])).collect()
}

/// Requires all of these arguments, not null.
pub fn all_of(names: &[&str]) -> Value {
    let properties: Value = names.iter().map(|name| ((*name).to_owned(), json!({ "type": GIVEN }))).collect();
    json!({ "required": names, "properties": properties })
}

/// Requires that none of these arguments is given, unless as null.
pub fn none_of(names: &[&str]) -> Value {
    let properties: Value =
        names.iter().map(|name| ((*name).to_owned(), json!({ "type": "null" }))).collect();
    json!({ "properties": properties })
}

/// Requires all of these arguments together, or none.
pub fn together(names: &[&str]) -> Value {
    json!([all_of(names), none_of(names)])
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;
    use crate::argument_text;

    #[test]
    fn patterns_and_parsers_accept_the_same_texts() {
        let (line, text) = (Regex::new(LINE).unwrap(), Regex::new(TEXT).unwrap());
        let (line_or_blank, text_or_blank) =
            (Regex::new(LINE_OR_BLANK).unwrap(), Regex::new(TEXT_OR_BLANK).unwrap());
        let texts = "a| a |\na\n|a b|a\nb|a\tb|| |\n|\u{3000}|a\u{0}|\u{0}|a\u{202e}b|\u{85}a|a\u{85}b|ü – 日本|\
                     \u{2028}a|a\u{2028}b|\u{7f}|\u{200b}|a\u{200e}|\u{1c}";
        for given in texts.split('|') {
            let accepted = |result: Result<String, _>| result.is_ok();
            assert_eq!(line.is_match(given), accepted(argument_text::line("x", given, 9)), "line {given:?}");
            assert_eq!(text.is_match(given), accepted(argument_text::text("x", given, 9)), "text {given:?}");
            let is_blank = given.trim().is_empty();
            assert_eq!(line_or_blank.is_match(given), is_blank || line.is_match(given), "{given:?}");
            assert_eq!(text_or_blank.is_match(given), is_blank || text.is_match(given), "{given:?}");
        }
    }
}
