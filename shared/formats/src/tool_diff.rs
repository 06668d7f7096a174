//! What changed in the tools of a server between two looks, and how much each change matters to a client that already
//! uses the tools. The rules compare what a client relies on: arguments, types, texts for the model, declared effects.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::injection;
use super::json_texts::visit;
use super::tool_definition::{ToolAnnotations, texts, types};
use registry_model::error::shorten;
use registry_model::{ListedTool, Severity, ToolChange, ToolChangeKind as Kind, ToolSet};

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
        changes.extend(changes_of_tool(name, before.get(name).copied(), after.get(name).copied()));
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
            !matches!(change.kind, Kind::ToolAdded | Kind::DestructiveToolAdded | Kind::ToolRemoved)
        });
    }
    changes
}

/// The changes of one tool; a tool that is missing in a look is `None`.
pub fn changes_of_tool(
    name: &str,
    before: Option<ToolState<'_>>,
    after: Option<ToolState<'_>>,
) -> Vec<ToolChange> {
    let tool = injection::text_unless_injection(name).to_owned();
    let mut found = Changes { tool, all: Vec::new(), severest: None };
    match (before, after) {
        (Some(before), Some(after)) if before.hash == after.hash => {}
        (Some(before), Some(after)) => match (parsed(before), parsed(after)) {
            (Some(old), Some(new)) => found.compare(&old, &new),
            _ => found.add(Kind::NotCompared),
        },
        (None, Some(after)) => found.added(parsed(after)),
        (Some(_), None) => found.add(Kind::ToolRemoved),
        (None, None) => {}
    }
    found.all
}

fn parsed(state: ToolState<'_>) -> Option<Value> {
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
    fn add(&mut self, kind: Kind) {
        self.push(kind, severity(kind), None, None, None);
    }

    /// Adds a change of a member of the tool.
    fn add_values(&mut self, kind: Kind, before: &Value, after: &Value) {
        self.push(kind, severity(kind), None, text(before), text(after));
    }

    fn add_argument(&mut self, kind: Kind, name: &str, before: Option<String>, after: Option<String>) {
        self.push(kind, severity(kind), Some(name), before, after);
    }

    fn push(
        &mut self,
        kind: Kind,
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
            value.map(|value| injection::text_unless_injection(&shorten(&value, MAX_VALUE_CHARS)).to_owned())
        };
        self.all.push(ToolChange {
            tool: self.tool.clone(),
            kind,
            severity,
            argument: argument.map(|argument| injection::text_unless_injection(argument).to_owned()),
            before: short(before),
            after: short(after),
        });
    }

    fn added(&mut self, tool: Option<Value>) {
        // What is too long to be stored is not known.
        let Some(tool) = tool else { return self.push(Kind::ToolAdded, Severity::Review, None, None, None) };
        let is_destructive = ToolAnnotations::of(&tool).destructive == Some(true);
        self.add(if is_destructive { Kind::DestructiveToolAdded } else { Kind::ToolAdded });
        self.injections(&Value::Null, &tool);
    }

    fn compare(&mut self, old: &Value, new: &Value) {
        let before = self.all.len();
        self.input_schema(&old["inputSchema"], &new["inputSchema"]);
        for (member, kind) in [
            ("description", description_change(&old["description"], &new["description"])),
            ("annotations", annotations_change(old, new)),
            ("title", Kind::Title),
            ("outputSchema", Kind::OutputSchema),
        ] {
            if old[member] != new[member] {
                self.add_values(kind, &old[member], &new[member]);
            }
        }
        self.injections(old, new);
        if self.all.len() == before || others(old) != others(new) {
            self.add(Kind::Other);
        }
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
                    let kind = if is { Kind::ArgumentRequired } else { Kind::ArgumentAdded };
                    self.add_argument(kind, name, None, Some(type_words(schema)));
                }
                (Some(_), None) => self.add_argument(Kind::ArgumentRemoved, name, None, None),
                (Some(old), Some(new)) => {
                    if is != was {
                        let kind = if is { Kind::ArgumentRequired } else { Kind::ArgumentOptional };
                        let words =
                            |required: bool| Some(if required { "required" } else { "optional" }.to_owned());
                        self.add_argument(kind, name, words(was), words(is));
                    }
                    self.argument(name, old, new);
                }
                (None, None) => {}
            }
        }
        if rest_of(old, &["properties", "required"]) != rest_of(new, &["properties", "required"]) {
            self.add(Kind::InputSchema);
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
            let kind = if is_wider { Kind::ArgumentTypeWider } else { Kind::ArgumentType };
            self.add_argument(kind, name, Some(type_words(old)), Some(type_words(new)));
        }
        let loses_values = match (old["enum"].as_array(), new["enum"].as_array()) {
            (Some(old), Some(new)) => {
                let new: HashSet<&Value> = new.iter().collect();
                old.iter().any(|value| !new.contains(value))
            }
            (None, Some(_)) => true,
            _ => false,
        };
        if loses_values {
            self.add_argument(Kind::ArgumentValues, name, text(&old["enum"]), text(&new["enum"]));
        }
        if old["description"] != new["description"] {
            let (old, new) = (text(&old["description"]), text(&new["description"]));
            self.add_argument(Kind::ArgumentDescription, name, old, new);
        }
        let compared: &[&str] =
            if loses_values { &["description", "type", "enum"] } else { &["description", "type"] };
        if self.all.len() == before || rest_of(old, compared) != rest_of(new, compared) {
            self.add_argument(Kind::ArgumentSchema, name, text(old), text(new));
        }
    }

    fn injections(&mut self, old: &Value, new: &Value) {
        let (before, after) = (texts_of(old), texts_of(new));
        let known: HashSet<&str> = before.into_iter().collect();
        let mut added = after.into_iter().filter(|text| !known.contains(text));
        if let Some(fault) = added.find_map(injection::fault) {
            self.push(Kind::Injection, severity(Kind::Injection), None, None, Some(fault));
        }
    }
}

