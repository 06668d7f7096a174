//! Goals for four roles of agents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A role with a set of goals for an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Finds facts and cites sources.
    Researcher,
    /// Keeps a system running.
    Ops,
    /// Answers people who need help.
    Support,
    /// Changes code.
    Coder,
}

impl Preset {
    pub const ALL: [Self; 4] = [Self::Researcher, Self::Ops, Self::Support, Self::Coder];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Researcher => "researcher",
            Self::Ops => "ops",
            Self::Support => "support",
            Self::Coder => "coder",
        }
    }

    /// The preset with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.as_str() == name)
    }

    /// One sentence per goal, for an agent whose subject is `topic`.
    #[must_use]
    pub fn goals(self, topic: &str) -> Vec<String> {
        let goals = match self {
            Self::Researcher => [
                "For every claim about {topic}, give the link to a source",
                "Say what is not known about {topic} instead of guessing",
                "Compare sources on {topic} that contradict each other",
            ],
            Self::Ops => [
                "Detect problems with {topic} before users report them",
                "Change nothing about {topic} that cannot be undone without approval",
                "Write a record of {topic} that the next person on duty can use",
            ],
            Self::Support => [
                "Resolve questions on {topic} in the first answer",
                "Promise nothing about {topic} that no tool returns",
                "Pass cases on {topic} that the agent cannot resolve to a person",
            ],
            Self::Coder => [
                "Change {topic} only with a test that fails before and passes after",
                "Keep changes to {topic} small enough to review",
                "Leave no secret in {topic}",
            ],
        };
        goals.map(|goal| goal.replace("{topic}", topic)).into()
    }
}
