//! Answers to questions about the registry itself. A topic is a class of the classifier that begins with `help:`; its answer
//! is in `assets/answers.txt`, with values of the settings in braces.

use crate::a2a::intent::meaning::{HELP, Meaning};
use crate::a2a::intent::parsed_text::ParsedText;
use crate::a2a::intent::sentences;
use registry_model::protocol::{A2A_VERSIONS, MCP_REVISIONS};
use registry_model::{LimitedAction, QUESTIONS, Sku, counted};
use registry_settings::{Mode, Settings};

/// The probability from which a topic is the answer to a call for help. It is added to the answer of an operation that reads,
/// and put before the explanation of an act.
pub(super) const MIN_PROBABILITY: f32 = 0.2;
pub(super) const BESIDES_A_READ: f32 = 0.15;
pub(super) const BESIDES_A_LISTING: f32 = 0.25;
pub(super) const BESIDES_AN_ACT: f32 = 0.08;

/// The answer to the topic of a message; `None` if it asks about none with this probability.
pub(super) fn answer(settings: &Settings, parsed: &ParsedText, least: f32) -> Option<String> {
    let (class, share) = Meaning::of(parsed).topic()?;
    let topic = class.strip_prefix(HELP)?.strip_prefix(':').filter(|_| share >= least)?;
    let lines = sentences::lines(include_str!("../../../assets/intent/answers.txt"));
    let lines: Vec<&str> = lines.filter(|(name, _)| *name == topic).map(|(_, line)| line).collect();
    (!lines.is_empty() && !parsed.words.is_empty()).then(|| with_values(settings, &lines.join(" ")))
}

fn with_values(settings: &Settings, text: &str) -> String {
    let contact = settings.operator_contact.as_ref().map_or_else(
        || "The operator of this registry has not published a contact.".to_owned(),
        |contact| format!("Write to the operator: {contact} ."),
    );
    let urls = match settings.mode {
        Mode::Public => "The URL must be https and reachable from the internet.",
        Mode::Development => "This registry runs in development mode, so http and 127.0.0.1 work, too.",
    };
    [
        ("{brand}", settings.brand.clone()),
        ("{a2a}", A2A_VERSIONS.join(", ")),
        ("{mcp}", MCP_REVISIONS.join(", ")),
        ("{days}", counted(settings.recheck_days, "day")),
        ("{contact}", contact),
        ("{limits}", limits(settings)),
        ("{urls}", urls.to_owned()),
        ("{prices}", prices()),
        ("{seats}", settings.founding_seats.to_string()),
        ("{agent}", settings.user_agent()),
        ("{questions}", QUESTIONS.map(|(_, question)| question).join(" ")),
        ("{base}", settings.url("")),
    ]
    .into_iter()
    .fold(text.to_owned(), |text, (name, value)| text.replace(name, &value))
}

fn prices() -> String {
    Sku::ALL.map(|sku| format!("{} ({})", sku.price(), sku.title())).join(", ")
}

pub(super) fn limits(settings: &Settings) -> String {
    if !settings.rate_limits {
        return "no request is limited here".to_owned();
    }
    let requests =
        settings.caller_rate.map(|rate| format!("send {} per second", counted(rate.per_second, "request")));
    format!(
        "a caller may {} and publish {} an hour; all limits are in {}",
        requests.unwrap_or_else(|| "read almost everything without a limit".to_owned()),
        counted(settings.rate(LimitedAction::Publish).caller, "listing"),
        settings.url("/discovery.json")
    )
}
