//! What changed in the tools of a server between two looks, and how much each change matters to a client that already
//! uses the tools. The rules compare what a client relies on: arguments, types, texts for the model, declared effects.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::injection;
use super::tool_definition::{ToolAnnotations, texts, types};
use registry_model::error::shorten;
use registry_model::{ListedTool, Severity, ToolChange, ToolChangeKind, ToolSet};

/// Characters of a value before or after a change.
const MAX_VALUE_CHARS: usize = 300;
/// Names in a sentence about changes.
const MAX_NAMED: usize = 12;
/// Longer names are not repeated in a sentence.
const MAX_NAME_CHARS: usize = 64;

/// A tool in one of the two looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolState<'a> {
    pub hash: &'a str,
    /// The canonical definition; `None` if it is not stored.
    pub definition: Option<&'a str>,
}

/// The tools of a look by name.
pub type Tools<'a> = BTreeMap<&'a str, ToolState<'a>>;

/// All changes between two looks, the severest first, then by tool.
pub fn between(before: &Tools<'_>, after: &Tools<'_>) -> Vec<ToolChange> {
    let names: BTreeSet<&str> = before.keys().chain(after.keys()).copied().collect();
    let mut changes = Vec::new();
    for name in names {
        changes.extend(of_tool(name, before.get(name).copied(), after.get(name).copied()));
    }
    changes.sort_by_key(|change| std::cmp::Reverse(change.severity));
    changes
}

/// All changes between two sets. `definition` returns the stored definition of a hash.
pub fn between_sets<'a>(
    before: &'a ToolSet,
    after: &'a ToolSet,
    definition: impl Fn(&'a str) -> Option<&'a str>,
) -> Vec<ToolChange> {
    let state = |tool: &'a ListedTool| {
        (tool.name.as_str(), ToolState { hash: &tool.hash, definition: definition(&tool.hash) })
    };
    let mut changes =
        between(&before.tools.iter().map(state).collect(), &after.tools.iter().map(state).collect());
    if before.unlisted > 0 || after.unlisted > 0 {
        // A tool that is missing in a list may be one of the unlisted tools.
        changes.retain(|change| {
            !matches!(
                change.kind,
                ToolChangeKind::ToolAdded
                    | ToolChangeKind::DestructiveToolAdded
                    | ToolChangeKind::ToolRemoved
            )
        });
    }
    changes
}

/// The changes of one tool; a tool that is missing in a look is `None`.
pub fn of_tool(name: &str, before: Option<ToolState<'_>>, after: Option<ToolState<'_>>) -> Vec<ToolChange> {
    let tool = injection::shown(name).to_owned();
    let mut found = Changes { tool, all: Vec::new(), severest: None };
    match (before, after) {
        (Some(before), Some(after)) if before.hash == after.hash => {}
        (Some(before), Some(after)) => match (read(before), read(after)) {
            (Some(old), Some(new)) => found.compare(&old, &new),
            _ => found.add(ToolChangeKind::NotCompared, Severity::Review),
        },
        (None, Some(after)) => found.added(read(after)),
        (Some(_), None) => found.add(ToolChangeKind::ToolRemoved, Severity::Breaking),
        (None, None) => {}
    }
    found.all
}

fn read(state: ToolState<'_>) -> Option<Value> {
    serde_json::from_str(state.definition?).ok()
}

/// A tool with thousands of arguments can have as many changes.
const MAX_CHANGES: usize = 200;

struct Changes {
    tool: String,
    all: Vec<ToolChange>,
    severest: Option<Severity>,
}

impl Changes {
    fn add(&mut self, kind: ToolChangeKind, severity: Severity) {
        self.push(kind, severity, None, None, None);
    }

