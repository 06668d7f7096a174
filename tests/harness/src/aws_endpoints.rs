//! HTTP endpoints on loopback that replace the table and the event bus. Functions in a separate process use them. Both
//! endpoints record the calls that they get, so that a test can compare the calls with the policies of the template.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

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

pub use crate::instrumented::Act;
use crate::instrumented::acts_of;
use crate::peers::locked;

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
    pub async fn serve(engine: Embedded) -> Self {
        let acts = Arc::<Mutex<BTreeSet<Act>>>::default();
        let state = (engine, acts.clone());
        let url = listen(Router::new().fallback(table_request).with_state(state)).await;
        Self { url, acts }
    }

    /// Returns and clears the recorded accesses.
    pub fn take_acts(&self) -> BTreeSet<Act> {
        std::mem::take(&mut *locked(&self.acts))
    }
}

impl EventBridge {
    /// Serves on a free port.
    pub async fn serve() -> Self {
        let entries = Arc::<Mutex<Vec<Value>>>::default();
        let url = listen(Router::new().fallback(put_events).with_state(entries.clone())).await;
        Self { url, entries }
    }

    /// Returns and clears the recorded entries.
    pub fn take_entries(&self) -> Vec<Value> {
        std::mem::take(&mut *locked(&self.entries))
    }
}

async fn listen(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(axum::serve(listener, router).into_future());
    url
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
