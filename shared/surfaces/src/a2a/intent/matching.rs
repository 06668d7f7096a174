//! Finds the operation that a message means: the most probable one (`meaning`), with the arguments of its most similar example,
//! among the examples whose slots the message fills. Their words are compared, without those that go into the slots. An
//! operation that writes is only run if the message also requests it (`command`).

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use crate::a2a::intent::argument_slots::Slot;
use crate::a2a::intent::command::{self, Request};
use crate::a2a::intent::examples::{EXAMPLES, Example, OperationExamples};
use crate::a2a::intent::filling::{Filling, fill, has_topic, query};
use crate::a2a::intent::meaning::Meaning;
use crate::a2a::intent::parsed_text::ParsedText;
use crate::a2a::intent::request::{Hold, Intent};
use registry_features::AnyOperation;
use registry_features::economy::operations::ABUNDANCE_RANK;
use registry_features::interop::operations::DEPOSIT_OUTCOME;
use registry_features::listing::operations::{ARD_SEARCH, CHECK_STATUS, MATCH_CAPABILITY, SEARCH_ACTIVE};
use registry_features::publish::operations::LIST_YOURSELF;
use registry_features::review::operations::{REPORT_LISTING, SCORE};
use registry_features::talk::operations::TALK;

/// The probability from which a message means an operation. Below it, a message is a search.
pub(super) const MIN_PROBABILITY: f32 = 0.3;
/// From here a message with an id or a URL may be about something else, a report of a use is stored without a request, and
/// a message that requests nothing gets a reply that says how to request what it seems to mean.
pub(super) const CERTAIN: f32 = 0.5;
/// The probability from which a message may also mean an operation.
const ALSO_MEANT: f32 = 0.1;
/// How much the similarity to an example counts beside the probability: it decides between the examples of an operation, and
/// between operations that are about as probable.
const SIMILARITY: f32 = 0.5;
/// Added to the similarity if the message requests an operation that writes. It is subtracted if an argument is missing, and
/// for a query, because the words around it are few and similar to many examples.
const STEP: f32 = 0.1;
/// Added for each slot and implied argument: of two equal examples, the one that takes more from the message is better.
const SLOT: f32 = 0.01;
/// The similarity of a message that asks for help, which is compared with no example.
const HELP_SIMILARITY: f32 = 0.5;

struct Message<'a> {
    parsed: &'a ParsedText,
    fields: &'a Map<String, Value>,
    meaning: Meaning,
    /// Whether it contains an id or a URL.
    has_target: bool,
    /// Its significant words, with the positions where they begin. Some nine hundred examples are compared with them.
    own: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Message<'a> {
    fn of(parsed: &'a ParsedText, fields: &'a Map<String, Value>) -> Self {
        let has_target = !parsed.ids.is_empty() || !parsed.urls.is_empty();
        let mut own: HashMap<&str, Vec<usize>> = HashMap::new();
        for word in parsed.words.iter().filter(|word| word.is_significant()) {
            own.entry(word.stem.as_str()).or_default().push(word.at.start);
        }
        Self { parsed, fields, meaning: Meaning::of(parsed), has_target, own }
    }

    fn probability(&self, entry: &AnyOperation) -> f32 {
        // Both are searches; the examples decide between them.
        let class = if std::ptr::eq(entry, &ARD_SEARCH) { MATCH_CAPABILITY.name } else { entry.name };
        self.meaning.probability(class)
    }

    /// The share of common words among all significant words of the message and the example, without those that went into slots.
    fn similarity(&self, example: &Example, used_words: &HashSet<usize>) -> f32 {
        let is_free = |places: &Vec<usize>| places.iter().any(|place| !used_words.contains(place));
        let own = match used_words.len() {
            0 => self.own.len(),
            _ => self.own.values().filter(|places| is_free(places)).count(),
        };
        let common =
            example.stems.iter().filter(|stem| self.own.get(stem.as_str()).is_some_and(is_free)).count();
        (1 + common) as f32 / (1 + own + example.stems.len() - common) as f32
    }
}

