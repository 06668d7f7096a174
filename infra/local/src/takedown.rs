//! The operator's commands on the data of this machine, while no registry runs on it: a running one remembers what it
//! read, and would show what was withdrawn behind its back.

use std::path::Path;

use registry::app::App;
use registry::events::Bus;
use registry::model::{Clock, Random};
use registry::settings::Settings;
use registry::store::{Store, table};
use serde_json::{Value, json};

use crate::engine::{self, Data, Embedded, EngineError};
use crate::lock::{Lock, LockError};

/// Why a command was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum TakedownError {
    /// There is no data: a command makes none.
    #[error("there is no data at {0}: DATA or --data says where it is")]
    NoData(std::path::PathBuf),
    /// A registry runs on it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The data cannot be opened.
    #[error("cannot open the data: {0}")]
    Engine(#[from] EngineError),
    /// The table cannot be made.
    #[error("cannot make the table: {0}")]
    Table(Box<aws_sdk_dynamodb::Error>),
    /// The command itself.
    #[error(transparent)]
    Command(#[from] operator::Failure),
}

/// Carries a command out, again and again until nothing is left to do, and tells what it came to.
///
/// # Errors
/// The data is not there or in use, or the command cannot be carried out.
pub async fn carry_out(data: &Path, settings: Settings, command: &Value) -> Result<Value, TakedownError> {
    if !data.is_file() {
        return Err(TakedownError::NoData(data.to_path_buf()));
    }
    let _lock = Lock::on(data)?;
    let client = engine::client(Embedded::open(&Data::File(data.to_path_buf()), &Clock::System)?);
    table::ensure(&client, &settings.table_name).await.map_err(|error| TakedownError::Table(error.into()))?;
    let store = Store::new(client, &settings.table_name);
    // Nobody listens here; what is due is found by the next start.
    let app = App::new(settings, store, Bus::Silent, Clock::System, Random::System);
    let mut listings = 0;
    loop {
        let mut outcome = operator::handle(&app, command.clone()).await?;
        let moved = outcome["listings"].as_u64().unwrap_or(0);
        listings += moved;
        if moved == 0 || outcome["left"] == 0 {
            outcome["listings"] = json!(listings);
            outcome["changed"] = json!(listings > 0 || outcome["changed"] == true);
            return Ok(outcome);
        }
    }
}
