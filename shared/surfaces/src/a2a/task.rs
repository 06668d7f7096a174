//! Tasks. A task contains the request of a client, its state and its result. The table stores the state names
//! of A2A 0.3. The state names of 1.0 are derived from them. The size of an item is limited, so contents that
//! are too large are replaced by a note.
//!
//! Callers have no credentials, and many callers share an address. So anyone can read a task if they know an id that this
//! registry created. A task whose id a client chose can be read only from the address of this client. The answer for an
//! expired task is the same as for an unknown id, so that nobody can guess ids.

use super::id::is_own_context_id;
use super::message::{Content, Message, Part};
use super::secrets::{NOT_STORED, clean, without_secrets};
use crate::errors::RpcError;
use crate::prelude::*;
use registry_model::string_enum;
use registry_store::{MAX_CONTENT_BYTES, Origin, StoredTask};

pub(super) const CANCELED_TEXT: &str = "Canceled. The request had no effect.";

string_enum! {
    /// A2A 1.0 specification §4.1.3, with the names in A2A 0.3; 1.0 writes the same in capitals. `Submitted`, `Working` and
    /// `AuthRequired` are never stored here: a task is answered before it is stored, and no operation needs a credential.
    pub(crate) enum TaskState {
        Submitted = "submitted",
        Working = "working",
        Completed = "completed",
        Failed = "failed",
        Canceled = "canceled",
        InputRequired = "input-required",
        Rejected = "rejected",
        AuthRequired = "auth-required",
    }
}

impl TaskState {
    pub(super) const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled | Self::Rejected)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Artifact {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) parts: Vec<Part>,
    /// The end of its text that names the next step. Not stored: it matters only for what is stored of the text.
    #[serde(skip)]
    pub(super) next_step: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct TaskContents {
    /// Explains the state: a question or a refusal.
    pub(super) message: Option<Message>,
    pub(super) artifacts: Vec<Artifact>,
    /// All earlier messages, the oldest first.
    pub(super) history: Vec<Message>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) origin: Origin,
    pub(super) caller: String,
    pub(super) context_id: String,
    pub(super) state: TaskState,
    /// When the state last changed.
    pub(super) at: Moment,
    pub(super) contents: TaskContents,
}

impl Task {
    /// Takes the last `length` messages out of the history; all of them without a limit.
    pub(super) fn take_history(&mut self, length: Option<u64>) -> Vec<Message> {
        let mut all = std::mem::take(&mut self.contents.history);
        let length = length.and_then(|length| usize::try_from(length).ok()).unwrap_or(all.len());
        all.split_off(all.len().saturating_sub(length))
    }

    pub(super) fn from_stored(stored: StoredTask) -> Result<Self, Problem> {
        let state = TaskState::named(&stored.state)
            .ok_or_else(|| Problem::fault(format!("unknown task state: {}", stored.state)))?;
        let contents =
            serde_json::from_str(&stored.content).map_err(|error| Problem::fault(error.to_string()))?;
        Ok(Self {
            id: stored.id,
            origin: stored.origin,
            caller: stored.caller,
            context_id: stored.context_id,
            state,
            at: stored.at,
            contents,
        })
    }

    pub(super) fn to_stored(&self) -> Result<StoredTask, Problem> {
        let content = abridged(&self.contents).map_err(|error| Problem::fault(error.to_string()))?;
        Ok(StoredTask {
            id: self.id.clone(),
            origin: self.origin,
            caller: self.caller.clone(),
            context_id: self.context_id.clone(),
            context_origin: if is_own_context_id(&self.context_id) { Origin::Ours } else { Origin::Client },
            state: self.state.as_str().to_owned(),
            at: self.at,
            content,
        })
    }
}

/// The contents as far as an item can hold them. The result matters more than the history; its data can be
/// requested again.
fn abridged(contents: &TaskContents) -> serde_json::Result<String> {
    let mut contents = contents.clone();
    // A next step cannot be sent without its secret.
    let is_incomplete = |artifact: &&mut Artifact| clean(&artifact.next_step).contains(NOT_STORED);
    for artifact in contents.artifacts.iter_mut().filter(is_incomplete) {
        for part in &mut artifact.parts {
            if let Content::Text(text) = &mut part.content {
                text.truncate(text.strip_suffix(&artifact.next_step).map_or(text.len(), str::len));
            }
        }
    }
    let whole = without_secrets(serde_json::to_value(&contents)?).to_string();
    if whole.len() <= MAX_CONTENT_BYTES {
        return Ok(whole);
    }
    for artifact in &mut contents.artifacts {
        artifact.parts.retain(|part| !matches!(part.content, Content::Data(_)));
        artifact.parts.push(Part::text("The data was too large to store. Send the message again to get it."));
    }
    contents.message = contents.message.map(Message::abridged);
    contents.history = contents.history.pop().map(Message::abridged).into_iter().collect();
    Ok(without_secrets(serde_json::to_value(&contents)?).to_string())
}

/// The stored task that a caller means by an id.
pub(super) async fn stored_task(
    app: &App,
    caller: &Caller,
    id: &str,
) -> Result<Option<StoredTask>, RpcError> {
    let callers = app.caller_digests(caller).await?;
    Ok(app.store.task(id, &callers.iter().collect::<Vec<_>>(), app.clock.now()).await?)
}

#[cfg(test)]
mod tests;
