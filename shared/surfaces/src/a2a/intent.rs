//! Selects the operation that a message requests, and writes the reply. The message is in plain words or
//! contains a data part. The same message always selects the same operation: no text is generated. An operation
//! that writes is never run on a guess.

mod argument_slots;
mod command;
mod examples;
mod filling;
mod further_request;
mod lead_in;
mod listing_names;
mod matching;
mod meaning;
mod named_call;
mod parsed_text;
mod question;
mod render;
mod sentences;
mod summary;
#[cfg(test)]
mod tests;
mod topics;
mod words;

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::errors;
use argument_slots::ArgumentSlots;
use further_request::Further;
use matching::{CERTAIN, MIN_PROBABILITY};
use parsed_text::{ParsedText, push_new};
use question::Question;
use registry_app::App;
use registry_features::listing::operations::{CHECK_LIVENESS, CHECK_STATUS, MATCH_CAPABILITY};
use registry_features::log::operations::INCLUSION_PROOF;
use registry_features::operation::short::{self, DETAIL, View};
use registry_features::publish::operations::LIST_YOURSELF;
use registry_features::review::operations::SCORE;
use registry_features::{AnyOperation, RawArguments};
use registry_model::error::{ErrorKind, Problem, shorten};
use registry_model::{Caller, ListingId, Moment};
use registry_settings::Settings;

pub use argument_slots::Slot;
pub use render::{filled, help_text, operations as what_can_be_done, template};

/// How long the reply to "list me" waits for the first probe. It runs in another function; this only polls the table.
const MAX_PROBE_WAIT: Duration = Duration::from_secs(3);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A reply to plain words has about so many bytes, text and data together.
const MAX_REPLY: usize = 7600;

const SHORTENED: &str =
    " The data is shortened; to get all of it, call the operation by a data part with `detail` (`full`). ";

/// Fields of data parts, and URLs of file parts, that a message can have. Each is compared with the others.
const MAX_FIELDS: usize = 50;

/// The content of a message, independent of its protocol.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessageContent {
    /// The text parts, joined by line breaks.
    pub text: String,
    /// The data parts, which may contain a call or its arguments.
    pub data: Vec<Value>,
    /// URLs of file parts.
    pub urls: Vec<String>,
    /// Names of listings in the text, as they are written, and their ids.
    pub names: Vec<(String, ListingId)>,
}

/// Names that are sought in the table, and listings of one name that are shown.
const MAX_NAMED: usize = 5;

/// Words of a message that may be nothing but a name.
const MAX_NAME_WORDS: usize = 4;

