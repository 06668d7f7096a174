//! The argument `goals`: a list, or a text with a goal on each line, which query strings and language models use.

use schemars::{Schema, SchemaGenerator, json_schema};

use crate::prelude::*;
use registry_formats::argument_text;
use registry_formats::public_text::public_text;
use registry_products::{MAX_GOAL_CHARS, Preset};

const MAX_GOALS: usize = 12;

/// Goals: a list, or one text with a goal on each line.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a text or a list of texts")]
pub enum Goals {
    /// No goals.
    #[default]
    None,
    /// One goal on each line.
    #[schemars(extend("format" = "goals"))]
    Lines(String),
    /// A list of goals.
    List(#[schemars(schema_with = "goals_schema")] Vec<String>),
}

impl Goals {
    /// The goals, trimmed and checked; blank lines are left out.
    pub fn parse(self) -> Result<Vec<String>, Problem> {
        let given = match self {
            Self::None => Vec::new(),
            Self::Lines(text) => text.lines().map(str::to_owned).collect(),
            Self::List(given) => {
                check_goal_count(given.len())?;
                given
            }
        };
        let filled: Vec<String> = given.into_iter().filter(|goal| !goal.trim().is_empty()).collect();
        checked_goals(&filled)
    }

    /// The goals and the preset. The name of a preset may also be sent as the only goal.
    pub fn with_preset(self, preset: Option<Preset>) -> Result<(Vec<String>, Option<Preset>), Problem> {
        let goals = self.parse()?;
        match goals.as_slice() {
            [goal] if Preset::named(goal).is_some() => Ok((Vec::new(), Preset::named(goal))),
            _ => Ok((goals, preset)),
        }
    }
}

/// The goals, each on one line.
pub(super) fn checked_goals(goals: &[String]) -> Result<Vec<String>, Problem> {
    check_goal_count(goals.len())?;
    let checked = |goal: &String| {
        let goal = argument_text::plain_line("goals", goal, MAX_GOAL_CHARS)?;
        // Goals are stored with a seat or a purchase, where an erasure does not search for addresses.
        public_text("goals", &goal, MAX_GOAL_CHARS)
    };
    goals.iter().map(|goal| checked(goal).map_err(Problem::in_entry)).collect()
}

fn check_goal_count(count: usize) -> Result<(), Problem> {
    if count <= MAX_GOALS {
        return Ok(());
    }
    let detail = format!("`goals` accepts at most {MAX_GOALS} goals; send fewer.");
    Err(Problem::invalid("goals", Code::TooMany, detail))
}

/// A list of goals, as [`checked_goals`] accepts them.
pub(super) fn goals_schema(_: &mut SchemaGenerator) -> Schema {
    let goal = json!({ "type": "string", "format": "public-text", "maxLength": MAX_GOAL_CHARS });
    json_schema!({ "type": "array", "items": goal, "maxItems": MAX_GOALS })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn goals_are_an_array_or_the_lines_of_a_text() {
        let parsed = |value| serde_json::from_value::<Goals>(value).unwrap().parse().unwrap();
        assert_eq!(parsed(json!(["a", "b"])), parsed(json!("a\n\n b ")));
        assert!(parsed(json!(null)).is_empty());
    }

    #[test]
    fn preset_is_an_argument_or_the_only_goal() {
        let chosen =
            |value, preset| serde_json::from_value::<Goals>(value).unwrap().with_preset(preset).unwrap();
        let ops = || (Vec::new(), Some(Preset::Ops));
        assert_eq!(chosen(json!("ops"), None), ops());
        assert_eq!(chosen(json!(["ops"]), Some(Preset::Coder)), ops());
        assert_eq!(
            chosen(json!(["sleep"]), Some(Preset::Ops)),
            (vec!["sleep".to_owned()], Some(Preset::Ops))
        );
        assert_eq!(chosen(json!(null), None), (Vec::new(), None));
    }
}
