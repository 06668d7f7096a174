//! Selects the operation that a message requests, without looking for the names of listings.

use serde_json::{Value, json};

use crate::a2a::intent::argument_slots::Slot;
use crate::a2a::intent::content::MessageContent;
use crate::a2a::intent::parsed_text::ParsedText;
use crate::a2a::intent::request::{Hold, Intent};
use crate::a2a::intent::words::is_thanks;
use crate::a2a::intent::{command, matching, named_call};
use registry_features::listing::operations::{CHECK_STATUS, MATCH_CAPABILITY};
use registry_features::publish::operations::LIST_YOURSELF;

/// Words of a message that may be nothing but a name.
pub(super) const MAX_NAME_WORDS: usize = 4;

/// What a message requests; a search if it fits no operation. `earlier` is what the client sent before in this conversation.
pub(super) fn select(message: &MessageContent, earlier: Option<&MessageContent>) -> Intent {
    let (parsed, _) = message.parse();
    let names_one = parsed.ids.is_empty() && !parsed.names.is_empty() && parsed.quoted < 2;
    match without_search(message, earlier) {
        // "What arguments does get_tides take?" leads to the listing with this tool.
        Intent::Missing(entry, Slot::Id, _) if entry.effect.read_only && parsed.tool_name().is_some() => {
            Intent::Run(&MATCH_CAPABILITY, json!({ "q": parsed.tool_name() })).with_short_answer()
        }
        // "Is Old Bot live?" names a listing that does not exist; 'list "weather" agents' does not.
        _ if names_one && command::asks_for_its_state(&parsed.words) => {
            Intent::Run(&CHECK_STATUS, json!({ "name": parsed.names[0] })).with_short_answer()
        }
        Intent::Unclear => match command::refuses(&parsed.words[..parsed.words.len().min(2)]) {
            true => Intent::Greeting,
            false => matching::fallback(&parsed).with_short_answer(),
        },
        intent => intent,
    }
}

/// What a message requests; unclear if it fits no operation.
pub(super) fn without_search(message: &MessageContent, earlier: Option<&MessageContent>) -> Intent {
    let mut calls = message.data.iter().filter_map(named_call::parse);
    if let Some(call) = calls.next() {
        return match call.entry {
            Some(entry) if calls.next().is_some() => Intent::Refused(entry, Hold::SeveralCalls),
            Some(entry) => Intent::Run(entry, call.arguments),
            None => Intent::NoSuch(call.name),
        };
    }
    if let Some(call) = json_call(&message.text) {
        return select(&MessageContent { data: vec![call], ..MessageContent::default() }, None);
    }
    if message.has_too_many_fields() {
        return Intent::TooManyFields;
    }
    // Without words, what is asked for is only in the action.
    let action = message.data.iter().find_map(|data| data.get("action")?.as_str());
    if let Some(action) = action.filter(|_| message.text.trim().is_empty() && earlier.is_none()) {
        return Intent::NoSuch(action.to_owned());
    }
    let (parsed, fields) = message.parse();
    if asks_nothing(&parsed) && fields.is_empty() && earlier.is_none() {
        return Intent::Greeting;
    }
    if fields.contains_key("server_json") && matching::asks_to_publish(&parsed) {
        return Intent::Run(&LIST_YOURSELF, Value::Object(fields));
    }
    let intent = match (matching::interpret(&parsed, &fields), earlier) {
        (intent, Some(earlier)) if may_complete(&intent, &parsed) => in_context(message, earlier),
        (intent, _) => intent,
    };
    let hold = [
        (command::takes_back(&parsed.words), Hold::Written),
        (command::changes_a_text(&parsed.words), Hold::FromItsServer),
    ];
    match (intent.operation(), hold.into_iter().find(|(holds, _)| *holds)) {
        (Some(entry), Some((_, hold))) if !entry.effect.read_only => Intent::Refused(entry, hold),
        _ => intent.with_short_answer(),
    }
}

/// Interprets a message as the continuation of an earlier one.
pub(super) fn in_context(message: &MessageContent, earlier: &MessageContent) -> Intent {
    // The id of a listing whose name several have.
    let settled = earlier.names.iter().find(|(_, id)| message.text.trim() == id.as_str());
    let whole = MessageContent {
        text: settled.map_or_else(
            || format!("{}\n{}", earlier.text, message.text),
            |(name, id)| earlier.text.replacen(name, id.as_str(), 1),
        ),
        data: earlier.data.iter().chain(&message.data).cloned().collect(),
        urls: earlier.urls.iter().chain(&message.urls).cloned().collect(),
        names: earlier.names.iter().chain(&message.names).cloned().collect(),
    };
    if whole.has_too_many_fields() {
        return Intent::TooManyFields;
    }
    let interpret = |content: &MessageContent| {
        let (parsed, fields) = content.parse();
        matching::interpret(&parsed, &fields)
    };
    match interpret(&whole) {
        // A later message completes a write only if no word in it objects.
        Intent::Run(entry, _)
            if !entry.effect.read_only && command::objects(&ParsedText::parse(&message.text).words) =>
        {
            return Intent::Refused(entry, Hold::Retracted);
        }
        Intent::Refused(_, Hold::Unrequested) => {}
        intent @ (Intent::Run(..) | Intent::Refused(..)) => return intent,
        _ => {}
    }
    match interpret(earlier) {
        Intent::Missing(entry, slot, arguments) if entry.effect.read_only => {
            // The reply to a question for a name is the name alone, so it needs no quotes.
            let text = format!("{} \"{}\"", earlier.text, message.text.trim());
            match interpret(&MessageContent { text, ..whole }) {
                run @ Intent::Run(..) => run,
                _ => Intent::Missing(entry, slot, arguments),
            }
        }
        intent => intent,
    }
}

/// Whether a message may answer a question; a few words alone may be a name that was asked for.
fn may_complete(intent: &Intent, parsed: &ParsedText) -> bool {
    match intent {
        Intent::Unclear | Intent::Greeting | Intent::Missing(..) | Intent::Refused(_, Hold::Unrequested) => {
            true
        }
        Intent::Run(entry, _) => {
            std::ptr::eq(*entry, &MATCH_CAPABILITY) && parsed.words.len() <= MAX_NAME_WORDS
        }
        _ => false,
    }
}

/// A call that was sent as JSON in a text part, because some clients have no data parts.
fn json_call(text: &str) -> Option<Value> {
    let data: Value =
        text.trim().starts_with('{').then(|| registry_model::json::parse(text.as_bytes()).ok()).flatten()?;
    named_call::parse(&data).map(|_| data)
}

/// Whether a text has no words with a meaning, or calls for help.
fn asks_nothing(parsed: &ParsedText) -> bool {
    const HELP_WORDS: [&str; 6] = ["help", "commands", "menu", "usage", "capabilities", "examples"];
    let words = parsed.words.iter().filter(|word| !is_thanks(&parsed.words, word.sentence));
    let mut meaning = words.filter(|word| word.is_significant());
    let only_help = meaning.all(|word| HELP_WORDS.contains(&word.low.as_str()));
    only_help && parsed.urls.is_empty() && parsed.ids.is_empty() && parsed.names.is_empty()
}
