//! What changed in the tools or skills of a listing between two looks: by name, because a hash says only that something
//! did. Whoever wired a server into their own work reads here what to test again.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Facts, Moment};

/// Names of each sort that are kept; the others are counted.
const MOST_NAMES: usize = 20;

/// The latest change of what a listing can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AbilityChange {
    /// When it was seen.
    #[schemars(with = "String")]
    pub at: Moment,
    /// The look before, which saw the earlier ones.
    #[schemars(with = "String")]
    pub since: Moment,
    /// Tools or skills that were not there before.
    pub added: ChangedNames,
    /// Those that are gone.
    pub removed: ChangedNames,
    /// Those whose description or tags are others.
    pub redescribed: ChangedNames,
}

/// Names of tools or skills.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedNames {
    /// How many.
    pub count: usize,
    /// The first of them.
    pub names: Vec<String>,
}

impl ChangedNames {
    fn of<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut kept: Vec<&str> = names.collect();
        kept.sort_unstable();
        Self { count: kept.len(), names: kept.into_iter().take(MOST_NAMES).map(str::to_owned).collect() }
    }

    /// How many of them are not named.
    #[must_use]
    pub fn unnamed(&self) -> usize {
        self.count.saturating_sub(self.names.len())
    }
}

impl AbilityChange {
    /// What `now` says otherwise than `before`. Tools are compared with tools and skills with skills; a change of what
    /// is not kept of them, such as the schema of a tool, names nothing.
    #[must_use]
    pub fn between(before: (&Facts, Moment), now: (&Facts, Moment)) -> Self {
        let (old, new) = (abilities(before.0), abilities(now.0));
        let only = |one: &Abilities<'_>, other: &Abilities<'_>| {
            ChangedNames::of(
                one.iter().filter(|(id, _)| !other.contains_key(*id)).map(|(_, (name, _))| *name),
            )
        };
        let redescribed =
            new.iter().filter(|(id, (_, says))| old.get(*id).is_some_and(|(_, said)| said != says));
        Self {
            at: now.1,
            since: before.1,
            added: only(&new, &old),
            removed: only(&old, &new),
            redescribed: ChangedNames::of(redescribed.map(|(_, (name, _))| *name)),
        }
    }

    /// Whether it names anything.
    #[must_use]
    pub const fn names_any(&self) -> bool {
        self.added.count + self.removed.count + self.redescribed.count > 0
    }
}

/// Tools and skills by what tells them apart: what they are called, and what they say.
type Abilities<'a> = BTreeMap<(bool, &'a str), (&'a str, Vec<&'a str>)>;

fn abilities(facts: &Facts) -> Abilities<'_> {
    let tools = facts
        .tools
        .iter()
        .map(|tool| ((true, tool.name.as_str()), (tool.name.as_str(), vec![tool.description.as_str()])));
    let skills = facts.skills.iter().map(|skill| {
        let says = [&skill.name, &skill.description].into_iter().chain(&skill.tags).map(String::as_str);
        ((false, skill.id.as_str()), (skill.name.as_str(), says.collect()))
    });
    tools.chain(skills).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Skill, Tool};

    fn tool(name: &str, description: &str) -> Tool {
        Tool { name: name.to_owned(), description: description.to_owned() }
    }

    #[expect(clippy::needless_pass_by_value, reason = "a test makes what it hands over")]
    fn change(before: Facts, now: Facts) -> AbilityChange {
        let later = Moment::from_second(60).unwrap();
        AbilityChange::between((&before, Moment::UNIX_EPOCH), (&now, later))
    }

    #[test]
    fn tools_are_told_by_name() {
        let facts = |tools: &[(&str, &str)]| Facts {
            tools: tools.iter().map(|(name, says)| tool(name, says)).collect(),
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
        assert!(!self::change(before.clone(), before).names_any(), "their order says nothing");
    }

    #[test]
    fn a_skill_is_told_apart_by_its_id_and_read_by_its_name() {
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
    fn what_is_kept_of_a_change_is_bounded() {
        let tools = (0..90).map(|n| tool(&format!("t{n:02}"), "")).collect();
        let change = change(Facts::default(), Facts { tools, ..Facts::default() });
        assert_eq!(
            (change.added.count, change.added.names.len(), change.added.unnamed()),
            (90, MOST_NAMES, 70)
        );
        assert_eq!(change.added.names[19], "t19");
    }
}
