//! Calls the engine's method for a DynamoDB operation. The engine's own dispatcher is private. So its rule
//! for invalid requests is repeated here.

use dynoxide::actions::transact_write_items::TransactWriteItemsRequest;
use dynoxide::{Database, DynoxideError};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The HTTP status and JSON body of DynamoDB's answer.
pub(super) fn answer(database: &Database, operation: &str, body: &[u8]) -> (u16, String) {
    match perform(database, operation, body) {
        Ok(answer) => (200, answer),
        Err(error) => (error.status_code(), error.to_json()),
    }
}

fn perform(db: &Database, operation: &str, body: &[u8]) -> Result<String, DynoxideError> {
    match operation {
        "BatchGetItem" => run(body, |request| db.batch_get_item(request)),
        "BatchWriteItem" => run(body, |request| db.batch_write_item(request)),
        "CreateTable" => run(body, |request| db.create_table(request)),
        "DeleteItem" => run(body, |request| db.delete_item(request)),
        "DeleteTable" => run(body, |request| db.delete_table(request)),
        "DescribeTable" => run(body, |request| db.describe_table(request)),
        "DescribeTimeToLive" => run(body, |request| db.describe_time_to_live(request)),
        "GetItem" => run(body, |request| db.get_item(request)),
        "ListTables" => run(body, |request| db.list_tables(request)),
        "PutItem" => run(body, |request| db.put_item(request)),
        "Query" => run(body, |request| db.query(request)),
        "Scan" => run(body, |request| db.scan(request)),
        "TransactGetItems" => run(body, |request| db.transact_get_items(request)),
        "TransactWriteItems" => run(body, |mut request: TransactWriteItemsRequest| {
            // The engine would keep every token with its answer for ten minutes, and read all of them for each transaction.
            // No answer is lost within a process. Tests that lose answers repeat them themselves.
            request.client_request_token = None;
            db.transact_write_items(request)
        }),
        "UpdateItem" => run(body, |request| db.update_item(request)),
        "UpdateTable" => run(body, |request| db.update_table(request)),
        "UpdateTimeToLive" => run(body, |request| db.update_time_to_live(request)),
        other => Err(DynoxideError::ValidationException(format!("{other} is not supported"))),
    }
}

fn run<Q: DeserializeOwned, A: Serialize>(
    body: &[u8],
    act: impl FnOnce(Q) -> Result<A, DynoxideError>,
) -> Result<String, DynoxideError> {
    let request = serde_json::from_slice(body).map_err(|error| invalid_request(&error.to_string()))?;
    let answer = act(request)?;
    serde_json::to_string(&answer).map_err(|error| DynoxideError::InternalServerError(error.to_string()))
}

/// The engine puts the class of an error at the start of serde's message. For DynamoDB, a missing or null member is a
/// validation error too; only a wrong JSON type is a serialization error.
fn invalid_request(message: &str) -> DynoxideError {
    for marker in ["VALIDATION:", "VALIDATION_REQUEST:", "VALIDATION_AS_READ:"] {
        if let Some(reason) = message.strip_prefix(marker) {
            return DynoxideError::ValidationException(reason.to_owned());
        }
    }
    let validation_errors = ["missing field", "unknown variant", "invalid type: null", "AttributeValue"];
    if validation_errors.iter().any(|part| message.contains(part)) {
        return DynoxideError::ValidationException(message.to_owned());
    }
    let reason = ["SERIALIZATION:", "SERIALIZATION_AS_READ:"]
        .iter()
        .find_map(|marker| message.strip_prefix(marker))
        .unwrap_or(message);
    DynoxideError::SerializationException(reason.to_owned())
}