/// Interprets a text; `fields` are the arguments in the data parts of the same message.
pub(super) fn interpret(parsed: &ParsedText, fields: &Map<String, Value>) -> Intent {
    if let Some(intent) = by_name(parsed, fields) {
        return intent;
    }
    let message = Message::of(parsed, fields);
    let only = before_a_colon(parsed, fields);
    let operations = EXAMPLES.iter();
    let operations =
        operations.filter(|operation| only.is_none_or(|only| std::ptr::eq(operation.entry, only)));
    let candidates = operations.flat_map(|operation| {
        let message = &message;
        let [request, negated] = requests(message, operation);
        operation.examples.iter().filter_map(move |example| {
            candidate(message, operation, example, if example.negation { negated } else { request })
        })
    });
    let of_help = message.meaning.of_help();
    let help = (only.is_none() && (!message.has_target || of_help > CERTAIN)).then_some((
        of_help + SIMILARITY * HELP_SIMILARITY,
        of_help,
        Intent::Greeting,
    ));
    // The first of the best: the order of the catalog decides between equals.
    let best = candidates.chain(help).reduce(|best, next| if next.0 > best.0 { next } else { best });
    if message.has_target
        && best.as_ref().is_none_or(|(_, probability, _)| *probability <= of_help)
        && let Some(entry) = asked_about(&message).filter(|_| of_help > MIN_PROBABILITY && only.is_none())
    {
        return Intent::Refused(entry, Hold::Unrequested);
    }
    match best.filter(|(_, probability, _)| only.is_some() || *probability >= MIN_PROBABILITY) {
        Some((_, _, Intent::Run(entry, Value::Object(arguments)))) => run(parsed, fields, entry, arguments),
        best => best.map_or(Intent::Unclear, |(_, _, intent)| intent),
    }
}

/// The operation that writes about which a message with a target asks in general: "what happens if I report {id}?"
fn asked_about(message: &Message<'_>) -> Option<&'static AnyOperation> {
    if !message.parsed.text.contains('?') && !command::asks_how(&message.parsed.text, &message.parsed.words) {
        return None;
    }
    let writing = EXAMPLES.iter().filter(|operation| !operation.entry.effect.read_only);
    let known = writing.map(|operation| (message.probability(operation.entry), operation.entry));
    let best = known.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (best.0 >= ALSO_MEANT).then_some(best.1)
}

/// The operation that reads and is the most probable besides the chosen one and a search.
pub(super) fn second(
    parsed: &ParsedText,
    fields: &Map<String, Value>,
    chosen: &AnyOperation,
) -> Option<Intent> {
    let message = Message::of(parsed, fields);
    let reading = EXAMPLES.iter().filter(|operation| {
        let entry = operation.entry;
        // A visit of an inbox marks its messages as read, which nobody may do on a guess.
        let acts = entry.routes.iter().any(|route| route.acts);
        entry.effect.read_only && !acts && !operation.is_search && !std::ptr::eq(entry, chosen)
    });
    let known = reading.map(|operation| (message.probability(operation.entry), operation));
    let (probability, operation) = known.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    let examples = operation.examples.iter().filter(|_| probability >= ALSO_MEANT);
    let candidates = examples.filter_map(|example| candidate(&message, operation, example, Request::Missing));
    match candidates.max_by(|one, other| one.0.total_cmp(&other.0))? {
        (_, _, Intent::Run(entry, Value::Object(arguments))) => Some(run(parsed, fields, entry, arguments)),
        _ => None,
    }
}

/// The operation that writes, if the words before a colon after an id request one: "tell {id}: …". What follows is its text, so
/// it requests nothing.
fn before_a_colon(parsed: &ParsedText, fields: &Map<String, Value>) -> Option<&'static AnyOperation> {
    let head = ParsedText::parse(&parsed.text[..parsed.colon()?]);
    if reports_a_use(&head, &DEPOSIT_OUTCOME) {
        return Some(&DEPOSIT_OUTCOME);
    }
    let head = Message::of(&head, fields);
    let writing = EXAMPLES.iter().filter(|operation| !operation.entry.effect.read_only);
    let requested = writing.filter(|operation| matches!(requests(&head, operation)[0], Request::Clear(_)));
    let requested = requested.map(|operation| operation.entry);
    requested.max_by(|one, other| head.probability(one).total_cmp(&head.probability(other)))
}

pub(super) fn probability(parsed: &ParsedText, fields: &Map<String, Value>, entry: &AnyOperation) -> f32 {
    Message::of(parsed, fields).probability(entry)
}

