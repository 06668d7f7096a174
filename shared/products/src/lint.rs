//! Finds faults in names and descriptions, because a model chooses a tool by its name and description.

use super::words::{commands, is_verb, subject, subject_words, words};
use crate::prelude::*;
use registry_formats::injection::WITHHELD;
use registry_model::protocol::MAX_TOOL_NAME_CHARS;

/// Further abilities are not checked.
pub(super) const MAX_CHECKED: usize = 100;
/// A shorter description does not tell a model enough to choose the tool, unless it states the result.
const MIN_DESCRIPTION_CHARS: usize = 40;
/// Clients cut longer descriptions.
const MAX_DESCRIPTION_CHARS: usize = 1024;
/// The APIs of models reject longer tool names.
const MAX_MODEL_NAME_CHARS: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) id: String,
    pub(super) faults: Vec<String>,
}

/// The abilities with faults, among the first [`MAX_CHECKED`].
pub(super) fn findings(abilities: &[Ability], kind: Kind) -> Vec<Finding> {
    let abilities = abilities.get(..MAX_CHECKED).unwrap_or(abilities);
    let found = abilities
        .iter()
        .map(|ability| Finding { id: ability.id.clone(), faults: faults(ability, abilities, kind) });
    found.filter(|finding| !finding.faults.is_empty()).collect()
}

fn faults(ability: &Ability, abilities: &[Ability], kind: Kind) -> Vec<String> {
    let text = ability.description.replace('\n', " ");
    let length = text.chars().count();
    let (is_described, returns) = (length > 0, states_result(&text));
    let repeats = subject(&text).is_subset(&subject(&format!("{} {}", ability.id, ability.title)));
    let mut others = abilities.iter().filter(|other| other.id != ability.id);
    let same_name = others.clone().find(|other| other.words.concat() == ability.words.concat());
    let same_text =
        others.find(|other| is_described && other.description.eq_ignore_ascii_case(&ability.description));
    let near = nearest(ability, abilities);
    let confusable = near.as_ref().filter(|(other, likeness, _)| {
        *likeness >= 4 && same_text.is_none_or(|same| same.id != other.id) && !text.contains(&other.id)
    });
    let changes = !matches!(ability.effect, Effect::ReadOnly | Effect::Unknown);
    let undescribed = ability
        .arguments
        .iter()
        .filter(|one| one.required && one.description.is_empty() && one.example.is_none());
    let undescribed: Vec<&str> = undescribed.map(|one| one.name.as_str()).collect();
    let rules = [
        name_fault(&ability.id).filter(|_| kind == Kind::Mcp).map(str::to_owned),
        same_name.map(|other| format!("its name differs from {} only in spelling", other.id)),
        (!is_described).then(|| "no description".to_owned()),
        (ability.description == WITHHELD)
            .then(|| "withheld: it looks like an instruction to a model".to_owned()),
        (is_described && repeats).then(|| "the description only repeats the name".to_owned()),
        (is_described && !repeats && length < MIN_DESCRIPTION_CHARS && !returns)
            .then(|| format!("the description is short: {length} characters")),
        (length >= MAX_DESCRIPTION_CHARS)
            .then(|| format!("the description has {length} characters; clients shorten it")),
        same_text.map(|other| format!("the same description as {}", other.id)),
        (is_described && !words(&text).iter().any(|word| is_verb(word)))
            .then(|| "has no common verb that says what it does".to_owned()),
        (is_described && length < MAX_DESCRIPTION_CHARS && changes && !returns)
            .then(|| "does not say what it returns".to_owned()),
        // Without a similar ability, what it does also says when to use it, and each further sentence costs tokens.
        (is_described && near.is_some() && !states_when(&text))
            .then(|| "does not say when to use it".to_owned()),
        confusable
            .map(|(other, _, shared)| format!("easy to confuse with {} (both mention {shared})", other.id)),
        (!undescribed.is_empty()).then(|| format!("the schema does not describe {}", undescribed.join(", "))),
    ];
    rules.into_iter().flatten().collect()
}

/// The ability with the most similar subject, how similar it is (3 to 6), and the words that both have.
fn nearest<'a>(own: &Ability, abilities: &'a [Ability]) -> Option<(&'a Ability, usize, String)> {
    let shared = |other: &Ability| other.subject.intersection(&own.subject).count();
    let other = abilities
        .iter()
        .filter(|other| other.id != own.id && !differs_in_command(own, other))
        .max_by(|one, other| shared(one).cmp(&shared(other)).then_with(|| other.id.cmp(&one.id)))?;
    let fewer = own.subject.len().min(other.subject.len());
    let likeness = if fewer < 2 { 0 } else { shared(other) * 6 / fewer };
    let both = subject_words(&own.text).into_iter();
    let both = both.filter(|word| subject(word).iter().any(|stem| other.subject.contains(stem)));
    let both: Vec<String> = both.take(4).collect();
    (likeness >= 3).then(|| (other, likeness, both.join(", ")))
}

/// Whether the names are commands with another verb or another object, as in `create_user` and `delete_user`.
fn differs_in_command(own: &Ability, other: &Ability) -> bool {
    let (Some((verb, of)), Some((other_verb, to))) = (own.words.split_first(), other.words.split_first())
    else {
        return false;
    };
    let different = verb != other_verb || subject(&of.join(" ")).is_disjoint(&subject(&to.join(" ")));
    different && commands(&own.words) && commands(&other.words)
}

fn states_result(text: &str) -> bool {
    let text = text.to_lowercase();
    ["return", "result", "respon", "output", "answer", "confirm", "with the id", "gives back"]
        .iter()
        .any(|sign| text.contains(sign))
}

fn states_when(text: &str) -> bool {
    let text = text.to_lowercase();
    let signs = " when |use this|use it|use for|useful for|if you|call this|before |after |whenever";
    text.starts_with("when ") || signs.split('|').any(|sign| text.contains(sign))
}

/// The fault of a name by the rules of MCP, else by those of the APIs of models, which every client uses.
fn name_fault(name: &str) -> Option<&'static str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let length = name.chars().count();
    if name.is_empty() || length > MAX_TOOL_NAME_CHARS || !name.chars().all(|c| plain(c) || c == '.') {
        return Some("the name breaks the rule of MCP (1 to 128 characters of A-Z a-z 0-9 _ - .)");
    }
    let accepted = length <= MAX_MODEL_NAME_CHARS && name.chars().all(plain);
    (!accepted).then_some(
        "MCP allows the name, but the APIs of models accept only 1 to 64 characters of A-Z a-z \
            0-9 _ -",
    )
}

pub(super) fn valid_name(name: &str) -> String {
    if name_fault(name).is_none() {
        return name.to_owned();
    }
    let ascii = |word: String| word.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    let parts: Vec<String> = words(name).into_iter().map(ascii).filter(|word| !word.is_empty()).collect();
    let cut: String = parts.join("_").chars().take(MAX_MODEL_NAME_CHARS).collect();
    let cut = cut.trim_end_matches('_');
    if cut.is_empty() { "tool".to_owned() } else { cut.to_owned() }
}

#[cfg(test)]
mod tests;
