//! What is wrong with the names and descriptions by which a model chooses a tool, and a rewrite made of what is known.
//! A rewrite adds no ability: what the texts do not say is left as a place that the owner fills.

use std::collections::BTreeMap;

use super::ability::{Ability, Effect, MOST_READ, MOST_ROWS, likeness, nearest};
use super::profile::Profile;
use super::text::plain;
use super::words::{commands, sentences, subject, verb, words};
use registry_model::Kind;

/// The shortest description that tells a model enough, in characters.
const SHORT: usize = 40;
/// The longest that clients put before a model without cutting, in characters.
const LONG: usize = 1024;
/// The longest name that the protocol allows, in characters.
const LONGEST_NAME: usize = 128;
/// The longest name that the APIs of models take, in characters.
const LONGEST_AT_MODELS: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) id: String,
    pub(super) faults: Vec<String>,
    /// A name that holds to the rule, where its own does not.
    pub(super) name: Option<String>,
    /// A description that mends the faults; equal to its own where there is nothing to mend.
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

/// What is wrong with each of the first [`MOST_READ`]; those without a fault are left out.
pub(super) fn of(abilities: &[Ability], rules: &Rules) -> Vec<Finding> {
    let abilities = abilities.get(..MOST_READ).unwrap_or(abilities);
    let mut described: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut spelled: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for ability in abilities {
        if !ability.description.is_empty() {
            described.entry(ability.description.to_lowercase()).or_default().push(&ability.id);
        }
        spelled.entry(ability.words.concat()).or_default().push(&ability.id);
    }
    let twin = |of: Option<&Vec<&str>>, id: &str| {
        of.and_then(|ids| ids.iter().find(|other| **other != id)).map(|other| (*other).to_owned())
    };
    let found = abilities.iter().enumerate().filter_map(|(index, ability)| {
        let same_words = twin(described.get(&ability.description.to_lowercase()), &ability.id);
        let same_name = twin(spelled.get(&ability.words.concat()), &ability.id);
        let name = rules.called_by_name.then(|| name_fault(&ability.id)).flatten();
        one(index, abilities, rules, name, Twins { same_words, same_name })
    });
    found.collect()
}

/// Others that go by the same words or the same name.
struct Twins {
    same_words: Option<String>,
    same_name: Option<String>,
}

fn one(
    index: usize,
    abilities: &[Ability],
    rules: &Rules,
    name_fault: Option<&'static str>,
    Twins { same_words, same_name }: Twins,
) -> Option<Finding> {
    let ability = abilities.get(index)?;
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
    let near = nearest(index, abilities)
        .filter(|(other, shared)| likeness(ability, other) >= 3 && !shared.is_empty());
    let resultless = (1..LONG).contains(&length)
        && matches!(ability.effect(), Effect::Acts(_))
        && !says_what_returns(&said);
    if resultless {
        faults.push("does not say what it returns".to_owned());
    }
    // Where nothing is near, what it does says when; a sentence more would be a burden on every call.
    let whenless = length > 0 && near.is_some() && !says_when(&said);
    if whenless {
        faults.push("does not say when to use it".to_owned());
    }
    let confusable = near.filter(|(other, _)| likeness(ability, other) >= 4);
    let untold = confusable.as_ref().filter(|(other, _)| same_words.as_ref() != Some(&other.id));
    if let Some((other, shared)) = untold.filter(|(other, _)| !said.contains(&other.id)) {
        faults.push(format!("easily taken for {} (both say {})", other.id, shared.join(", ")));
    }
    if faults.is_empty() {
        return None;
    }
    let other = confusable.map(|(other, _)| other.id.clone()).or(same_words).or(same_name);
    let lacks = Lacks { verb: verbless, result: resultless, when: whenless || length == 0 };
    let description = rewrite(ability, &said, &lacks, &apart(ability, abilities, other), rules);
    Some(Finding {
        id: ability.id.clone(),
        faults,
        name: name_fault.map(|_| lawful(&ability.id)),
        description,
    })
}