/// What a message without a known request means: a question about a listing if it contains an id, else a search.
pub(super) fn fallback(parsed: &ParsedText) -> Intent {
    if let Some(id) = parsed.ids.first() {
        return Intent::Run(&CHECK_STATUS, json!({ "id": id }));
    }
    if parsed.urls.is_empty() && !parsed.text.is_empty() {
        return Intent::Run(&MATCH_CAPABILITY, json!({ "q": query(parsed) }));
    }
    Intent::Unclear
}

fn by_name(parsed: &ParsedText, fields: &Map<String, Value>) -> Option<Intent> {
    let (entry, at) = parsed.operation_names.first()?;
    let operation = OperationExamples::of(entry)?;
    if !entry.effect.read_only {
        match command::request(&parsed.text, &parsed.words, |word| word == *at, &HashSet::new()) {
            Request::Clear(_) => {}
            Request::Retracted(_) => return Some(Intent::Refused(entry, Hold::Retracted)),
            Request::Missing => return None,
        }
    }
    let filled = operation.examples.iter().filter(|example| example.implied.is_empty());
    let filled = filled.filter_map(|example| fill(parsed, fields, operation, example, None).ok());
    if let Some(filling) = filled.max_by_key(|filling| filling.arguments.len()) {
        return Some(run(parsed, fields, entry, filling.arguments));
    }
    let slot = operation.examples.first().and_then(|example| example.slots.first());
    let missing = |slot: &Slot| Intent::Missing(entry, *slot, Map::new());
    Some(slot.map_or_else(|| run(parsed, fields, entry, Map::new()), missing))
}

/// Whether a text asks to publish what comes with it: "list this MCP server".
pub(super) fn asks_to_publish(parsed: &ParsedText) -> bool {
    let (words, none) = (&parsed.words, HashSet::new());
    OperationExamples::of(&LIST_YOURSELF).is_some_and(|operation| {
        let is_verb = |at: usize| operation.verbs.contains(&words[at].low);
        matches!(command::request(&parsed.text, words, is_verb, &none), Request::Clear(_))
    })
}

/// How a message requests an operation that writes, by a verb and by a negation such as "do not write to {id}". A read-only
/// operation needs no request.
fn requests(message: &Message<'_>, operation: &OperationExamples) -> [Request; 2] {
    let text = message.parsed.unquoted();
    let text = text.as_str();
    // In "tell {id}: it does not work", the "not" is in the text. A later sentence may take the request back.
    let written = message
        .parsed
        .colon()
        .and_then(|colon| message.parsed.words.iter().find(|word| word.at.start > colon));
    let is_request = |word: &&crate::a2a::intent::words::Word| {
        written.is_none_or(|first| word.at.start < first.at.start || word.sentence != first.sentence)
    };
    let words: &Vec<_> = &message.parsed.words.iter().filter(is_request).cloned().collect();
    if operation.entry.effect.read_only {
        return [Request::Missing; 2];
    }
    let mut own: HashSet<String> = operation.verbs.iter().map(|verb| registry_search::stem(verb)).collect();
    let request = command::request(text, words, |at| operation.verbs.contains(&words[at].low), &own);
    own.extend(command::NEGATIONS.map(str::to_owned));
    let is_negated = |at: usize| at > 0 && command::is_negation(&words[at - 1].low);
    let is_verb = |at: usize| operation.negated_verbs.contains(&words[at].low) && is_negated(at);
    [request, command::request(text, words, is_verb, &own)]
}

