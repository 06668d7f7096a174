//! The parts that every page has: head, navigation and footer. Also the headers that allow a browser to run
//! and load only our own files.

use crate::documents::Render;
use crate::prelude::*;
use registry_model::characters::is_reordering;

pub(super) const MEDIA_TYPE: &str = "text/html; charset=utf-8";

/// No inline style or script runs.
pub(super) const HEADERS: &[(&str, &str)] = &[
    (
        "content-security-policy",
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    ("referrer-policy", "same-origin"),
];

/// An HTML page, without parameters.
pub(super) const fn page(render: Render) -> AnyDocument {
    AnyDocument { media_type: MEDIA_TYPE, headers: HEADERS, ..AnyDocument::of::<String>(render) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Home,
    Board,
    ForAgents,
    Products,
    Status,
    None,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) section: Section,
    pub(super) path: &'static str,
    pub(super) label: &'static str,
}

pub(super) const NAVIGATION: [Entry; 4] = [
    Entry { section: Section::Board, path: "/list", label: "Browse" },
    Entry { section: Section::ForAgents, path: "/for-agents", label: "For agents" },
    Entry { section: Section::Products, path: "/products", label: "Products" },
    Entry { section: Section::Status, path: "/status", label: "Status" },
];

/// Templates that extend `layout.html` have it as their field `frame`.
#[derive(Clone, Debug)]
pub(super) struct Frame<'a> {
    pub(super) settings: &'a Settings,
    section: Section,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) canonical: String,
    pub(super) is_indexed: bool,
}

impl<'a> Frame<'a> {
    pub(super) fn of(
        settings: &'a Settings,
        section: Section,
        path: &str,
        title: &str,
        description: impl Into<String>,
    ) -> Self {
        let brand = &settings.brand;
        let title = if title.is_empty() { brand.clone() } else { format!("{title} · {brand}") };
        let (description, canonical) = (description.into(), settings.url(path));
        Self { settings, section, title, description, canonical, is_indexed: true }
    }

    pub(super) fn not_indexed(self) -> Self {
        Self { is_indexed: false, ..self }
    }

    pub(super) fn navigation(&self) -> impl Iterator<Item = (Entry, bool)> {
        NAVIGATION.into_iter().map(|entry| (entry, entry.section == self.section))
    }

    pub(super) fn is_home(&self) -> bool {
        self.section == Section::Home
    }
}

pub(super) fn html(page: &impl Template) -> Result<Bytes, Problem> {
    let text = page.render().map_err(Problem::fault)?;
    Ok(without_reordering(text).into())
}

/// Replaces characters that reorder their neighbours. Text of a publisher could otherwise reach past the
/// element that isolates it: browsers end the isolation at a mark that the text itself opened.
fn without_reordering(text: String) -> String {
    if text.contains(is_reordering) { text.replace(is_reordering, "\u{FFFD}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_reorder_text_are_replaced() {
        let text = |text: &str| without_reordering(text.to_owned());
        assert_eq!(text("<bdi>\u{2067}\u{202E}tnega</bdi>"), "<bdi>\u{FFFD}\u{FFFD}tnega</bdi>");
        for plain in ["Weather agent", "خادم الطقس", "می\u{200C}خواهم", "a\u{200F}b"] {
            assert_eq!(text(plain), plain);
        }
    }
}