fn description_change(old: &Value, new: &Value) -> Kind {
    let chars = |text: &Value| text.as_str().map_or(0, |text| text.chars().count());
    if chars(new) > chars(old) { Kind::DescriptionWider } else { Kind::Description }
}

fn annotations_change(old: &Value, new: &Value) -> Kind {
    if effect(new) > effect(old) { Kind::MoreDestructive } else { Kind::Annotations }
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

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// The texts of a document, also the names of members.
fn texts_of(document: &Value) -> Vec<&str> {
    let mut texts = Vec::new();
    visit(document, &mut Vec::new(), &mut |_, text, _| texts.push(text));
    texts
}

/// Sentences about changes, for messages that models read. They contain only names in the usual form of identifiers, and
/// no other text of the server.
pub fn in_words(changes: &[ToolChange]) -> String {
    let mut text = String::new();
    let mut named = 0;
    let mut by_kind: Vec<(&str, Kind, Vec<Option<&str>>)> = Vec::new();
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

pub const fn kind_in_words(kind: Kind) -> &'static str {
    rule(kind).1
}

const fn severity(kind: Kind) -> Severity {
    rule(kind).0
}

/// The severity of a kind of change, and its name in sentences.
const fn rule(kind: Kind) -> (Severity, &'static str) {
    use Severity::{Breaking, Danger, Info, Review};
    match kind {
        Kind::ToolAdded => (Info, "new tool"),
        Kind::DestructiveToolAdded => (Danger, "new tool that may delete or overwrite"),
        Kind::ToolRemoved => (Breaking, "tool removed"),
        Kind::ArgumentRequired => (Breaking, "now requires the argument"),
        Kind::ArgumentAdded => (Info, "new optional argument"),
        Kind::ArgumentRemoved => (Breaking, "argument removed:"),
        Kind::ArgumentOptional => (Info, "no longer requires the argument"),
        Kind::ArgumentType => (Breaking, "another type of the argument"),
        Kind::ArgumentTypeWider => (Info, "more types for the argument"),
        Kind::ArgumentValues => (Breaking, "fewer values for the argument"),
        Kind::ArgumentDescription => (Review, "another description of the argument"),
        Kind::ArgumentSchema => (Review, "another schema of the argument"),
        Kind::InputSchema => (Review, "another input schema"),
        Kind::OutputSchema => (Review, "another output schema"),
        Kind::Title => (Info, "another title"),
        Kind::Description => (Review, "another description"),
        Kind::DescriptionWider => (Review, "a longer description"),
        Kind::Annotations => (Review, "other annotations"),
        Kind::MoreDestructive => (Danger, "declares to change more than before"),
        Kind::Injection => (Danger, "a new text gives instructions to models"),
        Kind::Other => (Info, "another part of the definition changed"),
        Kind::NotCompared => (Review, "the definition changed"),
    }
}

#[cfg(test)]
mod tests;
