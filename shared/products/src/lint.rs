//! Finds faults in names and descriptions, because a model chooses a tool by its name and description. It
//! also rewrites the descriptions with what the schemas, the tags and similar tools say. What none of them says, the
//! owner must add: a rewrite makes no claims of its own.

use std::collections::BTreeMap;

use super::ability::{Ability, Effect, MAX_ANALYZED, likeness, nearest};
use super::arguments::{self, Argument};
use super::text::{capital, code, plain, prose};
use super::words::{commands, is_verb, subject, words};
use registry_model::{Kind, ParameterType};

/// A shorter description does not tell a model enough to choose the tool, unless it states the result.
const MIN_DESCRIPTION_CHARS: usize = 40;
/// Clients cut longer descriptions.
pub(super) const MAX_DESCRIPTION_CHARS: usize = 1024;
/// The limit of the MCP specification.
const MAX_MCP_NAME_CHARS: usize = 128;
/// The APIs of models reject longer tool names.
pub(super) const MAX_MODEL_NAME_CHARS: usize = 64;
/// Arguments that a rewrite names; the schema contains all of them.
const MAX_NAMED: usize = 6;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) id: String,
    pub(super) faults: Vec<String>,
    /// A valid name, if the ability's own name is not valid.
    pub(super) name: Option<String>,
    /// A better description; `None` if only the owner can improve it.
    pub(super) rewrite: Option<String>,
    /// What only the owner knows, such as "what it returns".
    pub(super) unknown: Vec<String>,
}

impl Finding {
    /// The rewrite, and what the owner must add to it.
    pub(super) fn advice(&self) -> Vec<String> {
        let rewrite =
            self.rewrite.as_ref().map(|text| format!("Better: {}", code(text, MAX_DESCRIPTION_CHARS)));
        let missing = prose(&self.unknown.join("; "), 300);
        let missing = (!missing.is_empty()).then(|| format!("Add {missing}."));
        rewrite.into_iter().chain(missing).collect()
    }
}

/// The abilities with faults, among the first [`MAX_ANALYZED`].
pub(super) fn of(abilities: &[Ability], kind: Kind) -> Vec<Finding> {
    let abilities = abilities.get(..MAX_ANALYZED).unwrap_or(abilities);
    let mut described: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut spelled: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for ability in abilities {
        if !ability.description.is_empty() {
            described.entry(ability.description.to_lowercase()).or_default().push(&ability.id);
        }
        spelled.entry(ability.words.concat()).or_default().push(&ability.id);
    }
    let duplicate = |of: Option<&Vec<&str>>, id: &str| {
        of.and_then(|ids| ids.iter().find(|other| **other != id)).map(|other| (*other).to_owned())
    };
    let found = abilities.iter().enumerate().filter_map(|(index, ability)| {
        let same_words = duplicate(described.get(&ability.description.to_lowercase()), &ability.id);
        let same_name = duplicate(spelled.get(&ability.words.concat()), &ability.id);
        let name = (kind == Kind::Mcp).then(|| name_fault(&ability.id)).flatten();
        check_ability(index, abilities, name, Duplicates { same_words, same_name })
    });
    found.collect()
}

/// Other abilities with the same description, or with a name that differs only in spelling.
struct Duplicates {
    same_words: Option<String>,
    same_name: Option<String>,
}

