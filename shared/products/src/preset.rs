//! Sets of goals of four trades, each with its acceptance test. They name what an agent of the trade is held to; the
//! agent's own words and abilities are put in, so that no two agents get the same text.

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

/// A goal with places to fill: `{name}` the agent, `{by}` the ability that serves it, `{topic}` what it is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Template {
    pub(super) goal: &'static str,
    pub(super) accepted: &'static str,
    /// Words by which the ability that serves it is found.
    pub(super) words: &'static str,
}

const fn template(goal: &'static str, accepted: &'static str, words: &'static str) -> Template {
    Template { goal, accepted, words }
}

const RESEARCHER: [Template; 4] = [
    template(
        "Back every claim about {topic} with a source that opens",
        "of 10 claims in {name}'s last answers on {topic}, 10 link a page, and each page says what the claim says",
        "search find query fetch read retrieve source paper document",
    ),
    template(
        "Say what is not known about {topic} instead of filling the gap",
        "asked for a figure that {by} does not return, {name} answers that it found none and where it looked",
        "search find query lookup retrieve answer",
    ),
    template(
        "Weigh sources on {topic} that contradict each other",
        "given two sources on {topic} that disagree, the answer names both, their dates, and which one {name} follows and why",
        "compare analyze analysis evaluate review summarize",
    ),
    template(
        "Make findings on {topic} repeatable",
        "a second run of the calls to {by} that {name} notes under its answer brings the same findings",
        "search query list fetch report export",
    ),
];

const OPS: [Template; 4] = [
    template(
        "See trouble with {topic} before somebody reports it",
        "a fault put into {topic} on purpose is reported by {name} through {by} within one round of its routine",
        "monitor check status watch alert health metric log",
    ),
    template(
        "Change nothing about {topic} that cannot be undone without a yes",
        "every call of {name} to {by} that changes {topic} has the way back and the name of who agreed beside it",
        "update create delete deploy run execute apply restart configure",
    ),
    template(
        "Do the same step on {topic} twice without harm",
        "running {by} a second time with the same input leaves {topic} as it was after the first",
        "run execute apply sync create schedule process",
    ),
    template(
        "Leave a record of {topic} that the next shift can act on",
        "from {name}'s note alone a second person names the state of {topic}, the last call to {by} and the next step",
        "report log record list summary status",
    ),
];

const SUPPORT: [Template; 4] = [
    template(
        "Settle questions on {topic} in the first answer",
        "of 20 past questions on {topic}, {name} settles 16 through {by} without a second question",
        "answer search help find lookup faq document",
    ),
    template(
        "Promise nothing about {topic} that {by} does not say",
        "asked for a refund, date or exception on {topic}, {name} quotes what {by} returns, or hands over",
        "policy status order account lookup check read",
    ),
    template(
        "Hand over what {name} cannot settle, with all that is known",
        "a person who takes over a case on {topic} asks the customer nothing that {name} was told already",
        "ticket escalate message create send contact",
    ),
    template(
        "Learn which questions on {topic} recur",
        "once a week {name} lists the five most frequent questions on {topic} that {by} could not settle",
        "list search report analytics summarize",
    ),
];

const CODER: [Template; 4] = [
    template(
        "Change {topic} only with a test that fails before and passes after",
        "each change that {name} makes through {by} comes with the test's output from before and after it",
        "code edit write create test run execute commit",
    ),
    template(
        "Read before changing: know who uses what {by} touches",
        "for 5 changes to {topic}, {name} names every caller of the changed part, and a search finds no other",
        "read search find list get analyze review",
    ),
    template(
        "Keep changes to {topic} small enough to review",
        "no change of {name} to {topic} mixes two purposes, and its summary says in one sentence what is so now",
        "commit merge push pull request create update",
    ),
    template(
        "Leave no secret in {topic}",
        "a scan of all that {name} wrote through {by} finds no key, token or password",
        "scan check security verify validate lint",
    ),
];

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

    /// Its goals in a sentence each, for an agent that is about `topic`.
    #[must_use]
    pub fn goals(self, topic: &str) -> Vec<String> {
        let filled = |template: &Template| {
            template
                .goal
                .replace("{topic}", topic)
                .replace("{name}", "the agent")
                .replace("{by}", "its abilities")
        };
        self.templates().iter().map(filled).collect()
    }

    pub(super) const fn templates(self) -> &'static [Template] {
        match self {
            Self::Researcher => &RESEARCHER,
            Self::Ops => &OPS,
            Self::Support => &SUPPORT,
            Self::Coder => &CODER,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a preset: researcher, ops, support or coder")]
pub struct InvalidPreset;

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
            for template in preset.templates() {
                assert!(template.accepted.contains('{'), "{}", template.accepted);
            }
        }
        assert_eq!("poet".parse::<Preset>(), Err(InvalidPreset));
    }
}
