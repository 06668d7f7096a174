//! Carries out what an operator decides: withdraw, restore, block a host, erase a contact, revoke access. Nothing but a
//! person with the right to invoke it reaches it: it has neither route nor schedule.

use registry::app::App;
use registry::error::Problem;
use registry::takedown::{self, Command};
use serde_json::Value;

/// Why a command was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// It is none that this function knows.
    #[error(
        "not a command: {0}. Send one of {{\"command\": \"withdraw\", \"listing_id\": …, \"reason\": …}}, \
         {{\"command\": \"restore\", \"listing_id\": …}}, {{\"command\": \"block_host\", \"host\": …, \"reason\": …}}, \
         {{\"command\": \"unblock_host\", \"host\": …}}, {{\"command\": \"erase_contact\", \"listing_id\": …}}, \
         {{\"command\": \"revoke_access\", \"token_sha256\": …}}"
    )]
    Command(serde_json::Error),
    /// It cannot be carried out on this listing or host, or the table is busy.
    #[error("{}: {}", .0.code, .0.detail)]
    Problem(Box<Problem>),
    /// What it came to could not be written.
    #[error(transparent)]
    Outcome(#[from] serde_json::Error),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Problem(Box::new(problem))
    }
}

/// Carries out one command and tells what it came to.
///
/// # Errors
/// The command is unknown or malformed, cannot be carried out, or the table is busy; it may be given again.
pub async fn handle(app: &App, command: Value) -> Result<Value, Failure> {
    let command: Command = serde_json::from_value(command).map_err(Failure::Command)?;
    Ok(serde_json::to_value(takedown::carry_out(app, command).await?)?)
}
