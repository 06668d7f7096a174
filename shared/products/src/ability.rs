//! An ability is a skill of an agent or a tool of an MCP server. Charters, tables, and test cases treat both
//! in the same way. An ability has an id, texts, and the information whether a call changes something.

use std::collections::{BTreeSet, HashSet};

use super::profile::Profile;
use super::text::plain;
use super::words::{returns_third_party_text, sentences, subject, subject_words, verb, verb_of_name, words};
use registry_model::Kind;
use registry_model::error::shorten;

/// The maximum number of rows in a table; further abilities are only counted.
pub(super) const MAX_ROWS: usize = 40;

/// Abilities whose texts are analyzed word by word.
pub(super) const MAX_ANALYZED: usize = 100;

/// One more than MCP allows, so that the lint still finds a name that is too long.
const MAX_ID_CHARS: usize = 129;

const MAX_DESCRIPTION_CHARS: usize = 4000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ability {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) tags: Vec<String>,
    /// Stems of the words that describe its subject.
    pub(super) subject: BTreeSet<String>,
    pub(super) words: Vec<String>,
    effect: Effect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Acts(&'static str),
    Reads(&'static str),
    Unknown,
}

impl Ability {
    pub(super) fn new(id: String, title: String, description: String, tags: Vec<String>) -> Self {
        let subject = subject(&format!("{id} {title} {description} {}", tags.join(" ")));
        Self { subject, ..Self::unread(id, title, description, tags) }
    }

    fn unread(id: String, title: String, description: String, tags: Vec<String>) -> Self {
        let words = words(&id);
        let effect = effect(&words, &title, &description);
        Self { id, title, description, tags, subject: BTreeSet::new(), words, effect }
    }

    pub(super) fn text(&self) -> String {
        format!("{} {} {} {}", self.id, self.title, self.description, self.tags.join(" "))
    }

    pub(super) fn effect(&self) -> Effect {
        self.effect
    }

    pub(super) fn reads_outside(&self) -> bool {
        !matches!(self.effect(), Effect::Acts(_)) && returns_third_party_text(&self.text())
    }

    pub(super) fn purpose(&self) -> String {
        sentences(&self.description).into_iter().next().unwrap_or_else(|| self.title.clone())
    }

    pub(super) fn promises(&self) -> Vec<String> {
        sentences(&self.description).into_iter().skip(1).collect()
    }

    pub(super) fn topics(&self) -> Vec<String> {
        let tags: Vec<String> =
            self.tags.iter().map(|tag| plain(tag, 40)).filter(|tag| !tag.is_empty()).collect();
        let topics = if tags.is_empty() { subject_words(&self.text()) } else { tags };
        let mut known = HashSet::new();
        topics.into_iter().filter(|topic| known.insert(topic.to_lowercase())).take(6).collect()
    }
}

/// What a call does, from the verb in its name, else from the first words of its description.
fn effect(id: &[String], title: &str, description: &str) -> Effect {
    let opening = || words(description).into_iter().take(4).collect::<Vec<_>>();
    let found = verb_of_name(id).or_else(|| verb_of_name(&words(title))).or_else(|| verb(&opening()));
    match found {
        Some((word, true)) => Effect::Acts(word),
        Some((word, false)) => Effect::Reads(word),
        None => Effect::Unknown,
    }
}

/// The skills, then the tools of a profile, without repeated names.
pub(super) fn all(profile: &Profile) -> Vec<Ability> {
    let skills = profile.skills.iter().map(|skill| {
        let tags = skill.tags.iter().take(20).map(|tag| plain(tag, 60)).collect();
        (plain(&skill.id, MAX_ID_CHARS), plain(&skill.name, 80), skill.description.as_str(), tags)
    });
    let tools = profile.tools.iter().map(|tool| {
        (plain(&tool.name, MAX_ID_CHARS), words_of_id(&tool.name), tool.description.as_str(), Vec::new())
    });
    let mut known = HashSet::new();
    let named = skills.chain(tools).filter(|(id, ..)| !id.is_empty() && known.insert(id.clone()));
    let read = named.enumerate().map(|(index, (id, title, description, tags))| {
        if index < MAX_ANALYZED {
            Ability::new(id, title, plain_sentences(description), tags)
        } else {
            let description = plain(description, 200);
            Ability::unread(id, title, description, tags)
        }
    });
    read.collect()
}

fn plain_sentences(text: &str) -> String {
    let text = shorten(text, MAX_DESCRIPTION_CHARS);
    let lines: Vec<String> = text.split(['\n', '\r']).take(60).map(|line| plain(line, 1000)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

fn words_of_id(name: &str) -> String {
    plain(&words(name).join(" "), 80)
}

pub(super) fn noun(profile: &Profile) -> &'static str {
    match profile.kind {
        Kind::Agent if !profile.skills.is_empty() || profile.tools.is_empty() => "skill",
        Kind::Agent | Kind::Mcp => "tool",
    }
}

pub(super) fn counted(profile: &Profile, count: usize) -> String {
    format!("{count} {}{}", noun(profile), if count == 1 { "" } else { "s" })
}

pub(super) fn nearest(index: usize, abilities: &[Ability]) -> Option<(&Ability, Vec<String>)> {
    let own = abilities.get(index)?;
    let (other, shared) = abilities
        .iter()
        .take(MAX_ANALYZED)
        .enumerate()
        .filter(|(at, _)| *at != index)
        .map(|(_, other)| (other, other.subject.intersection(&own.subject).count()))
        .max_by(|(one, shared), (other, more)| shared.cmp(more).then_with(|| other.id.cmp(&one.id)))?;
    let mut both: Vec<String> = Vec::new();
    for word in subject_words(&own.text()) {
        let opening: String = word.chars().take(5).collect();
        let shared = subject(&word).iter().any(|stem| other.subject.contains(stem));
        if shared && both.len() < 4 && !both.iter().any(|known| known.starts_with(&opening)) {
            both.push(word);
        }
    }
    (shared > 0).then_some((other, both))
}

/// How much of the subject of the shorter one the other shares, from 0 to 6.
pub(super) fn likeness(one: &Ability, other: &Ability) -> usize {
    let (one, other) = (&one.subject, &other.subject);
    let fewer = one.len().min(other.len());
    if fewer < 2 { 0 } else { one.intersection(other).count() * 6 / fewer }
}
