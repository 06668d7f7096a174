//! Reads the skills of an agent card. A skill that has neither an id nor a name is left out. An empty list is not a
//! fault, because agents of known frameworks send an empty list and still work. A missing list is a fault.

use serde_json::{Map, Value};

use super::fields::{Optional, are_texts, check_optional};
use super::violation::Findings;
use crate::limits::{LONGEST_DESCRIPTION, LONGEST_NAME, MAX_SKILLS, MAX_WORD_CHARS, MOST_TAGS};
use registry_model::Skill;
use registry_model::error::shorten;

const TEXTS: (&str, &str) = ("skill_malformed", "Write a list of texts.");
const OF_SKILL: [Optional; 4] = [
    ("tags", are_texts, TEXTS),
    ("examples", are_texts, TEXTS),
    ("inputModes", are_texts, TEXTS),
    ("outputModes", are_texts, TEXTS),
];

pub(super) fn parse(card: &Map<String, Value>, found: &mut Findings) -> Vec<Skill> {
    let value = card.get("skills");
    let Some(skills) = value.and_then(Value::as_array).filter(|skills| !skills.is_empty()) else {
        // Required in every version of the protocol; official clients fail without it.
        let fix = "List what the agent can do: [{\"id\", \"name\", \"description\", \"tags\"}].";
        let is_list = value.is_some_and(Value::is_array);
        found.warnings_if(is_list).note("skills", ("skills_missing", fix), value);
        return Vec::new();
    };
    if skills.iter().all(Value::is_string) {
        let fix = "Write each skill as an object: {\"id\", \"name\", \"description\", \"tags\"}.";
        found.broken.note("skills", ("skills_malformed", fix), value);
        let names = skills.iter().take(MAX_SKILLS).filter_map(|skill| text(Some(skill)));
        let names = names.map(|name| shorten(&name, LONGEST_NAME));
        return names.map(|name| Skill { id: name.clone(), name, ..Skill::default() }).collect();
    }
    if skills.len() > MAX_SKILLS {
        let fix =
            format!("Only the first {MAX_SKILLS} skills are stored. List the most important skills first.");
        found.warnings.note("skills", ("skills_too_many", fix), value);
    }
    let skills = skills.iter().take(MAX_SKILLS).enumerate();
    skills.filter_map(|(index, skill)| parse_one(index, skill, found)).collect()
}

/// One skill; `None` where it has neither id nor name. Skills without tags occur in working agents.
fn parse_one(index: usize, skill: &Value, found: &mut Findings) -> Option<Skill> {
    let (id, name) = match skill {
        Value::String(name) => (Some(name.clone()), Some(name.clone())),
        _ => (text(skill.get("id")), text(skill.get("name"))),
    };
    let path = format!("skills[{index}]");
    let is_blank = |field: &str| skill[field].as_str().is_some_and(|text| text.trim().is_empty());
    let absent = ["id", "name", "description"].into_iter().filter(|field| !skill[field].is_string());
    let blank = ["id", "name"].into_iter().filter(|field| is_blank(field));
    let missing: Vec<&str> = absent.chain(blank).collect();
    if !missing.is_empty() {
        let fix = format!("Add the missing fields as texts: {}.", missing.join(", "));
        found.broken.note(path.clone(), ("skill_incomplete", fix), Some(skill));
    }
    if skill["tags"].is_null() || is_blank("description") {
        let fix = "Give the skill a description and tags. The search uses these fields.";
        found.warnings.note(path.clone(), ("skill_incomplete", fix), Some(skill));
    }
    if let Some(skill) = skill.as_object() {
        check_optional(skill, &format!("{path}."), &OF_SKILL, &mut found.broken);
    }
    let id_or_name = id.clone().or_else(|| name.clone())?;
    Some(Skill {
        id: shorten(&id_or_name, LONGEST_NAME),
        name: shorten(&name.or(id)?, LONGEST_NAME),
        description: text(skill.get("description"))
            .map(|text| shorten(&text, LONGEST_DESCRIPTION))
            .unwrap_or_default(),
        tags: tags(skill),
    })
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
    let tags = skill["tags"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::trim);
    tags.filter(|tag| !tag.is_empty()).take(MOST_TAGS).map(|tag| shorten(tag, MAX_WORD_CHARS)).collect()
}
