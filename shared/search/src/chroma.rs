//! The client of a Chroma server, which the operator runs: its HTTP API of version 2. A collection contains one record for
//! each listing: the embedding, a text of its stems and of what filters need, and the packed entry. All requests are idempotent.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

use super::bucket::Bucket;
use super::embedding::WIDTH;
use super::engine::Filter;
use super::entry::{IndexEntry, IndexedListing};
use registry_model::{Access, Listed, ListingId, Secret};
use registry_store::StoreError;

/// The name contains the width of the vectors: all vectors of a collection have one width.
const COLLECTION: &str = "agent-and-mcp-listings";
/// The path of the database if the URL of the server has no path.
const DEFAULT_DATABASE: &str = "/api/v2/tenants/default_tenant/databases/default_database";

const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// From the request to the last byte of the answer.
const READ_TIMEOUT: Duration = Duration::from_secs(5);
const WRITE_TIMEOUT: Duration = Duration::from_secs(20);
/// An answer with all entries of a search has about 2 MB.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;
/// Characters of an answer that the log shows.
const LOGGED_CHARS: usize = 200;
/// Records in one write, and ids in one check.
const WRITTEN: usize = 100;
const CHECKED: usize = 1000;
/// Neighbors that the vector index of Chroma examines; the results of one question at most.
const EXAMINED: usize = 300;

#[derive(Clone, Debug)]
pub(super) struct Chroma(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    client: Client,
    database: String,
    token: Option<Secret>,
    /// The id of the collection, once it is known.
    collection: RwLock<Option<String>>,
}

/// A search for candidates: the records with all these words that are nearest to the vector.
#[derive(Clone, Debug, Default)]
pub(super) struct Question {
    pub(super) vector: Option<Vec<f32>>,
    /// Of each group, a record must contain at least one stem.
    pub(super) words: Vec<Vec<String>>,
    pub(super) limit: usize,
}

impl Chroma {
    /// `url` is the address of a server, or of a database of it (`.../api/v2/tenants/<name>/databases/<name>`).
    pub(super) fn new(url: &str, token: Option<Secret>) -> Self {
        let url = url.trim_end_matches('/');
        let has_path = url.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
        let database = if has_path { url.to_owned() } else { format!("{url}{DEFAULT_DATABASE}") };
        Self(Arc::new(Shared { client: client(), database, token, collection: RwLock::default() }))
    }

    pub(super) async fn nearest(
        &self,
        question: &Question,
        filter: &Filter,
    ) -> Result<Vec<ListingId>, StoreError> {
        let limit = question.limit.min(EXAMINED);
        let mut body = json!({ "include": [] });
        // One expression for a group: Chroma is several times faster with it than with a condition for each stem.
        let one_of = |group: &Vec<String>| {
            let stems: Vec<String> = group.iter().map(|stem| regex::escape(stem)).collect();
            json!({ "$regex": padded(&format!("({})", stems.join("|"))) })
        };
        let groups = question.words.iter().filter(|group| !group.is_empty());
        if let Some(words) = all(conditions(filter).into_iter().chain(groups.map(one_of))) {
            body["where_document"] = words;
        }
        let answer = if let Some(vector) = &question.vector {
            body["query_embeddings"] = json!([vector]);
            body["n_results"] = json!(limit);
            self.send("query", &body, READ_TIMEOUT).await?["ids"][0].take()
        } else {
            body["limit"] = json!(limit);
            self.send("get", &body, READ_TIMEOUT).await?["ids"].take()
        };
        Ok(ids(&answer))
    }

    /// The entries of these listings, one in each bucket. Listings that are not stored are left out.
    pub(super) async fn entries(&self, ids: &[ListingId]) -> Result<Vec<Bucket>, StoreError> {
        let body = json!({ "ids": ids, "include": ["metadatas"] });
        let answer = self.send("get", &body, READ_TIMEOUT).await?;
        let read = |metadata: &Value| {
            let bytes = metadata["entry"].as_str().and_then(|text| STANDARD.decode(text).ok());
            let bucket = bytes.and_then(|bytes| Bucket::read(&bytes).ok());
            if bucket.is_none() {
                tracing::warn!("the search backend contains an entry that cannot be read");
            }
            bucket
        };
        Ok(answer["metadatas"].as_array().into_iter().flatten().filter_map(read).collect())
    }

