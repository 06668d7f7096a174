//! Carries out the steps of a change of the log's key that the operator requested (`registry_app::takedown`).

use super::sequencer::sign_again;
use crate::prelude::*;
use crate::trust::log_key;

/// Carries out the requested step, if there is one. The current checkpoint is signed again with the new keys.
pub(super) async fn carry_out_requested(app: &App) -> Result<(), Problem> {
    let Some(step) = app.store.take_key_step().await? else { return Ok(()) };
    tracing::info!(step = step.as_str(), "changing the key of the evidence log");
    log_key::carry_out(app, step).await?;
    sign_again(app).await
}
