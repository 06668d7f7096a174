//! Goals as callers send them: a list, or one text with a goal in each line, as a query or a model would write it.

use schemars::JsonSchema;
use serde::Deserialize;

use registry_domain::funnel;
use registry_formats::argument_schema;
use registry_model::error::Problem;
use registry_products::Preset;

/// Goals, not yet looked at.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Goals {
    /// None.
    #[default]
    None,
    /// One in each line.
    #[schemars(extend("format" = "goals"))]
    Lines(String),
    /// One each.
    List(
        #[schemars(length(max = 12), inner(regex(pattern = argument_schema::LINE_OR_BLANK), length(max = 300)))]
         Vec<String>,
    ),
}

impl Goals {
    /// The goals as they are kept.
    pub(super) fn parse(self) -> Result<Vec<String>, Problem> {
        let goals = match self {
            Self::None => Vec::new(),
            Self::Lines(text) => text.lines().map(str::to_owned).collect(),
            Self::List(goals) => {
                funnel::few_goals(goals.len())?;
                goals
            }
        };
        let said: Vec<String> = goals.into_iter().filter(|goal| !goal.trim().is_empty()).collect();
        funnel::goals(&said)
    }

    /// The goals, and the preset beside them. A preset may also stand in their place.
    pub(super) fn with_preset(
        self,
        preset: Option<Preset>,
    ) -> Result<(Vec<String>, Option<Preset>), Problem> {
        let goals = self.parse()?;
        let named = match goals.as_slice() {
            [goal] => goal.parse::<Preset>().ok(),
            _ => None,
        };
        Ok(if named.is_some() { (Vec::new(), named) } else { (goals, preset) })
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