    pub(super) async fn check(&self) -> Result<(), StoreError> {
        self.send("get", &json!({ "limit": 1, "include": [] }), READ_TIMEOUT).await.map(drop)
    }

    /// Those of these listings that are not stored.
    pub(super) async fn missing(&self, wanted: &[ListingId]) -> Result<Vec<ListingId>, StoreError> {
        let mut missing = Vec::new();
        for some in wanted.chunks(CHECKED) {
            let body = json!({ "ids": some, "include": [] });
            let stored = ids(&self.send("get", &body, WRITE_TIMEOUT).await?["ids"]);
            let stored: std::collections::HashSet<ListingId> = stored.into_iter().collect();
            missing.extend(some.iter().filter(|id| !stored.contains(id)).cloned());
        }
        Ok(missing)
    }

    /// Stores entries, and removes listings.
    pub(super) async fn apply(
        &self,
        entries: &[IndexEntry],
        removed: &[ListingId],
    ) -> Result<(), StoreError> {
        for some in entries.chunks(WRITTEN) {
            let metadatas = some.iter().map(metadata).collect::<Result<Vec<Value>, StoreError>>()?;
            let body = json!({
                "ids": some.iter().map(|entry| &entry.listing.id).collect::<Vec<_>>(),
                "embeddings": some.iter().map(|entry| entry.embedding.components()).collect::<Vec<_>>(),
                "documents": some.iter().map(document).collect::<Vec<_>>(),
                "metadatas": metadatas,
            });
            self.send("upsert", &body, WRITE_TIMEOUT).await?;
        }
        for some in removed.chunks(CHECKED) {
            self.send("delete", &json!({ "ids": some }), WRITE_TIMEOUT).await?;
        }
        Ok(())
    }

    async fn send(&self, act: &str, body: &Value, timeout: Duration) -> Result<Value, StoreError> {
        for _ in 0..2 {
            let collection = self.collection().await?;
            let path = format!("/collections/{collection}/{act}");
            match self.request(&path, body, timeout).await? {
                (StatusCode::NOT_FOUND, _) => self.remember(None),
                answer => return accepted(act, answer),
            }
        }
        Err(StoreError::Search(format!("{act}: the collection is deleted again and again")))
    }

