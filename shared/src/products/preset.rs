//! Sets of goals of four trades, for who names none of his own. They say what an agent of the trade is held to, and what
//! the agent is about is put in.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A set of goals of a trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Finds out, and says whence it knows.
    Researcher,
    /// Keeps something running.
    Ops,
    /// Answers people who need help.
    Support,
    /// Changes programs.
    Coder,
}

/// A text that names no preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a preset: researcher, ops, support or coder")]
pub struct InvalidPreset;

impl Preset {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Researcher, Self::Ops, Self::Support, Self::Coder];

    /// The word used in requests and documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Researcher => "researcher",
            Self::Ops => "ops",
            Self::Support => "support",
            Self::Coder => "coder",
        }
    }

    /// Its goals for an agent that is about this.
    #[must_use]
    pub fn goals(&self, about: &str) -> Vec<String> {
        let goals: [&str; 3] = match self {
            Self::Researcher => [
                "Back every claim about {about} with a source that opens",
                "Say what is not known about {about} instead of filling the gap",
                "Make findings on {about} repeatable from the calls noted under them",
            ],
            Self::Ops => [
                "See trouble with {about} before somebody reports it",
                "Change nothing about {about} that cannot be undone without a yes",
                "Leave a record of {about} that the next shift can act on",
            ],
            Self::Support => [
                "Settle questions on {about} in the first answer",
                "Promise nothing about {about} that the sources do not say",
                "Hand over what cannot be settled about {about}, with all that is known",
            ],
            Self::Coder => [
                "Change {about} only with a test that fails before and passes after",
                "Keep changes to {about} small enough to review",
                "Leave no secret in {about}",
            ],
        };
        goals.map(|goal| goal.replace("{about}", about)).to_vec()
    }
}

impl FromStr for Preset {
    type Err = InvalidPreset;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|preset| preset.as_str() == text).ok_or(InvalidPreset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_is_known_by_its_word_and_speaks_of_the_agent() {
        for preset in Preset::ALL {
            assert_eq!(preset.as_str().parse(), Ok(preset));
            assert!(preset.goals("tides").iter().all(|goal| goal.contains("tides")));
        }
        assert_eq!("poet".parse::<Preset>(), Err(InvalidPreset));
    }
}
