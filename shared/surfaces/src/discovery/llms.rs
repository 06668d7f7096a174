//! `/llms.txt` (llmstxt.org): a language model reads here what this registry is, how it is used in one request, and
//! which documents to open next; whatever is only for a special purpose stands under `Optional`.

use std::fmt::Write as _;

use bytes::Bytes;

use super::call::Call;
use super::contents::{Entry, GUIDES, LLMS, documents, pages};
use super::skills::{self, SKILLS};
use crate::documents::{Document, DocumentRequest, NoQuery};
use registry_app::App;
use registry_domain::views::tagline;
use registry_model::error::Problem;
use registry_model::protocol::{ARD_BASE, MCP_ENDPOINT, MCP_REGISTRY};
use registry_model::settings::Settings;
use registry_operations::{DESCRIPTIONS, LIST_YOURSELF, MATCH_CAPABILITY};

/// The text.
#[derive(Debug)]
pub(super) struct Llms;

impl Document for Llms {
    const PATHS: &'static [&'static str] = LLMS.paths;
    const SUMMARY: &'static str = LLMS.summary;
    const MEDIA_TYPE: &'static str = LLMS.media_type;
    const MAX_AGE_S: Option<u32> = Some(3600);
    type Query = NoQuery;
    type Answer = String;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        Ok(text(&app.settings).into())
    }
}

/// What this registry is and how it is used in one request: the head of this text and of the long one.
pub(super) fn head(settings: &Settings) -> String {
    let (list, find) =
        (Call::of(LIST_YOURSELF.described, settings), Call::of(MATCH_CAPABILITY.described, settings));
    format!(
        "# {}\n\n> {}\n\nListing is free, and no key or account is needed. To list an agent or MCP server, send \
         its URL; it is probed at once, and the answer says where to look:\n\n```sh\n{}\n```\n\nTo find who can do \
         something:\n\n```sh\n{}\n```\n\nThe same {} operations are tools by MCP at `{}`, and understood in plain words \
         by A2A at `{}`. Where something follows, the answer holds `next`: that call, complete.\n\n",
        settings.brand,
        tagline(settings),
        list.curl(),
        find.curl(),
        DESCRIPTIONS.len(),
        settings.url(MCP_ENDPOINT),
        settings.url("/api/a2a"),
    )
}

fn text(settings: &Settings) -> String {
    let mut text = head(settings);
    text.push_str("## Start here\n\n");
    add(&mut text, settings, GUIDES.into_iter());
    text.push_str("\n## Skills\n\n");
    for skill in &SKILLS {
        let url = settings.url(&skills::path(skill));
        let _ = writeln!(text, "- [{}]({url}): {}", skill.name, skill.description);
    }
    text.push_str("\n## Endpoints\n\n");
    for (name, path, what) in endpoints() {
        let _ = writeln!(text, "- [{name}]({}): {what}", settings.url(path));
    }
    text.push_str("\n## Pages for people\n\n");
    add(&mut text, settings, pages());
    text.push_str("\n## Optional\n\n");
    add(&mut text, settings, documents());
    text
}

/// The endpoints by protocol.
fn endpoints() -> [(&'static str, &'static str, &'static str); 4] {
    [
        ("MCP", MCP_ENDPOINT, "streamable HTTP without sessions; every operation is a tool."),
        ("A2A", "/api/a2a", "JSON-RPC and HTTP+JSON; plain words, or a data part that names an operation."),
        ("ARD search", ARD_BASE, "Agentic Resource Discovery: search, explore and browse."),
        (
            "MCP registry API",
            MCP_REGISTRY,
            "the read API of the official MCP registry over what is Live here.",
        ),
    ]
}

/// Documents as items of a list; those with something to fill in are named, not linked.
pub(super) fn add(text: &mut String, settings: &Settings, entries: impl Iterator<Item = Entry>) {
    for entry in entries {
        let (path, summary) = (entry.path(), entry.summary);
        let _ = if entry.is_plain() {
            writeln!(text, "- [{path}]({}): {summary}", settings.url(&path))
        } else {
            writeln!(text, "- `{path}`: {summary}")
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::settings::Mode;

    /// The form of llmstxt.org: one H1, a quotation, then only H2 with lists of links below.
    #[test]
    fn the_text_has_the_form_of_llms_txt() {
        let text = text(&Settings::from_env(Mode::Public, |_| None).unwrap());
        let headings: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
        assert_eq!(
            headings,
            [
                "# Agent and MCP Registry",
                "## Start here",
                "## Skills",
                "## Endpoints",
                "## Pages for people",
                "## Optional"
            ]
        );
        assert!(text.starts_with("# Agent and MCP Registry\n\n> "));
        let lists = text.split_once("## Start here").unwrap().1;
        for line in lists.lines().filter(|line| !line.is_empty() && !line.starts_with("## ")) {
            assert!(line.starts_with("- [") || line.starts_with("- `/"), "{line}");
            assert!(line.contains(": "), "{line}");
        }
    }
}