/// The intent for one example, with its score and its probability; `None` if the message cannot mean it. Of arguments, only
/// those of the example: `run` adds the others to the best one.
fn candidate(
    message: &Message<'_>,
    operation: &OperationExamples,
    example: &Example,
    request: Request,
) -> Option<(f32, f32, Intent)> {
    let (parsed, entry) = (message.parsed, operation.entry);
    let has_target = example.slots.iter().any(|slot| matches!(slot, Slot::Url | Slot::Id));
    // A text with a URL or an id is about it.
    if message.has_target && !has_target {
        return None;
    }
    let verb = if let Request::Clear(at) = request { Some(parsed.words[at].at.start) } else { None };
    let (filling, none) = (fill(parsed, message.fields, operation, example, verb), HashSet::new());
    let may_be_asked = match &filling {
        // What is written to a listing needs its id, also where its URL is known.
        Err((Slot::Id, _)) => !entry.effect.read_only && parsed.ids.is_empty(),
        Err((Slot::Text, _)) => matches!(request, Request::Clear(_)),
        _ => false,
    };
    if filling.is_err() && message.has_target && !may_be_asked {
        return None;
    }
    let used_words = filling.as_ref().map_or(&none, |filling| &filling.used_words);
    let similarity = message.similarity(example, used_words);
    let probability = message.probability(entry);
    let missing = if filling.is_ok() { 0.0 } else { STEP };
    let score = |similarity: f32| {
        let taken = example.slots.len() + example.implied.len();
        probability + SIMILARITY * (similarity - missing + SLOT * taken as f32)
    };
    let all = |arguments: Map<String, Value>| {
        example.implied.clone().into_iter().chain(arguments).collect::<Map<_, _>>()
    };
    let run = |filling: Filling| Intent::Run(entry, Value::Object(all(filling.arguments)));
    let missing = |(slot, arguments)| Intent::Missing(entry, slot, all(arguments));
    if entry.effect.read_only {
        let is_query = filling.is_ok() && example.slots.contains(&Slot::Text);
        let intent = filling.map_or_else(missing, run);
        return Some((score(if is_query { similarity - STEP } else { similarity }), probability, intent));
    }
    let is_clear = match request {
        // "Say hello to {id}" does not mark it as present.
        Request::Clear(at) => {
            let is_own = example.implied.is_empty() || example.stems.contains(&parsed.words[at].stem);
            is_own && names_object(message, example, at, used_words)
        }
        Request::Retracted(_) => {
            return Some((score(similarity), probability, Intent::Refused(entry, Hold::Retracted)));
        }
        // "It failed" needs no verb of a request. A URL that is published is only probed, so a verb anywhere is enough.
        Request::Missing => {
            let verbs = [(&LIST_YOURSELF, command::TO_PUBLISH), (&REPORT_LISTING, command::TO_REPORT)];
            let mut own = verbs.iter().filter(|(of, _)| std::ptr::eq(entry, *of));
            let requests = own.any(|(_, verbs)| command::requests(verbs, &parsed.text, &parsed.words));
            probability > CERTAIN && (requests || reports_a_use(parsed, entry))
        }
    };
    // "What proof do you have of {id}?" asks for what is known.
    if !is_clear {
        let asks = message.has_target && command::asks_for_a_fact(&parsed.text, &parsed.words);
        let refused = Intent::Refused(entry, Hold::Unrequested);
        return (probability >= CERTAIN && !asks).then(|| (score(similarity - STEP), probability, refused));
    }
    let intent = match filling {
        // "It is a fake, please report it to the operator now": the reason is all that was written, unless it is only "report it".
        Ok(mut filling) if std::ptr::eq(entry, &REPORT_LISTING) && has_topic(parsed, &operation.verbs) => {
            let reason = filling.arguments.get("reason").and_then(Value::as_str);
            // Of "report {id} to the operator: it is spam", what follows the colon.
            let after = parsed.colon().map(|colon| parsed.text[colon + 1..].trim());
            let written = after.filter(|after| reason.is_some_and(|reason| reason.ends_with(after)));
            let whole = (parsed.quoted == 0 && after.is_none()).then_some(parsed.text.as_str());
            if let Some(reason) = written.or(whole).map(|reason| json!(reason)) {
                filling.arguments.insert("reason".to_owned(), reason);
            }
            run(filling)
        }
        Err(lacks) => missing(lacks),
        Ok(_) if example.slots.contains(&Slot::Url) && parsed.urls.len() > 1 => {
            Intent::Refused(entry, Hold::SeveralUrls)
        }
        // Without a text and an action, it would be a check-in, which the message must name.
        Ok(filling)
            if std::ptr::eq(entry, &TALK)
                && !filling.arguments.contains_key("text")
                && example.implied.is_empty() =>
        {
            missing((Slot::Text, filling.arguments))
        }
        Ok(filling) => run(filling),
    };
    Some((score(similarity + STEP), probability, intent))
}

