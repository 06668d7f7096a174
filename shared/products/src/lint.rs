//! Finds faults in names and descriptions, because a model chooses a tool by its name and description. It
//! also suggests new texts. A new text adds no claims: facts that the old texts do not contain become
//! brackets, which the owner fills in.

use std::collections::BTreeMap;

use super::ability::{Ability, Effect, MAX_ANALYZED, likeness, nearest};
use super::profile::Profile;
use super::text::{capital, plain};
use super::words::{commands, is_verb, sentences, subject, words};
use registry_model::Kind;

/// A shorter description does not tell a model enough to choose the tool.
const MIN_DESCRIPTION_CHARS: usize = 40;
/// Clients cut longer descriptions.
const MAX_DESCRIPTION_CHARS: usize = 1024;
/// The limit of the MCP specification.
const MAX_MCP_NAME_CHARS: usize = 128;
/// The APIs of models reject longer tool names.
pub(super) const MAX_MODEL_NAME_CHARS: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) id: String,
    pub(super) faults: Vec<String>,
    /// A valid name, if the ability's own name is not valid.
    pub(super) name: Option<String>,
    /// A description without these faults.
    pub(super) description: String,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Rules {
    pub(super) called_by_name: bool,
    pub(super) whole: String,
}

impl Rules {
    pub(super) fn of(profile: &Profile) -> Self {
        let whole = sentences(profile.description.as_deref().unwrap_or_default()).into_iter().next();
        let whole = whole.map(|whole| plain(&whole, 140)).unwrap_or_default();
        Self { called_by_name: profile.kind == Kind::Mcp, whole }
    }
}

