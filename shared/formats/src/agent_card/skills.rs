//! Reads the skills of an agent card. A skill that has neither an id nor a name is left out. An empty list is not a
//! fault, because agents of known frameworks send an empty list and still work. A missing list is a fault.

use serde_json::{Map, Value};

use super::fields;
use super::violation::CardViolations;
use crate::limits::{LONGEST_DESCRIPTION, LONGEST_NAME, MAX_SKILLS, MAX_WORD_CHARS, MOST_TAGS};
use registry_model::Skill;
use registry_model::error::shorten;

pub(super) fn read(
    card: &Map<String, Value>,
    broken: &mut CardViolations,
    warnings: &mut CardViolations,
) -> Vec<Skill> {
    let listed = match card.get("skills") {
        Some(Value::Array(skills)) if !skills.is_empty() => skills,
        other => {
            // Required in every version of the protocol; official clients fail without it.
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
    if listed.iter().all(Value::is_string) {
        broken.note(
            "skills",
            "skills_malformed",
            card.get("skills"),
            "Write each skill as an object: {\"id\", \"name\", \"description\", \"tags\"}.",
        );
        let named = listed.iter().take(MAX_SKILLS).filter_map(|skill| text(Some(skill)));
        return named
            .map(|name| Skill {
                id: shorten(&name, LONGEST_NAME),
                name: shorten(&name, LONGEST_NAME),
                ..Skill::default()
            })
            .collect();
    }
    if listed.len() > MAX_SKILLS {
        warnings.note(
            "skills",
            "skills_too_many",
            card.get("skills"),
            format!("Only the first {MAX_SKILLS} skills are stored. List the most important skills first."),
        );
    }
    listed
        .iter()
        .take(MAX_SKILLS)
        .enumerate()
        .filter_map(|(index, skill)| one(index, skill, broken, warnings))
        .collect()
}

/// One skill; `None` where it has neither id nor name. Skills without tags occur in working agents.
fn one(
    index: usize,
    skill: &Value,
    broken: &mut CardViolations,
    warnings: &mut CardViolations,
) -> Option<Skill> {
    let (id, name) = match skill {
        Value::String(name) => (Some(name.clone()), Some(name.clone())),
        _ => (text(skill.get("id")), text(skill.get("name"))),
    };
    let path = format!("skills[{index}]");
    let mut missing: Vec<&str> =
        ["id", "name", "description"].into_iter().filter(|field| !skill[field].is_string()).collect();
    missing.extend(["id", "name"].into_iter().filter(|field| skill[field].as_str().is_some_and(is_blank)));
    if !missing.is_empty() {
        let fix = format!("Add the missing fields as texts: {}.", missing.join(", "));
        broken.note(path.clone(), "skill_incomplete", Some(skill), fix);
    }
    if skill["tags"].is_null() || skill["description"].as_str().is_some_and(is_blank) {
        let fix = "Give the skill a description and tags. The search uses these fields.";
        warnings.note(path.clone(), "skill_incomplete", Some(skill), fix);
    }
    for field in ["tags", "examples", "inputModes", "outputModes"] {
        let given = skill.get(field).filter(|value| !value.is_null());
        if let Some(value) = given.filter(|value| !fields::are_texts(value)) {
            broken.note(format!("{path}.{field}"), "skill_malformed", Some(value), "Write a list of texts.");
        }
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

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// A trimmed text, or a number as text.
fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

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
        .map(|tag| shorten(tag, MAX_WORD_CHARS))
        .collect()
}