/// Whether a statement says how a use of one listing went.
fn reports_a_use(parsed: &ParsedText, entry: &AnyOperation) -> bool {
    std::ptr::eq(entry, &DEPOSIT_OUTCOME)
        && parsed.ids.len() == 1 + usize::from(parsed.sending_listing().is_some())
        && command::verdict(&parsed.words).is_some()
        && !command::asks(&parsed.unquoted(), &parsed.words)
        && !command::objects(&parsed.words)
}

/// Whether a request says what it is about. A general verb needs another word of its example, unless both have no other. An
/// example without an id, a URL or a token needs all its words.
fn names_object(message: &Message<'_>, example: &Example, verb: usize, used_words: &HashSet<usize>) -> bool {
    let words = &message.parsed.words;
    if !example.slots.iter().any(|slot| matches!(slot, Slot::Url | Slot::Id | Slot::Token)) {
        return example.stems.iter().all(|stem| words.iter().any(|word| word.stem == *stem));
    }
    let verb = &words[verb];
    let others = words.iter().filter(|word| word.is_significant() && word.stem != verb.stem);
    let mut others = others.filter(|word| !used_words.contains(&word.at.start)).peekable();
    !command::is_general(&verb.low)
        || (others.peek().is_none() && example.stems.len() <= 1)
        || others.any(|word| example.stems.contains(&word.stem))
}

/// "Which servers need a sign-in?"
fn described_access(parsed: &ParsedText) -> Option<Value> {
    let words = &parsed.words;
    let is_sign_in = |at: &usize| {
        matches!(words[*at].low.as_str(), "signin" | "login" | "authentication" | "anmeldung")
            || words[*at].low == "sign" && words.get(at + 1).is_some_and(|next| next.low == "in")
    };
    let at = (0..words.len()).find(is_sign_in)?;
    (!command::is_excluded(words, at)).then(|| json!("gated"))
}

fn run(
    parsed: &ParsedText,
    fields: &Map<String, Value>,
    entry: &'static AnyOperation,
    mut arguments: Map<String, Value>,
) -> Intent {
    // A question such as "which agent does this?" has no slot: all of it is the query.
    if entry.name == MATCH_CAPABILITY.name && arguments.is_empty() {
        return fallback(parsed);
    }
    if std::ptr::eq(entry, &ABUNDANCE_RANK) && parsed.ids.len() > 1 {
        arguments.remove("listing_id");
        arguments.insert("listing_ids".to_owned(), json!(parsed.ids));
    }
    if let Some(operation) = OperationExamples::of(entry) {
        operation.arguments.add_incidental(&mut arguments, parsed, fields, entry.effect.read_only);
    }
    // The list has only Live listings; an empty search lists those with another access.
    if std::ptr::eq(entry, &SEARCH_ACTIVE)
        && let Some(search) = OperationExamples::of(&ARD_SEARCH).filter(|_| fields.is_empty())
    {
        let mut filters = Map::new();
        search.arguments.add_incidental(&mut filters, parsed, fields, true);
        if let Some(access) = filters.remove("access").or_else(|| described_access(parsed)) {
            arguments.extend([("q".to_owned(), json!("")), ("access".to_owned(), access)]);
            return Intent::Run(&ARD_SEARCH, Value::Object(arguments));
        }
    }
    if std::ptr::eq(entry, &SCORE) && command::forbids_a_probe(&parsed.words) {
        return Intent::Refused(entry, Hold::Retracted);
    }
    if !entry.effect.read_only {
        let uses = |id: &String| arguments.values().any(|value| value == id);
        let is_left_out =
            |two: &[String]| uses(&two[0]) && !uses(&two[1]) && parsed.are_listed_together(&two[0], &two[1]);
        if parsed.ids.windows(2).any(is_left_out) {
            return Intent::Refused(entry, Hold::SeveralListings);
        }
        let texts = arguments.values().filter_map(Value::as_str).filter(|text| *text != parsed.text);
        if command::names_a_later_time(parsed, &texts.collect::<Vec<_>>()) {
            return Intent::Refused(entry, Hold::Later);
        }
    }
    if std::ptr::eq(entry, &DEPOSIT_OUTCOME)
        && let Some(worked) = command::verdict(&parsed.words)
    {
        arguments.entry("ok").or_insert(worked.into());
    }
    Intent::Run(entry, Value::Object(arguments))
}
