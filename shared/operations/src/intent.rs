//! What a message asks for and how it is answered: plain words or a data part become one operation of the catalogue.
//! Deterministic and without a model, so that the same message always has the same result and nothing is written on a
//! guess.

mod argument_slots;
mod command;
mod first_probe;
mod help;
mod matching;
mod operation_call;
mod parsed_text;
mod phrase;
mod render;
#[cfg(test)]
mod tests;
mod words;

use serde_json::{Map, Value, json};

use crate::{AnyOperation, RawArguments};
use argument_slots::Slot;
use matching::{Interpretation, RefusalReason};
use parsed_text::ParsedText;
use phrase::PhraseBook;
use registry_app::App;
use registry_model::Caller;
use registry_model::error::{Problem, shorten};

pub use help::filled;
pub use help::{operations as what_can_be_done, text as help_text};

/// What a message says, independent of the protocol that carried it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessageContent {
    /// The text parts, joined by line breaks.
    pub text: String,
    /// The data parts, which may hold a call or the arguments of one.
    pub data: Vec<Value>,
    /// URLs of file parts.
    pub urls: Vec<String>,
}

/// What a message asks for.
#[derive(Clone, Debug)]
pub enum Intent {
    /// Run this operation with these arguments.
    Run(&'static AnyOperation, Value),
    /// This operation, but an argument is missing.
    Missing(&'static AnyOperation, MissingArgument),
    /// This operation, in a form that is not carried out; the text says why.
    Refused(&'static AnyOperation, &'static str),
    /// A call of an operation that does not exist.
    NoSuch(String),
    /// A greeting, a call for help, or nothing at all.
    Greeting,
    /// Not understood; the operations that are most similar.
    Unclear(Vec<&'static AnyOperation>),
}

/// The argument that a message leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingArgument {
    /// A URL.
    Url,
    /// Which listing.
    Listing,
    /// A few words.
    Words,
}

/// How an answer came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A read, successful or not; nothing has changed.
    Read,
    /// A write succeeded.
    Done,
    /// A write was attempted and refused.
    Failed,
    /// An argument is missing and was asked for.
    Asked,
    /// The available operations were explained.
    Explained,
    /// The operation does not exist.
    Declined,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// How it came about.
    pub outcome: Outcome,
    /// The answer in words.
    pub text: String,
    /// The answer as data: `{executed, operation, arguments, result, ok, next}` and, beside it, what helps. `next` is the
    /// call that follows, of the latest state known.
    pub data: Value,
}

/// Parses a message; `earlier` is what the same conversation said before it was asked for a missing argument.
#[must_use]
pub fn parse_intent(message: &MessageContent, earlier: Option<&MessageContent>) -> Intent {
    let mut calls = message.data.iter().filter_map(operation_call::parse);
    if let Some(call) = calls.next() {
        return match call.entry {
            Some(entry) if calls.next().is_some() => {
                Intent::Refused(entry, "Only one operation can be called at a time.")
            }
            Some(entry) => Intent::Run(entry, call.arguments),
            None => Intent::NoSuch(call.name),
        };
    }
    let book = PhraseBook::own();
    let (parsed, beside) = parse_content(message);
    if let Some(call) = json_call(&message.text) {
        return parse_intent(
            &MessageContent { text: String::new(), data: vec![call], urls: Vec::new() },
            None,
        );
    }
    let interpretation = matching::interpret(book, &parsed, &beside);
    let interpretation = match (interpretation, earlier) {
        (Interpretation::Unclear(_) | Interpretation::Missing(..), Some(earlier)) => {
            in_context(book, message, earlier)
        }
        (interpretation, _) => interpretation,
    };
    match interpretation {
        Interpretation::Run(entry, arguments) => Intent::Run(entry, Value::Object(arguments)),
        Interpretation::Missing(entry, slot) => Intent::Missing(entry, missing(slot)),
        Interpretation::Refused(entry, reason) => Intent::Refused(entry, why(reason)),
        Interpretation::Unclear(_) if is_greeting(&parsed) && beside.is_empty() => Intent::Greeting,
        Interpretation::Unclear(nearest) => match matching::alone(book, &parsed, &beside) {
            Some(Interpretation::Run(entry, arguments)) => Intent::Run(entry, Value::Object(arguments)),
            _ => Intent::Unclear(nearest),
        },
    }
}

/// Whether a message cancels what its conversation asked for.
#[must_use]
pub fn refuses(message: &MessageContent) -> bool {
    command::refuses(&ParsedText::parse(&message.text).words)
}

/// Carries out an intent and writes the reply.
///
/// # Errors
/// Only server-side and temporary faults, such as a busy table. A fault of the caller is a reply.
pub async fn answer(
    app: &App,
    caller: &Caller,
    message: &MessageContent,
    intent: Intent,
) -> Result<Reply, Problem> {
    match intent {
        Intent::Run(entry, arguments) => run(app, caller, entry, arguments).await,
        other => Ok(explained(app, message, &other)),
    }
}

async fn run(
    app: &App,
    caller: &Caller,
    entry: &'static AnyOperation,
    arguments: Value,
) -> Result<Reply, Problem> {
    let since = app.clock.now();
    let reply = |ok: bool, text: String, result: (&str, Value)| {
        let outcome = match (entry.effect.read_only, ok) {
            (true, _) => Outcome::Read,
            (false, true) => Outcome::Done,
            (false, false) => Outcome::Failed,
        };
        let mut data = json!({ "executed": ok, "operation": entry.name, "arguments": arguments, "result": null, "ok": ok });
        data[result.0] = result.1;
        Reply { outcome, text, data }
    };
    match (entry.run)(app.clone(), *caller, RawArguments::Json(arguments.clone())).await {
        Ok(result) => {
            let status = first_probe::outcome(app, caller, entry.name, &result, since).await?;
            let text = render::answer(entry, status.as_ref().unwrap_or(&result));
            let next = status.as_ref().unwrap_or(&result).get("next").cloned();
            let mut reply = reply(true, text, ("result", result));
            if let Some(status) = status {
                reply.data["status"] = status;
            }
            if let Some(next) = next {
                reply.data["next"] = next;
            }
            Ok(reply)
        }
        Err(problem) if problem.status.is_server_error() => Err(problem),
        Err(problem) => {
            let document = problem.document();
            let next = render::next(&document["next"]).map(|next| format!(" {next}")).unwrap_or_default();
            let step = document.get("next").cloned();
            let mut reply = reply(false, format!("{}{next}", problem.detail), ("error", document));
            if let Some(step) = step {
                reply.data["next"] = step;
            }
            Ok(reply)
        }
    }
}

fn explained(app: &App, message: &MessageContent, intent: &Intent) -> Reply {
    let (parsed, _) = parse_content(message);
    let everything =
        || format!("What can be asked:\n{}", help::lines(crate::CATALOGUE.iter().copied(), Some(&parsed)));
    let (outcome, reason, entry, text) = match intent {
        Intent::Missing(entry, missing) => {
            let question = match missing {
                MissingArgument::Url => {
                    "Which URL? Send that of the agent card, the site or the MCP endpoint."
                }
                MissingArgument::Listing => {
                    "Which listing? Send its id (agtpub_…, agent-… or mcp-…), its URL or its name in quotes."
                }
                MissingArgument::Words => "About what? Send it in a few words, in quotes.",
            };
            let text = format!(
                "{}: {question} For instance: \"{}\".",
                entry.title,
                help::example(entry, Some(&parsed))
            );
            (Outcome::Asked, "lacks", Some(*entry), text)
        }
        Intent::Refused(entry, why) => {
            let plainly = format!(
                "{why} Nothing was done. To have it done, say only: \"{}\".",
                help::example(entry, Some(&parsed))
            );
            (Outcome::Explained, "held", Some(*entry), plainly)
        }
        Intent::NoSuch(name) => {
            let name = shorten(name, 80);
            (
                Outcome::Declined,
                "no_such_operation",
                None,
                format!("There is no operation `{name}`. {}", everything()),
            )
        }
        Intent::Greeting | Intent::Run(..) => {
            (Outcome::Explained, "help", None, help::text(&app.settings.brand))
        }
        Intent::Unclear(near) if near.is_empty() => {
            (Outcome::Explained, "not_understood", None, format!("This was not understood. {}", everything()))
        }
        Intent::Unclear(near) => {
            let near = help::lines(near.iter().copied(), Some(&parsed));
            let text = format!(
                "This was not understood, and nothing was done. Perhaps:\n{near}\n\n{}",
                everything()
            );
            (Outcome::Explained, "not_understood", None, text)
        }
    };
    let data = json!({
        "executed": false,
        "operation": entry.map(|entry| entry.name),
        "arguments": {},
        "result": null,
        "ok": matches!(reason, "help"),
        "reason": reason,
        "operations": help::operations(),
    });
    Reply { outcome, text, data }
}

fn parse_content(message: &MessageContent) -> (ParsedText, Map<String, Value>) {
    let mut parsed = ParsedText::parse(&message.text);
    let beside: Map<String, Value> = message.data.iter().flat_map(operation_call::loose_arguments).collect();
    for text in beside.values().filter_map(Value::as_str).chain(message.urls.iter().map(String::as_str)) {
        let alone = ParsedText::parse(text);
        match (alone.urls.as_slice(), alone.ids.as_slice()) {
            ([url], _) if alone.words.is_empty() => parsed.add_url(url),
            (_, [id]) if alone.words.is_empty() => parsed.add_id(id),
            _ => {}
        }
    }
    (parsed, beside)
}

/// Interprets a message as the continuation of an earlier one.
fn in_context(book: &PhraseBook, message: &MessageContent, earlier: &MessageContent) -> Interpretation {
    let whole = MessageContent {
        text: format!("{}\n{}", earlier.text, message.text),
        data: earlier.data.iter().chain(&message.data).cloned().collect(),
        urls: earlier.urls.iter().chain(&message.urls).cloned().collect(),
    };
    let (parsed, beside) = parse_content(&whole);
    match matching::interpret(book, &parsed, &beside) {
        Interpretation::Missing(entry, slot) if entry.effect.read_only => {
            // The reply to a question for a name is the name alone, so it needs no quotes.
            let quoted =
                MessageContent { text: format!("{} \"{}\"", earlier.text, message.text.trim()), ..whole };
            let (parsed, beside) = parse_content(&quoted);
            match matching::interpret(book, &parsed, &beside) {
                run @ Interpretation::Run(..) => run,
                _ => Interpretation::Missing(entry, slot),
            }
        }
        // A write is completed by a later message only where nothing in that message objects.
        Interpretation::Run(entry, _)
            if !entry.effect.read_only && command::objects(&ParsedText::parse(&message.text).words) =>
        {
            Interpretation::Refused(entry, RefusalReason::Retracted)
        }
        interpretation => interpretation,
    }
}

/// A call that was sent as JSON in a text part: some clients have no data parts.
fn json_call(text: &str) -> Option<Value> {
    let data: Value = text.trim().starts_with('{').then(|| serde_json::from_str(text).ok()).flatten()?;
    operation_call::parse(&data).map(|_| data)
}

fn is_greeting(parsed: &ParsedText) -> bool {
    const CALLS: [&str; 6] = ["help", "commands", "menu", "usage", "capabilities", "examples"];
    let picked = !parsed.urls.is_empty() || !parsed.ids.is_empty();
    let counting = parsed.words.iter().filter(|word| word.counts());
    let calls = parsed.words.iter().any(|word| CALLS.contains(&word.low.as_str()));
    !picked && (calls || counting.count() == 0)
}

const fn missing(slot: Slot) -> MissingArgument {
    match slot {
        Slot::Url => MissingArgument::Url,
        Slot::Id => MissingArgument::Listing,
        Slot::Text => MissingArgument::Words,
    }
}

const fn why(reason: RefusalReason) -> &'static str {
    match reason {
        RefusalReason::Retracted => {
            "The message bids this and takes it back, or makes it depend on something."
        }
        RefusalReason::SeveralUrls => "The message names several URLs, and one is wanted at a time.",
    }
}
