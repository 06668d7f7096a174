//! What a document is: its paths, how long it may be cached, what it is made from, and how it is rendered. A trait
//! where it is written, so that its query is typed; a struct of functions where it is served, so that any can be
//! called by path.

use std::fmt::Debug;

use bytes::Bytes;
use futures::future::BoxFuture;
use http::HeaderMap;
use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use registry_app::App;
use registry_model::cache::CacheValidator;
use registry_model::error::Problem;
use registry_operations::arguments::from_query;
use registry_operations::schema_of_answer;
use registry_store::Live;

/// Something that is read by GET and is no operation.
pub(crate) trait Document: 'static {
    /// Where it stands, as axum writes paths.
    const PATHS: &'static [&'static str];
    /// What it is, in a sentence, for lists of documents.
    const SUMMARY: &'static str;
    /// What it is.
    const MEDIA_TYPE: &'static str = "application/json";
    /// Seconds for which it may be shown again without asking. Without any it is asked for each time, by its entity tag.
    const MAX_AGE_S: Option<u32> = None;
    /// Further headers of the answer.
    const HEADERS: &'static [(&'static str, &'static str)] = &[];
    /// The statuses of its own refusals. Those that any request may meet are not said here.
    const REFUSALS: &'static [u16] = &[];
    /// What its query may hold.
    type Query: DeserializeOwned + JsonSchema + Debug + Send + Sync;
    /// What it holds; a `String` where it is no JSON.
    type Answer: JsonSchema;

    /// Whether it shows what is Live: then that is read once, and both validator and document go by it.
    const SHOWS_LIVE: bool = false;

    /// Stands for what it is made from at this moment. A document that says so is kept rendered, and neither made nor
    /// sent again while this is the same; for any other its own bytes stand.
    ///
    /// # Errors
    /// What is asked for cannot be.
    fn cache_validator(_: &App, _: &DocumentRequest<Self::Query>) -> Result<Option<CacheValidator>, Problem> {
        Ok(None)
    }

    /// Headers of the answer that depend on the moment; they are made for each request.
    fn headers_now(_: &App) -> impl Future<Output = Result<Vec<(&'static str, String)>, Problem>> + Send {
        async { Ok(Vec::new()) }
    }

    /// Makes it.
    fn render(
        app: &App,
        request: &DocumentRequest<Self::Query>,
    ) -> impl Future<Output = Result<Bytes, Problem>> + Send;
}

/// A request for a document.
#[derive(Clone, Debug)]
pub(crate) struct DocumentRequest<Q> {
    /// The path as it was asked for.
    pub path: String,
    /// The query, read.
    pub query: Q,
    /// What is Live, where the document shows it.
    pub live: Live,
}

/// No query is read; anything in one is ignored.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize, JsonSchema)]
pub(crate) struct NoQuery {}

/// A document as it is answered.
#[derive(Clone, Debug)]
pub struct DocumentAnswer {
    /// Its bytes; none where the caller has them already.
    pub body: Option<Bytes>,
    /// Their validator.
    pub validator: CacheValidator,
    /// Headers that depend on the moment.
    pub headers: Vec<(&'static str, String)>,
}

/// The future of a document whose types are erased.
type Answering = BoxFuture<'static, Result<DocumentAnswer, Problem>>;

/// A document as functions and tests see it.
#[derive(Clone, Copy, Debug)]
pub struct AnyDocument {
    /// Where it stands, as axum writes paths.
    pub paths: &'static [&'static str],
    /// What it is, in a sentence.
    pub summary: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// Seconds for which it may be shown again without asking.
    pub max_age_s: Option<u32>,
    /// Further headers of the answer.
    pub headers: &'static [(&'static str, &'static str)],
    /// The statuses of its own refusals.
    pub refusals: &'static [u16],
    /// JSON Schema 2020-12 of its query.
    pub query_schema: fn() -> Value,
    /// JSON Schema 2020-12 of what it holds.
    pub answer_schema: fn() -> Value,
    /// Answers a request for a path with a query, by what the caller has already.
    pub answer: fn(App, String, String, HeaderMap) -> Answering,
}

impl AnyDocument {
    pub(crate) const fn of<D: Document>() -> Self {
        Self {
            paths: D::PATHS,
            summary: D::SUMMARY,
            media_type: D::MEDIA_TYPE,
            max_age_s: D::MAX_AGE_S,
            headers: D::HEADERS,
            refusals: D::REFUSALS,
            query_schema: || schema_for!(D::Query).to_value(),
            answer_schema: schema_of_answer::<D::Answer>,
            answer: |app, path, query, headers| {
                Box::pin(async move { answer::<D>(&app, path, &query, &headers).await })
            },
        }
    }
}

async fn answer<D: Document>(
    app: &App,
    path: String,
    query_text: &str,
    headers: &HeaderMap,
) -> Result<DocumentAnswer, Problem> {
    let query = from_query(query_text)?;
    let live = if D::SHOWS_LIVE { app.store.live().await? } else { Live::default() };
    let request = DocumentRequest { path, query, live };
    let (body, validator) = match D::cache_validator(app, &request)? {
        Some(validator) if validator.is_held_by(headers) => (None, validator),
        Some(validator) => (Some(rendered_once::<D>(app, &request, &validator).await?), validator),
        None => {
            let body = D::render(app, &request).await?;
            let validator = CacheValidator::of_body(&body);
            (Some(body).filter(|_| !validator.is_held_by(headers)), validator)
        }
    };
    Ok(DocumentAnswer { body, validator, headers: D::headers_now(app).await? })
}

/// The document as it was rendered for this validator, by this process or an earlier request to it.
async fn rendered_once<D: Document>(
    app: &App,
    request: &DocumentRequest<D::Query>,
    validator: &CacheValidator,
) -> Result<Bytes, Problem> {
    // By the query as it was read: what a document does not take makes no page of its own.
    let name = format!("{}?{:?}", request.path, request.query);
    if let Some(body) = app.pages.get(&name, validator) {
        return Ok(body);
    }
    let body = D::render(app, request).await?;
    app.pages.put(name, validator.clone(), body.clone());
    Ok(body)
}

/// A value as the bytes of a JSON document.
///
/// # Errors
/// It cannot be serialised, which is a fault of this service.
pub(crate) fn json(value: &impl Serialize) -> Result<Bytes, Problem> {
    serde_json::to_vec(value).map(Bytes::from).map_err(|error| Problem::fault(error.to_string()))
}
