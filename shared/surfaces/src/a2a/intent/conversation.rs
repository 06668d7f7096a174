//! Continues a conversation whose last reply was a question: reads a message as the value of the argument that the request
//! lacked.

use serde_json::{Map, Value, json};

use crate::a2a::intent::argument_slots::{ArgumentSlots, Slot, choices, leaves};
use crate::a2a::intent::content::MessageContent;
use crate::a2a::intent::examples::OperationExamples;
use crate::a2a::intent::further_request::opens;
use crate::a2a::intent::matching::{self, CERTAIN};
use crate::a2a::intent::parsed_text::ParsedText;
use crate::a2a::intent::request::Intent;
use crate::a2a::intent::selection::{MAX_NAME_WORDS, in_context};
use crate::a2a::intent::words::{Word, lists};
use crate::a2a::intent::{command, named_call};
use registry_features::AnyOperation;

/// Words beside an id, such as "it is {id}", that make a message no request of its own.
const MAX_BESIDE: usize = 3;

#[derive(Clone, Debug)]
pub struct Conversation {
    /// All messages of the client as one.
    pub earlier: MessageContent,
    /// The data of the reply.
    pub reply: Value,
}

impl Conversation {
    /// Whether a message cancels the request of the conversation. "It does not work" is a text.
    pub fn is_canceled_by(&self, message: &MessageContent) -> bool {
        let words = ParsedText::parse(&message.text).words;
        let is_text = Question::of(&self.reply).is_some_and(|question| question.takes_text());
        command::refuses(&words) && (!is_text || words.len() <= MAX_NAME_WORDS)
    }

    /// The request of the conversation with the answer to its question; `None` if the message is no answer.
    pub(super) fn answered_by(&self, message: &MessageContent) -> Option<Intent> {
        let is_call = |data: &Value| named_call::parse(data).is_some();
        if message.data.iter().any(is_call) || message.is_json() {
            return None;
        }
        let question = Question::of(&self.reply)?;
        let arguments = question.answered(message)?;
        // What the messages say together besides the answer.
        let mut all = match in_context(message, &self.earlier) {
            Intent::Run(entry, Value::Object(all)) if std::ptr::eq(entry, question.entry) => all,
            _ => Map::new(),
        };
        all.extend(arguments);
        Some(match question.lacks_text(&all) {
            true => Intent::Missing(question.entry, Slot::Text, all),
            false => Intent::Run(question.entry, Value::Object(all)),
        })
    }
}

struct Question {
    entry: &'static AnyOperation,
    schema: Value,
    slots: ArgumentSlots,
    /// What is known from the messages before.
    arguments: Map<String, Value>,
    /// The argument that was asked for, such as `answers.tried`.
    asked: String,
}

impl Question {
    /// From the data of the reply that asked.
    fn of(reply: &Value) -> Option<Self> {
        let entry = named_call::named(reply["operation"].as_str()?)?;
        let asked = reply["asks"].as_str()?.to_owned();
        let arguments = reply["arguments"].as_object().cloned().unwrap_or_default();
        let (schema, slots) = ((entry.input_schema)(), ArgumentSlots::of(entry));
        Some(Self { entry, schema, slots, arguments, asked })
    }

    /// Whether any text can be the answer, also one with a "not".
    fn takes_text(&self) -> bool {
        !self.slots.has_form(&self.asked) && self.leaves().iter().any(|leaf| takes(leaf, "string"))
    }

    /// The arguments with the answer; `None` if the message is no answer.
    fn answered(&self, message: &MessageContent) -> Option<Map<String, Value>> {
        let (parsed, fields) = message.parse();
        let mut arguments = self.arguments.clone();
        arguments.extend(fields.into_iter().filter(|(name, _)| self.slots.knows(name)));
        self.slots.add_values(&mut arguments, &parsed, &self.asked);
        let is_new = arguments.len() > self.arguments.len();
        // "{id}: slow today" contains the text, too.
        let [listing, text] = [Slot::Id, Slot::Text].map(|slot| self.slots.argument(slot, 0));
        if let (Some(colon), Some(text)) = (parsed.colon(), text)
            && listing == Some(self.asked.as_str())
            && parsed.ids.first().is_some_and(|id| parsed.text.starts_with(id.as_str()))
        {
            arguments.insert(text.to_owned(), json!(parsed.text[colon + 1..].trim()));
            return is_new.then_some(arguments);
        }
        let value = (!arguments.contains_key(&self.asked) && !self.slots.has_form(&self.asked))
            .then(|| self.value(&parsed));
        if let Some(value) = value.flatten() {
            insert(&mut arguments, &self.asked, value);
            return Some(arguments);
        }
        let is_request =
            parsed.words.len() > MAX_BESIDE || command::objects(&parsed.words) || self.is_other(&parsed);
        (is_new && !is_request).then_some(arguments)
    }

