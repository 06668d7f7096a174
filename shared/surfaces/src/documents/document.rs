//! A document: its paths, its cache lifetime, its cache validator and the code that renders it, as a value, so that the
//! server can serve any document by its path.

use std::any::Any;
use std::fmt::Debug;

use futures::future::BoxFuture;
use schemars::schema_for;
use serde::de::DeserializeOwned;

use crate::prelude::*;
use crate::rest;
use registry_features::schema_of_answer;
use registry_model::cache::TaggedPage;

/// A validator, if the document has one before it is rendered.
pub(crate) type Validity = Result<Option<CacheValidator>, Problem>;

/// A parsed query of any type, and its text for the cache.
pub(crate) type ParsedQuery = (Arc<dyn Any + Send + Sync>, String);

type Headers = Vec<(&'static str, String)>;

pub(crate) type Render = for<'a> fn(&'a App, &'a DocumentRequest) -> BoxFuture<'a, Result<Bytes, Problem>>;

/// A resource that is read with GET and is not an operation.
#[derive(Clone, Copy, Debug)]
pub struct AnyDocument {
    /// As axum writes paths.
    pub paths: &'static [&'static str],
    /// One sentence, for lists of documents.
    pub summary: &'static str,
    pub media_type: &'static str,
    /// `None`: clients revalidate each time with the entity tag.
    pub max_age_s: Option<u32>,
    pub headers: &'static [(&'static str, &'static str)],
    /// Its own error statuses, without those that any request may get.
    pub refusals: &'static [ErrorKind],
    /// JSON Schema 2020-12.
    pub query_schema: fn() -> Value,
    /// JSON Schema 2020-12.
    pub answer_schema: fn() -> Value,
    /// Whether it shows Live listings: the counters are then read once, for the validator and for rendering.
    pub(crate) shows_live: bool,
    /// Identifies the state that the document is made from. A document with a validator is cached after
    /// rendering, and is neither rendered nor sent again while the validator stays the same. Without one, the
    /// bytes of the document are the validator.
    pub(crate) validator: fn(&App, &DocumentRequest) -> Validity,
    /// Parses the query. The text in the cache is made from the result, so that unknown parameters do not create entries.
    pub(crate) parse_query: fn(&Parameters) -> Result<ParsedQuery, Problem>,
    /// Whether it depends only on the settings and the code. It is then made once per process.
    pub is_fixed: bool,
    /// Headers that are computed for each request.
    pub(crate) headers_now: fn(&App) -> BoxFuture<'_, Result<Headers, Problem>>,
    pub(crate) render: Render,
}

#[derive(Clone, Debug)]
pub(crate) struct DocumentRequest {
    pub path: String,
    pub caller: Caller,
    query: Arc<dyn Any + Send + Sync>,
    /// Default unless the document shows Live listings.
    pub live: Live,
}

impl DocumentRequest {
    /// The query, of the type that the document declares.
    pub(crate) fn query<Q: 'static>(&self) -> Result<&Q, Problem> {
        self.query.downcast_ref().ok_or_else(|| Problem::fault("the query has another type"))
    }
}

/// No parameters; any query is ignored.
#[derive(Debug, serde::Deserialize, JsonSchema)]
struct NoQuery {}

impl AnyDocument {
    /// A document whose content has the type `A` (`String` if it is not JSON), without parameters.
    pub(crate) const fn of<A: JsonSchema>(render: Render) -> Self {
        Self {
            paths: &[],
            summary: "",
            media_type: "application/json",
            max_age_s: None,
            headers: &[],
            refusals: &[],
            query_schema: || schema_for!(NoQuery).to_value(),
            answer_schema: schema_of_answer::<A>,
            shows_live: false,
            validator: |_, _| Ok(None),
            parse_query: parse_query::<NoQuery>,
            is_fixed: false,
            headers_now: |_| Box::pin(async { Ok(Vec::new()) }),
            render,
        }
    }

    /// A document that depends only on the settings and the code.
    pub(crate) const fn fixed<A: JsonSchema>(render: Render) -> Self {
        Self { is_fixed: true, ..Self::of::<A>(render) }
    }

    /// The document with the parameters `Q`.
    pub(crate) const fn with_query<Q: DeserializeOwned + JsonSchema + Debug + Send + Sync + 'static>(
        self,
    ) -> Self {
        Self { query_schema: || schema_for!(Q).to_value(), parse_query: parse_query::<Q>, ..self }
    }

    /// The first path, with `{name}` for a parameter.
    pub(crate) fn path(&self) -> String {
        self.paths.first().map(|path| path.replace("{*", "{")).unwrap_or_default()
    }

    /// The body, unless the caller has it already, and its validator.
    pub(crate) async fn answer(
        &self,
        app: &App,
        caller: Caller,
        path: String,
        query: &Parameters,
        headers: &HeaderMap,
    ) -> Result<(Option<Bytes>, CacheValidator), Problem> {
        let (query, query_text) = (self.parse_query)(query)?;
        let key = format!("{path}?{query_text}");
        let live = if self.shows_live { app.store.live().await? } else { Live::default() };
        let request = DocumentRequest { path, caller, query, live };
        match (self.validator)(app, &request)? {
            Some(validator) if rest::has_version(headers, &validator) => Ok((None, validator)),
            Some(validator) => {
                // What this process rendered earlier for this validator.
                if let Some(body) = app.pages.get(&key, &validator) {
                    return Ok((Some(body), validator));
                }
                let body = (self.render)(app, &request).await?;
                app.pages.put(key, validator.clone(), body.clone());
                Ok((Some(body), validator))
            }
            None => {
                let version = CacheValidator::weak(registry_model::VERSION);
                let known = app.server_pages.get(&key, &version).filter(|_| self.is_fixed);
                let page = match known {
                    Some(page) => page,
                    None => {
                        let page = TaggedPage::of_body((self.render)(app, &request).await?);
                        if self.is_fixed {
                            app.server_pages.put(key, version, page.clone());
                        }
                        page
                    }
                };
                Ok((Some(page.body).filter(|_| !rest::has_version(headers, &page.tag)), page.tag))
            }
        }
    }
}

/// The validator of a document that is reused for some seconds.
pub(crate) fn reused_for(app: &App, seconds: u32, name: &str) -> Validity {
    let span = app.clock.now().as_second().div_euclid(seconds.into());
    Ok(Some(CacheValidator::weak(&format!("{name}/{span}"))))
}

fn parse_query<Q: DeserializeOwned + Debug + Send + Sync + 'static>(
    query: &Parameters,
) -> Result<ParsedQuery, Problem> {
    let query: Q = query.read()?;
    let text = format!("{query:?}");
    Ok((Arc::new(query), text))
}

pub(crate) fn json(value: &impl Serialize) -> Result<Bytes, Problem> {
    serde_json::to_vec(value).map(Bytes::from).map_err(|error| Problem::fault(error.to_string()))
}
