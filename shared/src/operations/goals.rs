//! Goals as callers send them: a list, or one text with a goal in each line, as a query or a model would write it.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::{Problem, shorten};
use crate::funnel;
use crate::products::Preset;

/// What a preset is told of what it is for, in characters: its goals must stay lines.
const LONGEST_ABOUT: usize = 80;

/// Goals, not yet looked at.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Goals {
    /// None.
    #[default]
    None,
    /// One in each line.
    Lines(String),
    /// One each.
    List(Vec<String>),
}

impl Goals {
    /// The goals as they are kept.
    pub(super) fn parse(self) -> Result<Vec<String>, Problem> {
        let goals = match self {
            Self::None => Vec::new(),
            Self::Lines(text) => text.lines().map(str::to_owned).collect(),
            Self::List(goals) => goals,
        };
        let said: Vec<String> = goals.into_iter().filter(|goal| !goal.trim().is_empty()).collect();
        funnel::goals(&said)
    }

    /// The goals, and after them those of a preset for what is about this. A preset may also stand in their place.
    pub(super) fn with_preset(self, preset: Option<Preset>, about: &str) -> Result<Vec<String>, Problem> {
        let mut goals = self.parse()?;
        let named = match goals.as_slice() {
            [goal] => goal.parse::<Preset>().ok(),
            _ => None,
        };
        if named.is_some() {
            goals.clear();
        }
        let preset = named.or(preset).map(|preset| preset.goals(&shorten(about, LONGEST_ABOUT)));
        goals.extend(preset.into_iter().flatten());
        Ok(goals)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn goals_come_as_a_list_or_as_lines() {
        let parsed = |value| serde_json::from_value::<Goals>(value).unwrap().parse().unwrap();
        assert_eq!(parsed(json!(["a", "b"])), parsed(json!("a\n\n b ")));
        assert!(parsed(json!(null)).is_empty());
    }

    #[test]
    fn a_preset_stands_beside_goals_or_in_their_place() {
        let chosen = |value, preset| {
            serde_json::from_value::<Goals>(value).unwrap().with_preset(preset, "tides").unwrap()
        };
        let ops = Preset::Ops.goals("tides");
        assert_eq!(chosen(json!("ops"), None), ops);
        assert_eq!(chosen(json!(["ops"]), Some(Preset::Coder)), ops);
        assert_eq!(
            chosen(json!(["sleep"]), Some(Preset::Ops)),
            [&["sleep".to_owned()], ops.as_slice()].concat()
        );
        assert!(chosen(json!(null), None).is_empty());
    }
}