#[derive(Clone, Debug)]
pub enum Intent {
    Run(&'static AnyOperation, Value),
    /// This operation, but an argument for the slot is missing; the others are known.
    Missing(&'static AnyOperation, Slot, Map<String, Value>),
    /// This operation, but several listings have the name.
    Ambiguous(&'static AnyOperation, String),
    /// This operation, in a form that is not executed.
    Refused(&'static AnyOperation, Hold),
    NoSuch(String),
    /// More than 50 fields and URLs outside of the text.
    TooManyFields,
    /// A greeting, a call for help, or an empty message.
    Greeting,
    Unclear,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    SeveralCalls,
    SeveralUrls,
    SeveralListings,
    Later,
    /// The message takes the request back, or makes it conditional.
    Retracted,
    /// It writes, and the message contains no request for it.
    Unrequested,
    /// It writes, and the message contains only the name of the listing.
    Named,
    /// The message takes back what was written about a listing.
    Written,
    /// The message changes what a probe reads.
    FromItsServer,
}

impl Hold {
    const fn text(self) -> &'static str {
        match self {
            Self::SeveralCalls => "Only one operation can be called at a time.",
            Self::SeveralUrls => "The message contains several URLs, but only one is accepted at a time.",
            Self::SeveralListings => "Only one listing is accepted at a time.",
            Self::Later => "It is done at once, never at a later time.",
            Self::Retracted => "It needs a plain request, without words such as “not” or “if”.",
            Self::Unrequested => "It stores something, so it needs a plain request.",
            Self::Named => "Anybody can give a listing this name, so say which one with its id.",
            Self::Written => {
                "What was written cannot be taken back or deleted: marks lose their strength, messages and outcomes expire."
            }
            Self::FromItsServer => {
                "It is read from the card, the server or its server.json: change it there, and publish it again."
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A read, successful or not; nothing has changed.
    Read,
    Done,
    /// A write was attempted and refused.
    Failed,
    /// The reply is a question for a missing argument.
    Asked,
    /// The reply explains the available operations.
    Explained,
    /// The operation does not exist.
    Declined,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub outcome: Outcome,
    pub text: String,
    /// The answer as data: `{executed, operation, arguments, result, ok, next}`. `next` is the call that follows from
    /// the latest known state.
    pub data: Value,
}

/// What was said in a conversation whose last reply was a question.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// All messages of the client as one.
    pub said: MessageContent,
    /// The data of the reply.
    pub reply: Value,
}

/// What a message requests, and the message with ids for the listings that it names.
///
/// # Errors
/// Server-side and temporary faults.
pub async fn understood(
    app: &App,
    message: MessageContent,
    conversation: Option<&Conversation>,
) -> Result<(MessageContent, Intent), Problem> {
    const YESTERDAY: [&str; 5] = ["yesterday", "gestern", "ayer", "ieri", "ontem"];
    let (message, mut intent) = understood_at_any_time(app, message, conversation).await?;
    let (parsed, _) = parse_content(&message);
    let yesterday = || Moment::from_second(app.clock.now().as_second() - 86_400).map(Moment::utc_day);
    let is_of_yesterday = parsed.words.iter().any(|word| YESTERDAY.contains(&word.low.as_str()));
    let day = parsed.days.first().cloned().or_else(|| is_of_yesterday.then(yesterday).flatten());
    if let Intent::Run(entry, Value::Object(arguments)) = &mut intent
        && entry.effect.read_only
    {
        // Only the log knows an earlier state.
        if let [id] = parsed.ids.as_slice()
            && [&CHECK_STATUS, &CHECK_LIVENESS].into_iter().any(|read| std::ptr::eq(read, *entry))
            && command::asks_for_the_past(&parsed, day.is_some())
        {
            *entry = &INCLUSION_PROOF;
            *arguments = Map::from_iter([("listing_id".to_owned(), json!(id))]);
        }
        if let Some(day) = day.filter(|_| ArgumentSlots::of(entry).knows("at")) {
            arguments.entry("at").or_insert_with(|| json!(day));
        }
    }
    Ok((message, intent))
}

async fn understood_at_any_time(
    app: &App,
    message: MessageContent,
    conversation: Option<&Conversation>,
) -> Result<(MessageContent, Intent), Problem> {
    if let Some(intent) = conversation.and_then(|conversation| answered(&message, conversation)) {
        return Ok((MessageContent::default(), with_short_answer(intent)));
    }
    let earlier = match conversation.map(|conversation| &conversation.said) {
        Some(earlier) => listing_names::found(app, earlier, false).await?.or_else(|| Some(earlier.clone())),
        None => None,
    };
    let message = if earlier.is_none() { lead_in::left_out(message) } else { message };
    let (message, earlier) = (listing_names::with_endpoints(app, message).await?, earlier.as_ref());
    let without_name = parse_intent(&message, earlier);
    let lacks = match &without_name {
        Intent::Missing(_, slot, _) => *slot == Slot::Id,
        Intent::Refused(entry, hold) => *hold == Hold::Unrequested && !std::ptr::eq(*entry, &LIST_YOURSELF),
        _ => false,
    };
    let searches = matches!(&without_name, Intent::Run(entry, _) if std::ptr::eq(*entry, &MATCH_CAPABILITY));
    let reads = matches!(&without_name, Intent::Run(entry, _) if entry.effect.read_only);
    let may_read = reads || matches!(&without_name, Intent::Greeting);
    let mut names = earlier.map(|earlier| earlier.names.clone()).unwrap_or_default();
    let mut named = listing_names::found(app, &message, false).await?;
    if lacks || may_read {
        let rest = listing_names::found_in_table(app, named.as_ref().unwrap_or(&message)).await?;
        named = rest.or(named);
    }
    let Some(named) = named else {
        let is_help = matches!(&without_name, Intent::Greeting);
        if (lacks || searches || is_help)
            && let Some(named) = listing_names::found(app, &message, true).await?
        {
            names.extend(named.names.clone());
            let intent = held(without_search(&named, earlier), &names, &message.text);
            let reads = matches!(&intent, Intent::Run(entry, _) if entry.effect.read_only);
            if lacks || is_help && reads || is_certain_write(&named, &intent, &message) {
                return Ok((named, intent));
            }
        }
        let intent = held(without_name, &names, &message.text);
        return Ok((message, intent));
    };
    // 'Demo for my server "Adder"': the name is an argument, whoever else has it.
    if let Intent::Run(_, arguments) = &without_name
        && parse_content(&message).0.quoted > 0
        && named.names.iter().any(|(name, _)| arguments["agent_name"] == name.as_str())
    {
        return Ok((message, without_name));
    }
    names.extend(named.names.clone());
    let intent = held(without_search(&named, earlier), &names, &message.text);
    let may_be_a_search = |message| probability(message, &MATCH_CAPABILITY) >= MIN_PROBABILITY;
    let is_search = match &intent {
        Intent::Unclear => true,
        // "An agent for Jira" means the product, whoever has taken its name.
        Intent::Refused(_, Hold::Named) => {
            may_be_a_search(&message) && !is_certain_write(&named, &intent, &message)
        }
        _ => may_be_a_search(&message) && may_be_a_search(&named),
    };
    Ok((named, if is_search { without_name } else { intent }))
}

/// Whether a message with a name means an operation that is held rather than, without the name, a search.
fn is_certain_write(named: &MessageContent, intent: &Intent, message: &MessageContent) -> bool {
    let Intent::Refused(entry, _) = intent else { return false };
    let of_write = probability(named, entry);
    of_write >= CERTAIN && of_write > probability(message, &MATCH_CAPABILITY)
}

fn probability(message: &MessageContent, entry: &AnyOperation) -> f32 {
    let (parsed, fields) = parse_content(message);
    matching::probability(&parsed, &fields, entry)
}

/// A name that several listings have is a question. What writes is held if a name decides about which listing; to publish under
/// a name that is taken needs no id.
fn held(intent: Intent, names: &[(String, ListingId)], text: &str) -> Intent {
    let (entry, arguments) = match &intent {
        Intent::Run(entry, arguments) => (*entry, Some(arguments.to_string())),
        Intent::Missing(entry, _, arguments) if !entry.effect.read_only => {
            (*entry, Some(json!(arguments).to_string()))
        }
        Intent::Refused(entry, Hold::Unrequested) => (*entry, None),
        _ => return intent,
    };
    let is_used = |id: &ListingId| arguments.as_ref().is_none_or(|all| all.contains(&format!("\"{id}\"")));
    let mut used = names.iter().filter(|(_, id)| !text.contains(id.as_str()) && is_used(id));
    let is_shared = |(name, id): &&_| names.iter().any(|(other, second)| other == name && second != id);
    match (used.clone().find(is_shared), used.next()) {
        (Some((name, _)), _) => Intent::Ambiguous(entry, name.clone()),
        (None, Some(_)) if arguments.is_some() && !entry.effect.read_only => {
            Intent::Refused(entry, Hold::Named)
        }
        _ => intent,
    }
}

/// Parses a message without looking for names.
fn parse_intent(message: &MessageContent, earlier: Option<&MessageContent>) -> Intent {
    let (parsed, _) = parse_content(message);
    let names_one = parsed.ids.is_empty() && !parsed.names.is_empty() && parsed.quoted < 2;
    match without_search(message, earlier) {
        // "What arguments does get_tides take?" leads to the listing with this tool.
        Intent::Missing(entry, Slot::Id, _) if entry.effect.read_only && parsed.tool_name().is_some() => {
            with_short_answer(Intent::Run(&MATCH_CAPABILITY, json!({ "q": parsed.tool_name() })))
        }
        // "Is Old Bot live?" names a listing that does not exist; 'list "weather" agents' does not.
        _ if names_one && command::asks_for_its_state(&parsed.words) => {
            with_short_answer(Intent::Run(&CHECK_STATUS, json!({ "name": parsed.names[0] })))
        }
        Intent::Unclear => match command::refuses(&parsed.words[..parsed.words.len().min(2)]) {
            true => Intent::Greeting,
            false => with_short_answer(matching::fallback(&parsed)),
        },
        intent => intent,
    }
}

/// Whether `detail` selects a part of the answer. An operation may have an argument of this name.
fn detail_selects_a_part(entry: &AnyOperation) -> bool {
    !entry.unknown(std::iter::once(DETAIL)).is_empty()
}

fn with_short_answer(mut intent: Intent) -> Intent {
    if let Intent::Run(entry, Value::Object(arguments)) = &mut intent
        && detail_selects_a_part(entry)
    {
        arguments.entry(DETAIL).or_insert_with(|| json!("short"));
    }
    intent
}

/// What a message requests; unclear if it fits no operation.
fn without_search(message: &MessageContent, earlier: Option<&MessageContent>) -> Intent {
    let mut calls = message.data.iter().filter_map(named_call::parse);
    if let Some(call) = calls.next() {
        return match call.entry {
            Some(entry) if calls.next().is_some() => Intent::Refused(entry, Hold::SeveralCalls),
            Some(entry) => Intent::Run(entry, call.arguments),
            None => Intent::NoSuch(call.name),
        };
    }
    if let Some(call) = json_call(&message.text) {
        return parse_intent(&MessageContent { data: vec![call], ..MessageContent::default() }, None);
    }
    if has_too_many_fields(message) {
        return Intent::TooManyFields;
    }
    // Without words, what is asked for is only in the action.
    let action = message.data.iter().find_map(|data| data.get("action")?.as_str());
    if let Some(action) = action.filter(|_| message.text.trim().is_empty() && earlier.is_none()) {
        return Intent::NoSuch(action.to_owned());
    }
    let (parsed, fields) = parse_content(message);
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
    match (intent, hold.into_iter().find(|(holds, _)| *holds)) {
        (Intent::Run(entry, _) | Intent::Missing(entry, ..) | Intent::Refused(entry, _), Some((_, hold)))
            if !entry.effect.read_only =>
        {
            Intent::Refused(entry, hold)
        }
        (intent, _) => with_short_answer(intent),
    }
}

/// The request of a conversation with the answer to its question.
fn answered(message: &MessageContent, conversation: &Conversation) -> Option<Intent> {
    let is_call = |data: &Value| named_call::parse(data).is_some();
    if message.data.iter().any(is_call) || message.text.trim_start().starts_with('{') {
        return None;
    }
    let question = Question::of(&conversation.reply)?;
    let arguments = question.answered(message)?;
    // What the messages say together besides the answer.
    let mut all = match in_context(message, &conversation.said) {
        Intent::Run(entry, Value::Object(all)) if std::ptr::eq(entry, question.entry) => all,
        _ => Map::new(),
    };
    all.extend(arguments);
    Some(match question.lacks_text(&all) {
        true => Intent::Missing(question.entry, Slot::Text, all),
        false => Intent::Run(question.entry, Value::Object(all)),
    })
}

/// Whether a message cancels the request of its conversation. "It does not work" is a text.
pub fn refuses(message: &MessageContent, conversation: &Conversation) -> bool {
    let words = ParsedText::parse(&message.text).words;
    let is_text = Question::of(&conversation.reply).is_some_and(|question| question.takes_text());
    command::refuses(&words) && (!is_text || words.len() <= MAX_NAME_WORDS)
}

/// Executes an intent and writes the reply.
///
/// # Errors
/// Only server-side and temporary faults, such as a busy table. An error of the caller is a reply.
pub async fn answer(
    app: &App,
    caller: &Caller,
    message: &MessageContent,
    intent: Intent,
) -> Result<Reply, Problem> {
    let mut further = further_request::of(message, &intent);
    let intent = further.as_mut().and_then(|further| further.own.take()).unwrap_or(intent);
    let besides = topic_besides(&app.settings, message, &intent);
    let mut reply = match intent {
        Intent::Run(entry, arguments) => run(app, caller, entry, arguments).await?,
        other => explain(app, message, &other),
    };
    if let Some(further) = further {
        add_further(app, caller, &mut reply, further).await?;
    } else if let Some(topic) = besides.filter(|_| reply.outcome != Outcome::Done) {
        // Who asks what an act means wants that first.
        match reply.data["reason"] == "held" {
            true => reply.text.insert_str(0, &format!("{topic} ")),
            false => insert_before_next(&mut reply.text, &format!(" About the registry: {topic} ")),
        }
    }
    // A suggested message stays as it can be sent.
    let suggested = ["send only: ", "For example: ", "Next: "].into_iter();
    let end = suggested.filter_map(|words| reply.text.find(words)).min().unwrap_or(reply.text.len());
    let rest = reply.text.split_off(end);
    for (name, id) in &message.names {
        if !reply.text.to_lowercase().contains(&name.to_lowercase()) {
            reply.text = reply.text.replacen(id.as_str(), &format!("\"{name}\" ({id})"), 1);
        }
    }
    reply.text += &rest;
    Ok(reply)
}

/// Answers a second request that only reads. Of any other, says that it was not done.
async fn add_further(app: &App, caller: &Caller, reply: &mut Reply, further: Further) -> Result<(), Problem> {
    let Further { text, intent, .. } = further;
    // "Which server converts currencies, and how do I call it?" asks about the first hit.
    let hit = &reply.data["result"]["hits"][0]["listing_id"];
    let intent = match intent {
        Intent::Missing(entry, Slot::Id, mut arguments) if hit.is_string() && entry.effect.read_only => {
            let id = ArgumentSlots::of(entry).argument(Slot::Id, 0).unwrap_or("listing_id").to_owned();
            arguments.insert(id, hit.clone());
            with_short_answer(Intent::Run(entry, Value::Object(arguments)))
        }
        intent => intent,
    };
    let sentence = match intent {
        Intent::Run(entry, arguments)
            if entry.effect.read_only
                && matches!(reply.outcome, Outcome::Read | Outcome::Done | Outcome::Explained) =>
        {
            let mut second = run(app, caller, entry, arguments).await?;
            second.text.truncate(second.text.find("Next: ").unwrap_or(second.text.len()));
            let used = reply.text.len() + reply.data.to_string().len() + second.text.len();
            let (result, cut) = short::fitted(second.data["result"].take(), MAX_REPLY.saturating_sub(used));
            second.data["result"] = result;
            reply.data["also"] = second.data;
            let note = if cut && !second.text.contains(SHORTENED) { SHORTENED } else { " " };
            let asked =
                text.map_or_else(|| "What also fits".to_owned(), |text| format!("You also said \"{text}\""));
            format!(" {asked}: {}{note}", second.text.trim_end())
        }
        _ => text.map_or_else(String::new, |text| {
            format!(" One message is one request, so this was not done: \"{text}\". Send it alone. ")
        }),
    };
    insert_before_next(&mut reply.text, &sentence);
    Ok(())
}

/// Whether the answer is that of the operation alone: the message names no listing, has no second request, and asks nothing
/// about the registry.
pub fn is_single(settings: &Settings, message: &MessageContent, intent: &Intent) -> bool {
    message.names.is_empty()
        && further_request::of(message, intent).is_none()
        && topic_besides(settings, message, intent).is_none()
}

/// What a message in plain words asks about the registry besides its request.
fn topic_besides(settings: &Settings, message: &MessageContent, intent: &Intent) -> Option<String> {
    let in_words = message.data.is_empty() && !message.text.trim_start().starts_with('{');
    let (parsed, _) = parse_content(message);
    let least = match intent {
        Intent::Greeting => return None,
        Intent::Refused(..) => topics::BESIDES_AN_ACT,
        _ if parsed.ids.is_empty() => topics::BESIDES_A_READ,
        _ => topics::BESIDES_A_LISTING,
    };
    topics::answer(settings, &parsed, least).filter(|_| in_words)
}

/// Adds a sentence to an answer. The next step stays at the end, so that a client can find it.
fn insert_before_next(text: &mut String, sentence: &str) {
    let end = text.rfind("Next: ").unwrap_or(text.len());
    text.insert_str(end, sentence);
}

async fn run(
    app: &App,
    caller: &Caller,
    entry: &'static AnyOperation,
    arguments: Value,
) -> Result<Reply, Problem> {
    let since = app.clock.now();
    let is_short = detail_selects_a_part(entry) && arguments[DETAIL] == "short";
    let mut shown = arguments.clone();
    if is_short && let Some(shown) = shown.as_object_mut() {
        shown.remove(DETAIL);
    }
    let mut data = json!({
        "executed": true, "operation": entry.name, "arguments": shown, "result": null, "ok": true,
    });
    let mut lacks = false;
    let (mut text, next) = match viewed(app, caller, entry, arguments).await {
        Ok((view, result)) => {
            let status = status_after_probe(app, caller, entry.name, &result, since).await?;
            let (shown, latest) = status.as_ref().map_or((entry, &result), |status| (&CHECK_STATUS, status));
            let (text, next) = (render::answer(shown, latest), latest.get("next").cloned());
            // The owner must sign first.
            lacks = !entry.effect.read_only && result["challenge"].is_object();
            if lacks {
                data["asks"] = json!("signature");
                (data["executed"], data["ok"]) = (json!(false), json!(false));
            }
            data["result"] = view.of(entry, result);
            if let Some(status) = status {
                // What the result says about the time before the probe is out of date.
                for name in ["lane", "kind"] {
                    data["result"][name] = status[name].clone();
                }
                if let Some(result) = data["result"].as_object_mut() {
                    result.retain(|name, _| !["status", "message", "poll", "next"].contains(&name.as_str()));
                }
                data["status"] = status;
            }
            (text, next)
        }
        Err(problem) if errors::status(problem.kind).is_server_error() => return Err(problem),
        Err(problem) => {
            let document = errors::problem_document(&problem);
            // An argument that the message did not contain.
            let lacking = problem.field.as_deref().filter(|field| data["arguments"].get(field).is_none());
            if let Some(field) = lacking.filter(|_| problem.kind == ErrorKind::Invalid) {
                lacks = true;
                data["asks"] = json!(field);
            }
            let step = render::next(&document["next"]).map(|step| format!(" {step}")).unwrap_or_default();
            let next = document.get("next").cloned();
            data["executed"] = json!(false);
            data["ok"] = json!(false);
            data["error"] = document;
            (format!("{}{step}", problem.detail), next)
        }
    };
    let outcome = match (entry.effect.read_only, data["ok"] == true) {
        _ if lacks => Outcome::Asked,
        (true, _) => Outcome::Read,
        (false, true) => Outcome::Done,
        (false, false) => Outcome::Failed,
    };
    if let Some(next) = next {
        data["next"] = next;
    }
    if is_short {
        let result = data["result"].take();
        let rest = text.len() + data.to_string().len();
        let (result, cut) = short::fitted(result, MAX_REPLY.saturating_sub(rest));
        data["result"] = result;
        if cut {
            let note = if entry.effect.idempotent { SHORTENED } else { " The data is shortened. " };
            insert_before_next(&mut text, note);
        }
    }
    Ok(Reply { outcome, text, data })
}

/// The whole answer, and the part of it that the caller wants.
async fn viewed(
    app: &App,
    caller: &Caller,
    entry: &AnyOperation,
    mut arguments: Value,
) -> Result<(View, Value), Problem> {
    let mut view = View::Full;
    if let Some(arguments) = arguments.as_object_mut() {
        view = View::of_arguments(entry, arguments)?;
        // An answer without a short form is whole.
        if detail_selects_a_part(entry) {
            arguments.remove(DETAIL);
        }
        entry.check_names(arguments)?;
    }
    Ok((view, entry.run(app.clone(), *caller, RawArguments::Json(arguments)).await?))
}

/// The status of a listing that was probed after `since`; `None` if no probe is due, or if it takes too long.
async fn status_after_probe(
    app: &App,
    caller: &Caller,
    operation: &str,
    answer: &Value,
    since: Moment,
) -> Result<Option<Value>, Problem> {
    if operation != LIST_YOURSELF.name || answer["status"] != "queued" || answer.get("retry_at").is_some() {
        return Ok(None);
    }
    let Some(id) = answer["listing_id"].as_str().and_then(|id| id.parse::<ListingId>().ok()) else {
        return Ok(None);
    };
    for _ in 0..MAX_PROBE_WAIT.as_millis() / POLL_INTERVAL.as_millis() {
        tokio::time::sleep(POLL_INTERVAL).await;
        let listing = app.store.listing(&id).await?;
        if listing.and_then(|listing| listing.probe).is_some_and(|probe| probe.at >= since) {
            let arguments = RawArguments::Json(json!({ "id": id }));
            return CHECK_STATUS.run(app.clone(), *caller, arguments).await.map(Some);
        }
    }
    Ok(None)
}

fn explain(app: &App, message: &MessageContent, intent: &Intent) -> Reply {
    let (parsed, _) = parse_content(message);
    let topic = topics::answer(&app.settings, &parsed, topics::MIN_PROBABILITY);
    let (outcome, reason, entry, text) = match intent {
        Intent::Missing(entry, slot, _) => {
            let question = match slot {
                Slot::Url => "Which URL? Send the URL of the agent card, the site or the MCP endpoint.",
                Slot::Id if entry.effect.read_only && parsed.names.is_empty() => {
                    "Which listing? Send its id (agtpub_…, agent-… or mcp-…) or its name in quotes."
                }
                Slot::Id => "Which listing? Send its id (agtpub_…, agent-… or mcp-…).",
                Slot::Token if ArgumentSlots::of(entry).knows("jws") => {
                    "Which statement? Send the signed statement, which begins with “ey”."
                }
                Slot::Token => {
                    "Which token? Send the access token. If it is lost, send the same feedback again with `reissue`."
                }
                Slot::Text if !entry.effect.read_only => "With which text? Send it.",
                Slot::Text => "About what? Send a few words in quotes.",
            };
            // A request without its text is no text.
            let verbs = matching::examples_of(entry).map(|operation| &operation.verbs);
            let is_bare = verbs.is_some_and(|verbs| !filling::has_topic(&parsed, verbs));
            let said = if *slot == Slot::Text || is_bare { parsed.targets() } else { parsed };
            let (example, about) = (render::example(entry, Some(&said)), render::about(entry));
            let text = format!("{}: {question} For example: \"{example}\". {about}", entry.title);
            (Outcome::Asked, "lacks", Some(*entry), text)
        }
        Intent::Ambiguous(entry, name) => {
            let ids = message.names.iter().filter(|(other, _)| other == name).map(|(_, id)| id.as_str());
            let (title, ids) = (entry.title, ids.take(MAX_NAMED).collect::<Vec<_>>().join(" or "));
            let text = format!(
                "{title}: Which \"{name}\"? Several listings have this name. Send an id, such as {ids}."
            );
            (Outcome::Asked, "ambiguous", Some(*entry), text)
        }
        Intent::Refused(entry, why) => {
            let (title, about) = (entry.title, render::about(entry));
            // "Do not endorse it" and "why should I?" are no texts of an endorsement.
            let asks = command::asks_how(&parsed.text, &parsed.words);
            let verbs = matching::examples_of(entry).map(|operation| &operation.verbs);
            let mut quoted = parsed.names[..parsed.quoted].iter();
            let is_listing = |quoted: &String| message.names.iter().any(|(name, _)| name == quoted);
            let has_text = parsed.text.contains(": ") || quoted.any(|quoted| !is_listing(quoted));
            let is_bare = !has_text && verbs.is_some_and(|verbs| !filling::has_topic(&parsed, verbs));
            let said = if asks || is_bare || *why == Hold::Retracted { parsed.targets() } else { parsed };
            let mut example = render::example(entry, Some(&said));
            let how = if runs_as_written(entry, &example) { "To run it, send only" } else { "For example" };
            let report = example.strip_suffix(" worked").or_else(|| example.strip_suffix(" failed"));
            let measured = ArgumentSlots::of(entry).measured(&said);
            example = match report.filter(|_| command::verdict(&said.words).is_none()) {
                Some(report) => format!("{report} worked{measured}\" or \"{report} failed{measured}"),
                None => example + &measured,
            };
            let url =
                entry.routes.iter().find(|route| route.is_post()).map(|route| app.settings.url(route.path));
            let over_http = url.map(|url| format!(" Over HTTP, it is POST {url} .")).unwrap_or_default();
            let text = match why {
                Hold::Written | Hold::FromItsServer => format!("{} Nothing was done.", why.text()),
                Hold::Retracted => format!(
                    "Nothing was done. {title}: {about} If you want it after all, send only: \"{example}\".{over_http}"
                ),
                Hold::Unrequested if asks => {
                    format!("{title}: {about} {how}: \"{example}\".{over_http} Nothing was done yet.")
                }
                _ => format!("{title}: {} Nothing was done. {how}: \"{example}\". {about}", why.text()),
            };
            (Outcome::Explained, "held", Some(*entry), text)
        }
        Intent::NoSuch(name) => {
            let help = render::help_text(&app.settings);
            let text = format!("Unknown operation `{}`. {help}", shorten(name, 80));
            (Outcome::Declined, "no_such_operation", None, text)
        }
        Intent::TooManyFields => {
            let text = format!(
                "The data parts and file parts of a message can have at most {MAX_FIELDS} fields and URLs; \
                 nothing was done. Send only the arguments of one operation."
            );
            (Outcome::Explained, "too_many_fields", None, text)
        }
        Intent::Greeting | Intent::Run(..) if topic.is_some() || parsed.urls.is_empty() => {
            (Outcome::Explained, "help", None, topic.unwrap_or_else(|| render::help_text(&app.settings)))
        }
        // Whoever sends a URL wants something done with it.
        Intent::Unclear | Intent::Greeting | Intent::Run(..) => {
            let near = [&LIST_YOURSELF, &SCORE, &CHECK_STATUS];
            let near = near.map(|entry| format!("\n- {}", render::example(entry, Some(&parsed)))).concat();
            let text = format!("The message was not understood; nothing was done. Did you mean:{near}");
            (Outcome::Explained, "not_understood", None, text)
        }
    };
    let mut data = json!({
        "executed": false,
        "operation": entry.map(|entry| entry.name),
        "arguments": {},
        "result": null,
        "ok": matches!(reason, "help"),
        "reason": reason,
        "operations": render::names(),
    });
    if let Intent::Missing(entry, slot, arguments) = intent {
        data["asks"] = json!(ArgumentSlots::of(entry).lacking(*slot, arguments));
        data["arguments"] = json!(arguments);
    }
    Reply { outcome, text, data }
}

/// Whether a suggested message runs the operation as it stands: it contains what is required, and nothing that stands for what
/// only the caller knows.
fn runs_as_written(entry: &AnyOperation, example: &str) -> bool {
    let schema = (entry.input_schema)();
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    match matching::interpret(&ParsedText::parse(example), &Map::new()) {
        Intent::Run(meant, arguments) => {
            std::ptr::eq(meant, entry)
                && !render::has_placeholder(example)
                && required.into_iter().all(|name| arguments.get(name).is_some())
        }
        _ => false,
    }
}

/// Only for a message that does not call an operation by a data part.
fn has_too_many_fields(message: &MessageContent) -> bool {
    let fields: usize = message.data.iter().filter_map(Value::as_object).map(Map::len).sum();
    fields + message.urls.len() > MAX_FIELDS
}

/// The parsed text of a message, and the arguments in its data parts. Reads at most [`MAX_FIELDS`] fields and URLs.
fn parse_content(message: &MessageContent) -> (ParsedText, Map<String, Value>) {
    let mut parsed = ParsedText::parse(&message.text);
    let names: BTreeMap<&str, &ListingId> =
        message.names.iter().map(|(name, id)| (name.as_str(), id)).collect();
    names.into_iter().for_each(|(name, id)| parsed.take_name(name, id.as_str()));
    let fields = message.data.iter().flat_map(named_call::loose_arguments);
    let fields: Map<String, Value> = fields.take(MAX_FIELDS).collect();
    let urls = message.urls.iter().map(String::as_str);
    for text in fields.values().filter_map(Value::as_str).chain(urls).take(MAX_FIELDS) {
        let alone = ParsedText::parse(text);
        match (alone.urls.as_slice(), alone.ids.as_slice()) {
            ([url], _) if alone.words.is_empty() => push_new(&mut parsed.urls, url),
            (_, [id]) if alone.words.is_empty() => push_new(&mut parsed.ids, id),
            _ => {}
        }
    }
    (parsed, fields)
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

/// Interprets a message as the continuation of an earlier one.
fn in_context(message: &MessageContent, earlier: &MessageContent) -> Intent {
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
    if has_too_many_fields(&whole) {
        return Intent::TooManyFields;
    }
    let interpret = |content: &MessageContent| {
        let (parsed, fields) = parse_content(content);
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

/// A call that was sent as JSON in a text part, because some clients have no data parts.
fn json_call(text: &str) -> Option<Value> {
    let data: Value =
        text.trim().starts_with('{').then(|| registry_model::json::parse(text.as_bytes()).ok()).flatten()?;
    named_call::parse(&data).map(|_| data)
}

/// Whether a text has no words with a meaning, or calls for help.
fn asks_nothing(parsed: &ParsedText) -> bool {
    const HELP_WORDS: [&str; 6] = ["help", "commands", "menu", "usage", "capabilities", "examples"];
    let words = parsed.words.iter().filter(|word| !command::is_thanks(&parsed.words, word.sentence));
    let mut meaning = words.filter(|word| word.is_significant());
    let only_help = meaning.all(|word| HELP_WORDS.contains(&word.low.as_str()));
    only_help && parsed.urls.is_empty() && parsed.ids.is_empty() && parsed.names.is_empty()
}
