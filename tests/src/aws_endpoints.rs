//! HTTP endpoints on loopback that replace the table and the event bus. Functions in a separate process use them. Both
//! endpoints record the calls that they get, so that a test can compare the calls with the policies of the template.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_smithy_runtime_api::client::http::HttpConnector;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_types::body::SdkBody;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use local::engine::Embedded;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// One access to the table, as an IAM policy sees it: the action and the partition key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Act {
    /// For example `dynamodb:PutItem`. A transaction counts as its actions.
    pub action: &'static str,
    /// The queried index, if any.
    pub index: Option<String>,
    /// Partition key of the item or items.
    pub partition: String,
}

/// A DynamoDB endpoint over the embedded engine.
#[derive(Clone, Debug)]
pub struct DynamoDb {
    /// The value for `AWS_ENDPOINT_URL_DYNAMODB`.
    pub url: String,
    acts: Arc<Mutex<BTreeSet<Act>>>,
}

/// An EventBridge endpoint that accepts every event.
#[derive(Clone, Debug)]
pub struct EventBridge {
    /// The value for `AWS_ENDPOINT_URL_EVENTBRIDGE`.
    pub url: String,
    entries: Arc<Mutex<Vec<Value>>>,
}

impl DynamoDb {
    /// Serves an engine on a free port.
    ///
    /// # Errors
    /// No port is free.
    pub async fn serve(engine: Embedded) -> std::io::Result<Self> {
        let acts = Arc::<Mutex<BTreeSet<Act>>>::default();
        let state = (engine, acts.clone());
        let url = listen(Router::new().fallback(table_request).with_state(state)).await?;
        Ok(Self { url, acts })
    }

    /// Returns and clears the recorded accesses.
    #[must_use]
    pub fn take_acts(&self) -> BTreeSet<Act> {
        std::mem::take(&mut *locked(&self.acts))
    }
}

impl EventBridge {
    /// Serves on a free port.
    ///
    /// # Errors
    /// No port is free.
    pub async fn serve() -> std::io::Result<Self> {
        let entries = Arc::<Mutex<Vec<Value>>>::default();
        let url = listen(Router::new().fallback(put_events).with_state(entries.clone())).await?;
        Ok(Self { url, entries })
    }

    /// Returns and clears the recorded entries.
    #[must_use]
    pub fn take_entries(&self) -> Vec<Value> {
        std::mem::take(&mut *locked(&self.entries))
    }
}

async fn listen(router: Router) -> std::io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(axum::serve(listener, router).into_future());
    Ok(url)
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

type TableState = (Embedded, Arc<Mutex<BTreeSet<Act>>>);

async fn table_request(
    State((engine, acts)): State<TableState>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let target = headers.get("x-amz-target").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let operation = target.rsplit('.').next().unwrap_or_default();
    locked(&acts).extend(acts_of(operation, &serde_json::from_slice(&body).unwrap_or_default()));

    let mut request = HttpRequest::new(SdkBody::from(body.to_vec()));
    request.headers_mut().insert("x-amz-target", target.to_owned());
    match engine.call(request).await {
        Ok(answer) => {
            let status = StatusCode::from_u16(answer.status().as_u16()).unwrap_or(StatusCode::BAD_GATEWAY);
            let body = answer.body().bytes().unwrap_or_default().to_vec();
            (status, [(header::CONTENT_TYPE, "application/x-amz-json-1.0")], body).into_response()
        }
        Err(error) => (StatusCode::BAD_GATEWAY, format!("{error:?}")).into_response(),
    }
}

async fn put_events(
    State(entries): State<Arc<Mutex<Vec<Value>>>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if headers.get("x-amz-target").is_none_or(|target| target != "AWSEvents.PutEvents") {
        return (StatusCode::BAD_REQUEST, "only PutEvents is served here").into_response();
    }
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    let sent = request["Entries"].as_array().cloned().unwrap_or_default();
    let ids: Vec<Value> = sent.iter().map(|_| json!({ "EventId": "1" })).collect();
    locked(&entries).extend(sent);
    let answer = json!({ "FailedEntryCount": 0, "Entries": ids }).to_string();
    ([(header::CONTENT_TYPE, "application/x-amz-json-1.1")], answer).into_response()
}

