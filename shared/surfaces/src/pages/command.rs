//! Shell commands on pages. They are made from the examples in the catalog of operations.

use std::fmt;

use askama::filters::HtmlSafe;

use crate::call::{self, Call, EXAMPLE_LISTING_ID};
use crate::prelude::*;

const NEW_LINE: &str = " \\\n  ";

/// Quotes are not escaped in HTML: tools that extract addresses from a page end them at a quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Command(String);

impl Command {
    pub(super) fn of(operation: &Description, settings: &Settings) -> Self {
        Self::of_call(&Call::by_example(operation, settings))
    }

    pub(super) fn of_call(call: &Call) -> Self {
        Self::of_text(&call.curl(NEW_LINE))
    }

    pub(super) fn get(url: &str) -> Self {
        Self::of_text(&call::curl(url, &[], None, NEW_LINE))
    }

    pub(super) fn post(url: &str, headers: &[(&str, &str)], body: &Value) -> Self {
        Self::of_text(&call::curl(url, headers, Some(body), NEW_LINE))
    }

    fn of_text(text: &str) -> Self {
        Self(text.replace(EXAMPLE_LISTING_ID, "<listing_id>"))
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
    }
}

impl HtmlSafe for Command {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_is_escaped_in_html() {
        let command = Command::get("https://r.example.org/x?a=1&id=agtpub_0123456789abcdef0123");
        assert_eq!(command.to_string(), "curl -sS 'https://r.example.org/x?a=1&amp;id=&lt;listing_id&gt;'");
    }
}
