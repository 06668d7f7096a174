//! Explains why nothing was executed: asks for what is missing, or says what a message can be.

use std::borrow::Cow;

use serde_json::json;

use crate::a2a::intent::argument_slots::{ArgumentSlots, Slot};
use crate::a2a::intent::content::{MAX_FIELDS, MessageContent};
use crate::a2a::intent::examples::OperationExamples;
use crate::a2a::intent::parsed_text::ParsedText;
use crate::a2a::intent::reply::{Outcome, Reply};
use crate::a2a::intent::request::{Hold, Intent};
use crate::a2a::intent::suggestion::{about, example, runs_as_written};
use crate::a2a::intent::{command, filling, help, listing_names, topics};
use registry_app::App;
use registry_features::AnyOperation;
use registry_features::listing::operations::CHECK_STATUS;
use registry_features::publish::operations::LIST_YOURSELF;
use registry_features::review::operations::SCORE;
use registry_model::error::shorten;
use registry_settings::Settings;

/// The text of a reply, and the message that it suggests.
type Explanation = (String, String);

pub(super) fn explain(app: &App, message: &MessageContent, intent: &Intent) -> Reply {
    let (parsed, _) = message.parse();
    let settings = &app.settings;
    let (outcome, reason, (text, suggestion)) = match intent {
        Intent::Missing(entry, slot, _) => (Outcome::Asked, "lacks", missing(entry, *slot, &parsed)),
        Intent::Ambiguous(entry, name) => (Outcome::Asked, "ambiguous", ambiguous(entry, name, message)),
        Intent::Refused(entry, why) => {
            (Outcome::Explained, "held", refused(settings, entry, *why, &parsed, message))
        }
        Intent::NoSuch(name) => {
            let help = help::text(settings);
            let text = format!("Unknown operation `{}`. {help}", shorten(name, 80));
            (Outcome::Declined, "no_such_operation", (text, String::new()))
        }
        Intent::TooManyFields => {
            let text = format!(
                "The data parts and file parts of a message can have at most {MAX_FIELDS} fields and URLs; \
                 nothing was done. Send only the arguments of one operation."
            );
            (Outcome::Explained, "too_many_fields", (text, String::new()))
        }
        Intent::Unclear | Intent::Greeting | Intent::Run(..) => {
            let (reason, text) = help_or_guess(settings, &parsed, matches!(intent, Intent::Unclear));
            (Outcome::Explained, reason, (text, String::new()))
        }
    };
    let entry = match intent {
        Intent::Ambiguous(entry, _) | Intent::Missing(entry, ..) | Intent::Refused(entry, _) => Some(entry),
        _ => None,
    };
    let mut data = json!({
        "executed": false,
        "operation": entry.map(|entry| entry.name),
        "arguments": {},
        "result": null,
        "ok": matches!(reason, "help"),
        "reason": reason,
        "operations": help::names(),
    });
    if let Intent::Missing(entry, slot, arguments) = intent {
        data["asks"] = json!(ArgumentSlots::of(entry).lacking(*slot, arguments));
        data["arguments"] = json!(arguments);
    }
    Reply { suggestion, ..Reply::new(outcome, text, data) }
}

fn missing(entry: &'static AnyOperation, slot: Slot, parsed: &ParsedText) -> Explanation {
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
    let source = source(parsed, slot == Slot::Text || says_nothing_else(entry, parsed));
    let (example, about) = (example(entry, Some(&source)), about(entry));
    (format!("{}: {question} ", entry.title), format!("For example: \"{example}\". {about}"))
}

fn ambiguous(entry: &AnyOperation, name: &str, message: &MessageContent) -> Explanation {
    let ids = message.names.iter().filter(|(other, _)| other == name).map(|(_, id)| id.as_str());
    let ids = ids.take(listing_names::MAX_NAMED).collect::<Vec<_>>().join(" or ");
    let title = entry.title;
    let text =
        format!("{title}: Which \"{name}\"? Several listings have this name. Send an id, such as {ids}.");
    (text, String::new())
}

fn refused(
    settings: &Settings,
    entry: &'static AnyOperation,
    why: Hold,
    parsed: &ParsedText,
    message: &MessageContent,
) -> Explanation {
    if matches!(why, Hold::Written | Hold::FromItsServer) {
        return (format!("{} Nothing was done.", why.text()), String::new());
    }
    let (title, about) = (entry.title, about(entry));
    // "Do not endorse it" and "why should I?" are no texts of an endorsement.
    let asks = command::asks_how(&parsed.text, &parsed.words);
    let mut quoted = parsed.names[..parsed.quoted].iter();
    let is_listing = |quoted: &String| message.names.iter().any(|(name, _)| name == quoted);
    let has_text = parsed.text.contains(": ") || quoted.any(|quoted| !is_listing(quoted));
    let is_bare = !has_text && says_nothing_else(entry, parsed);
    let source = source(parsed, asks || is_bare || why == Hold::Retracted);
    let mut example = example(entry, Some(&source));
    let (lead, how) = match runs_as_written(entry, &example) {
        true => ("To run it, ", "send only"),
        false => ("", "For example"),
    };
    let report = example.strip_suffix(" worked").or_else(|| example.strip_suffix(" failed"));
    let measured = ArgumentSlots::of(entry).measured(&source);
    example = match report.filter(|_| command::verdict(&source.words).is_none()) {
        Some(report) => format!("{report} worked{measured}\" or \"{report} failed{measured}"),
        None => example + &measured,
    };
    let url = entry.routes.iter().find(|route| route.is_post()).map(|route| settings.url(route.path));
    let over_http = url.map(|url| format!(" Over HTTP, it is POST {url} .")).unwrap_or_default();
    match why {
        Hold::Retracted => (
            format!("Nothing was done. {title}: {about} If you want it after all, "),
            format!("send only: \"{example}\".{over_http}"),
        ),
        Hold::Unrequested if asks => (
            format!("{title}: {about} {lead}"),
            format!("{how}: \"{example}\".{over_http} Nothing was done yet."),
        ),
        _ => (
            format!("{title}: {} Nothing was done. {lead}", why.text()),
            format!("{how}: \"{example}\". {about}"),
        ),
    }
}

/// What an example takes from the message: all of it, or only its ids and URLs.
fn source(parsed: &ParsedText, only_targets: bool) -> Cow<'_, ParsedText> {
    if only_targets { Cow::Owned(parsed.targets()) } else { Cow::Borrowed(parsed) }
}

/// Whether the words of a message only request the operation.
fn says_nothing_else(entry: &'static AnyOperation, parsed: &ParsedText) -> bool {
    OperationExamples::of(entry).is_some_and(|operation| !filling::has_topic(parsed, &operation.verbs))
}

/// A message with a URL that means no operation gets examples for it: whoever sends a URL wants something done with it.
fn help_or_guess(settings: &Settings, parsed: &ParsedText, is_unclear: bool) -> (&'static str, String) {
    let topic = || topics::answer(settings, parsed, topics::MIN_PROBABILITY);
    match if is_unclear { None } else { topic() } {
        Some(topic) => ("help", topic),
        None if !is_unclear && parsed.urls.is_empty() => ("help", help::text(settings)),
        None => {
            let near = [&LIST_YOURSELF, &SCORE, &CHECK_STATUS];
            let near = near.map(|entry| format!("\n- {}", example(entry, Some(parsed)))).concat();
            let text = format!("The message was not understood; nothing was done. Did you mean:{near}");
            ("not_understood", text)
        }
    }
}
