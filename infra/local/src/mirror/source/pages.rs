//! Reads the list of a registry with the official API, page by page (`GET /v0.1/servers`, openapi.yaml
//! 2025-12-01). It requests only the latest version of each server.

use jiff::Timestamp;
use serde_json::Value;
use url::Url;

use super::batch::{Batch, SourceError};
use crate::mirror::retrying_client::RetryingClient;
use crate::mirror::server_entry::ServerEntry;
use crate::mirror::state::Position;

/// The largest page that the official API allows.
const PAGE_SIZE: &str = "100";
/// Parameters that are set here; others in the operator's URL are kept.
const OWN_PARAMETERS: [&str; 4] = ["cursor", "limit", "updated_since", "version"];

#[derive(Debug)]
pub(in crate::mirror) struct Pages {
    retrying_client: RetryingClient,
    list: Url,
    updated_since: Option<Timestamp>,
    include_deprecated: bool,
    /// The cursor of the next page and its handled entries; `None` after the last page.
    next_page: Option<(Option<String>, Vec<String>)>,
}

impl Pages {
    /// Starts at the first page, or at the position of an earlier run.
    pub(in crate::mirror) const fn new(
        retrying_client: RetryingClient,
        list: Url,
        updated_since: Option<Timestamp>,
        include_deprecated: bool,
        next_page: (Option<String>, Vec<String>),
    ) -> Self {
        Self { retrying_client, list, updated_since, include_deprecated, next_page: Some(next_page) }
    }

    pub(super) async fn next(&mut self) -> Result<Option<Batch>, SourceError> {
        let Some((cursor, handled)) = self.next_page.clone() else { return Ok(None) };
        let url = self.url(cursor.as_deref());
        let (servers, next) = self.page(&url).await?;
        if next.is_some() && next == cursor {
            return Err(SourceError::PageLoop(url));
        }
        let entries = servers.into_iter().enumerate().map(|(index, value)| {
            ServerEntry::read(value, format!("entry {} of {url}", index + 1), self.include_deprecated)
        });
        let entries = entries.filter(|entry| !handled.contains(&entry.label.key())).collect();
        self.next_page = next.clone().map(|next| (Some(next), Vec::new()));
        let after = next.map(|next| Position::Page { cursor: Some(next), handled: Vec::new() });
        Ok(Some(Batch { entries, before: Position::Page { cursor, handled }, after }))
    }

    fn url(&self, cursor: Option<&str>) -> Url {
        let mut url = self.list.clone();
        let other: Vec<(String, String)> = (self.list.query_pairs().into_owned())
            .filter(|(name, _)| !OWN_PARAMETERS.contains(&name.as_str()))
            .collect();
        let since = self.updated_since.map(|since| since.to_string());
        let own = [("version", Some("latest")), ("updated_since", since.as_deref()), ("cursor", cursor)];
        let own = own.into_iter().filter_map(|(name, value)| Some((name, value?)));
        url.query_pairs_mut().clear().extend_pairs(other).append_pair("limit", PAGE_SIZE).extend_pairs(own);
        url
    }

    /// The entries of a page and the cursor of the next.
    async fn page(&self, url: &Url) -> Result<(Vec<Value>, Option<String>), SourceError> {
        let invalid = |why: String| SourceError::InvalidPage { url: url.clone(), why };
        let answer = self.retrying_client.send(|client| client.get(url.clone())).await?;
        if answer.status != http::StatusCode::OK {
            return Err(invalid(format!("it answered {}", answer.status)));
        }
        let mut page: Value = serde_json::from_slice(&answer.body)
            .map_err(|error| invalid(format!("its answer is not JSON ({error})")))?;
        let next =
            page["metadata"]["nextCursor"].as_str().or_else(|| page["metadata"]["next_cursor"].as_str());
        let next = next.filter(|cursor| !cursor.is_empty()).map(str::to_owned);
        match page.get_mut("servers").map(Value::take) {
            Some(Value::Array(servers)) => Ok((servers, next)),
            // Go writes an empty list as null.
            Some(Value::Null) => Ok((Vec::new(), next)),
            _ => Err(invalid("its answer has no `servers`".to_owned())),
        }
    }
}
