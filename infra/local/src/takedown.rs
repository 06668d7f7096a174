//! Runs the operator's commands on a data file. No registry may use the file at the same time. A running
//! registry caches what it reads, so it would still show a withdrawn listing.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use registry::app::App;
use registry::events::Bus;
use registry::model::{Clock, Random};
use registry::settings::Settings;
use registry::store::{Imported, Store, TransferError, table};
use serde_json::{Value, json};

use crate::engine::{self, Data, Embedded, EngineError};
use crate::lock::{Lock, LockError};

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum TakedownError {
    /// The data file does not exist; only an import creates it.
    #[error("there is no data file at {0}; set --data or DATA")]
    NoData(PathBuf),
    /// A registry uses the data.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The data cannot be opened.
    #[error("cannot open the data: {0}")]
    Engine(#[from] EngineError),
    #[error("cannot create the table: {0}")]
    Table(Box<aws_sdk_dynamodb::Error>),
    #[error(transparent)]
    Command(#[from] operator::Failure),
    /// The export or the import stopped.
    #[error(transparent)]
    Transfer(#[from] TransferError),
}

/// Writes all items of the table to `out`, as JSON Lines. Returns the number of items.
///
/// # Errors
/// See [`TakedownError`].
pub async fn export(data: &Path, settings: &Settings, out: impl Write) -> Result<u64, TakedownError> {
    let (store, _lock) = open(data, settings).await?;
    Ok(store.export_items(out).await?)
}

/// Writes the items of an export that the table does not contain. Creates the data file if there is none.
///
/// # Errors
/// See [`TakedownError`].
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
    let lock = Lock::on(data)?;
    table::ensure(&client, &settings.table_name).await.map_err(|error| TakedownError::Table(error.into()))?;
    Ok((Store::new(client, &settings.table_name), lock))
}

/// Repeats a command until it has nothing left to do, and returns the outcome of all runs together.
///
/// # Errors
/// See [`TakedownError`].
pub async fn carry_out(data: &Path, settings: Settings, command: &Value) -> Result<Value, TakedownError> {
    let mut command = command.clone();
    let (store, _lock) = open(data, &settings).await?;
    // No function receives events here; the next start of the registry finds what is due.
    let app = App::new(settings, store, Bus::Silent, Clock::System, Random::System);
    let (mut listings, mut has_changed) = (0, false);
    loop {
        let mut outcome = operator::handle(&app, command.clone()).await?;
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
