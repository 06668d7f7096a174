//! A document: its paths, its cache lifetime, its cache validator and the code that renders it. Authors
//! implement a trait, so that the query has a type. The server uses a struct of functions, so that it can
//! serve any document by its path.

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

/// A request whose query has been read, for any document.
trait AnyRequest: Send + Sync {
    fn set_live(&mut self, live: Live);

    /// Contains the query after it was parsed, so that unknown parameters do not create cache entries.
    fn cache_key(&self) -> String;

    fn cache_validator(&self, app: &App) -> Validity;

    fn render<'a>(&'a self, app: &'a App) -> BoxFuture<'a, Result<Bytes, Problem>>;
}

struct RequestFor<D: Document>(DocumentRequest<D::Query>);

impl<D: Document> AnyRequest for RequestFor<D> {
    fn set_live(&mut self, live: Live) {
        self.0.live = live;
    }

    fn cache_key(&self) -> String {
        format!("{}?{:?}", self.0.path, self.0.query)
    }

    fn cache_validator(&self, app: &App) -> Validity {
        D::cache_validator(app, &self.0)
    }

    fn render<'a>(&'a self, app: &'a App) -> BoxFuture<'a, Result<Bytes, Problem>> {
        Box::pin(D::render(app, &self.0))
    }
}

type ReadRequest = Result<Box<dyn AnyRequest>, Problem>;
type HeadersFuture = BoxFuture<'static, Result<Vec<(&'static str, String)>, Problem>>;

/// A document as the server uses it. Only what depends on the types of a document is compiled once for each document.
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
    shows_live: bool,
    /// Arguments: path, query string.
    read_request: fn(String, &str) -> ReadRequest,
    headers_now: fn(App) -> HeadersFuture,
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
            shows_live: D::SHOWS_LIVE,
            read_request: |path, query| {
                let query = from_query(query)?;
                Ok(Box::new(RequestFor::<D>(DocumentRequest { path, query, live: Live::default() })))
            },
            headers_now: |app| Box::pin(async move { D::headers_now(&app).await }),
        }
    }

    pub(crate) async fn answer(
        &self,
        app: &App,
        path: String,
        query: &str,
        headers: &HeaderMap,
    ) -> Result<DocumentAnswer, Problem> {
        let mut request = (self.read_request)(path, query)?;
        if self.shows_live {
            request.set_live(app.store.live().await?);
        }
        let (body, validator) = match request.cache_validator(app)? {
            Some(validator) if validator.matches_request(headers) => (None, validator),
            Some(validator) => (Some(render_once(app, &*request, &validator).await?), validator),
            None => {
                let body = request.render(app).await?;
                let validator = CacheValidator::of_body(&body);
                (Some(body).filter(|_| !validator.matches_request(headers)), validator)
            }
        };
        Ok(DocumentAnswer { body, validator, headers: (self.headers_now)(app.clone()).await? })
    }
}

/// Uses what this process rendered earlier for this validator.
async fn render_once(
    app: &App,
    request: &dyn AnyRequest,
    validator: &CacheValidator,
) -> Result<Bytes, Problem> {
    let key = request.cache_key();
    if let Some(body) = app.pages.get(&key, validator) {
        return Ok(body);
    }
    let body = request.render(app).await?;
    app.pages.put(key, validator.clone(), body.clone());
    Ok(body)
}

pub(crate) fn json(value: &impl Serialize) -> Result<Bytes, Problem> {
    serde_json::to_vec(value).map(Bytes::from).map_err(|error| Problem::fault(error.to_string()))
}
