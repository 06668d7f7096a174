//! The tools or skills of a listing as its page shows them, and what changed in them the last time that something did.

use super::when::When;
use registry_model::{AbilityChange, Assessment, ChangedNames, Moment};

const SHOWN: usize = 30;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AbilityRow {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) tags: Vec<String>,
}

#[derive(Clone, Debug)]
pub(super) struct ChangeRow {
    pub(super) what: &'static str,
    pub(super) names: ChangedNames,
}

#[derive(Clone, Debug)]
pub(super) struct ChangeRows {
    pub(super) seen: When,
    pub(super) since: When,
    /// Empty if only something changed that is not shown, such as parameters.
    pub(super) rows: Vec<ChangeRow>,
}

#[derive(Clone, Debug)]
pub(super) struct AbilityRows {
    /// `tool` or `skill`.
    pub(super) noun: &'static str,
    pub(super) count: usize,
    pub(super) shown: Vec<AbilityRow>,
    pub(super) folded: Vec<AbilityRow>,
    pub(super) change: Option<ChangeRows>,
}

impl AbilityRows {
    pub(super) fn of(evidence: Option<&Assessment>, now: Moment) -> Self {
        let facts = evidence.map(|evidence| &evidence.verdict.facts);
        let tools = facts.into_iter().flat_map(|facts| &facts.tools).map(|tool| AbilityRow {
            name: tool.name.clone(),
            description: tool.description.clone(),
            tags: Vec::new(),
        });
        let skills = facts.into_iter().flat_map(|facts| &facts.skills).map(|skill| AbilityRow {
            name: if skill.name.is_empty() { skill.id.clone() } else { skill.name.clone() },
            description: skill.description.clone(),
            tags: skill.tags.clone(),
        });
        let noun = if facts.is_some_and(|facts| !facts.tools.is_empty()) { "tool" } else { "skill" };
        let mut shown: Vec<AbilityRow> = tools.chain(skills).collect();
        let count = shown.len();
        let folded = shown.split_off(count.min(SHOWN));
        let change = evidence.and_then(|evidence| evidence.changed.as_ref());
        Self { noun, count, shown, folded, change: change.map(|change| ChangeRows::of(change, now)) }
    }
}

impl ChangeRows {
    fn of(change: &AbilityChange, now: Moment) -> Self {
        let rows =
            [("Added", &change.added), ("Removed", &change.removed), ("Described anew", &change.redescribed)];
        let rows = rows.into_iter().filter(|(_, names)| names.count > 0);
        Self {
            seen: When::of(change.at, now),
            since: When::of(change.since, now),
            rows: rows.map(|(what, names)| ChangeRow { what, names: names.clone() }).collect(),
        }
    }
}