/// The abilities with faults, among the first [`MAX_ANALYZED`].
pub(super) fn of(abilities: &[Ability], rules: &Rules) -> Vec<Finding> {
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
        let name = rules.called_by_name.then(|| name_fault(&ability.id)).flatten();
        check_ability(index, abilities, rules, name, Duplicates { same_words, same_name })
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
    rules: &Rules,
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
    match length {
        0 => faults.push("no description".to_owned()),
        _ if repeats => faults.push("the description only repeats the name".to_owned()),
        1..MIN_DESCRIPTION_CHARS => faults.push(format!(
            "the description has {length} characters; this is too short to choose the \
                tool by its description"
        )),
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
    if faults.is_empty() {
        return None;
    }
    let other = confusable.map(|(other, _)| other.id.clone()).or(same_words).or(same_name);
    let lacks = Lacks { verb: lacks_verb, result: lacks_result, when: lacks_when || length == 0 };
    let description = rewrite(ability, &text, &lacks, &distinction(ability, abilities, other), rules);
    Some(Finding {
        id: ability.id.clone(),
        faults,
        name: name_fault.map(|_| valid_name(&ability.id)),
        description,
    })
}

struct Lacks {
    verb: bool,
    result: bool,
    when: bool,
}

/// A sentence that tells it apart: abilities that do something else with the same object, and a confusable one.
fn distinction(ability: &Ability, abilities: &[Ability], taken_for: Option<String>) -> String {
    let own = &ability.words;
    let same_thing = abilities.iter().filter(|other| {
        let theirs = &other.words;
        let thing = |words: &[String]| words.last().map(|word| subject(word)).filter(|_| words.len() > 1);
        commands(own)
            && commands(theirs)
            && own.first() != theirs.first()
            && thing(own) == thing(theirs)
            && thing(own).is_some()
    });
    let others: Vec<String> = same_thing
        .filter(|other| Some(&other.id) != taken_for.as_ref())
        .take(3)
        .map(|other| format!("to {} ({})", other.words.first().cloned().unwrap_or_default(), other.id))
        .collect();
    match (others.is_empty(), taken_for) {
        (true, None) => String::new(),
        (true, Some(other)) => format!("Not for what {other} does: [say the difference]."),
        (false, None) => format!("Not {}.", others.join(" or ")),
        (false, Some(other)) => {
            format!("Not {}, nor what {other} does: [say the difference].", others.join(" or "))
        }
    }
}

/// The description with what it lacks: first what it does, then when to use it, then what it is not for.
fn rewrite(ability: &Ability, text: &str, lacks: &Lacks, distinction: &str, rules: &Rules) -> String {
    let title = readable_name(&ability.title, &ability.id);
    let does = commands(&words(&title));
    let mut parts = Vec::new();
    let opening = capital(&title);
    let whole = if rules.whole.is_empty() {
        String::new()
    } else {
        format!(" ({})", rules.whole.trim_end_matches('.'))
    };
    match (text.is_empty(), lacks.verb) {
        (true, _) if does => parts.push(format!("{opening}{whole}. Returns [say what].")),
        (true, _) => parts
            .push(format!("[Say what it does, beginning with a verb] {title}{whole}. Returns [say what].")),
        (false, true) if does && subject(text).is_subset(&subject(&title)) => {
            parts.push(format!("{opening}{whole}. Returns [say what]."));
        }
        (false, true) if does => {
            parts.push(format!("{opening}: {}", with_full_stop(&plain(text, MAX_DESCRIPTION_CHARS - 400))))
        }
        _ => parts.push(with_full_stop(&plain(text, MAX_DESCRIPTION_CHARS - 400))),
    }
    if lacks.result && !parts.iter().any(|part| part.contains("[say what]")) {
        parts.push("Returns [say what].".to_owned());
    }
    if lacks.when {
        let tags: Vec<&str> = ability
            .tags
            .iter()
            .map(String::as_str)
            .filter(|tag| words(tag) != words(&title))
            .take(4)
            .collect();
        // Without tags only the owner knows; repeating the name would add nothing.
        if !tags.is_empty() {
            parts.push(format!("Use it for requests about {}.", tags.join(", ")));
        } else if distinction.is_empty() {
            parts.push("Use it when [say when].".to_owned());
        }
    }
    parts.push(distinction.to_owned());
    parts.retain(|part| !part.is_empty());
    plain(&parts.join(" "), MAX_DESCRIPTION_CHARS)
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
    use super::*;

    const TOOLS: Rules = Rules { called_by_name: true, whole: String::new() };

    fn ability(id: &str, description: &str) -> Ability {
        Ability::new(id.to_owned(), words(id).join(" "), description.to_owned(), Vec::new())
    }

    fn faults(id: &str, description: &str) -> String {
        of(&[ability(id, description)], &TOOLS)
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
        assert!(faults("get_tide", "Returns heights of water").contains("24 characters"));
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
            &TOOLS,
        );
        assert!(found[1].faults[0].contains("same description as list_issues"), "{found:?}");
        assert!(found[2].faults[0].contains("differs from list_issues only in spelling"), "{found:?}");
        assert!(found[1].description.contains("Not for what list"), "{found:?}");
    }

    #[test]
    fn rewritten_description_contains_only_known_facts() {
        let found = of(&[ability("search_papers", "")], &TOOLS);
        assert_eq!(found[0].description, "Search papers. Returns [say what]. Use it when [say when].");
        let found = of(&[ability("tide", "Harbour heights in metres above chart datum for a day")], &TOOLS);
        assert_eq!(found[0].description, "Harbour heights in metres above chart datum for a day.");
        let tagged =
            Ability::new("tide".to_owned(), "Tide".to_owned(), String::new(), vec!["harbour".to_owned()]);
        let found = of(&[tagged], &TOOLS);
        assert!(found[0].description.ends_with("Use it for requests about harbour."), "{found:?}");
        let rules = Rules { whole: "Papers of arXiv".to_owned(), ..TOOLS };
        let found = of(&[ability("search_papers", ""), ability("read_paper", "")], &rules);
        assert_eq!(
            found[1].description,
            "Read paper (Papers of arXiv). Returns [say what]. Not to search (search_papers)."
        );
        assert_eq!(valid_name("get.tide/now v2"), "get_tide_now_v2");
    }
}