    fn push(
        &mut self,
        kind: ToolChangeKind,
        severity: Severity,
        argument: Option<&str>,
        before: Option<String>,
        after: Option<String>,
    ) {
        if self.all.len() >= MAX_CHANGES && Some(severity) <= self.severest {
            return;
        }
        self.severest = self.severest.max(Some(severity));
        let short = |value: Option<String>| {
            value.map(|value| injection::shown(&shorten(&value, MAX_VALUE_CHARS)).to_owned())
        };
        self.all.push(ToolChange {
            tool: self.tool.clone(),
            kind,
            severity,
            argument: argument.map(|argument| injection::shown(argument).to_owned()),
            before: short(before),
            after: short(after),
        });
    }

    fn added(&mut self, tool: Option<Value>) {
        // What is too long to be stored is not known.
        let Some(tool) = tool else { return self.add(ToolChangeKind::ToolAdded, Severity::Review) };
        if ToolAnnotations::of(&tool).destructive == Some(true) {
            self.add(ToolChangeKind::DestructiveToolAdded, Severity::Danger);
        } else {
            self.add(ToolChangeKind::ToolAdded, Severity::Info);
        }
        self.injections(&Value::Null, &tool);
    }

    fn compare(&mut self, old: &Value, new: &Value) {
        let before = self.all.len();
        self.input_schema(&old["inputSchema"], &new["inputSchema"]);
        self.description(&old["description"], &new["description"]);
        self.annotations(old, new);
        for (member, kind, severity) in [
            ("title", ToolChangeKind::Title, Severity::Info),
            ("outputSchema", ToolChangeKind::OutputSchema, Severity::Review),
        ] {
            if old[member] != new[member] {
                self.push(kind, severity, None, shown(&old[member]), shown(&new[member]));
            }
        }
        self.injections(old, new);
        if self.all.len() == before || others(old) != others(new) {
            self.add(ToolChangeKind::Other, Severity::Info);
        }
    }

    fn description(&mut self, old: &Value, new: &Value) {
        if old == new {
            return;
        }
        let chars = |text: &Value| text.as_str().map_or(0, |text| text.chars().count());
        let kind = match chars(new) > chars(old) {
            true => ToolChangeKind::DescriptionWider,
            false => ToolChangeKind::Description,
        };
        self.push(kind, Severity::Review, None, shown(old), shown(new));
    }

    fn input_schema(&mut self, old: &Value, new: &Value) {
        let (old_required, new_required) = (required(old), required(new));
        let (old_properties, new_properties) = (&old["properties"], &new["properties"]);
        let names = |properties: &Value| -> BTreeSet<String> {
            properties.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
        };
        for name in names(old_properties).union(&names(new_properties)) {
            let name = name.as_str();
            let (was, is) = (old_required.contains(name), new_required.contains(name));
            match (old_properties.get(name), new_properties.get(name)) {
                (None, Some(schema)) => {
                    let (kind, severity) = match is {
                        true => (ToolChangeKind::ArgumentRequired, Severity::Breaking),
                        false => (ToolChangeKind::ArgumentAdded, Severity::Info),
                    };
                    self.push(kind, severity, Some(name), None, Some(type_words(schema)));
                }
                (Some(_), None) => {
                    self.push(ToolChangeKind::ArgumentRemoved, Severity::Breaking, Some(name), None, None);
                }
                (Some(old), Some(new)) => {
                    let optional = || Some("optional".to_owned());
                    let required = || Some("required".to_owned());
                    if is && !was {
                        let kind = ToolChangeKind::ArgumentRequired;
                        self.push(kind, Severity::Breaking, Some(name), optional(), required());
                    } else if was && !is {
                        let kind = ToolChangeKind::ArgumentOptional;
                        self.push(kind, Severity::Info, Some(name), required(), optional());
                    }
                    self.argument(name, old, new);
                }
                (None, None) => {}
            }
        }
        if rest_of(old, &["properties", "required"]) != rest_of(new, &["properties", "required"]) {
            self.add(ToolChangeKind::InputSchema, Severity::Review);
        }
    }

