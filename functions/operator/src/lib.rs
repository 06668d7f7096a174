//! Runs the operator's commands, such as withdraw, block a host, erase a contact, revoke a purchase or change the key
//! of the evidence log. This function has no route and no schedule. So only a person who has the right to invoke the
//! function can run it.

use registry::app::App;
use registry::error::Problem;
use registry::takedown::{self, Command};
use serde_json::{Value, json};

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(
        "unknown command: {0}. Send one of these commands: {{\"command\": \"withdraw\", \"listing_id\": …, \
         \"reason\": …}}, {{\"command\": \"restore\", \"listing_id\": …}}, {{\"command\": \"block_host\", \
         \"host\": …, \"reason\": …}}, {{\"command\": \"unblock_host\", \"host\": …}}, {{\"command\": \
         \"contacts\", \"listing_id\": …}}, {{\"command\": \"erase_contact\", \"listing_id\": …}}, \
         {{\"command\": \"erase\", \"listing_id\": …}}, {{\"command\": \
         \"erase\", \"email\": …}}, {{\"command\": \"reports\", \
         \"listing_id\": …, \"cursor\": …}}, {{\"command\": \"feedback\", \"listing_id\": …, \"cursor\": …}}, \
         {{\"command\": \"revoke_access\", \
         \"token_sha256\": …}}, \
         {{\"command\": \"void_completion\", \"listing_id\": …}}, {{\"command\": \"revoke_purchase\", \
         \"purchase_id\": …}}, {{\"command\": \"flagged_purchases\"}}, {{\"command\": \"change_log_key\", \
         \"step\": \"announce\" or \"promote\" or \"retire\"}}"
    )]
    Command(serde_json::Error),
    /// The listing or host does not allow it, or the table is busy.
    #[error("{}: {}", .0.code, .0.detail)]
    Problem(Box<Problem>),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Problem(Box::new(problem))
    }
}

/// Runs one command and returns its outcome. Repeating a command does no harm.
///
/// # Errors
/// See [`Failure`].
pub async fn handle(app: &App, command: Value) -> Result<Value, Failure> {
    let command: Command = serde_json::from_value(command).map_err(Failure::Command)?;
    Ok(json!(takedown::carry_out(app, command).await?))
}
