//! What is wrong with the names and descriptions by which a model chooses a tool, and a rewrite made of what is known.
//! A rewrite adds no ability: what the texts do not say is left as a place that the owner fills.

use std::collections::BTreeMap;

use super::ability::{Ability, MOST_ROWS, nearest};
use super::text::plain;
use super::words::{subject, verb, words};

/// The shortest description that tells a model enough, in characters.
const SHORT: usize = 40;
/// The longest that clients put before a model without cutting, in characters.
const LONG: usize = 1024;
/// The longest name that the protocol allows, in characters.
const LONGEST_NAME: usize = 128;
/// The longest name that the APIs of models take, in characters.
const LONGEST_AT_MODELS: usize = 64;

/// What was found about one tool or skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// Which one.
    pub(super) id: String,
    /// What is wrong, each in a few words.
    pub(super) faults: Vec<String>,
    /// A name that holds to the rule, where its own does not.
    pub(super) name: Option<String>,
    /// A description that mends the faults; equal to its own where there is nothing to mend.
    pub(super) description: String,
}

/// What is wrong with each; those without a fault are left out. Names are looked at where models call by them: those of
/// tools.
pub(super) fn of(abilities: &[Ability], called_by_name: bool) -> Vec<Finding> {
    let mut described: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut spelled: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for ability in abilities {
        if !ability.description.is_empty() {
            described.entry(ability.description.to_lowercase()).or_default().push(&ability.id);
        }
        spelled.entry(words(&ability.id).concat()).or_default().push(&ability.id);
    }
    let twin = |of: Option<&Vec<&str>>, id: &str| {
        of.and_then(|ids| ids.iter().find(|other| **other != id)).map(|other| (*other).to_owned())
    };
    let found = abilities.iter().enumerate().map(|(index, ability)| {
        let same_words = twin(described.get(&ability.description.to_lowercase()), &ability.id);
        let same_name = twin(spelled.get(&words(&ability.id).concat()), &ability.id);
        let name = called_by_name.then(|| name_fault(&ability.id)).flatten();
        one(index, ability, abilities, name, Twins { same_words, same_name })
    });
    found.filter(|finding| !finding.faults.is_empty()).collect()
}

/// Others that go by the same words or the same name.
struct Twins {
    same_words: Option<String>,
    same_name: Option<String>,
}

fn one(
    index: usize,
    ability: &Ability,
    abilities: &[Ability],
    name_fault: Option<&'static str>,
    Twins { same_words, same_name }: Twins,
) -> Finding {
    let said = ability.description.replace('\n', " ");
    let length = said.chars().count();
    let mut faults = Vec::new();
    faults.extend(name_fault.map(str::to_owned));
    if let Some(other) = &same_name {
        faults.push(format!("its name differs from {other} in spelling alone"));
    }
    let repeats = subject(&said).is_subset(&subject(&format!("{} {}", ability.id, ability.title)));
    match length {
        0 => faults.push("no description".to_owned()),
        _ if repeats => faults.push("the description only repeats the name".to_owned()),
        1..SHORT => faults.push(format!("the description has {length} characters, too few to choose by")),
        LONG.. => faults.push(format!("the description has {length} characters; clients cut it")),
        _ => {}
    }
    if let Some(other) = &same_words {
        faults.push(format!("the same description as {other}"));
    }
    let verbless = length > 0 && verb(&words(&said)).is_none();
    if verbless {
        faults.push("no verb says what it does".to_owned());
    }
    let whenless = length > 0 && !says_when(&said);
    if whenless {
        faults.push("does not say when to use it".to_owned());
    }
    let confusable =
        nearest(index, abilities).filter(|(other, shared)| alike(ability, other) && !shared.is_empty());
    if let Some((other, shared)) =
        confusable.as_ref().filter(|(other, _)| same_words.as_ref() != Some(&other.id))
    {
        if !said.contains(&other.id) {
            faults.push(format!("easily taken for {} (both say {})", other.id, shared.join(", ")));
        }
    }
    let other = confusable.map(|(other, _)| other.id.clone()).or(same_words).or(same_name);
    let description = rewrite(ability, &said, verbless, whenless || length == 0, other.as_deref());
    let description = if faults.is_empty() { said } else { description };
    Finding { id: ability.id.clone(), faults, name: name_fault.map(|_| lawful(&ability.id)), description }
}

