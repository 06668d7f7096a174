//! A document: its paths, cache lifetime, validator and rendering. Authors implement a trait, so that the
//! query has a type. The server uses a struct of functions, so that it can serve any document by its path.

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

/// A validator, if the document has one before it is rendered.
pub(crate) type Validity = Result<Option<CacheValidator>, Problem>;

/// A resource that is read with GET and is not an operation.
pub(crate) trait Document: 'static {
    /// As axum writes paths.
    const PATHS: &'static [&'static str];
    /// One sentence, for lists of documents.
    const SUMMARY: &'static str;
    const MEDIA_TYPE: &'static str = "application/json";
    /// `None`: clients revalidate each time with the entity tag.
    const MAX_AGE_S: Option<u32> = None;
    const HEADERS: &'static [(&'static str, &'static str)] = &[];
    /// Its own error statuses, without those that any request may get.
    const REFUSALS: &'static [u16] = &[];
    type Query: DeserializeOwned + JsonSchema + Debug + Send + Sync;
    /// `String` if the document is not JSON.
    type Answer: JsonSchema;

    /// Whether it shows Live listings: the counters are then read once, for the validator and for rendering.
    const SHOWS_LIVE: bool = false;

    /// Identifies the state that the document is made from. A document with a validator is cached after
    /// rendering, and is neither rendered nor sent again while the validator stays the same. Without one, the
    /// bytes of the document are the validator.
    fn cache_validator(_: &App, _: &DocumentRequest<Self::Query>) -> Validity {
        Ok(None)
    }

    /// Headers that are computed for each request.
    fn headers_now(_: &App) -> impl Future<Output = Result<Vec<(&'static str, String)>, Problem>> + Send {
        async { Ok(Vec::new()) }
    }

    fn render(
        app: &App,
        request: &DocumentRequest<Self::Query>,
    ) -> impl Future<Output = Result<Bytes, Problem>> + Send;
}

#[derive(Clone, Debug)]
pub(crate) struct DocumentRequest<Q> {
    pub path: String,
    pub query: Q,
    /// Default unless `SHOWS_LIVE`.
    pub live: Live,
}

/// No parameters; any query is ignored.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize, JsonSchema)]
pub(crate) struct NoQuery {}

#[derive(Clone, Debug)]
pub struct DocumentAnswer {
    /// `None` if the caller has it already.
    pub body: Option<Bytes>,
    pub validator: CacheValidator,
    pub headers: Vec<(&'static str, String)>,
}

type AnswerFuture = BoxFuture<'static, Result<DocumentAnswer, Problem>>;

#[derive(Clone, Copy, Debug)]
pub struct AnyDocument {
    pub paths: &'static [&'static str],
    pub summary: &'static str,
    pub media_type: &'static str,
    pub max_age_s: Option<u32>,
    pub headers: &'static [(&'static str, &'static str)],
    pub refusals: &'static [u16],
    /// JSON Schema 2020-12.
    pub query_schema: fn() -> Value,
    /// JSON Schema 2020-12.
    pub answer_schema: fn() -> Value,
    /// Arguments: app, path, query string, request headers.
    pub answer: fn(App, String, String, HeaderMap) -> AnswerFuture,
}

impl AnyDocument {
    /// The first path, with `{name}` for a parameter.
    pub(crate) fn path(&self) -> String {
        self.paths.first().map(|path| path.replace("{*", "{")).unwrap_or_default()
    }

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
        Some(validator) if validator.matches_request(headers) => (None, validator),
        Some(validator) => (Some(rendered_once::<D>(app, &request, &validator).await?), validator),
        None => {
            let body = D::render(app, &request).await?;
            let validator = CacheValidator::of_body(&body);
            (Some(body).filter(|_| !validator.matches_request(headers)), validator)
        }
    };
    Ok(DocumentAnswer { body, validator, headers: D::headers_now(app).await? })
}

/// Rendered for this validator by this or an earlier request to this process.
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

pub(crate) fn json(value: &impl Serialize) -> Result<Bytes, Problem> {
    serde_json::to_vec(value).map(Bytes::from).map_err(|error| Problem::fault(error.to_string()))
}
