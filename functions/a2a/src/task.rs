//! A task: what was asked, how it stands, and what came of it. Kept in the table in one form for all dialects; what
//! is too large to keep is left out of what is kept, and said to be.

use registry::error::Problem;
use registry::model::Moment;
use registry::store::{KeptTask, LARGEST_CONTENT, Origin};
use serde::{Deserialize, Serialize};

use crate::message::{Content, Message, Part};

/// The longest text of a message that stays in a kept history, in bytes, where the whole is too large.
const LONGEST_KEPT_TEXT: usize = 4000;

/// How a task stands (A2A 1.0 specification §4.1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Submitted,
    Working,
    Completed,
    Failed,
    Canceled,
    InputRequired,
    Rejected,
    AuthRequired,
}

const STATES: [State; 8] = [
    State::Submitted,
    State::Working,
    State::Completed,
    State::Failed,
    State::Canceled,
    State::InputRequired,
    State::Rejected,
    State::AuthRequired,
];

impl State {
    /// Its name in 0.3; 1.0 writes the same in capitals.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Submitted => "submitted",
            Self::Working => "working",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
            Self::InputRequired => "input-required",
            Self::Rejected => "rejected",
            Self::AuthRequired => "auth-required",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        STATES.into_iter().find(|state| state.name() == name)
    }

    /// Nothing more will happen.
    pub(crate) const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled | Self::Rejected)
    }
}

/// What came of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Artifact {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) parts: Vec<Part>,
}

/// What a task holds besides its place and state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Contents {
    /// What the agent says of its state.
    pub(crate) message: Option<Message>,
    pub(crate) artifacts: Vec<Artifact>,
    pub(crate) history: Vec<Message>,
}

/// A task.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Task {
    pub(crate) id: String,
    pub(crate) origin: Origin,
    pub(crate) caller: String,
    pub(crate) context_id: String,
    pub(crate) state: State,
    pub(crate) at: Moment,
    pub(crate) contents: Contents,
}

impl Task {
    /// Reads a kept task.
    pub(crate) fn of(kept: KeptTask) -> Result<Self, Problem> {
        let state = State::named(&kept.state)
            .ok_or_else(|| Problem::fault(format!("a task in no state: {}", kept.state)))?;
        let contents =
            serde_json::from_str(&kept.content).map_err(|error| Problem::fault(error.to_string()))?;
        let (id, context_id) = (kept.id, kept.context_id);
        Ok(Self { id, origin: kept.origin, caller: kept.caller, context_id, state, at: kept.at, contents })
    }

    /// The same to be kept.
    pub(crate) fn kept(&self) -> Result<KeptTask, Problem> {
        let content = bearable(&self.contents).map_err(|error| Problem::fault(error.to_string()))?;
        Ok(KeptTask {
            id: self.id.clone(),
            origin: self.origin,
            caller: self.caller.clone(),
            context_id: self.context_id.clone(),
            state: self.state.name().to_owned(),
            at: self.at,
            content,
        })
    }

    /// Takes the last `length` messages out of its history; all where nothing is said.
    pub(crate) fn take_history(&mut self, length: Option<u64>) -> Vec<Message> {
        let mut all = std::mem::take(&mut self.contents.history);
        let length = length.and_then(|length| usize::try_from(length).ok()).unwrap_or(all.len());
        all.split_off(all.len().saturating_sub(length))
    }
}

/// The contents as far as an item can hold them: first the history gets shorter, then what came of it.
fn bearable(contents: &Contents) -> serde_json::Result<String> {
    let whole = serde_json::to_string(contents)?;
    if whole.len() <= LARGEST_CONTENT {
        return Ok(whole);
    }
    let mut contents = contents.clone();
    contents.history.iter_mut().for_each(abridge);
    let shorter = serde_json::to_string(&contents)?;
    if shorter.len() <= LARGEST_CONTENT {
        return Ok(shorter);
    }
    for artifact in &mut contents.artifacts {
        artifact.parts.retain(|part| !matches!(part.content, Content::Data(_)));
        artifact.parts.push(Part::text("The data was too large to be kept; send the message again for it."));
    }
    contents.message.iter_mut().for_each(abridge);
    let latest = contents.history.len().saturating_sub(1);
    contents.history.drain(..latest);
    serde_json::to_string(&contents)
}

fn abridge(message: &mut Message) {
    message.metadata = None;
    for part in &mut message.parts {
        part.metadata = None;
        let large = match &part.content {
            Content::Text(text) | Content::Url(text) | Content::Raw(text) => text.len() > LONGEST_KEPT_TEXT,
            Content::Data(data) => data.to_string().len() > LONGEST_KEPT_TEXT,
        };
        if large {
            *part = Part::text("(too large to be kept)");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Role;
    use serde_json::json;

    fn message(parts: Vec<Part>) -> Message {
        Message {
            id: "m".to_owned(),
            role: Role::User,
            parts,
            context_id: None,
            task_id: None,
            metadata: None,
            extensions: Vec::new(),
            references: Vec::new(),
        }
    }

    fn task(contents: Contents) -> Task {
        Task {
            id: "t".to_owned(),
            origin: Origin::Ours,
            caller: "192.0.2.1".to_owned(),
            context_id: "c".to_owned(),
            state: State::InputRequired,
            at: "2026-11-20T12:00:00Z".parse().unwrap(),
            contents,
        }
    }

    #[test]
    fn a_kept_task_is_the_same_task() {
        let artifact =
            Artifact { id: "a".to_owned(), name: "n".to_owned(), parts: vec![Part::data(json!({ "x": 1 }))] };
        let contents = Contents {
            message: Some(message(vec![Part::text("which?")])),
            artifacts: vec![artifact],
            history: vec![message(vec![Part::text("list me")])],
        };
        let task = task(contents);
        assert_eq!(Task::of(task.kept().unwrap()).unwrap(), task);
    }

    #[test]
    fn what_is_too_large_is_left_out_and_said_to_be() {
        let large = json!({ "x": "y".repeat(LARGEST_CONTENT) });
        let artifact =
            Artifact { id: "a".to_owned(), name: "n".to_owned(), parts: vec![Part::data(large.clone())] };
        let history = vec![message(vec![Part::text("short"), Part::data(large.clone())]); 3];
        let message = Some(message(vec![Part::data(large)]));
        let kept = task(Contents { message, artifacts: vec![artifact], history }).kept().unwrap();
        let content = kept.content.to_string();
        assert!(
            content.len() < LARGEST_CONTENT
                && content.contains("too large to be kept")
                && content.contains("short")
        );
    }

    #[test]
    fn states_have_one_name_each() {
        for state in STATES {
            assert_eq!(State::named(state.name()), Some(state));
        }
        assert!(
            State::named("paused").is_none()
                && !State::InputRequired.is_final()
                && State::Rejected.is_final()
        );
    }
}
