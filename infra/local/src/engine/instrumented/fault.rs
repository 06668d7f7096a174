//! What can go wrong between the SDK and a real table, as answers on the wire.
//! Faults are armed for the next calls of an operation, or drawn by chance from a seed, so that a run repeats.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_smithy_runtime_api::client::http::{HttpConnector, SharedHttpConnector};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use registry::model::Random;
use serde_json::{Value, json};

use crate::engine::json_response;

/// One thing that goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The table takes no more for the moment; nothing was done (400, retried by the SDK).
    Throttle,
    /// Another transaction holds an item; nothing was done (400, not retried by the SDK: a transaction is cancelled
    /// with this reason, a single write meets `TransactionConflictException`).
    TransactionConflict,
    /// DynamoDB failed; nothing was done (500, retried by the SDK).
    ServiceError,
    /// No answer came, and nothing was done (retried by the SDK).
    Timeout,
    /// The write was done, but its answer was lost (retried by the SDK, so that it is done twice).
    AnswerLost,
}

impl Fault {
    pub(super) fn answer(
        self,
        operation: &str,
        request: &HttpRequest,
    ) -> Result<HttpResponse, ConnectorError> {
        match self {
            Self::Throttle => refusal(400, "ThrottlingException", json!({})),
            Self::ServiceError => refusal(500, "InternalServerError", json!({})),
            Self::TransactionConflict if operation.starts_with("Transact") => refusal(
                400,
                "TransactionCanceledException",
                json!({ "CancellationReasons": conflict_reasons(request) }),
            ),
            Self::TransactionConflict => refusal(400, "TransactionConflictException", json!({})),
            Self::Timeout | Self::AnswerLost => Err(timeout()),
        }
    }
}

fn refusal(status: u16, name: &str, mut body: Value) -> Result<HttpResponse, ConnectorError> {
    body["__type"] = json!(format!("com.amazonaws.dynamodb.v20120810#{name}"));
    body["message"] = json!("injected");
    json_response(status, body.to_string())
}

/// One reason for each action of the transaction, as DynamoDB gives them; the first one is in conflict.
fn conflict_reasons(request: &HttpRequest) -> Vec<Value> {
    let body = request.body().bytes().unwrap_or_default();
    let actions = serde_json::from_slice::<Value>(body)
        .ok()
        .and_then(|body| body["TransactItems"].as_array().map(Vec::len))
        .unwrap_or(1);
    (0..actions).map(|at| json!({ "Code": if at == 0 { "TransactionConflict" } else { "None" } })).collect()
}

pub(super) fn timeout() -> ConnectorError {
    ConnectorError::timeout("injected timeout".into())
}

/// The faults that are armed; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Faults(Arc<Mutex<Armed>>);

#[derive(Debug, Default)]
struct Armed {
    /// For the next calls of an operation, in this order.
    next: BTreeMap<String, Vec<Fault>>,
    chance: Option<Chance>,
    /// What answers queries of an index.
    stale_indexes: Option<SharedHttpConnector>,
}

#[derive(Debug)]
struct Chance {
    fault: Fault,
    operations: Vec<String>,
    per_mille: u16,
    random: Random,
}

impl Faults {
    /// The next `times` calls of `operation` (such as `PutItem`) meet `fault`, after those already armed for it.
    pub fn arm(&self, operation: &str, fault: Fault, times: usize) {
        let mut armed = self.lock();
        let next = armed.next.entry(operation.to_owned()).or_default();
        next.extend(std::iter::repeat_n(fault, times));
    }

    /// From now on `per_mille` of a thousand calls of any of `operations` meet `fault`, drawn from `seed`; no
    /// operation named means every one.
    pub fn arm_by_chance(&self, operations: &[&str], fault: Fault, per_mille: u16, seed: u64) {
        self.lock().chance = Some(Chance {
            fault,
            operations: operations.iter().map(|&operation| operation.to_owned()).collect(),
            per_mille,
            random: Random::seeded(seed),
        });
    }

    /// From now on queries of an index are answered by `older`, a copy of the table as it was: an index is only
    /// eventually what the table is, which no local engine shows.
    pub fn read_indexes_from(&self, older: impl HttpConnector + 'static) {
        self.lock().stale_indexes = Some(SharedHttpConnector::new(older));
    }

    /// Nothing more goes wrong.
    pub fn disarm(&self) {
        *self.lock() = Armed::default();
    }

    /// What answers this request in the place of the table.
    pub(super) fn stale_index(&self, operation: &str, request: &HttpRequest) -> Option<SharedHttpConnector> {
        let older = self.lock().stale_indexes.clone()?;
        let asked: Value = serde_json::from_slice(request.body().bytes().unwrap_or_default()).ok()?;
        (operation == "Query" && asked["IndexName"].is_string()).then_some(older)
    }

    /// What the next call of `operation` meets.
    pub(super) fn next(&self, operation: &str) -> Option<Fault> {
        let mut armed = self.lock();
        if let Some(next) = armed.next.get_mut(operation)
            && !next.is_empty()
        {
            return Some(next.remove(0));
        }
        let chance = armed.chance.as_ref()?;
        let concerned = chance.operations.is_empty() || chance.operations.iter().any(|o| o == operation);
        (concerned && chance.random.below(1000) < chance.per_mille.into()).then_some(chance.fault)
    }

    fn lock(&self) -> MutexGuard<'_, Armed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
