//! Runs the operator's commands, such as withdraw, block a host, erase a contact, revoke a purchase or change the key
//! of the evidence log. This function has no route and no schedule. So only a person who has the right to invoke the
//! function can run it.

use registry::app::App;
use registry::error::Problem;
use registry::operator::takedown::{self, Command};
use serde_json::{Value, json};

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(
        "invalid command: {0}. An example is {{\"command\": \"withdraw\", \"listing_id\": …, \"reason\": …}}; \
         shared/docs/takedown.md lists all commands."
    )]
    Command(serde_json::Error),
    /// The listing or host does not allow it, or the table is busy.
    #[error("{0}")]
    Problem(Box<Problem>),
}

/// Runs one command and returns its outcome. Repeating a command does no harm.
pub async fn handle(app: &App, command: Value) -> Result<Value, Failure> {
    let command: Command = serde_json::from_value(command).map_err(Failure::Command)?;
    let outcome = takedown::carry_out(app, command).await;
    Ok(json!(outcome.map_err(|problem| Failure::Problem(Box::new(problem)))?))
}
