//! An ability is a skill of an agent or a tool of an MCP server. Charters, tables, and test cases treat both
//! in the same way. An ability has an id, texts, arguments, and what is known about the effect of a call.

use std::collections::{BTreeSet, HashSet};

use super::arguments::{self, Argument};
use super::profile::Profile;
use super::text::plain;
use super::words::{changing_verb, secret, sentences, subject, words};
use registry_model::Kind;
use registry_model::error::shorten;

/// The maximum number of rows in a table; further abilities are only counted.
pub(super) const MAX_ROWS: usize = 40;

const MAX_DESCRIPTION_CHARS: usize = 4000;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ability {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) words: Vec<String>,
    /// All its texts, with its tags.
    pub(super) text: String,
    /// Stems of the words that describe its subject.
    pub(super) subject: BTreeSet<String>,
    pub(super) arguments: Vec<Argument>,
    /// Whether its input schema is known. A tool without arguments has a schema, too.
    pub(super) has_schema: bool,
    pub(super) effect: Effect,
}

/// What is known about the effect of a call. Only [`Effect::ReadOnly`] needs no confirmation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Effect {
    /// The server declares `readOnlyHint: true`, and nothing contradicts this.
    ReadOnly,
    /// It is declared read-only, but it is also declared destructive, or its name contains this verb.
    Contradicts(&'static str),
    /// Its text contains this word for secrets, which a result must not reveal without a question.
    Secret(&'static str),
    /// The server declares `destructiveHint: true`.
    Destructive,
    /// The server declares `readOnlyHint: false`, or only `destructiveHint: false`.
    Changes,
    /// Nothing is declared, and its name or description contains this verb.
    Named(&'static str),
    #[default]
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
            Self::Changes => Some("is not declared as read-only".to_owned()),
            Self::Named(verb) => Some(format!("declares no effect, and its text says “{verb}”")),
            Self::Unknown => Some("declares no effect".to_owned()),
        }
    }
}

impl Ability {
    pub(super) fn new(id: &str, title: &str, description: &str, tags: &str) -> Self {
        // One more than MCP allows, so that the lint still finds a name that is too long.
        let (id, title) = (plain(id, 129), plain(title, 80));
        let description = plain_lines(description);
        let text = format!("{id} {title} {description} {tags}");
        Self { words: words(&id), subject: subject(&text), id, title, description, text, ..Self::default() }
    }

    /// Sets the effect by its texts and by what the server declares.
    fn with_effect(self, read_only: Option<bool>, destructive: Option<bool>) -> Self {
        let named = changing_verb(&self.words);
        let secret = || secret(&self.text).map(Effect::Secret);
        let effect = match (read_only, destructive) {
            (Some(true), Some(true)) => Effect::Contradicts("destructive"),
            (Some(true), _) => named.map(Effect::Contradicts).or_else(secret).unwrap_or(Effect::ReadOnly),
            (_, Some(true)) => Effect::Destructive,
            (Some(false), _) | (None, Some(false)) => Effect::Changes,
            (None, None) => {
                let text = || changing_verb(&words(&format!("{} {}", self.title, self.purpose())));
                named.or_else(text).map(Effect::Named).or_else(secret).unwrap_or(Effect::Unknown)
            }
        };
        Self { effect, ..self }
    }

    pub(super) fn is_free(&self) -> bool {
        self.effect == Effect::ReadOnly
    }

    pub(super) fn purpose(&self) -> String {
        sentences(&self.description).into_iter().next().unwrap_or_else(|| self.title.clone())
    }
}

/// The skills, then the tools of a profile, without repeated names.
pub(super) fn from_profile(profile: &Profile) -> Vec<Ability> {
    let skills = profile.skills.iter().map(|skill| {
        let tags: Vec<String> = skill.tags.iter().take(20).map(|tag| plain(tag, 60)).collect();
        Ability::new(&skill.id, &skill.name, &skill.description, &tags.join(" ")).with_effect(None, None)
    });
    let tools = profile.tools.iter().map(|tool| {
        let definition = profile.definitions.get(&tool.name);
        let schema = definition.map(|definition| &definition["inputSchema"]);
        Ability {
            arguments: schema.map(arguments::arguments_of_schema).unwrap_or_default(),
            has_schema: schema.is_some(),
            ..Ability::new(&tool.name, &words(&tool.name).join(" "), &tool.description, "")
                .with_effect(tool.read_only, tool.destructive)
        }
    });
    let mut known = HashSet::new();
    skills.chain(tools).filter(|ability| !ability.id.is_empty() && known.insert(ability.id.clone())).collect()
}

fn plain_lines(text: &str) -> String {
    let text = shorten(text, MAX_DESCRIPTION_CHARS);
    let lines: Vec<String> = text.split(['\n', '\r']).take(60).map(|line| plain(line, 2000)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

pub(super) fn noun(profile: &Profile) -> &'static str {
    match profile.kind {
        Kind::Agent if !profile.skills.is_empty() || profile.tools.is_empty() => "skill",
        Kind::Agent | Kind::Mcp => "tool",
    }
}

pub(super) fn counted(profile: &Profile, count: usize) -> String {
    registry_model::counted(count, noun(profile))
}

/// The last line of a table that shows only [`MAX_ROWS`] of so many abilities.
pub(super) fn left_out(profile: &Profile, count: usize) -> Option<String> {
    let more = count.saturating_sub(MAX_ROWS);
    (more > 0).then(|| format!("Not shown: {}.", counted(profile, more)))
}