struct Lacks {
    verb: bool,
    result: bool,
    when: bool,
}

/// Others that do something else with the same thing, and one that is taken for it, as a sentence.
fn apart(ability: &Ability, abilities: &[Ability], taken_for: Option<String>) -> String {
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

/// The description with what it lacks: first what it does, then when, then what it is not for.
fn rewrite(ability: &Ability, said: &str, lacks: &Lacks, apart: &str, rules: &Rules) -> String {
    let title = spoken(&ability.title, &ability.id);
    let does = commands(&words(&title));
    let mut parts = Vec::new();
    let opening = capital(&title);
    let whole = if rules.whole.is_empty() {
        String::new()
    } else {
        format!(" ({})", rules.whole.trim_end_matches('.'))
    };
    match (said.is_empty(), lacks.verb) {
        (true, _) if does => parts.push(format!("{opening}{whole}. Returns [say what].")),
        (true, _) => parts
            .push(format!("[Say what it does, beginning with a verb] {title}{whole}. Returns [say what].")),
        (false, true) if does && subject(said).is_subset(&subject(&title)) => {
            parts.push(format!("{opening}{whole}. Returns [say what]."));
        }
        (false, true) if does => parts.push(format!("{opening}: {}", stop(&plain(said, LONG - 400)))),
        _ => parts.push(stop(&plain(said, LONG - 400))),
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
        // Its name over again would say nothing: without tags it is the owner's to say.
        if !tags.is_empty() {
            parts.push(format!("Use it for requests on {}.", tags.join(", ")));
        } else if apart.is_empty() {
            parts.push("Use it when [say when].".to_owned());
        }
    }
    parts.push(apart.to_owned());
    parts.retain(|part| !part.is_empty());
    plain(&parts.join(" "), LONG)
}

fn spoken(title: &str, id: &str) -> String {
    plain(&if title.is_empty() { words(id).join(" ") } else { title.to_owned() }, 80)
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn stop(text: &str) -> String {
    if text.ends_with(['.', '!', '?', '…']) { text.to_owned() } else { format!("{text}.") }
}

fn says_what_returns(said: &str) -> bool {
    let said = said.to_lowercase();
    ["return", "result", "respon", "output", "answer", "confirm", "with the id", "gives back"]
        .iter()
        .any(|sign| said.contains(sign))
}

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

pub(super) const MOST_FINDINGS: usize = MOST_ROWS;

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
        let found = of(
            &[ability("list_issues", same), ability("my_issues", same), ability("listIssues", "")],
            &TOOLS,
        );
        assert!(found[1].faults[0].contains("same description as list_issues"), "{found:?}");
        assert!(found[2].faults[0].contains("differs from list_issues in spelling"), "{found:?}");
        assert!(found[1].description.contains("Not for what list"), "{found:?}");
    }

    #[test]
    fn a_rewrite_says_nothing_that_is_not_known() {
        let found = of(&[ability("search_papers", "")], &TOOLS);
        assert_eq!(found[0].description, "Search papers. Returns [say what]. Use it when [say when].");
        let found = of(&[ability("tide", "Harbour heights in metres above chart datum for a day")], &TOOLS);
        assert_eq!(found[0].description, "Harbour heights in metres above chart datum for a day.");
        let tagged =
            Ability::new("tide".to_owned(), "Tide".to_owned(), String::new(), vec!["harbour".to_owned()]);
        let found = of(&[tagged], &TOOLS);
        assert!(found[0].description.ends_with("Use it for requests on harbour."), "{found:?}");
        let rules = Rules { whole: "Papers of arXiv".to_owned(), ..TOOLS };
        let found = of(&[ability("search_papers", ""), ability("read_paper", "")], &rules);
        assert_eq!(
            found[1].description,
            "Read paper (Papers of arXiv). Returns [say what]. Not to search (search_papers)."
        );
        assert_eq!(lawful("get.tide/now v2"), "get_tide_now_v2");
    }
}
