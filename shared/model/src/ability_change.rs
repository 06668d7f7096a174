//! Lists by name which tools or skills of a listing changed between two probes. A hash shows only that
//! something changed. The names and the changes of arguments show the users of a server what to test again.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Facts, Moment, Severity, ToolChange, ToolChangeKind};

/// Names of each group that are listed; the others are only counted.
const MAX_NAMES: usize = 20;
/// Changes of tools that are listed; the severest come first.
const MAX_DETAILS: usize = 20;

/// The latest change of a listing's tools or skills.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AbilityChange {
    /// When a probe found the change.
    #[schemars(with = "String")]
    pub at: Moment,
    /// The time of the earlier probe that was compared.
    #[schemars(with = "String")]
    pub since: Moment,
    /// New tools or skills.
    pub added: ChangedNames,
    /// Tools or skills that no longer exist.
    pub removed: ChangedNames,
    /// Tools with a changed definition, or skills with a changed name, description or tags.
    pub redescribed: ChangedNames,
    /// How much the severest change matters to clients. Absent for skills.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// The first 20 changes of tools, the severest first. `listing_tools` returns all with the texts before and after.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<ToolChange>,
}

/// Names of tools or skills.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedNames {
    /// How many there are.
    pub count: usize,
    /// The first 20 in alphabetical order.
    pub names: Vec<String>,
}

impl ChangedNames {
    fn of<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut sorted: Vec<&str> = names.collect();
        sorted.sort_unstable();
        let names = sorted.iter().take(MAX_NAMES).map(|name| (*name).to_owned()).collect();
        Self { count: sorted.len(), names }
    }

    /// How many are counted but not listed in `names`.
    pub fn unnamed(&self) -> usize {
        self.count.saturating_sub(self.names.len())
    }
}

impl AbilityChange {
    /// Compares the skills of an agent.
    pub fn of_skills(before: (&Facts, Moment), now: (&Facts, Moment)) -> Self {
        let (old, new) = (skills(before.0), skills(now.0));
        let only = |one: &Skills<'_>, other: &Skills<'_>| {
            ChangedNames::of(
                one.iter().filter(|(id, _)| !other.contains_key(*id)).map(|(_, texts)| display_name(texts)),
            )
        };
        let redescribed =
            new.iter().filter(|(id, texts)| old.get(*id).is_some_and(|before| before != *texts));
        Self {
            at: now.1,
            since: before.1,
            added: only(&new, &old),
            removed: only(&old, &new),
            redescribed: ChangedNames::of(redescribed.map(|(_, texts)| display_name(texts))),
            severity: None,
            details: Vec::new(),
        }
    }

    /// Summarizes the changes of tools; the severest must come first.
    pub fn of_tools(changes: &[ToolChange], since: Moment, at: Moment) -> Self {
        let names = |group: fn(ToolChangeKind) -> bool| -> BTreeSet<&str> {
            changes.iter().filter(|change| group(change.kind)).map(|change| change.tool.as_str()).collect()
        };
        let is_added =
            |kind| matches!(kind, ToolChangeKind::ToolAdded | ToolChangeKind::DestructiveToolAdded);
        let (added, removed) = (names(is_added), names(|kind| kind == ToolChangeKind::ToolRemoved));
        let others = names(|_| true);
        let redescribed = others.iter().filter(|name| !added.contains(*name) && !removed.contains(*name));
        let short = |change: &ToolChange| ToolChange { before: None, after: None, ..change.clone() };
        Self {
            at,
            since,
            redescribed: ChangedNames::of(redescribed.copied()),
            added: ChangedNames::of(added.iter().copied()),
            removed: ChangedNames::of(removed.iter().copied()),
            severity: changes.iter().map(|change| change.severity).max(),
            details: changes.iter().take(MAX_DETAILS).map(short).collect(),
        }
    }

    pub const fn names_any(&self) -> bool {
        self.added.count + self.removed.count + self.redescribed.count > 0
    }
}

/// By id: the display name and all other texts.
type Skills<'a> = BTreeMap<&'a str, Vec<&'a str>>;

fn skills(facts: &Facts) -> Skills<'_> {
    let mut skills = Skills::new();
    for skill in &facts.skills {
        let texts = [&skill.name, &skill.description].into_iter().chain(&skill.tags);
        skills.insert(&skill.id, texts.map(String::as_str).collect());
    }
    skills
}

fn display_name<'a>(texts: &[&'a str]) -> &'a str {
    texts.first().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests;
