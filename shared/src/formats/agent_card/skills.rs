//! The skills of an agent card, as far as they can be read; a poor skill is better than none.
//! An empty list is no fault: working agents of well-known frameworks have one. No list at all is one.

use serde_json::{Map, Value};

use super::violation::CardViolations;
use crate::error::shorten;
use crate::formats::limits::{LONGEST_DESCRIPTION, LONGEST_NAME, LONGEST_WORD, MOST_SKILLS, MOST_TAGS};
use crate::model::Skill;

/// Reads the skills of a card.
pub(super) fn read(
    card: &Map<String, Value>,
    broken: &mut CardViolations,
    warnings: &mut CardViolations,
) -> Vec<Skill> {
    let listed = match card.get("skills") {
        Some(Value::Array(skills)) if !skills.is_empty() => skills,
        other => {
            // The field is required in every version of the protocol; official clients fail without it.
            let list = if other.is_some_and(Value::is_array) { warnings } else { broken };
            list.note(
                "skills",
                "skills_missing",
                other,
                "List what the agent can do: [{\"id\", \"name\", \"description\", \"tags\"}].",
            );
            return Vec::new();
        }
    };
    if listed.len() > MOST_SKILLS {
        warnings.note(
            "skills",
            "skills_too_many",
            card.get("skills"),
            format!("Only the first {MOST_SKILLS} skills are shown; name the main ones first."),
        );
    }
    listed
        .iter()
        .take(MOST_SKILLS)
        .enumerate()
        .filter_map(|(index, skill)| one(index, skill, warnings))
        .collect()
}

/// One skill; `None` where it has neither id nor name.
fn one(index: usize, skill: &Value, warnings: &mut CardViolations) -> Option<Skill> {
    let (id, name) = match skill {
        Value::String(name) => (Some(name.clone()), Some(name.clone())),
        _ => (text(skill.get("id")), text(skill.get("name"))),
    };
    let missing: Vec<&str> = ["id", "name", "description", "tags"]
        .into_iter()
        .filter(|field| skill.get(field).is_none_or(|value| value.is_null() || value.as_str() == Some("")))
        .collect();
    if !missing.is_empty() {
        warnings.note(
            format!("skills[{index}]"),
            "skill_incomplete",
            Some(skill),
            format!("Add what is missing: {}.", missing.join(", ")),
        );
    }
    let named = id.clone().or_else(|| name.clone())?;
    Some(Skill {
        id: shorten(&named, LONGEST_NAME),
        name: shorten(&name.or(id)?, LONGEST_NAME),
        description: text(skill.get("description"))
            .map(|text| shorten(&text, LONGEST_DESCRIPTION))
            .unwrap_or_default(),
        tags: tags(skill),
    })
}

/// A text, or a number written as one, without the blanks around it.
fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The tags that are texts.
fn tags(skill: &Value) -> Vec<String> {
    skill
        .get("tags")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::trim)
        .filter(|tag| !tag.is_empty())
        .take(MOST_TAGS)
        .map(|tag| shorten(tag, LONGEST_WORD))
        .collect()
}