/// The accesses of one request, with the action names of DynamoDB's service authorization reference.
fn acts_of(operation: &str, request: &Value) -> Vec<Act> {
    let partition = |key: &Value| key["pk"]["S"].as_str().unwrap_or_default().to_owned();
    let act = |action, key: &Value| Act { action, index: None, partition: partition(key) };
    match operation {
        "GetItem" => vec![act("dynamodb:GetItem", &request["Key"])],
        "PutItem" => vec![act("dynamodb:PutItem", &request["Item"])],
        "UpdateItem" => vec![act("dynamodb:UpdateItem", &request["Key"])],
        "DeleteItem" => vec![act("dynamodb:DeleteItem", &request["Key"])],
        "Query" => vec![Act {
            action: "dynamodb:Query",
            index: request["IndexName"].as_str().map(str::to_owned),
            partition: queried_partition(request),
        }],
        "BatchGetItem" => request["RequestItems"]
            .as_object()
            .into_iter()
            .flatten()
            .flat_map(|(_, table)| table["Keys"].as_array().into_iter().flatten())
            .map(|key| act("dynamodb:BatchGetItem", key))
            .collect(),
        "TransactGetItems" => {
            items(request).map(|item| act("dynamodb:GetItem", &item["Get"]["Key"])).collect()
        }
        "TransactWriteItems" => items(request)
            .flat_map(|item| item.as_object().into_iter().flatten())
            .map(|(kind, write)| match kind.as_str() {
                "Put" => act("dynamodb:PutItem", &write["Item"]),
                "Update" => act("dynamodb:UpdateItem", &write["Key"]),
                "Delete" => act("dynamodb:DeleteItem", &write["Key"]),
                _ => act("dynamodb:ConditionCheckItem", &write["Key"]),
            })
            .collect(),
        _ => vec![Act { action: "dynamodb:*", index: None, partition: operation.to_owned() }],
    }
}

fn items(request: &Value) -> impl Iterator<Item = &Value> {
    request["TransactItems"].as_array().into_iter().flatten()
}

/// The value that the key condition compares the partition key with.
fn queried_partition(request: &Value) -> String {
    let condition = request["KeyConditionExpression"].as_str().unwrap_or_default();
    let first = condition.split_whitespace().find(|word| word.starts_with(':')).unwrap_or_default();
    let name = first.trim_end_matches([')', ',']);
    request["ExpressionAttributeValues"][name]["S"].as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acts(operation: &str, request: &Value) -> Vec<(&'static str, Option<String>, String)> {
        let acts = acts_of(operation, request).into_iter();
        acts.map(|act| (act.action, act.index, act.partition)).collect()
    }

    #[test]
    fn transaction_needs_the_permission_of_each_action() {
        let item = |pk: &str| json!({ "pk": { "S": pk }, "sk": { "S": "CORE" } });
        let request = json!({ "TransactItems": [
            { "Put": { "TableName": "t", "Item": item("LISTING#a") } },
            { "Update": { "TableName": "t", "Key": item("LIVE") } },
            { "ConditionCheck": { "TableName": "t", "Key": item("LISTING#b") } },
            { "Delete": { "TableName": "t", "Key": item("ENDPOINT#c") } },
        ] });
        let expected = [
            ("dynamodb:PutItem", None, "LISTING#a".to_owned()),
            ("dynamodb:UpdateItem", None, "LIVE".to_owned()),
            ("dynamodb:ConditionCheckItem", None, "LISTING#b".to_owned()),
            ("dynamodb:DeleteItem", None, "ENDPOINT#c".to_owned()),
        ];
        assert_eq!(acts("TransactWriteItems", &request), expected);
    }

    #[test]
    fn query_needs_permission_for_its_partition_and_index() {
        let request = json!({
            "IndexName": "gsi1",
            "KeyConditionExpression": "gsi1pk = :kind AND gsi1sk < :after",
            "ExpressionAttributeValues": { ":kind": { "S": "ACTIVE#mcp" }, ":after": { "S": "1" } },
        });
        let expected = [("dynamodb:Query", Some("gsi1".to_owned()), "ACTIVE#mcp".to_owned())];
        assert_eq!(acts("Query", &request), expected);
    }

    #[test]
    fn unknown_operation_is_not_permitted() {
        assert_eq!(acts("Scan", &json!({})), [("dynamodb:*", None, "Scan".to_owned())]);
    }
}
