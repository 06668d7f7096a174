//! Goals as callers send them: a list, or one text with a goal in each line, as a query or a model would write it.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::Problem;
use crate::funnel;

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
}
