//! Goals and acceptance tests for four roles of agents. The name, abilities, and topics of the agent are
//! filled in, so that no two agents get the same text.

use std::str::FromStr;

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

/// A goal with placeholders: `{name}` is the agent, `{by}` the ability that serves the goal, `{topic}` its subject.
#[derive(Clone, Copy, Debug)]
pub(super) struct Template {
    pub(super) goal: &'static str,
    pub(super) accepted: &'static str,
    /// Words that select the ability that serves it.
    pub(super) words: &'static str,
}

const fn template(goal: &'static str, accepted: &'static str, words: &'static str) -> Template {
    Template { goal, accepted, words }
}

const RESEARCHER: [Template; 4] = [
    template(
        "For every claim about {topic}, give the link to a source",
        "of 10 claims in {name}'s last answers on {topic}, all 10 have a link to a page, and each page \
         supports the claim",
        "search find query fetch read retrieve source paper document",
    ),
    template(
        "Say what is not known about {topic} instead of guessing",
        "when a request needs a number that {by} does not return, {name} answers that it found no number, \
         and says where it searched",
        "search find query lookup retrieve answer",
    ),
    template(
        "Compare sources on {topic} that contradict each other",
        "given two sources on {topic} that disagree, the answer names both, their dates, and which one {name} uses and why",
        "compare analyze analysis evaluate review summarize",
    ),
    template(
        "Make findings on {topic} repeatable",
        "a second run of the calls to {by} that {name} lists under its answer returns the same findings",
        "search query list fetch report export",
    ),
];

const OPS: [Template; 4] = [
    template(
        "Detect problems with {topic} before users report them",
        "a test puts a fault into {topic} through {by}, and {name} reports the fault within one round of its \
         routine",
        "monitor check status watch alert health metric log",
    ),
    template(
        "Change nothing about {topic} that cannot be undone without approval",
        "every call of {name} to {by} that changes {topic} is logged with a rollback and the name of the person who approved it",
        "update create delete deploy run execute apply restart configure",
    ),
    template(
        "Repeat a step on {topic} without harm",
        "running {by} a second time with the same input does not change {topic} again",
        "run execute apply sync create schedule process",
    ),
    template(
        "Write a record of {topic} that the next person on duty can use",
        "a second person reads only {name}'s note and can name the state of {topic}, the last call to {by} \
         and the next step",
        "report log record list summary status",
    ),
];

const SUPPORT: [Template; 4] = [
    template(
        "Resolve questions on {topic} in the first answer",
        "of 20 past questions on {topic}, {name} resolves 16 through {by} without a second question",
        "answer search help find lookup faq document",
    ),
    template(
        "Promise nothing about {topic} that {by} does not return",
        "for a refund, date or exception on {topic}, {name} quotes what {by} returns, or passes the case to \
         a person",
        "policy status order account lookup check read",
    ),
    template(
        "Pass cases that {name} cannot resolve to a person, with everything that is known",
        "a person who takes over a case on {topic} repeats no question that the customer already answered to {name}",
        "ticket escalate message create send contact",
    ),
    template(
        "Find out which questions on {topic} users ask again and again",
        "once a week {name} lists the five most frequent questions on {topic} that {by} could not resolve",
        "list search report analytics summarize",
    ),
];

const CODER: [Template; 4] = [
    template(
        "Change {topic} only with a test that fails before and passes after",
        "each change that {name} makes through {by} includes the test's output before and after it",
        "code edit write create test run execute commit",
    ),
    template(
        "Before a change, find out which code uses the parts that {by} changes",
        "for 5 changes to {topic}, {name} names every caller of the changed code, and a search finds no others",
        "read search find list get analyze review",
    ),
    template(
        "Keep changes to {topic} small enough to review",
        "no change of {name} to {topic} has two purposes, and its summary says in one sentence what changed",
        "commit merge push pull request create update",
    ),
    template(
        "Leave no secret in {topic}",
        "a scan of everything that {name} wrote through {by} finds no key, token or password",
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

    /// One sentence per goal, for an agent whose subject is `topic`.
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
#[error("unknown preset; use researcher, ops, support or coder")]
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
    fn preset_is_found_by_name_and_its_templates_have_placeholders() {
        for preset in Preset::ALL {
            assert_eq!(preset.as_str().parse(), Ok(preset));
            for template in preset.templates() {
                assert!(template.accepted.contains('{'), "{}", template.accepted);
            }
        }
        assert_eq!("poet".parse::<Preset>(), Err(InvalidPreset));
    }
}
