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

#[derive(Clone, Debug)]
pub struct Query {
    pub context_id: String,
    pub operation: &'static AnyOperation,
    pub arguments: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub struct QueryResult {
    pub parts: Vec<Part>,
    /// A failure must not be cached.
    pub ok: bool,
}

impl Query {
    /// `None` where the operation has no validator, and where the store failed: running the query then
    /// reports the error.
    pub async fn cache_validator(&self, app: &App) -> Option<CacheValidator> {
        (self.operation.cache_validator)(app.clone()).await.unwrap_or_default()
    }

    pub async fn run(self, app: &App, caller: Caller) -> Result<QueryResult, Problem> {
        let intent = Intent::Run(self.operation, self.arguments);
        let reply = intent::answer(app, &caller, &MessageContent::default(), intent).await?;
        let ok = reply.data["ok"] == true;
        Ok(QueryResult { parts: vec![Part::text(reply.text), Part::data(reply.data)], ok })
    }
}
