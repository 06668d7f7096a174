//! Runs the operator's commands on a data file. If a registry uses the file, it runs the command itself: it caches what it
//! reads, so it would still show a withdrawn listing.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use http::StatusCode;
use registry::app::App;
use registry::events::Bus;
use registry::fetch::{Fetcher, Request, Target};
use registry::model::{Clock, Random, Reach};
use registry::settings::Settings;
use registry::store::{Imported, Store, TransferError, table};
use serde_json::{Value, json};

use crate::engine::{self, Data, Embedded, EngineError};
use crate::lock::{Lock, LockError, registry_at};

/// An erasure reads the whole table.
const TIMEOUT: Duration = Duration::from_secs(600);
const MAX_OUTCOME_BYTES: usize = 16 << 20;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum TakedownError {
    #[error("there is no data file at {0}; set --data or DATA")]
    NoData(PathBuf),
    #[error("{0}. With its OPERATOR_TOKEN, this registry runs all commands except export and import itself")]
    Lock(LockError),
    #[error("the running registry did not run the command: {0}")]
    Running(String),
    #[error("cannot open the data")]
    Engine(#[from] EngineError),
    #[error("cannot create the table")]
    Table(#[source] Box<aws_sdk_dynamodb::Error>),
    #[error(transparent)]
    Command(#[from] operator::Failure),
    #[error(transparent)]
    Transfer(#[from] TransferError),
    #[error("cannot copy the data")]
    Copy(#[from] rusqlite::Error),
}

/// Copies the data file, as it is at one moment, to a new file; also while a registry uses it.
pub fn back_up(data: &Path, copy: &Path) -> Result<(), TakedownError> {
    if !data.is_file() {
        return Err(TakedownError::NoData(data.to_path_buf()));
    }
    engine::create_private(copy).map_err(|error| EngineError::Create(copy.to_path_buf(), error))?;
    rusqlite::Connection::open(data)?.execute("VACUUM INTO ?1", [copy.to_string_lossy()])?;
    Ok(())
}

/// Writes all items of the table to `out`, as JSON Lines. Returns the number of items.
pub async fn export(data: &Path, settings: &Settings, out: impl Write) -> Result<u64, TakedownError> {
    let (store, _lock) = open(data, settings).await?;
    Ok(store.export_items(out).await?)
}

/// Writes the items of an export that the table does not contain. Creates the data file if there is none.
pub async fn import(
    data: &Path,
    settings: &Settings,
    input: impl BufRead,
) -> Result<Imported, TakedownError> {
    let (store, _lock) = open_or_create(data, settings).await?;
    Ok(store.import_items(input).await?)
}

async fn open(data: &Path, settings: &Settings) -> Result<(Store, Lock), TakedownError> {
    if !data.is_file() {
        return Err(TakedownError::NoData(data.to_path_buf()));
    }
    open_or_create(data, settings).await
}

async fn open_or_create(data: &Path, settings: &Settings) -> Result<(Store, Lock), TakedownError> {
    let client = engine::client(Embedded::open(&Data::File(data.to_path_buf()), &Clock::System)?);
    let lock = Lock::on(data).map_err(TakedownError::Lock)?;
    table::ensure(&client, &settings.table_name).await.map_err(|error| TakedownError::Table(error.into()))?;
    Ok((Store::new(client, &settings.table_name), lock))
}

/// Runs a command on the data file, or in the registry that uses it.
pub async fn carry_out(data: &Path, settings: Settings, command: &Value) -> Result<Value, TakedownError> {
    let (store, _lock) = match open(data, &settings).await {
        Err(TakedownError::Lock(LockError::InUse(_))) if settings.operator_token.is_some() => {
            return send(data, &settings, command).await.map_err(TakedownError::Running);
        }
        opened => opened?,
    };
    // No function receives events here; the next start of the registry finds what is due.
    let app = App::new(settings, store, Bus::Silent, Clock::System, Random::System);
    Ok(repeat(&app, command.clone()).await?)
}

/// Sends a command to the registry that uses the data file.
async fn send(data: &Path, settings: &Settings, command: &Value) -> Result<Value, String> {
    let url = format!("{}/operator", registry_at(data));
    let token = settings.operator_token.as_ref().map(|token| token.reveal()).unwrap_or_default();
    let target = Target::parse(&url, Reach::Development).map_err(|error| format!("{url}: {error}"))?;
    let request = Request::post_json(target, command)
        .with_header("authorization", format!("Bearer {token}"))
        .with_deadline(TIMEOUT)
        .with_max_bytes(MAX_OUTCOME_BYTES);
    let fetcher = Fetcher::new(Reach::Development, &format!("registry-operator/{}", registry::VERSION), None);
    let answer = fetcher.send(request).await.map_err(|error| format!("{url}: {error}"))?;
    match answer.status {
        StatusCode::OK => serde_json::from_slice(&answer.body).map_err(|error| format!("{url}: {error}")),
        StatusCode::NOT_FOUND => Err(format!("{url} has another OPERATOR_TOKEN or none")),
        _ => Err(String::from_utf8_lossy(&answer.body).into_owned()),
    }
}

/// Repeats a command until it has nothing left to do, and returns the outcome of all runs together.
pub(crate) async fn repeat(app: &App, mut command: Value) -> Result<Value, operator::Failure> {
    let (mut listings, mut has_changed) = (0, false);
    loop {
        let mut outcome = operator::handle(app, command.clone()).await?;
        let changed = outcome["listings"].as_u64().unwrap_or(0);
        listings += changed;
        has_changed |= changed > 0 || outcome["changed"] == true;
        if outcome["next"].is_string() {
            command["after"] = outcome["next"].clone();
        } else if changed == 0 || outcome["left"] == 0 {
            outcome["listings"] = json!(listings);
            outcome["changed"] = json!(has_changed);
            return Ok(outcome);
        }
    }
}
