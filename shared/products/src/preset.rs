//! Goals for four roles of agents.

use registry_model::string_enum;
use schemars::JsonSchema;

string_enum! {
    /// A role with a set of goals for an agent.
    #[derive(JsonSchema)]
    pub enum Preset {
        /// Finds facts and cites sources.
        Researcher = "researcher",
        /// Keeps a system running.
        Ops = "ops",
        /// Answers people who need help.
        Support = "support",
        /// Changes code.
        Coder = "coder",
    }
}

impl Preset {
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