    /// Whether every request for the operation has a text, as that for a trace, and these arguments have none.
    fn lacks_text(&self, arguments: &Map<String, Value>) -> bool {
        let text = self.slots.argument(Slot::Text, 0).filter(|_| !self.entry.effect.read_only);
        let examples = OperationExamples::of(self.entry).map_or(&[][..], |operation| &operation.examples);
        text.is_some_and(|text| !arguments.contains_key(text))
            && examples.iter().all(|example| example.slots.contains(&Slot::Text))
    }

    /// What a text says about the argument that was asked for.
    fn value(&self, parsed: &ParsedText) -> Option<Value> {
        let name = self.asked.rsplit('.').next().unwrap_or_default();
        let start = parsed.text.get(..name.len()).filter(|start| start.eq_ignore_ascii_case(name));
        let after = start.and_then(|_| parsed.text[name.len()..].trim_start().strip_prefix([':', '=']));
        let text = after.unwrap_or(&parsed.text).trim();
        let quoted = parsed.names.first().filter(|name| parsed.quoted == 1 && text.len() <= name.len() + 4);
        let text = quoted.map_or(text, String::as_str);
        let plain = |text: &str| text.trim_end_matches(['.', '!']).to_lowercase().replace('_', " ");
        let leaves = self.leaves();
        let mut choices = leaves.iter().flat_map(|leaf| choices(leaf)).peekable();
        if choices.peek().is_some() {
            return choices.find(|choice| plain(choice) == plain(text)).map(Value::from);
        }
        let is = |kind: &str| leaves.iter().any(|leaf| takes(leaf, kind));
        if is("boolean") {
            return match plain(text).as_str() {
                "yes" | "true" => Some(json!(true)),
                "false" => Some(json!(false)),
                _ => command::verdict(&parsed.words).map(Value::from),
            };
        }
        if is("integer") || is("number") {
            let single = || text.parse::<f64>().ok().filter(|_| is("number")).map(Value::from);
            let whole = || <[u64; 1]>::try_from(parsed.numbers.as_slice()).ok().map(|[number]| json!(number));
            return parsed.stars().map(Value::from).or_else(single).or_else(whole);
        }
        // "Endorse it" names no listing.
        let is_listing = self.slots.argument(Slot::Id, 0) == Some(self.asked.as_str());
        let refers = is_listing && parsed.words.iter().any(|word| lists("it its this that", &word.low));
        let is_answer = after.is_some() || quoted.is_some() || !(refers || self.is_other(parsed));
        (is("string") && !text.is_empty() && is_answer).then(|| json!(text))
    }

    /// Whether the message asks or requests something else.
    fn is_other(&self, parsed: &ParsedText) -> bool {
        let is_target = parsed.ids.len() + parsed.urls.len() + parsed.operation_names.len() > 0;
        // "The id is {id}."
        let says_nothing =
            |word: &Word| !word.is_significant() || matches!(word.low.as_str(), "id" | "listing");
        let is_bare = parsed.words.iter().all(says_nothing) && !parsed.text.contains('?');
        if is_bare || !is_target && !opens(&parsed.text) {
            return false;
        }
        match matching::interpret(parsed, &Map::new()) {
            Intent::Run(entry, _) | Intent::Missing(entry, ..) if !std::ptr::eq(entry, self.entry) => {
                matching::probability(parsed, &Map::new(), entry) >= CERTAIN
            }
            _ => command::asks(&parsed.text, &parsed.words),
        }
    }

    /// The forms that the argument can have.
    fn leaves(&self) -> Vec<&Value> {
        self.asked.split('.').fold(leaves(&self.schema, &self.schema), |outer, name| {
            let properties = outer.iter().filter_map(|leaf| leaf["properties"].get(name));
            properties.flat_map(|property| leaves(&self.schema, property)).collect()
        })
    }
}

fn takes(leaf: &Value, kind: &str) -> bool {
    let kinds = &leaf["type"];
    kinds == kind || kinds.as_array().is_some_and(|kinds| kinds.iter().any(|one| one == kind))
}

fn insert(arguments: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => drop(arguments.insert(path.to_owned(), value)),
        Some((first, rest)) => {
            let inner = arguments.entry(first).or_insert_with(|| json!({}));
            inner.as_object_mut().into_iter().for_each(|inner| insert(inner, rest, value.clone()));
        }
    }
}