fn check_ability(
    index: usize,
    abilities: &[Ability],
    name_fault: Option<&'static str>,
    Duplicates { same_words, same_name }: Duplicates,
) -> Option<Finding> {
    let ability = abilities.get(index)?;
    let text = ability.description.replace('\n', " ");
    let length = text.chars().count();
    let mut faults = Vec::new();
    faults.extend(name_fault.map(str::to_owned));
    if let Some(other) = &same_name {
        faults.push(format!("its name differs from {other} only in spelling"));
    }
    let repeats = subject(&text).is_subset(&subject(&format!("{} {}", ability.id, ability.title)));
    let short = length < MIN_DESCRIPTION_CHARS && !states_result(&text);
    match length {
        0 => faults.push("no description".to_owned()),
        _ if repeats => faults.push("the description only repeats the name".to_owned()),
        _ if short => faults.push(format!("the description is short: {length} characters")),
        MAX_DESCRIPTION_CHARS.. => {
            faults.push(format!("the description has {length} characters; clients shorten it"))
        }
        _ => {}
    }
    if let Some(other) = &same_words {
        faults.push(format!("the same description as {other}"));
    }
    let lacks_verb = length > 0 && !words(&text).iter().any(|word| is_verb(word));
    if lacks_verb {
        faults.push("has no verb that says what it does".to_owned());
    }
    let near = nearest(index, abilities)
        .filter(|(other, shared)| likeness(ability, other) >= 3 && !shared.is_empty());
    let lacks_result = (1..MAX_DESCRIPTION_CHARS).contains(&length)
        && !matches!(ability.effect(), Effect::ReadOnly | Effect::Unknown)
        && !states_result(&text);
    if lacks_result {
        faults.push("does not say what it returns".to_owned());
    }
    // Without a similar ability, what it does also says when to use it, and each further sentence costs tokens.
    let lacks_when = length > 0 && near.is_some() && !states_when(&text);
    if lacks_when {
        faults.push("does not say when to use it".to_owned());
    }
    let confusable = near.filter(|(other, _)| likeness(ability, other) >= 4);
    let unmentioned = confusable.as_ref().filter(|(other, _)| same_words.as_ref() != Some(&other.id));
    if let Some((other, shared)) = unmentioned.filter(|(other, _)| !text.contains(&other.id)) {
        faults.push(format!("easy to confuse with {} (both mention {})", other.id, shared.join(", ")));
    }
    let undescribed: Vec<&str> = match ability.has_definition {
        true => ability
            .arguments
            .iter()
            .filter(|one| one.required && one.description.is_empty() && one.choices.is_empty())
            .map(|one| one.name.as_str())
            .collect(),
        false => Vec::new(),
    };
    if !undescribed.is_empty() {
        faults.push(format!("the schema does not describe {}", undescribed.join(", ")));
    }
    if faults.is_empty() {
        return None;
    }
    let other = confusable.map(|(other, _)| other.id.clone()).or(same_words).or(same_name);
    let other = other.and_then(|id| abilities.iter().find(|ability| ability.id == id));
    let poor = repeats || short;
    let lacks =
        Lacks { verb: lacks_verb, result: lacks_result || poor, when: lacks_when || repeats, words: poor };
    let (rewrite, mut unknown) = rewrite(ability, &text, &lacks, other);
    if !undescribed.is_empty() {
        unknown.push(format!("a description of {} in the input schema", undescribed.join(", ")));
    }
    Some(Finding {
        id: ability.id.clone(),
        faults,
        name: name_fault.map(|_| valid_name(&ability.id)),
        rewrite,
        unknown,
    })
}

struct Lacks {
    verb: bool,
    result: bool,
    when: bool,
    /// It is short, or it only repeats the name.
    words: bool,
}

/// The description with what it lacks: what it does, its arguments, its result, when to use it, and the difference to
/// a similar ability. Also what none of the sources says.
fn rewrite(
    ability: &Ability,
    text: &str,
    lacks: &Lacks,
    other: Option<&Ability>,
) -> (Option<String>, Vec<String>) {
    let mut unknown = Vec::new();
    let title = readable_name(&ability.title, &ability.id);
    let does = commands(&words(&title));
    let own = with_full_stop(&plain(text, MAX_DESCRIPTION_CHARS - 400));
    let says_nothing = subject(text).is_subset(&subject(&title));
    let opening = match does && (lacks.verb || says_nothing) {
        true if says_nothing => format!("{}.", capital(&title)),
        true => format!("{}: {own}", capital(&title)),
        false if text.is_empty() => String::new(),
        false => own,
    };
    if !does && (lacks.verb || text.is_empty()) {
        unknown.push("what it does, beginning with a verb".to_owned());
    }
    let arguments = takes(ability, text);
    let mut added: Vec<String> = Vec::new();
    if lacks.result {
        let result = named(&arguments::of_schema(&ability.output_schema).iter().collect::<Vec<_>>());
        match result.is_empty() {
            true => unknown.push("what it returns".to_owned()),
            false => added.push(format!("Returns {result}.")),
        }
    }
    let known = words(&title);
    let tags = ability.tags.iter().map(String::as_str).filter(|tag| words(tag) != known);
    let tags: Vec<&str> = tags.take(4).collect();
    let differs = other.map(|other| difference(ability, other));
    match (lacks.when, tags.is_empty()) {
        (true, false) => added.push(format!("Use it for requests about {}.", tags.join(", "))),
        (true, true) if differs.is_none() => unknown.push("when to use it".to_owned()),
        _ => {}
    }
    match differs {
        Some(Ok(difference)) => added.push(difference),
        Some(Err(missing)) => unknown.push(missing),
        None => {}
    }
    // Without a correction of a fault, a list of the arguments only repeats the schema.
    let changed = !added.is_empty()
        || lacks.words && arguments.is_some()
        || opening != with_full_stop(text) && !says_nothing;
    let whole = [opening]
        .into_iter()
        .chain(arguments)
        .chain(added)
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>();
    (changed.then(|| plain(&whole.join(" "), MAX_DESCRIPTION_CHARS)), unknown)
}