    fn argument(&mut self, name: &str, old: &Value, new: &Value) {
        if old == new {
            return;
        }
        let before = self.all.len();
        let (old_types, new_types) = (type_set(old), type_set(new));
        if old_types != new_types {
            // No named type accepts every type; `number` accepts every `integer`.
            let accepts = |one: &&str| {
                new_types.is_empty()
                    || new_types.contains("")
                    || new_types.contains(one)
                    || (*one == "integer" && new_types.contains("number"))
            };
            let is_wider = (new_types.is_empty() || !old_types.is_empty()) && old_types.iter().all(accepts);
            let (kind, severity) = match is_wider {
                true => (ToolChangeKind::ArgumentTypeWider, Severity::Info),
                false => (ToolChangeKind::ArgumentType, Severity::Breaking),
            };
            self.push(kind, severity, Some(name), Some(type_words(old)), Some(type_words(new)));
        }
        let (old_values, new_values) = (old["enum"].as_array(), new["enum"].as_array());
        let loses = match (old_values, new_values) {
            (Some(old), Some(new)) => {
                let new: HashSet<&Value> = new.iter().collect();
                old.iter().any(|value| !new.contains(value))
            }
            (None, Some(_)) => true,
            _ => false,
        };
        if loses {
            let kind = ToolChangeKind::ArgumentValues;
            self.push(kind, Severity::Breaking, Some(name), shown(&old["enum"]), shown(&new["enum"]));
        }
        if old["description"] != new["description"] {
            let (old, new) = (shown(&old["description"]), shown(&new["description"]));
            self.push(ToolChangeKind::ArgumentDescription, Severity::Review, Some(name), old, new);
        }
        let compared: &[&str] = match loses {
            true => &["description", "type", "enum"],
            false => &["description", "type"],
        };
        if self.all.len() == before || rest_of(old, compared) != rest_of(new, compared) {
            let (old, new) = (shown(old), shown(new));
            self.push(ToolChangeKind::ArgumentSchema, Severity::Review, Some(name), old, new);
        }
    }

    fn annotations(&mut self, old: &Value, new: &Value) {
        if old["annotations"] == new["annotations"] {
            return;
        }
        let (before, after) = (effect(old), effect(new));
        let (kind, severity) = match after > before {
            true => (ToolChangeKind::MoreDestructive, Severity::Danger),
            false => (ToolChangeKind::Annotations, Severity::Review),
        };
        self.push(kind, severity, None, shown(&old["annotations"]), shown(&new["annotations"]));
    }

    fn injections(&mut self, old: &Value, new: &Value) {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        visit(old, &mut before);
        visit(new, &mut after);
        let known: HashSet<&str> = before.into_iter().collect();
        let mut added = after.into_iter().filter(|text| !known.contains(text));
        if let Some(fault) = added.find_map(injection::fault) {
            self.push(ToolChangeKind::Injection, Severity::Danger, None, None, Some(fault));
        }
    }
}

/// How much a tool declares to change. Without a hint, it may write, but does not declare to delete.
fn effect(tool: &Value) -> u8 {
    match ToolAnnotations::of(tool) {
        ToolAnnotations { read_only: Some(true), .. } => 0,
        ToolAnnotations { destructive: Some(false), .. } => 1,
        ToolAnnotations { destructive: Some(true), .. } => 3,
        _ => 2,
    }
}

fn required(schema: &Value) -> HashSet<&str> {
    texts(&schema["required"]).collect()
}

fn type_set(schema: &Value) -> BTreeSet<&str> {
    types(schema).into_iter().collect()
}

fn type_words(schema: &Value) -> String {
    let types = type_set(schema);
    if types.is_empty() || types.contains("") {
        return "any".to_owned();
    }
    types.into_iter().collect::<Vec<_>>().join(" or ")
}

/// The members of a definition that have no rule of their own.
fn others(tool: &Value) -> Map<String, Value> {
    rest_of(tool, &["name", "title", "description", "inputSchema", "outputSchema", "annotations"])
}

