//! Four routes of Lambda's runtime API, so that tests can run a packaged binary as AWS does. The API gives
//! the binary one event at a time and takes the binary's reply to this event.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path as PathParameter, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::sync::{Mutex, mpsc, oneshot};

/// Time limit of one invocation.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// A running binary of a Lambda function. It is killed on drop.
#[derive(Debug)]
pub struct Function {
    // The first field is dropped first: without the runtime API the binary would log errors.
    process: Child,
    waiting: mpsc::Sender<Invocation>,
}

/// Why there is no reply to an event.
#[derive(Debug)]
pub enum Failure {
    /// The function reported this error document.
    Reported(Value),
    /// The binary did not request the event, or did not reply in time.
    Silent,
}

#[derive(Debug)]
struct Invocation {
    event: Value,
    answer: oneshot::Sender<Result<Value, Failure>>,
}

struct Exchange {
    waiting: Mutex<mpsc::Receiver<Invocation>>,
    running: Mutex<HashMap<String, oneshot::Sender<Result<Value, Failure>>>>,
}

impl Function {
    /// Starts a binary with only these variables and those that Lambda sets for every function.
    pub async fn start(binary: &Path, environment: &[(&str, &str)]) -> Self {
        let (waiting, receiver) = mpsc::channel(1);
        let address = serve(receiver).await;
        let process = Command::new(binary)
            .env_clear()
            .env("AWS_LAMBDA_RUNTIME_API", address.to_string())
            .env("AWS_LAMBDA_FUNCTION_NAME", "function")
            .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256")
            .env("AWS_LAMBDA_LOG_GROUP_NAME", "group")
            .env("AWS_LAMBDA_LOG_STREAM_NAME", "stream")
            .env("AWS_REGION", "eu-central-1")
            .env("AWS_ACCESS_KEY_ID", "local")
            .env("AWS_SECRET_ACCESS_KEY", "local")
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            // Only metrics; start-up errors go to stderr.
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        Self { process, waiting }
    }

    /// The resident memory of the process, in pages.
    pub fn memory_pages(&self) -> u64 {
        let file = format!("/proc/{}/statm", self.process.id().unwrap());
        std::fs::read_to_string(file).unwrap().split(' ').nth(1).unwrap().parse().unwrap()
    }

    /// Sends one event and waits at most a minute for the reply.
    pub async fn invoke(&self, event: Value) -> Result<Value, Failure> {
        let (answer, receiver) = oneshot::channel();
        let exchange = async {
            self.waiting.send(Invocation { event, answer }).await.map_err(|_| Failure::Silent)?;
            receiver.await.map_err(|_| Failure::Silent)?
        };
        tokio::time::timeout(TIME_LIMIT, exchange).await.unwrap_or(Err(Failure::Silent))
    }
}

async fn serve(waiting: mpsc::Receiver<Invocation>) -> SocketAddr {
    let exchange = Exchange { waiting: Mutex::new(waiting), running: Mutex::default() };
    let router = Router::new()
        .route("/2018-06-01/runtime/invocation/next", get(next))
        .route("/2018-06-01/runtime/invocation/{id}/response", post(answered))
        .route("/2018-06-01/runtime/invocation/{id}/error", post(failed))
        .route("/2018-06-01/runtime/init/error", post(init_failed))
        .with_state(Arc::new(exchange));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(axum::serve(listener, router).into_future());
    address
}

async fn next(State(exchange): State<Arc<Exchange>>) -> Response {
    let Some(invocation) = exchange.waiting.lock().await.recv().await else {
        return StatusCode::GONE.into_response();
    };
    let mut running = exchange.running.lock().await;
    let id = format!("invocation-{}", running.len());
    running.insert(id.clone(), invocation.answer);
    let deadline = jiff::Timestamp::now().as_millisecond().saturating_add(60_000);
    let headers = [
        ("lambda-runtime-aws-request-id", id),
        ("lambda-runtime-deadline-ms", deadline.to_string()),
        (
            "lambda-runtime-invoked-function-arn",
            "arn:aws:lambda:eu-central-1:123456789012:function:f".to_owned(),
        ),
    ];
    (headers, Json(invocation.event)).into_response()
}

async fn answered(exchange: State<Arc<Exchange>>, id: PathParameter<String>, body: String) -> StatusCode {
    let answer = serde_json::from_str(&body).unwrap_or(Value::String(body));
    finish(&exchange, &id, Ok(answer)).await
}

async fn failed(exchange: State<Arc<Exchange>>, id: PathParameter<String>, body: String) -> StatusCode {
    let error = serde_json::from_str(&body).unwrap_or(Value::String(body));
    finish(&exchange, &id, Err(Failure::Reported(error))).await
}

/// Returns the error of a failed start-up for the next event.
async fn init_failed(exchange: State<Arc<Exchange>>, body: String) -> StatusCode {
    if let Some(invocation) = exchange.waiting.lock().await.recv().await {
        let _ = invocation.answer.send(Err(Failure::Reported(Value::String(body))));
    }
    StatusCode::ACCEPTED
}

async fn finish(exchange: &Exchange, id: &str, outcome: Result<Value, Failure>) -> StatusCode {
    let delivered = exchange.running.lock().await.remove(id).map(|answer| answer.send(outcome).is_ok());
    if delivered == Some(true) { StatusCode::ACCEPTED } else { StatusCode::NOT_FOUND }
}