/// The arguments that the description does not mention.
fn takes(ability: &Ability, text: &str) -> Option<String> {
    let text = words(text);
    let is_new = |argument: &&Argument| !words(&argument.name).iter().all(|word| text.contains(word));
    let (required, optional): (Vec<_>, Vec<_>) =
        ability.arguments.iter().filter(is_new).partition(|argument| argument.required);
    let sentence = |start: &str, arguments: &[&Argument]| {
        (!arguments.is_empty()).then(|| format!("{start} {}.", named(arguments)))
    };
    let sentences = sentence("Needs", &required).into_iter().chain(sentence("Optional:", &optional));
    Some(sentences.collect::<Vec<_>>().join(" ")).filter(|text| !text.is_empty())
}

/// Arguments with what the schema says about them.
fn named(arguments: &[&Argument]) -> String {
    let one = |argument: &&Argument| {
        let choices: Vec<String> = argument.choices.iter().map(spoken).collect();
        let meaning = match (argument.description.as_str(), choices.is_empty()) {
            ("", false) => choices.join(" or "),
            ("", true) if argument.value == ParameterType::Any => String::new(),
            ("", true) => argument.value.as_str().to_owned(),
            (description, _) => plain(description, 100).trim_end_matches('.').to_owned(),
        };
        let default = argument.default.as_ref().map(|value| format!("default {}", spoken(value)));
        let notes: Vec<String> =
            [meaning].into_iter().filter(|text| !text.is_empty()).chain(default).collect();
        let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
        format!("`{}`{notes}", argument.name)
    };
    let mut shown: Vec<String> = arguments.iter().take(MAX_NAMED).map(one).collect();
    if arguments.len() > MAX_NAMED {
        shown.push(format!("{} more", arguments.len() - MAX_NAMED));
    }
    let last = shown.pop().unwrap_or_default();
    if shown.is_empty() { last } else { format!("{} and {last}", shown.join(", ")) }
}

