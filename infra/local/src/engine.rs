//! A DynamoDB engine inside this process. The AWS SDK reaches it through its HTTP connector. So the functions
//! run unchanged, and `make run` needs no Java, no container and no AWS account.

mod dispatch;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, StalledStreamProtectionConfig};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::http::StatusCode;
use aws_smithy_types::body::SdkBody;
use dynoxide::Database;
use registry::model::Clock;

/// Where the table is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// In memory, lost with the process.
    Memory,
    /// In an SQLite file, which survives restarts.
    File(PathBuf),
}

/// Why the engine cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The data file or its folder.
    #[error("cannot create {0}")]
    Create(PathBuf, #[source] std::io::Error),
    /// SQLite requires UTF-8.
    #[error("the path {0} is not valid UTF-8")]
    Path(PathBuf),
    /// SQLite or the engine refuses the file.
    #[error("{0}")]
    Open(String, #[source] dynoxide::DynoxideError),
}

/// The engine as an HTTP client of the SDK.
#[derive(Clone)]
pub struct Embedded {
    database: Database,
}

impl Embedded {
    /// Opens the engine. A table in memory expires its items by `clock`, a file by the system clock.
    ///
    /// # Errors
    /// The file or its folder cannot be used.
    pub fn open(data: &Data, clock: &Clock) -> Result<Self, EngineError> {
        let database = match data {
            Data::Memory => Database::memory_with_clock(Arc::new(Expiry(clock.clone())))
                .map_err(|error| EngineError::Open(":memory:".to_owned(), error))?,
            Data::File(path) => open_file(path)?,
        };
        Ok(Self { database })
    }

    /// The HTTP status and JSON body of DynamoDB's answer to an operation, such as `PutItem`.
    pub fn answer(&self, operation: &str, body: &[u8]) -> (u16, String) {
        dispatch::answer(&self.database, operation, body)
    }

    /// Deletes the items whose TTL has passed and returns their number; unlike DynamoDB, the engine does this only on
    /// request. It blocks, so call it on a blocking thread.
    ///
    /// # Errors
    /// The engine's error, for the log.
    pub fn sweep_expired(&self) -> Result<usize, dynoxide::DynoxideError> {
        self.database.sweep_ttl()
    }
}

fn open_file(path: &Path) -> Result<Database, EngineError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|error| EngineError::Create(folder.to_path_buf(), error))?;
    }
    create_private(path).map_err(|error| EngineError::Create(path.to_path_buf(), error))?;
    let name = path.to_str().ok_or_else(|| EngineError::Path(path.to_path_buf()))?;
    let refused = |error| EngineError::Open(name.to_owned(), error);
    let database = Database::new(name).map_err(refused)?;
    // Sets `synchronous = NORMAL`; the other values that it sets are SQLite's defaults. The operating system then has
    // every commit before it is acknowledged, so a killed process loses nothing, and no write waits for the disk (70 us
    // for a put, 260 to 500 us with `FULL`). A power cut may lose the last writes, but never corrupts the file.
    database.disable_bulk_loading().map_err(refused)?;
    Ok(database)
}

/// Creates a file that only its owner can read, because the data contains private keys. SQLite gives the files next to it the
/// same mode.
pub(crate) fn create_private(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

/// The registry's clock behind the trait of the engine.
struct Expiry(Clock);

impl dynoxide::storage_backend::Clock for Expiry {
    fn now_unix_secs(&self) -> u64 {
        u64::try_from(self.0.now().as_second()).unwrap_or_default()
    }

    fn now_unix_secs_f64(&self) -> f64 {
        self.0.now().timestamp().as_duration().as_secs_f64()
    }
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Embedded")
    }
}

impl HttpClient for Embedded {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Embedded {
    // Works on the caller's thread. The engine is one mutex, so a thread pool could only queue for it and would double
    // the time of an operation (put in memory: 50 us here, 100 us through `spawn_blocking`, at the same throughput). It
    // yields first, because a task that never waits keeps its worker: without that, timers are 100 to 500 ms late under
    // load, with it 1 to 2 ms.
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let engine = self.clone();
        HttpConnectorFuture::new(async move {
            tokio::task::yield_now().await;
            let body = request.body().bytes().unwrap_or_default();
            let (status, answer) = engine.answer(operation(&request), body);
            json_response(status, answer)
        })
    }
}

/// The name of the operation that a request of the SDK calls.
pub fn operation(request: &HttpRequest) -> &str {
    let target = request.headers().get("x-amz-target").unwrap_or_default();
    target.rsplit('.').next().unwrap_or_default()
}

/// A response of DynamoDB for the SDK.
///
/// # Errors
/// The status is invalid.
pub fn json_response(status: u16, body: String) -> Result<HttpResponse, ConnectorError> {
    let status = StatusCode::try_from(status).map_err(|error| ConnectorError::other(error.into(), None))?;
    let mut response = HttpResponse::new(status, SdkBody::from(body));
    response.headers_mut().insert("content-type", "application/x-amz-json-1.0");
    Ok(response)
}

/// A DynamoDB client over any engine. It retries as the functions on AWS do, but with shorter waits.
pub fn client(engine: impl HttpClient + 'static) -> aws_sdk_dynamodb::Client {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static("local"))
        .credentials_provider(Credentials::new("local", "local", None, None, "local"))
        .retry_config(RetryConfig::standard().with_initial_backoff(std::time::Duration::from_millis(10)))
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .http_client(engine)
        .build();
    aws_sdk_dynamodb::Client::from_conf(config)
}

#[cfg(test)]
mod tests;
