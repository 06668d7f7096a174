//! Peers (servers to probe): agents and MCP servers on loopback. A peer answers with a script and records its
//! requests. A test can replace the script of a running peer, for example to fix a broken server.

pub mod agents;
pub mod domains;
pub mod hostile;
pub mod name_server;
pub mod servers;
pub mod sign_in;
pub mod stripe;

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::ports;

/// The usual path of an agent card.
pub const CARD: &str = "/.well-known/agent-card.json";

/// How a peer answers.
pub type Script = Arc<dyn Fn(&PeerRequest) -> Response + Send + Sync>;

#[derive(Clone, Debug)]
pub struct PeerRequest {
    /// `GET` or `POST`.
    pub verb: String,
    /// The path, without a query.
    pub path: String,
    /// The query, without the question mark.
    pub query: String,
    pub headers: HeaderMap,
    /// The JSON of the body, or null.
    pub body: Value,
    /// The raw body; empty if it is not UTF-8.
    pub text: String,
}

impl PeerRequest {
    /// The method of a JSON-RPC call.
    pub fn method(&self) -> Option<&str> {
        self.body["method"].as_str()
    }

    /// The method, or verb and path.
    pub fn name(&self) -> String {
        self.method().map_or_else(|| format!("{} {}", self.verb, self.path), str::to_owned)
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The origin of this peer, from the `host` header.
    pub fn origin(&self) -> String {
        format!("http://{}", self.header("host").unwrap_or_default())
    }
}

pub fn json_answer(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).unwrap();
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

/// A JSON-RPC result for a call.
pub fn result(request: &PeerRequest, result: Value) -> Response {
    let mut reply = json!({ "jsonrpc": "2.0", "id": request.body["id"] });
    reply["result"] = result;
    json_answer(200, &reply)
}

/// A JSON-RPC error for a call.
pub fn error(request: &PeerRequest, code: i64, message: &str) -> Response {
    let error = json!({ "code": code, "message": message });
    json_answer(200, &json!({ "jsonrpc": "2.0", "id": request.body["id"], "error": error }))
}

/// An answer without a body.
pub fn empty(status: u16) -> Response {
    StatusCode::from_u16(status).unwrap().into_response()
}

/// A peer that answers by its script until it is dropped.
pub struct Peer {
    /// `http://127.0.0.1:port`.
    pub origin: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

struct Shared {
    script: Mutex<Script>,
    requests: Mutex<Vec<PeerRequest>>,
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer").field("origin", &self.origin).finish_non_exhaustive()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Peer {
    pub async fn start(script: impl Fn(&PeerRequest) -> Response + Send + Sync + 'static) -> Self {
        let listener = ports::listen("127.0.0.1").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared { script: Mutex::new(Arc::new(script)), requests: Mutex::default() });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let task = tokio::spawn(async move { drop(axum::serve(listener, router).await) });
        Self { origin, shared, task }
    }

    /// A peer that takes some time for each answer, and the highest number of requests that it answered at the same time.
    pub async fn start_slow(
        pause: Duration,
        script: impl Fn(&PeerRequest) -> Response + Send + Sync + 'static,
    ) -> (Self, Arc<AtomicUsize>) {
        let (now, most) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
        let highest = Arc::clone(&most);
        let peer = Self::start(move |request| {
            highest.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::block_in_place(|| std::thread::sleep(pause));
            now.fetch_sub(1, Ordering::SeqCst);
            script(request)
        });
        (peer.await, most)
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    pub fn card(&self) -> String {
        self.url(CARD)
    }

    /// Answers by another script from now on.
    pub fn answer_with(&self, script: impl Fn(&PeerRequest) -> Response + Send + Sync + 'static) {
        *locked(&self.shared.script) = Arc::new(script);
    }

    /// All requests since the start or the last [`Self::forget_requests`].
    pub fn requests(&self) -> Vec<PeerRequest> {
        locked(&self.shared.requests).clone()
    }

    pub fn request_names(&self) -> Vec<String> {
        self.requests().iter().map(PeerRequest::name).collect()
    }

    /// The number of requests with this name.
    pub fn request_count(&self, what: &str) -> usize {
        self.request_names().iter().filter(|name| *name == what).count()
    }

    pub fn forget_requests(&self) {
        locked(&self.shared.requests).clear();
    }
}

async fn answer(State(shared): State<Arc<Shared>>, received: Request<Body>) -> Response {
    let (parts, body) = received.into_parts();
    let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let request = PeerRequest {
        verb: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        headers: parts.headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
        text: String::from_utf8(body.into()).unwrap_or_default(),
    };
    locked(&shared.requests).push(request.clone());
    let script = Arc::clone(&locked(&shared.script));
    script(&request)
}

pub(crate) fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