fn rest_of(object: &Value, without: &[&str]) -> Map<String, Value> {
    let mut rest = object.as_object().cloned().unwrap_or_default();
    rest.retain(|name, _| !without.contains(&name.as_str()));
    rest
}

fn shown(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// The texts of a document, also the names of members. Stored documents have a limited depth.
fn visit<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| visit(item, texts)),
        Value::Object(members) => {
            for (name, member) in members {
                texts.push(name);
                visit(member, texts);
            }
        }
        _ => {}
    }
}

/// Sentences about changes, for messages that models read. They contain only names in the usual form of identifiers, and
/// no other text of the server.
pub fn in_words(changes: &[ToolChange]) -> String {
    let mut text = String::new();
    let mut named = 0;
    let mut by_kind: Vec<(&str, ToolChangeKind, Vec<Option<&str>>)> = Vec::new();
    for change in changes {
        let (argument, is_full) = (change.argument.as_deref(), by_kind.len() > MAX_NAMED);
        match by_kind.iter_mut().find(|(tool, kind, _)| *tool == change.tool && *kind == change.kind) {
            Some((.., arguments)) => arguments.push(argument),
            None if is_full => {}
            None => by_kind.push((&change.tool, change.kind, vec![argument])),
        }
    }
    for (tool, kind, arguments) in &by_kind {
        let arguments: Vec<String> = arguments.iter().copied().flatten().map(name_in_words).collect();
        if named + 1 + arguments.len() > MAX_NAMED && named > 0 {
            let _ = write!(text, "There are further changes. ");
            break;
        }
        named += 1 + arguments.len();
        let arguments =
            if arguments.is_empty() { String::new() } else { format!(" {}", arguments.join(", ")) };
        let _ = write!(text, "{}: {}{arguments}. ", name_in_words(tool), kind_in_words(*kind));
    }
    text.truncate(text.trim_end().len());
    text
}

fn name_in_words(name: &str) -> String {
    let is_identifier = !name.is_empty()
        && name.len() <= MAX_NAME_CHARS
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/'));
    if is_identifier && injection::fault(name).is_none() {
        format!("`{name}`")
    } else {
        "(a name that is not repeated here)".to_owned()
    }
}

pub const fn kind_in_words(kind: ToolChangeKind) -> &'static str {
    match kind {
        ToolChangeKind::ToolAdded => "new tool",
        ToolChangeKind::DestructiveToolAdded => "new tool that may delete or overwrite",
        ToolChangeKind::ToolRemoved => "tool removed",
        ToolChangeKind::ArgumentRequired => "now requires the argument",
        ToolChangeKind::ArgumentAdded => "new optional argument",
        ToolChangeKind::ArgumentRemoved => "argument removed:",
        ToolChangeKind::ArgumentOptional => "no longer requires the argument",
        ToolChangeKind::ArgumentType => "another type of the argument",
        ToolChangeKind::ArgumentTypeWider => "more types for the argument",
        ToolChangeKind::ArgumentValues => "fewer values for the argument",
        ToolChangeKind::ArgumentDescription => "another description of the argument",
        ToolChangeKind::ArgumentSchema => "another schema of the argument",
        ToolChangeKind::InputSchema => "another input schema",
        ToolChangeKind::OutputSchema => "another output schema",
        ToolChangeKind::Title => "another title",
        ToolChangeKind::Description => "another description",
        ToolChangeKind::DescriptionWider => "a longer description",
        ToolChangeKind::Annotations => "other annotations",
        ToolChangeKind::MoreDestructive => "declares to change more than before",
        ToolChangeKind::Injection => "a new text gives instructions to models",
        ToolChangeKind::Other => "another part of the definition changed",
        ToolChangeKind::NotCompared => "the definition changed",
    }
}

#[cfg(test)]
mod tests;
