//! The faults that can occur between the SDK and a real table, as HTTP answers. A test sets a fault for the
//! next calls of an operation. Or it uses random faults from a seed, so that the test can be repeated.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use local::engine::{Embedded, json_response};
use registry::model::Random;
use serde_json::{Value, json};

use crate::peers::locked;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Throttled; nothing was written (400, retried by the SDK).
    Throttle,
    /// Conflict with another transaction; nothing was written (400, not retried by the SDK). A transaction is canceled
    /// with this reason; a single write gets `TransactionConflictException`.
    TransactionConflict,
    /// DynamoDB failed; nothing was written (500, retried by the SDK).
    ServiceError,
    /// No answer, and nothing was written (retried by the SDK).
    Timeout,
    /// The write succeeded, but its answer was lost (retried by the SDK, so it is done twice).
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

/// The `ClientRequestToken` of a transaction.
pub(super) fn token(request: &HttpRequest) -> Option<String> {
    let input: Value = serde_json::from_slice(request.body().bytes()?).ok()?;
    input["ClientRequestToken"].as_str().map(str::to_owned)
}

fn refusal(status: u16, name: &str, mut body: Value) -> Result<HttpResponse, ConnectorError> {
    body["__type"] = json!(format!("com.amazonaws.dynamodb.v20120810#{name}"));
    body["message"] = json!("injected");
    json_response(status, body.to_string())
}

/// One reason for each action of the transaction, as in DynamoDB; the first action has the conflict.
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

/// The armed faults; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Faults(Arc<Mutex<Armed>>);

#[derive(Debug, Default)]
struct Armed {
    /// For the next calls of an operation, in this order.
    next: BTreeMap<String, Vec<Fault>>,
    chance: Option<Chance>,
    /// Answers the queries of indexes.
    stale_indexes: Option<Embedded>,
    /// The lost answers of transactions that were written, by their `ClientRequestToken`. DynamoDB answers a request with a
    /// known token without writing again.
    lost: HashMap<String, String>,
}

#[derive(Debug)]
struct Chance {
    fault: Fault,
    operations: Vec<String>,
    per_mille: u16,
    random: Random,
}

impl Faults {
    /// The next `times` calls of `operation` (such as `PutItem`) get `fault`, after those already armed for it.
    pub fn arm(&self, operation: &str, fault: Fault, times: usize) {
        let mut armed = locked(&self.0);
        let next = armed.next.entry(operation.to_owned()).or_default();
        next.extend(std::iter::repeat_n(fault, times));
    }

    /// From now on, about `per_mille` of 1000 calls of `operations` (empty: all) get `fault`, at random from `seed`.
    pub fn arm_by_chance(&self, operations: &[&str], fault: Fault, per_mille: u16, seed: u64) {
        locked(&self.0).chance = Some(Chance {
            fault,
            operations: operations.iter().map(|&operation| operation.to_owned()).collect(),
            per_mille,
            random: Random::seeded(seed),
        });
    }

    /// From now on, `older`, an earlier copy of the table, answers queries of indexes: DynamoDB's indexes are
    /// eventually consistent, those of a local engine never lag.
    pub fn read_indexes_from(&self, older: Embedded) {
        locked(&self.0).stale_indexes = Some(older);
    }

    pub fn disarm(&self) {
        *locked(&self.0) = Armed::default();
    }

    /// The copy of the table that answers this request.
    pub(super) fn stale_index(&self, operation: &str, request: &HttpRequest) -> Option<Embedded> {
        let older = locked(&self.0).stale_indexes.clone()?;
        let input: Value = serde_json::from_slice(request.body().bytes().unwrap_or_default()).ok()?;
        (operation == "Query" && input["IndexName"].is_string()).then_some(older)
    }

    /// The answer of a transaction that was written before, if its answer was lost.
    pub(super) fn repeated(&self, request: &HttpRequest) -> Option<String> {
        let armed = locked(&self.0);
        if armed.lost.is_empty() {
            return None;
        }
        armed.lost.get(&token(request)?).cloned()
    }

    /// Keeps an answer that is not delivered.
    pub(super) fn lose(&self, token: Option<String>, answer: &HttpResponse) {
        let written = answer.status().is_success().then(|| answer.body().bytes()).flatten();
        if let (Some(token), Some(written)) = (token, written) {
            locked(&self.0).lost.insert(token, String::from_utf8_lossy(written).into_owned());
        }
    }

    pub(super) fn next(&self, operation: &str) -> Option<Fault> {
        let mut armed = locked(&self.0);
        if let Some(next) = armed.next.get_mut(operation)
            && !next.is_empty()
        {
            return Some(next.remove(0));
        }
        let chance = armed.chance.as_ref()?;
        let applies = chance.operations.is_empty() || chance.operations.iter().any(|o| o == operation);
        (applies && chance.random.below(1000) < chance.per_mille.into()).then_some(chance.fault)
    }
}
