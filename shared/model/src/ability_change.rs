//! Lists by name which tools or skills of a listing changed between two probes. A hash shows only that
//! something changed. The names show the users of a server what to test again.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Facts, Moment};

/// Names of each group that are listed; the others are only counted.
const MAX_NAMES: usize = 20;

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
    /// Tools or skills with a changed name, description or tags.
    pub redescribed: ChangedNames,
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
    /// Compares tools with tools and skills with skills. A change of something that is not stored, such as the input
    /// schema of a tool, is not found.
    pub fn between(before: (&Facts, Moment), now: (&Facts, Moment)) -> Self {
        let (old, new) = (abilities(before.0), abilities(now.0));
        let only = |one: &Abilities<'_>, other: &Abilities<'_>| {
            ChangedNames::of(
                one.iter().filter(|(id, _)| !other.contains_key(*id)).map(|(_, (name, _))| *name),
            )
        };
        let redescribed =
            new.iter().filter(|(id, (_, texts))| old.get(*id).is_some_and(|(_, before)| before != texts));
        Self {
            at: now.1,
            since: before.1,
            added: only(&new, &old),
            removed: only(&old, &new),
            redescribed: ChangedNames::of(redescribed.map(|(_, (name, _))| *name)),
        }
    }

    pub const fn names_any(&self) -> bool {
        self.added.count + self.removed.count + self.redescribed.count > 0
    }
}

/// By kind (tool or not) and id: the display name and all texts.
type Abilities<'a> = BTreeMap<(bool, &'a str), (&'a str, Vec<&'a str>)>;

fn abilities(facts: &Facts) -> Abilities<'_> {
    let tools = facts
        .tools
        .iter()
        .map(|tool| ((true, tool.name.as_str()), (tool.name.as_str(), vec![tool.description.as_str()])));
    let skills = facts.skills.iter().map(|skill| {
        let texts = [&skill.name, &skill.description].into_iter().chain(&skill.tags).map(String::as_str);
        ((false, skill.id.as_str()), (skill.name.as_str(), texts.collect()))
    });
    tools.chain(skills).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Skill, Tool};

    fn tool(name: &str, description: &str) -> Tool {
        Tool { name: name.to_owned(), description: description.to_owned(), ..Tool::default() }
    }

    #[expect(clippy::needless_pass_by_value, reason = "shorter calls in tests")]
    fn change(before: Facts, now: Facts) -> AbilityChange {
        let later = Moment::from_second(60).unwrap();
        AbilityChange::between((&before, Moment::UNIX_EPOCH), (&now, later))
    }

    #[test]
    fn tools_are_compared_by_name() {
        let facts = |tools: &[(&str, &str)]| Facts {
            tools: tools.iter().map(|(name, description)| tool(name, description)).collect(),
            ..Facts::default()
        };
        let before = facts(&[("add", "Adds."), ("sub", "Subtracts."), ("mul", "Multiplies.")]);
        let now = facts(&[
            ("mul", "Multiplies."),
            ("add", "Adds two numbers."),
            ("pow", "Raises."),
            ("div", "Divides."),
        ]);
        let change = change(before.clone(), now);
        assert_eq!(change.added.names, ["div", "pow"]);
        assert_eq!(
            (change.removed.names, change.redescribed.names),
            (vec!["sub".to_owned()], vec!["add".to_owned()])
        );
        assert_eq!(change.at.duration_since(change.since).as_secs(), 60);
        assert!(!self::change(before.clone(), before).names_any(), "their order does not matter");
    }

    #[test]
    fn skills_are_compared_by_id_and_listed_by_name() {
        let skill = |id: &str, name: &str, tag: &str| Skill {
            id: id.to_owned(),
            name: name.to_owned(),
            tags: vec![tag.to_owned()],
            ..Skill::default()
        };
        let facts = |skills: Vec<Skill>| Facts { skills, ..Facts::default() };
        let change = change(
            facts(vec![skill("a", "Old name", "x"), skill("b", "Tagged", "x"), skill("c", "Gone", "x")]),
            facts(vec![skill("a", "New name", "x"), skill("b", "Tagged", "y"), skill("d", "Come", "x")]),
        );
        assert_eq!(change.redescribed.names, ["New name", "Tagged"]);
        assert_eq!(
            (change.added.names, change.removed.names),
            (vec!["Come".to_owned()], vec!["Gone".to_owned()])
        );
    }

    #[test]
    fn number_of_names_in_a_change_is_bounded() {
        let tools = (0..90).map(|n| tool(&format!("t{n:02}"), "")).collect();
        let change = change(Facts::default(), Facts { tools, ..Facts::default() });
        assert_eq!(
            (change.added.count, change.added.names.len(), change.added.unnamed()),
            (90, MAX_NAMES, 70)
        );
        assert_eq!(change.added.names[19], "t19");
    }
}
