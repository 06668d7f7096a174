//! An ability is a skill of an agent or a tool of an MCP server. Charters, tables, and test cases treat both
//! in the same way. An ability has an id, texts, arguments, and what is known about the effect of a call.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Value, json};

use super::arguments::{self, Argument};
use super::profile::Profile;
use super::text::plain;
use super::words::{changing_verb, commands, secret, sentences, subject, subject_words, words};
use registry_formats::tool_definition::ToolAnnotations;
use registry_model::error::shorten;
use registry_model::{Kind, Tool};

/// The maximum number of rows in a table; further abilities are only counted.
pub(super) const MAX_ROWS: usize = 40;

/// Abilities whose texts are analyzed word by word.
pub(super) const MAX_ANALYZED: usize = 100;

/// One more than MCP allows, so that the lint still finds a name that is too long.
const MAX_ID_CHARS: usize = 129;

const MAX_DESCRIPTION_CHARS: usize = 4000;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ability {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) tags: Vec<String>,
    /// Stems of the words that describe its subject.
    pub(super) subject: BTreeSet<String>,
    pub(super) words: Vec<String>,
    pub(super) arguments: Vec<Argument>,
    /// Whether its input schema is known. A tool without arguments has a schema, too.
    pub(super) has_schema: bool,
    /// Whether its whole definition is known, with the descriptions of its arguments.
    pub(super) has_definition: bool,
    /// Null if none is known.
    pub(super) output_schema: Value,
    pub(super) annotations: ToolAnnotations,
}

