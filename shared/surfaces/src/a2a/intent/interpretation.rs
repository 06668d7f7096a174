//! Interprets a message: what it requests, with the listings that it names, and what it asks in addition.

use serde_json::{Map, Value, json};

use crate::a2a::intent::argument_slots::{ArgumentSlots, Slot};
use crate::a2a::intent::content::MessageContent;
use crate::a2a::intent::conversation::Conversation;
use crate::a2a::intent::further_request::{self, Further};
use crate::a2a::intent::matching::{self, CERTAIN, MIN_PROBABILITY};
use crate::a2a::intent::request::{Hold, Intent};
use crate::a2a::intent::selection::{select, without_search};
use crate::a2a::intent::{command, lead_in, listing_names, topics};
use registry_app::App;
use registry_features::AnyOperation;
use registry_features::listing::operations::{CHECK_LIVENESS, CHECK_STATUS, MATCH_CAPABILITY};
use registry_features::log::operations::INCLUSION_PROOF;
use registry_features::publish::operations::LIST_YOURSELF;
use registry_model::error::Problem;
use registry_model::{ListingId, Moment};
use registry_settings::Settings;

#[derive(Debug)]
pub struct Interpretation {
    /// The message with ids for the listings that it names.
    pub(super) message: MessageContent,
    pub intent: Intent,
    pub(super) further: Option<Further>,
    /// The answer to what the message asks about the registry in addition to its request; `None` if it has a further request.
    pub(super) topic: Option<String>,
}

impl Interpretation {
    /// # Errors
    /// Server-side and temporary faults.
    pub async fn of(
        app: &App,
        message: MessageContent,
        conversation: Option<&Conversation>,
    ) -> Result<Self, Problem> {
        let (message, intent) = with_time(app, message, conversation).await?;
        let further = further_request::find(&message, &intent);
        let topic = match further {
            Some(_) => None,
            None => topic_in_addition(&app.settings, &message, &intent),
        };
        Ok(Self { message, intent, further, topic })
    }

    /// The operation that reads, with its arguments, if its answer is the whole reply: the message names no listing, has no
    /// further request, and asks nothing about the registry.
    pub fn single_read(&self) -> Option<(&'static AnyOperation, &Value)> {
        let is_single = self.message.names.is_empty() && self.further.is_none() && self.topic.is_none();
        match &self.intent {
            Intent::Run(entry, arguments) if entry.effect.read_only && is_single => Some((*entry, arguments)),
            _ => None,
        }
    }
}

/// What a message in plain words asks about the registry in addition to its request.
fn topic_in_addition(settings: &Settings, message: &MessageContent, intent: &Intent) -> Option<String> {
    if !message.is_plain_text() {
        return None;
    }
    let (parsed, _) = message.parse();
    let least = match intent {
        Intent::Greeting => return None,
        Intent::Refused(..) => topics::BESIDES_AN_ACT,
        _ if parsed.ids.is_empty() => topics::BESIDES_A_READ,
        _ => topics::BESIDES_A_LISTING,
    };
    topics::answer(settings, &parsed, least)
}

/// The request of a message, at the day that it names.
async fn with_time(
    app: &App,
    message: MessageContent,
    conversation: Option<&Conversation>,
) -> Result<(MessageContent, Intent), Problem> {
    const YESTERDAY: [&str; 5] = ["yesterday", "gestern", "ayer", "ieri", "ontem"];
    let (message, mut intent) = with_names(app, message, conversation).await?;
    let (parsed, _) = message.parse();
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

/// The request of a message, with the listings that it names.
async fn with_names(
    app: &App,
    message: MessageContent,
    conversation: Option<&Conversation>,
) -> Result<(MessageContent, Intent), Problem> {
    if let Some(intent) = conversation.and_then(|conversation| conversation.answered_by(&message)) {
        return Ok((MessageContent::default(), intent.with_short_answer()));
    }
    let earlier = match conversation.map(|conversation| &conversation.earlier) {
        Some(earlier) => listing_names::find(app, earlier, false).await?.or_else(|| Some(earlier.clone())),
        None => None,
    };
    let message = if earlier.is_none() { lead_in::left_out(message) } else { message };
    let (message, earlier) = (listing_names::with_endpoints(app, message).await?, earlier.as_ref());
    let without_name = select(&message, earlier);
    let lacks = match &without_name {
        Intent::Missing(_, slot, _) => *slot == Slot::Id,
        Intent::Refused(entry, hold) => *hold == Hold::Unrequested && !std::ptr::eq(*entry, &LIST_YOURSELF),
        _ => false,
    };
    let is_help = matches!(&without_name, Intent::Greeting);
    let mut names = earlier.map(|earlier| earlier.names.clone()).unwrap_or_default();
    let mut named = listing_names::find(app, &message, false).await?;
    if lacks || is_help || without_name.is_read() {
        let in_table = listing_names::find_in_table(app, named.as_ref().unwrap_or(&message)).await?;
        named = in_table.or(named);
    }
    let Some(named) = named else {
        let searches =
            matches!(&without_name, Intent::Run(entry, _) if std::ptr::eq(*entry, &MATCH_CAPABILITY));
        if (lacks || searches || is_help)
            && let Some(named) = listing_names::find(app, &message, true).await?
        {
            names.extend(named.names.clone());
            let intent = hold_if_named(without_search(&named, earlier), &names, &message.text);
            if lacks || is_help && intent.is_read() || is_certain_write(&named, &intent, &message) {
                return Ok((named, intent));
            }
        }
        let intent = hold_if_named(without_name, &names, &message.text);
        return Ok((message, intent));
    };
    // 'Demo for my server "Adder"': the name is an argument, whoever else has it.
    if let Intent::Run(_, arguments) = &without_name
        && message.parse().0.quoted > 0
        && named.names.iter().any(|(name, _)| arguments["agent_name"] == name.as_str())
    {
        return Ok((message, without_name));
    }
    names.extend(named.names.clone());
    let intent = hold_if_named(without_search(&named, earlier), &names, &message.text);
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

/// Whether a message with a name means an operation that is not executed rather than, without the name, a search.
fn is_certain_write(named: &MessageContent, intent: &Intent, message: &MessageContent) -> bool {
    let Intent::Refused(entry, _) = intent else { return false };
    let of_write = probability(named, entry);
    of_write >= CERTAIN && of_write > probability(message, &MATCH_CAPABILITY)
}

fn probability(message: &MessageContent, entry: &AnyOperation) -> f32 {
    let (parsed, fields) = message.parse();
    matching::probability(&parsed, &fields, entry)
}

/// A name that several listings have is a question. What writes is not executed if a name decides about which listing; to publish
/// under a name that is taken needs no id.
fn hold_if_named(intent: Intent, names: &[(String, ListingId)], text: &str) -> Intent {
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
    let is_ambiguous = |(name, id): &&_| names.iter().any(|(other, second)| other == name && second != id);
    match (used.clone().find(is_ambiguous), used.next()) {
        (Some((name, _)), _) => Intent::Ambiguous(entry, name.clone()),
        (None, Some(_)) if arguments.is_some() && !entry.effect.read_only => {
            Intent::Refused(entry, Hold::Named)
        }
        _ => intent,
    }
}
