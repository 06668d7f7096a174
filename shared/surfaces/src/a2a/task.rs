//! Tasks. A task contains the request of a client, its state and its result. The table stores the state names
//! of A2A 0.3. The state names of 1.0 are derived from them. The size of an item is limited, so contents that
//! are too large are replaced by a note.

use super::id::is_own_context_id;
use super::message::{Content, Message, Part};
use super::secrets::{NOT_STORED, clean, without_secrets};
use crate::prelude::*;
use registry_model::string_enum;
use registry_store::{MAX_CONTENT_BYTES, Origin, StoredTask};

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
    for part in contents.artifacts.iter_mut().flat_map(|artifact| &mut artifact.parts) {
        let Content::Text(text) = &mut part.content else { continue };
        // The answer ends with the next step, which cannot be sent without its secret.
        let next = text.rfind("Next: ").filter(|at| clean(&text[*at..]).contains(NOT_STORED));
        text.truncate(next.unwrap_or(text.len()));
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

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::{AccessToken, Random};

    fn message(parts: Vec<Part>) -> Message {
        Message::of_agent("m".to_owned(), "c", "t", parts)
    }

    fn task(contents: TaskContents) -> Task {
        Task {
            id: "t".to_owned(),
            origin: Origin::Ours,
            caller: "192.0.2.1".to_owned(),
            context_id: "c".to_owned(),
            state: TaskState::InputRequired,
            at: "2026-11-20T12:00:00Z".parse().unwrap(),
            contents,
        }
    }

    #[test]
    fn stored_task_contains_no_token() {
        let token = AccessToken::new(&Random::seeded(1));
        let parts = || vec![Part::data(json!({ "token": token.reveal() })), Part::text(token.reveal())];
        let artifact = Artifact { id: "a".to_owned(), name: "n".to_owned(), parts: parts() };
        let contents = TaskContents {
            message: Some(message(parts())),
            artifacts: vec![artifact],
            history: vec![message(parts())],
        };
        let stored = task(contents).to_stored().unwrap();
        assert!(!stored.content.contains(token.reveal()), "{}", stored.content);
        assert!(Task::from_stored(stored).is_ok());
    }

    #[test]
    fn stored_answer_names_no_next_step_without_its_secret() {
        let token = AccessToken::new(&Random::seeded(2));
        let secret = format!("Done. Next: Keep it. Send: {}", token.reveal());
        let parts = vec![Part::text(secret), Part::text("Done. Next: Wait.")];
        let artifacts = vec![Artifact { id: "a".to_owned(), name: "n".to_owned(), parts }];
        let stored = task(TaskContents { artifacts, ..TaskContents::default() }).to_stored().unwrap();
        let kept = Task::from_stored(stored).unwrap().contents.artifacts.remove(0).parts;
        assert_eq!(kept, vec![Part::text("Done. "), Part::text("Done. Next: Wait.")]);
    }

    #[test]
    fn content_that_is_too_large_is_replaced_by_a_note() {
        let large = json!({ "x": "y".repeat(MAX_CONTENT_BYTES) });
        let artifact =
            Artifact { id: "a".to_owned(), name: "n".to_owned(), parts: vec![Part::data(large.clone())] };
        let history = vec![message(vec![Part::text("short"), Part::data(large.clone())]); 3];
        let message = Some(message(vec![Part::data(large)]));
        let stored = task(TaskContents { message, artifacts: vec![artifact], history }).to_stored().unwrap();
        let content = stored.content;
        assert!(content.len() < MAX_CONTENT_BYTES);
        assert!(content.contains("too large to store") && content.contains("short"));
    }
}