/// What is known about the effect of a call. Only [`Effect::ReadOnly`] needs no confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The server declares `readOnlyHint: true`, and nothing contradicts this.
    ReadOnly,
    /// It is declared read-only, but it is also declared destructive, or its name contains this verb.
    Contradicts(&'static str),
    /// Its text contains this word for secrets, which a result must not reveal without a question.
    Secret(&'static str),
    /// The server declares `destructiveHint: true`.
    Destructive,
    /// The server declares `readOnlyHint: false`.
    Changes,
    /// Nothing is declared, and its name or description contains this verb.
    Named(&'static str),
    Unknown,
}

impl Effect {
    /// Why a call needs a confirmation; `None` if it needs none.
    pub(super) fn reason(self) -> Option<String> {
        match self {
            Self::ReadOnly => None,
            Self::Contradicts(sign) => Some(format!("is declared read-only, but also “{sign}”")),
            Self::Secret(word) => Some(format!("may return secrets, because its text says “{word}”")),
            Self::Destructive => Some("is declared destructive".to_owned()),
            Self::Changes => Some("is declared as not read-only".to_owned()),
            Self::Named(verb) => Some(format!("declares no effect, and its text says “{verb}”")),
            Self::Unknown => Some("declares no effect".to_owned()),
        }
    }
}

impl Ability {
    pub(super) fn new(id: String, title: String, description: String, tags: Vec<String>) -> Self {
        let subject = subject(&format!("{id} {title} {description} {}", tags.join(" ")));
        Self { subject, ..Self::unread(id, title, description, tags) }
    }

    fn unread(id: String, title: String, description: String, tags: Vec<String>) -> Self {
        let words = words(&id);
        Self {
            id,
            title,
            description,
            tags,
            words,
            subject: BTreeSet::new(),
            arguments: Vec::new(),
            has_schema: false,
            has_definition: false,
            output_schema: Value::Null,
            annotations: ToolAnnotations::default(),
        }
    }

    fn with_tool(mut self, tool: &Tool, definition: Option<&Value>) -> Self {
        self.annotations = match definition {
            Some(definition) => ToolAnnotations::of(definition),
            None => ToolAnnotations {
                read_only: tool.read_only,
                destructive: tool.destructive,
                ..ToolAnnotations::default()
            },
        };
        if let Some(definition) = definition {
            self.arguments = arguments::of_schema(&definition["inputSchema"]);
            self.output_schema = definition["outputSchema"].clone();
        } else {
            self.arguments = arguments::of_tool(tool);
        }
        self.has_definition = definition.is_some();
        self.has_schema = definition.is_some() || !self.arguments.is_empty();
        self
    }

    pub(super) fn text(&self) -> String {
        format!("{} {} {} {}", self.id, self.title, self.description, self.tags.join(" "))
    }

    pub(super) fn effect(&self) -> Effect {
        let named = changing_verb(&self.words);
        let secret = || secret(&self.text()).map(Effect::Secret);
        match (self.annotations.read_only, self.annotations.destructive) {
            (Some(true), Some(true)) => Effect::Contradicts("destructive"),
            (Some(true), _) => named.map(Effect::Contradicts).or_else(secret).unwrap_or(Effect::ReadOnly),
            (_, Some(true)) => Effect::Destructive,
            (Some(false), _) => Effect::Changes,
            (None, _) => {
                let text = || changing_verb(&words(&format!("{} {}", self.title, self.purpose())));
                named.or_else(text).map(Effect::Named).or_else(secret).unwrap_or(Effect::Unknown)
            }
        }
    }

    /// Whether the names are commands with another verb or another object, as in `create_user` and `delete_user`.
    fn differs_in_command_from(&self, other: &Self) -> bool {
        let (Some((own, of)), Some((theirs, to))) = (self.words.split_first(), other.words.split_first())
        else {
            return false;
        };
        let different = own != theirs || subject(&of.join(" ")).is_disjoint(&subject(&to.join(" ")));
        different && commands(&self.words) && commands(&other.words)
    }

    /// The arguments of a call that succeeds: `None` if the call may change something, or if the schema names no value for a
    /// required argument.
    pub(super) fn safe_call(&self) -> Option<Value> {
        let safe = self.effect() == Effect::ReadOnly && self.has_schema;
        safe.then(|| arguments::from_schema(&self.arguments)).flatten().map(|arguments| json!(arguments))
    }

    pub(super) fn purpose(&self) -> String {
        sentences(&self.description).into_iter().next().unwrap_or_else(|| self.title.clone())
    }

    pub(super) fn topics(&self) -> Vec<String> {
        let tags: Vec<String> =
            self.tags.iter().map(|tag| plain(tag, 40)).filter(|tag| !tag.is_empty()).collect();
        let topics = if tags.is_empty() { subject_words(&self.text()) } else { tags };
        let mut known = HashSet::new();
        topics.into_iter().filter(|topic| known.insert(topic.to_lowercase())).take(6).collect()
    }
}

/// The skills, then the tools of a profile, without repeated names.
pub(super) fn all(profile: &Profile) -> Vec<Ability> {
    let skills = profile.skills.iter().map(|skill| {
        let tags = skill.tags.iter().take(20).map(|tag| plain(tag, 60)).collect();
        (plain(&skill.id, MAX_ID_CHARS), plain(&skill.name, 80), skill.description.as_str(), tags, None)
    });
    let tools = profile.tools.iter().map(|tool| {
        let (id, title) = (plain(&tool.name, MAX_ID_CHARS), words_of_id(&tool.name));
        (id, title, tool.description.as_str(), Vec::new(), Some(tool))
    });
    let mut known = HashSet::new();
    let named = skills.chain(tools).filter(|(id, ..)| !id.is_empty() && known.insert(id.clone()));
    let read = named.enumerate().map(|(index, (id, title, description, tags, tool))| {
        let ability = if index < MAX_ANALYZED {
            Ability::new(id, title, plain_sentences(description), tags)
        } else {
            Ability::unread(id, title, plain(description, 200), tags)
        };
        match tool {
            Some(tool) => ability.with_tool(tool, profile.definitions.get(&tool.name)),
            None => ability,
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
        .filter(|(at, other)| *at != index && !own.differs_in_command_from(other))
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