    /// The id of the collection, which is created if it does not exist.
    async fn collection(&self) -> Result<String, StoreError> {
        let known = self.0.collection.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known {
            return Ok(known);
        }
        // The vectors have length 1, or 0 where no word of a text is known.
        let index = json!({ "hnsw": { "space": "ip", "ef_search": EXAMINED } });
        let body =
            json!({ "name": format!("{COLLECTION}-{WIDTH}"), "get_or_create": true, "configuration": index });
        let answer = self.request("/collections", &body, WRITE_TIMEOUT).await?;
        let created = accepted("create", answer)?;
        let id =
            created["id"].as_str().filter(|id| id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'));
        let id = id.ok_or_else(|| StoreError::Search("the collection has no id".to_owned()))?;
        self.remember(Some(id.to_owned()));
        Ok(id.to_owned())
    }

    fn remember(&self, collection: Option<String>) {
        *self.0.collection.write().unwrap_or_else(PoisonError::into_inner) = collection;
    }

    /// Sends a request again once if the connection fails: a connection of the pool may be closed meanwhile.
    async fn request(
        &self,
        path: &str,
        body: &Value,
        timeout: Duration,
    ) -> Result<(StatusCode, Vec<u8>), StoreError> {
        let text = serde_json::to_vec(body)?;
        let send = || {
            let url = format!("{}{path}", self.0.database);
            let mut request = self.0.client.post(url).timeout(timeout);
            if let Some(token) = &self.0.token {
                request = request.header("x-chroma-token", token.reveal()).bearer_auth(token.reveal());
            }
            request.header("content-type", "application/json").body(text.clone()).send()
        };
        let mut answer = send().await;
        if answer.as_ref().is_err_and(|error| !error.is_timeout()) {
            answer = send().await;
        }
        let failed = |error: reqwest::Error| {
            StoreError::Search(format!("no answer of the search backend: {:?}", error.without_url()))
        };
        let mut answer = answer.map_err(failed)?;
        let (status, mut bytes) = (answer.status(), Vec::new());
        while let Some(chunk) = answer.chunk().await.map_err(failed)? {
            if bytes.len() + chunk.len() > MAX_ANSWER_BYTES {
                return Err(StoreError::Search("an answer of the search backend is too long".to_owned()));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok((status, bytes))
    }
}

fn accepted(act: &str, (status, body): (StatusCode, Vec<u8>)) -> Result<Value, StoreError> {
    let value = serde_json::from_slice(&body).ok().filter(|_| status.is_success());
    value.ok_or_else(|| {
        let shown: String = String::from_utf8_lossy(&body).chars().take(LOGGED_CHARS).collect();
        StoreError::Search(format!("{act}: the search backend answered {status}: {shown}"))
    })
}

fn client() -> Client {
    let built = Client::builder()
        .tls_backend_preconfigured(registry_fetch::tls())
        .http1_only()
        .no_proxy()
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .build();
    #[expect(clippy::expect_used, reason = "nothing in it depends on input")]
    built.expect("a client of fixed parts")
}

/// A condition finds parts of a text. So that it finds whole stems only, each has a space on both sides.
fn padded(stems: &str) -> String {
    format!(" {stems} ")
}

/// The stems, after words for what filters need. No stem contains `@`.
fn document(entry: &IndexEntry) -> String {
    let IndexedListing { kind, category, shown, .. } = &entry.listing;
    let about = format!("@{} @{} @category-{category}", kind.as_str(), shown.access.as_str());
    let stems: Vec<&str> = entry.stems.iter().map(|(stem, _)| stem.as_str()).collect();
    padded(&format!("{about} {}", stems.join(" ")))
}

fn metadata(entry: &IndexEntry) -> Result<Value, StoreError> {
    Ok(json!({ "entry": STANDARD.encode(Bucket::of(vec![entry.clone()]).write()?) }))
}

/// The conditions for the text of a record; none for [`Listed::Live`] alone, because nearly all listings are Live, and Chroma is
/// much faster without a condition. The ranking applies the whole filter again.
fn conditions(filter: &Filter) -> Vec<Value> {
    let kind = filter.kind.map(|kind| format!("@{}", kind.as_str()));
    let category = filter.category.as_ref().map(|category| format!("@category-{}", category.id()));
    let listed = match filter.listed {
        Listed::Live | Listed::With(Access::All) => None,
        Listed::Remote => Some(format!("@({}|{})", Access::Open.as_str(), Access::Gated.as_str())),
        Listed::With(access) => Some(format!("@{}", access.as_str())),
    };
    let words = kind.into_iter().chain(category).chain(listed);
    words.map(|word| json!({ "$regex": padded(&word) })).collect()
}

/// Chroma refuses `$and` with a single condition.
fn all(conditions: impl Iterator<Item = Value>) -> Option<Value> {
    let mut conditions: Vec<Value> = conditions.collect();
    if conditions.len() > 1 { Some(json!({ "$and": conditions })) } else { conditions.pop() }
}

fn ids(answer: &Value) -> Vec<ListingId> {
    let ids = answer.as_array().into_iter().flatten().filter_map(Value::as_str);
    ids.filter_map(|id| id.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::Kind;

    #[test]
    fn conditions_select_what_the_filter_allows() {
        let conditions = |kind, listed| conditions(&Filter { kind, category: None, listed });
        assert!(conditions(None, Listed::Live).is_empty());
        assert_eq!(conditions(Some(Kind::Mcp), Listed::Live), [json!({ "$regex": " @mcp " })]);
        let gated = [json!({ "$regex": " @agent " }), json!({ "$regex": " @gated " })];
        assert_eq!(conditions(Some(Kind::Agent), Listed::With(Access::Gated)), gated);
        assert!(conditions(None, Listed::With(Access::All)).is_empty());
        assert_eq!(conditions(None, Listed::Remote), [json!({ "$regex": " @(open|gated) " })]);
    }

    #[test]
    fn url_may_contain_the_database() {
        let database = |url: &str| Chroma::new(url, None).0.database.clone();
        assert_eq!(database("http://127.0.0.1:8000/"), format!("http://127.0.0.1:8000{DEFAULT_DATABASE}"));
        let named = "https://chroma.example.com/api/v2/tenants/a/databases/b";
        assert_eq!(database(named), named);
    }
}