/// The description with what it lacks: first what it does, then when, then what it is not for.
fn rewrite(ability: &Ability, said: &str, verbless: bool, whenless: bool, other: Option<&str>) -> String {
    let title = spoken(&ability.title, &ability.id);
    let does = verb(&words(&title)).is_some();
    let mut parts = Vec::new();
    let opening = capital(&title);
    match (said.is_empty(), verbless) {
        (true, _) if does => parts.push(format!("{opening}. Returns [say what].")),
        (true, _) => {
            parts.push(format!("[Say what it does, beginning with a verb] {title}. Returns [say what]."))
        }
        (false, true) if does => parts.push(format!("{opening}: {}", stop(&plain(said, LONG - 400)))),
        _ => parts.push(stop(&plain(said, LONG - 400))),
    }
    if whenless {
        let tags = ability.tags.iter().take(4).map(|tag| plain(tag, 40)).collect::<Vec<_>>().join(", ");
        let ask = if does {
            format!("asks to {}", title.to_lowercase())
        } else {
            format!("is about {}", title.to_lowercase())
        };
        let about = if tags.is_empty() { String::new() } else { format!(" ({tags})") };
        parts.push(format!("Use it when a request {ask}{about}."));
    }
    if let Some(other) = other {
        parts.push(format!("Not for what {other} does: [say the difference]."));
    }
    plain(&parts.join(" "), LONG)
}

/// The name in words, for people.
fn spoken(title: &str, id: &str) -> String {
    let spoken = words(if title.is_empty() { id } else { title }).join(" ");
    plain(&spoken, 80)
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn stop(text: &str) -> String {
    if text.ends_with(['.', '!', '?', '…']) { text.to_owned() } else { format!("{text}.") }
}

/// Whether a description tells when to use it.
fn says_when(said: &str) -> bool {
    let said = said.to_lowercase();
    [
        " when ",
        "when ",
        "use this",
        "use it",
        "use for",
        "useful for",
        "if you",
        "call this",
        "before ",
        "after ",
        "whenever",
    ]
    .iter()
    .any(|sign| if *sign == "when " { said.starts_with(sign) } else { said.contains(sign) })
}

/// Whether two are taken for each other: most of what the shorter one says, the other says too.
fn alike(one: &Ability, other: &Ability) -> bool {
    let (one, other) = (subject(&one.text()), subject(&other.text()));
    let (shared, fewer) = (one.intersection(&other).count(), one.len().min(other.len()));
    fewer >= 2 && shared * 3 >= fewer * 2
}

/// What is wrong with a name: by the protocol, else by the APIs of models, through which every client calls.
fn name_fault(name: &str) -> Option<&'static str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let length = name.chars().count();
    if name.is_empty() || length > LONGEST_NAME || !name.chars().all(|c| plain(c) || c == '.') {
        return Some("the name breaks MCP's rule (1 to 128 of A-Z a-z 0-9 _ - .)");
    }
    let taken = length <= LONGEST_AT_MODELS && name.chars().all(plain);
    (!taken).then_some("MCP allows the name, but models' APIs take only 1 to 64 of A-Z a-z 0-9 _ -")
}

/// The name as every client and model takes it.
pub(super) fn lawful(name: &str) -> String {
    if name_fault(name).is_none() {
        return name.to_owned();
    }
    let ascii = |word: String| word.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    let parts: Vec<String> = words(name).into_iter().map(ascii).filter(|word| !word.is_empty()).collect();
    let cut: String = parts.join("_").chars().take(LONGEST_AT_MODELS).collect();
    let cut = cut.trim_end_matches('_');
    if cut.is_empty() { "tool".to_owned() } else { cut.to_owned() }
}

/// How many findings are told one by one.
pub(super) const MOST_FINDINGS: usize = MOST_ROWS;

#[cfg(test)]
mod tests {
    use super::*;

    fn ability(id: &str, description: &str) -> Ability {
        Ability {
            id: id.to_owned(),
            title: words(id).join(" "),
            description: description.to_owned(),
            tags: Vec::new(),
        }
    }

    fn faults(id: &str, description: &str) -> String {
        of(&[ability(id, description)], true)
            .into_iter()
            .flat_map(|finding| finding.faults)
            .collect::<Vec<_>>()
            .join("; ")
    }

    #[test]
    fn each_fault_is_found_and_a_good_text_has_none() {
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
        assert!(faults("get tide!", "x").contains("MCP's rule"));
        assert!(faults("get.tide", "x").contains("models' APIs"));
        assert!(faults("get_tide", &"word ".repeat(300)).contains("cut"));
    }

    #[test]
    fn ambiguous_tools_are_told_apart() {
        let same = "Lists the open issues of a repository. Use it when a request names one.";
        let found =
            of(&[ability("list_issues", same), ability("my_issues", same), ability("listIssues", "")], true);
        assert!(found[1].faults[0].contains("same description as list_issues"), "{found:?}");
        assert!(found[2].faults[0].contains("differs from list_issues in spelling"), "{found:?}");
        assert!(found[1].description.contains("Not for what list"), "{found:?}");
    }

    #[test]
    fn a_rewrite_says_nothing_that_is_not_known() {
        let found = of(&[ability("search_papers", "")], true);
        assert_eq!(
            found[0].description,
            "Search papers. Returns [say what]. Use it when a request asks to search papers."
        );
        let found = of(&[ability("tide", "Harbour heights in metres above chart datum for a day")], true);
        assert_eq!(
            found[0].description,
            "Harbour heights in metres above chart datum for a day. Use it when a request is about tide."
        );
        assert_eq!(lawful("get.tide/now v2"), "get_tide_now_v2");
    }
}