fn spoken(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// How a similar ability differs, by its required arguments or by its description; else what the owner must add.
fn difference(ability: &Ability, other: &Ability) -> Result<String, String> {
    let needs = |one: &Ability, other: &Ability| -> Vec<String> {
        let is_new = |argument: &&Argument| {
            argument.required && other.arguments.iter().all(|theirs| theirs.name != argument.name)
        };
        one.arguments.iter().filter(is_new).map(|argument| format!("`{}`", argument.name)).collect()
    };
    let both = ability.has_schema && other.has_schema;
    let (own, theirs) = (needs(ability, other).join(", "), needs(other, ability).join(", "));
    match (both && !own.is_empty(), both && !theirs.is_empty()) {
        (_, true) => Ok(format!("`{}` needs {theirs} instead.", other.id)),
        (true, false) => Ok(format!("`{}` has no {own}.", other.id)),
        _ => {
            let purpose = plain(&other.purpose(), 160);
            let says_more = !other.description.is_empty() && purpose != ability.purpose();
            match says_more {
                true => {
                    Ok(format!("For the following, use `{}` instead: {}", other.id, with_full_stop(&purpose)))
                }
                false => Err(format!("how it differs from {}", other.id)),
            }
        }
    }
}

fn readable_name(title: &str, id: &str) -> String {
    plain(&if title.is_empty() { words(id).join(" ") } else { title.to_owned() }, 80)
}

fn with_full_stop(text: &str) -> String {
    if text.ends_with(['.', '!', '?', '…']) { text.to_owned() } else { format!("{text}.") }
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
    if name.is_empty() || length > MAX_MCP_NAME_CHARS || !name.chars().all(|c| plain(c) || c == '.') {
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
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn ability(id: &str, description: &str) -> Ability {
        Ability::new(id.to_owned(), words(id).join(" "), description.to_owned(), Vec::new())
    }

    fn faults(id: &str, description: &str) -> String {
        of(&[ability(id, description)], Kind::Mcp)
            .into_iter()
            .flat_map(|finding| finding.faults)
            .collect::<Vec<_>>()
            .join("; ")
    }

    #[test]
    fn linter_finds_each_fault_and_accepts_a_good_description() {
        assert_eq!(
            faults(
                "get_tide",
                "Returns the tide at a harbour for one day. Use it when a request names a harbour."
            ),
            ""
        );
        assert_eq!(faults("get_tide", ""), "no description");
        assert!(faults("get_tide", "Get tide").contains("only repeats the name"));
        assert!(faults("get_tide", "Computes heights of water").contains("25 characters"));
        assert!(faults("tide", "Harbour heights in metres above chart datum for a day").contains("no verb"));
        assert!(faults("get tide!", "x").contains("the rule of MCP"));
        assert!(faults("get.tide", "x").contains("the APIs of models"));
        assert!(faults("get_tide", &"word ".repeat(300)).contains("clients shorten it"));
    }

    #[test]
    fn linter_finds_tools_that_are_easy_to_confuse() {
        let same = "Lists the open issues of a repository. Use it when a request names one.";
        let found = of(
            &[ability("list_issues", same), ability("my_issues", same), ability("listIssues", "")],
            Kind::Mcp,
        );
        assert!(found[1].faults[0].contains("same description as list_issues"), "{found:?}");
        assert!(found[2].faults[0].contains("differs from list_issues only in spelling"), "{found:?}");
        assert_eq!(found[1].unknown, ["how it differs from list_issues"], "{found:?}");
    }

    fn with_schemas(ability: Ability, input: &Value, output: &Value) -> Ability {
        let arguments = arguments::of_schema(input);
        Ability { arguments, has_schema: true, output_schema: output.clone(), ..ability }
    }

    #[test]
    fn rewritten_description_contains_only_known_facts() {
        let found = of(&[ability("search_papers", "")], Kind::Mcp);
        assert_eq!(found[0].rewrite, None);
        assert_eq!(found[0].unknown, ["what it returns", "when to use it"]);
        assert_eq!(found[0].advice(), ["Add what it returns; when to use it."]);
        let found =
            of(&[ability("tide", "Harbour heights in metres above chart datum for a day")], Kind::Mcp);
        assert_eq!(
            (&found[0].rewrite, &found[0].unknown[..]),
            (&None, &["what it does, beginning with a verb".to_owned()][..])
        );
        let tagged =
            Ability::new("tide".to_owned(), "Tide".to_owned(), String::new(), vec!["harbour".to_owned()]);
        let found = of(&[tagged], Kind::Agent);
        assert_eq!(found[0].rewrite.as_deref(), Some("Use it for requests about harbour."));
    }

    #[test]
    fn rewritten_description_names_arguments_and_results_of_the_schemas() {
        let search = json!({ "type": "object", "required": ["query"], "properties": {
            "query": { "type": "string", "description": "Words of the title." },
            "sort": { "enum": ["date", "relevance"] }, "limit": { "type": "integer", "default": 10 } } });
        let papers = json!({ "type": "object", "properties": {
            "papers": { "type": "array", "description": "Title and id of each paper." } } });
        let read =
            json!({ "type": "object", "required": ["id"], "properties": { "id": { "type": "string" } } });
        let tools = [
            with_schemas(ability("search_papers", ""), &search, &papers),
            with_schemas(ability("read_paper", "Reads a paper by its id"), &read, &Value::Null),
        ];
        let found = of(&tools, Kind::Mcp);
        assert_eq!(
            found[0].rewrite.as_deref(),
            Some(
                "Search papers. Needs `query` (Words of the title). Optional: `sort` (date or relevance) and `limit` \
                 (integer; default 10). Returns `papers` (Title and id of each paper)."
            )
        );
        // The description already mentions its argument.
        assert_eq!(found[1].rewrite, None);
    }

    #[test]
    fn rewritten_description_names_the_difference_to_a_similar_tool() {
        let issues = |id: &str, argument: &str| {
            let input = json!({ "required": [argument], "properties": { argument: { "type": "string" } } });
            with_schemas(ability(id, "Lists the open issues"), &input, &Value::Null)
        };
        let found = of(&[issues("list_issues", "repository"), issues("my_issues", "user")], Kind::Mcp);
        assert_eq!(
            found[0].rewrite.as_deref(),
            Some("Lists the open issues. Needs `repository` (string). `my_issues` needs `user` instead.")
        );
    }

    #[test]
    fn invalid_names_become_valid() {
        assert_eq!(valid_name("get.tide/now v2"), "get_tide_now_v2");
    }
}
