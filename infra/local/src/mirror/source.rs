//! Where entries come from: a file, standard input, or another registry. All give batches with the position after
//! them, so that whoever writes the position down can go on from there.

pub(super) mod documents;
pub(super) mod pages;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::{Host, Url};

use super::entry::{Entry, Label};
use super::patient::AskError;
use documents::Documents;
use pages::Pages;

/// Where to read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// The list of a registry with the official API, such as `https://host/v0.1/servers`.
    Registry(Url),
}

/// Why a source cannot be named so.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum OriginError {
    /// It begins as a URL and is none.
    #[error("this is no URL: {0}")]
    NotAUrl(#[from] url::ParseError),
    /// Plain http to another machine: whoever sits between could write what is listed.
    #[error("only https is read from other machines; http is for this one (loopback)")]
    NotHttps,
    /// It holds a user name or password, which would end up in logs and the state file.
    #[error("give the URL without a user name or password")]
    UserInfo,
}

impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        match text {
            "-" => Ok(Self::Stdin),
            _ if text.starts_with("https://") || text.starts_with("http://") => {
                Ok(Self::Registry(list_url(Url::parse(text)?)?))
            }
            _ => Ok(Self::File(PathBuf::from(text))),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => formatter.write_str("standard input"),
            Self::File(path) => path.display().fmt(formatter),
            Self::Registry(list) => list.fmt(formatter),
        }
    }
}

/// The list of a registry: the URL itself where it is one, else the list of the stable API below it.
fn list_url(mut url: Url) -> Result<Url, OriginError> {
    if url.scheme() == "http" && !is_loopback(&url) {
        return Err(OriginError::NotHttps);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(OriginError::UserInfo);
    }
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/').to_owned();
    let last = path.rsplit('/').next().unwrap_or_default();
    let versioned = last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let list = match last {
        "servers" => path,
        _ if versioned => format!("{path}/servers"),
        _ => format!("{path}/v0.1/servers"),
    };
    url.set_path(&list);
    Ok(url)
}

/// Whether a URL leads to this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

/// How far a source was handled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Position {
    /// So many documents of a file.
    Documents(u64),
    /// The pages before this one, and some of its entries. They are remembered by name, for the page may be
    /// another when it is asked for again.
    Page {
        /// The page; the first has none.
        cursor: Option<String>,
        /// [`Label::key`] of what was handled of it.
        handled: Vec<String>,
    },
}

impl Position {
    /// One entry further.
    pub(super) fn pass(&mut self, label: &Label) {
        match self {
            Self::Documents(number) => *number += 1,
            Self::Page { handled, .. } => handled.push(label.key()),
        }
    }
}

/// Entries that came together.
#[derive(Debug)]
pub(super) struct Batch {
    /// The entries, in the source's order.
    pub(super) entries: Vec<Entry>,
    /// The position before them.
    pub(super) before: Position,
    /// The position after them, where passing each does not lead there.
    pub(super) after: Option<Position>,
}

/// Why a source cannot be read on.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The file cannot be opened or read.
    #[error("cannot read {0}: {1}")]
    Unreadable(String, std::io::Error),
    /// It is no JSON.
    #[error("line {line}, column {column}: {why}. Expected JSON: a list, a page of a registry, JSON Lines")]
    NotJson {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What the parser says.
        why: String,
    },
    /// One JSON text is larger than can be read at once.
    #[error("over {0} MiB in one JSON text; split it, or write one document a line (JSON Lines)")]
    TooLarge(u64),
    /// The registry did not answer.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// It answered something else than a page.
    #[error("{url} is no list of the official registry API: {why}")]
    NotAPage {
        /// The page.
        url: Url,
        /// What was seen.
        why: String,
    },
    /// A page names itself as the next.
    #[error("{0} names itself as the next page")]
    Circle(Url),
    /// What was written down belongs to another sort of source.
    #[error("the state file holds a position of another sort of source")]
    ForeignPosition,
}

/// An opened source.
#[derive(Debug)]
pub(super) enum Source {
    /// A file or standard input.
    Documents(Documents),
    /// A registry.
    Pages(Pages),
}

impl Source {
    /// The next entries; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Batch>, SourceError> {
        match self {
            Self::Documents(documents) => documents.next().await,
            Self::Pages(pages) => pages.next().await,
        }
    }

    /// How many entries there are in all, where that is known.
    pub(super) fn total(&self) -> Option<u64> {
        match self {
            Self::Documents(documents) => documents.total(),
            Self::Pages(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> String {
        match text.parse() {
            Ok(Origin::Registry(url)) => url.to_string(),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn a_base_and_a_list_name_the_same_list() {
        for text in [
            "https://registry.example.com",
            "https://registry.example.com/",
            "https://registry.example.com/v0.1",
            "https://registry.example.com/v0.1/servers",
            "https://registry.example.com/v0.1/servers/",
        ] {
            assert_eq!(list(text), "https://registry.example.com/v0.1/servers");
        }
        assert_eq!(list("https://a.example/v0/servers?search=x"), "https://a.example/v0/servers?search=x");
        assert_eq!(list("https://a.example/sub"), "https://a.example/sub/v0.1/servers");
    }

    #[test]
    fn plain_http_is_for_this_machine() {
        let refused = |text: &str| text.parse::<Origin>().unwrap_err();
        assert_eq!(refused("http://registry.example.com"), OriginError::NotHttps);
        assert_eq!(refused("http://10.0.0.7:8080"), OriginError::NotHttps);
        assert_eq!(refused("https://user:word@registry.example.com"), OriginError::UserInfo);
        assert!(matches!(refused("https://"), OriginError::NotAUrl(_)));
        for text in ["http://127.0.0.1:8080", "http://[::1]:1", "http://localhost:8080"] {
            assert!(list(text).ends_with("/v0.1/servers"));
        }
    }

    #[test]
    fn all_else_is_a_file() {
        assert_eq!("-".parse(), Ok(Origin::Stdin));
        assert_eq!("servers.jsonl".parse(), Ok(Origin::File("servers.jsonl".into())));
    }
}
