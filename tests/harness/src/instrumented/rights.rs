//! Checks every access to the table against the rights of the function that makes it, as the policies on AWS do. The
//! router and the jobs of a function name it; accesses without a function are those of a test itself.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use local::engine::json_response;
use serde_json::{Value, json};

use crate::peers::locked;
use crate::rights::{self, Access};

tokio::task_local! {
    static FUNCTION: &'static str;
}

/// A function that runs with its rights.
pub fn with_rights(name: &'static str, function: Router) -> Router {
    function.layer(from_fn(move |request: Request, next: Next| as_function(name, next.run(request))))
}

/// Runs `work` with the rights of a function.
pub async fn as_function<F: Future>(name: &'static str, work: F) -> F::Output {
    FUNCTION.scope(name, work).await
}

/// Whether a function makes the current access, and not a test itself.
pub(super) fn is_function() -> bool {
    FUNCTION.try_with(|_| ()).is_ok()
}

/// Accesses that were refused because the function has no right to them; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Denials(Arc<Mutex<BTreeSet<String>>>);

impl Denials {
    /// The refused accesses so far.
    pub fn snapshot(&self) -> BTreeSet<String> {
        locked(&self.0).clone()
    }

    /// The refusal of a request to which the current function has no right.
    pub(super) fn check(
        &self,
        operation: &str,
        request: &HttpRequest,
    ) -> Option<Result<HttpResponse, ConnectorError>> {
        let function = FUNCTION.try_with(|name| *name).ok()?;
        let body = serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap_or_default();
        let acts = acts_of(operation, &body);
        let missing = acts.iter().find_map(|act| missing_right(function, act))?;
        let problem =
            json!({ "__type": "com.amazon.coral.service#AccessDeniedException", "message": missing });
        locked(&self.0).insert(missing);
        Some(json_response(400, problem.to_string()))
    }
}

fn missing_right(function: &str, act: &Act) -> Option<String> {
    let Act { action, index, partition } = act;
    // Only an erasure and the list of all feedback read the whole table. A policy cannot restrict a scan to partitions.
    if (function, *action) == ("operator", "dynamodb:Scan") {
        return None;
    }
    let Some(access) = Access::of(action, index.as_deref()) else {
        return Some(format!("no function may do {action} on {partition}"));
    };
    // In one process, functions share the deposits of reads, and the next request writes them. On AWS, each has its own.
    let is_deposit =
        partition.starts_with("TRAIL") && rights::permits("listings", access, partition).is_some();
    if is_deposit || rights::permits(function, access, partition).is_some() {
        return None;
    }
    let partitions =
        partition.split_once('#').map_or_else(|| partition.clone(), |(kind, _)| format!("{kind}#*"));
    Some(format!(
        "{function} has no right to {action} on {partition}; if it needs the right, add \
         `{partitions}`, `{}` and `{function}` to shared/store/src/records/rights.tsv and run \
         `UPDATE=1 cargo test -p tests template::`",
        access.as_str()
    ))
}

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

/// The accesses of one request, with the action names of DynamoDB's service authorization reference.
pub fn acts_of(operation: &str, request: &Value) -> Vec<Act> {
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
        "Scan" => vec![Act { action: "dynamodb:Scan", index: None, partition: "*".to_owned() }],
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

    #[test]
    fn request_needs_the_right_of_each_of_its_actions() {
        let item = |pk: &str| json!({ "pk": { "S": pk }, "sk": { "S": "CORE" } });
        let transaction = json!({ "TransactItems": [
            { "Put": { "TableName": "t", "Item": item("LISTING#a") } },
            { "Update": { "TableName": "t", "Key": item("LIVE") } },
            { "ConditionCheck": { "TableName": "t", "Key": item("LISTING#b") } },
            { "Delete": { "TableName": "t", "Key": item("ENDPOINT#c") } },
        ] });
        let query = json!({
            "IndexName": "gsi1",
            "KeyConditionExpression": "gsi1pk = :kind AND gsi1sk < :after",
            "ExpressionAttributeValues": { ":kind": { "S": "ACTIVE#mcp" }, ":after": { "S": "1" } },
        });
        let requests = [("TransactWriteItems", transaction), ("Query", query), ("UpdateTable", json!({}))];
        let acts = requests.iter().flat_map(|(operation, request)| acts_of(operation, request));
        let index = |act: &Act| act.index.clone().unwrap_or_else(|| "table".to_owned());
        let acts: Vec<_> =
            acts.map(|act| format!("{} {} {}", act.action, index(&act), act.partition)).collect();
        insta::assert_snapshot!(acts.join("\n"), @"
        dynamodb:PutItem table LISTING#a
        dynamodb:UpdateItem table LIVE
        dynamodb:ConditionCheckItem table LISTING#b
        dynamodb:DeleteItem table ENDPOINT#c
        dynamodb:Query gsi1 ACTIVE#mcp
        dynamodb:* table UpdateTable
        ");
    }
}
