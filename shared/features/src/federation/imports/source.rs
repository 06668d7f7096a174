//! Where candidates come from: a registry with the official API, a dump, a JSON list at a URL, or documents of a file.

use jiff::SignedDuration;
use serde_json::Value;
use url::Url;

use super::candidate::Page;
use super::client::{Client, SourceError};
use super::dump;
use registry_model::ImportState;

const MAX_CURSOR_BYTES: usize = 1000;
/// Changes before the last import that are read again.
const OVERLAP: SignedDuration = SignedDuration::from_hours(1);

#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A list of the registry API, such as `https://host/v0.1/servers`, page by page, with the latest version of each server.
    Registry(Url),
    /// The list of the dumps of a registry, such as `https://host/dumps.json`. A page is a part of the latest dump.
    Dump {
        list: Url,
        /// The verifier key of the evidence log that must prove the dump. Without it, the key that the source names counts.
        log_key: Option<String>,
    },
    /// A JSON list.
    List(Url),
    Documents(Vec<Value>),
}

impl Source {
    /// The source at a URL: the base URL of a registry, that of a collection (`/r/<name>`), or of its list (`…/servers`).
    #[must_use]
    pub fn of_url(mut url: Url, log_key: Option<String>) -> Self {
        url.set_fragment(None);
        let path = url.path().trim_end_matches('/').to_owned();
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        match segments[..] {
            [.., "dumps.json"] => Self::Dump { list: url, log_key },
            [.., "servers"] => {
                url.set_path(&path);
                Self::Registry(url)
            }
            [] | ["r", _] => {
                url.set_path(&format!("{path}/v0.1/servers"));
                Self::Registry(url)
            }
            _ => Self::List(url),
        }
    }

    /// The page at the cursor of `state`.
    pub(super) async fn page(&self, client: &Client, state: &ImportState) -> Result<Page, SourceError> {
        match self {
            Self::Registry(list) => {
                let url = page_url(list, state);
                let document = client.json(url.as_str()).await?;
                if document.get("servers").is_none() {
                    return Err(SourceError::new(list.as_str(), "no_list", "it has no list `servers`"));
                }
                let metadata = &document["metadata"];
                let next = metadata["nextCursor"].as_str().or_else(|| metadata["next_cursor"].as_str());
                let next = next.filter(|next| !next.is_empty() && next.len() <= MAX_CURSOR_BYTES);
                let next = next.filter(|next| state.cursor.as_deref() != Some(next)).map(str::to_owned);
                Ok(Page::of_documents([document], next))
            }
            Self::Dump { list, log_key } => {
                dump::part(client, list, log_key.as_deref(), state.cursor.as_deref()).await
            }
            Self::List(url) => Ok(Page::of_documents([client.json(url.as_str()).await?], None)),
            Self::Documents(documents) => Ok(Page::of_documents(documents.iter().cloned(), None)),
        }
    }
}

fn page_url(list: &Url, state: &ImportState) -> Url {
    let mut url = list.clone();
    let mut query = url.query_pairs_mut();
    query
        .append_pair("limit", "100")
        .append_pair("version", "latest")
        .append_pair("include_deleted", "false");
    if let Some(since) = state.complete_since {
        query.append_pair("updated_since", &(since - OVERLAP).to_string());
    }
    if let Some(cursor) = &state.cursor {
        query.append_pair("cursor", cursor);
    }
    drop(query);
    url
}

#[cfg(test)]
mod tests;
