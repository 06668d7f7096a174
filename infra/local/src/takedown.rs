//! Runs the operator's commands on a data file. No registry may use the file at the same time. A running
//! registry caches what it reads, so it would still show a withdrawn listing.

use std::path::Path;

use registry::app::App;
use registry::events::Bus;
use registry::model::{Clock, Random};
use registry::settings::Settings;
use registry::store::{Store, table};
use serde_json::{Value, json};

use crate::engine::{self, Data, Embedded, EngineError};
use crate::lock::{Lock, LockError};

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum TakedownError {
    /// The data file or the backup does not exist; a command never creates it.
    #[error("there is no data file at {0}; set --data or DATA, or --backup")]
    NoData(std::path::PathBuf),
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
}

/// Repeats a command until it has nothing left to do, and returns the outcome of all runs together. The command `recover`
/// reads `backup`, an earlier copy of the data file.
///
/// # Errors
/// See [`TakedownError`].
pub async fn carry_out(
    data: &Path,
    backup: Option<&Path>,
    settings: Settings,
    command: &Value,
) -> Result<Value, TakedownError> {
    let mut command = command.clone();
    let missing = [Some(data), backup].into_iter().flatten().find(|file| !file.is_file());
    if let Some(missing) = missing {
        return Err(TakedownError::NoData(missing.to_path_buf()));
    }
    let _lock = Lock::on(data)?;
    let open =
        |file: &Path| Embedded::open(&Data::File(file.to_path_buf()), &Clock::System).map(engine::client);
    let client = open(data)?;
    let copy =
        Store::new(backup.map(open).transpose()?.unwrap_or_else(|| client.clone()), &settings.table_name);
    table::ensure(&client, &settings.table_name).await.map_err(|error| TakedownError::Table(error.into()))?;
    let store = Store::new(client, &settings.table_name);
    // No function receives events here; the next start of the registry finds what is due.
    let app = App::new(settings, store, Bus::Silent, Clock::System, Random::System);
    let (mut listings, mut has_changed) = (0, false);
    loop {
        let mut outcome = operator::handle_with(&app, &copy, command.clone()).await?;
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
