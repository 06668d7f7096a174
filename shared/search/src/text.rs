//! The text of a query: plain words of bounded length. It has no syntax, so that no query is malformed.

use registry_model::error::Problem;

/// In characters; bounds the work for one query.
const LONGEST: usize = 1000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(String);

impl Text {
    /// Normalises white space; control characters count as spaces.
    ///
    /// # Errors
    /// 422 where it is longer than 1,000 characters; `field` is what the caller calls it.
    pub fn parse(text: &str, field: &str) -> Result<Self, Problem> {
        if text.chars().count() > LONGEST {
            let detail =
                format!("`{field}` may have {LONGEST} characters. Say what you look for in a sentence.");
            return Err(Problem::invalid(field, "too_long", detail));
        }
        let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        Ok(Self(spaced.split_whitespace().collect::<Vec<_>>().join(" ")))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_plain_text_of_bounded_length() {
        assert_eq!(Text::parse(" a\u{0}b\n\tc ", "q").unwrap().as_str(), "a b c");
        assert!(Text::parse(" \u{7}", "q").unwrap().is_empty());
        let long = "word ".repeat(2000);
        assert_eq!(Text::parse(&long, "q").unwrap_err().status.as_u16(), 422);
    }
}
