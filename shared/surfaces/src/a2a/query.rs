//! A message that only reads. It is answered without a task, and the answer may be cached: a caller with a cache checks
//! the validator before it runs the query.

use serde_json::Value;

use super::message::Part;
use registry_app::App;
use registry_model::Caller;
use registry_model::cache::CacheValidator;
use registry_model::error::Problem;
use registry_operations::AnyOperation;
use registry_operations::intent::{self, Intent, MessageContent};

/// An operation that changes nothing, with its arguments.
#[derive(Clone, Debug)]
pub struct Query {
    /// The conversation that the answer belongs to.
    pub context_id: String,
    /// The operation.
    pub operation: &'static AnyOperation,
    /// Its arguments, as the message gave them.
    pub arguments: Value,
}

/// The answer to a query.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryResult {
    /// The answer as text and as data.
    pub parts: Vec<Part>,
    /// Whether the operation succeeded; a failure must not be cached.
    pub ok: bool,
}

impl Query {
    /// The validator of the answer. None where the operation has none and where the store cannot tell: running the
    /// query then reports what is wrong.
    pub async fn cache_validator(&self, app: &App) -> Option<CacheValidator> {
        (self.operation.cache_validator)(app.clone()).await.unwrap_or_default()
    }

    /// Runs the operation.
    ///
    /// # Errors
    /// The store is busy or failed. Everything that the caller can correct is part of the answer.
    pub async fn run(self, app: &App, caller: Caller) -> Result<QueryResult, Problem> {
        let intent = Intent::Run(self.operation, self.arguments);
        let reply = intent::answer(app, &caller, &MessageContent::default(), intent).await?;
        let ok = reply.data["ok"] == true;
        Ok(QueryResult { parts: vec![Part::text(reply.text), Part::data(reply.data)], ok })
    }
}
