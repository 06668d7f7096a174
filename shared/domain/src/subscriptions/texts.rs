//! What the messages of a subscription say.

use registry_model::characters::is_hidden;
use registry_model::error::shorten;
use registry_model::settings::Settings;
use registry_model::{Change, Kind, Moment, SubscriptionToken, Topic};

const MAX_CHANGE_CHARS: usize = 300;

/// The page on which a recipient confirms and ends a subscription.
pub fn manage_link(settings: &Settings, token: &SubscriptionToken) -> String {
    settings.url(&format!("/subscribe?token={}", token.reveal()))
}

/// The URL to which a mail program sends a POST to end a subscription (RFC 8058).
pub(super) fn one_click_link(settings: &Settings, token: &SubscriptionToken) -> String {
    settings.url(&format!("/api/subscriptions/manage?token={}", token.reveal()))
}

/// `MCP servers at example.org`, for sentences.
pub fn topic_in_words(topic: &Topic) -> String {
    let what = match topic.kind {
        Some(Kind::Agent) => "agents",
        Some(Kind::Mcp) => "MCP servers",
        None => "listings",
    };
    let at = topic.domain.as_ref().map(|domain| format!(" at {domain}")).unwrap_or_default();
    match &topic.listing_id {
        Some(id) => format!("the listing {id}"),
        None if topic.domain.is_none() => format!("all {what}"),
        None => format!("{what}{at}"),
    }
}

pub(super) fn confirmation(settings: &Settings, topic: &Topic, link: &str) -> (String, String) {
    let brand = &settings.brand;
    let subject = format!("Confirm: changes of listings in {brand}");
    let body = format!(
        "Somebody asked {brand} to tell this address about changes of {topic}.\n\n\
         If it was you, open this page within 48 hours and press \"Confirm\":\n{link}\n\n\
         If it was not you, do nothing. You get no other message, and the address is deleted.\n",
        topic = topic_in_words(topic),
    );
    (subject, body)
}

/// The subject and the text of an e-mail about changes.
pub(super) fn news(settings: &Settings, topic: &Topic, changes: &[&Change], link: &str) -> (String, String) {
    let brand = &settings.brand;
    let subject = match changes.len() {
        1 => format!("1 change of a listing in {brand}"),
        count => format!("{count} changes of listings in {brand}"),
    };
    let lines: String = changes.iter().map(|change| line(settings, change)).collect();
    let body = format!(
        "What changed in {brand}:\n\n{lines}\n\
         The names in these lines are those that publishers gave.\n\n\
         You subscribed to changes of {topic}. There is at most one message an hour. To end the subscription:\n{link}\n",
        topic = topic_in_words(topic),
    );
    (subject, body)
}

fn line(settings: &Settings, change: &Change) -> String {
    let item = &change.item;
    let text: String = item.text.chars().map(|c| if is_hidden(c) { ' ' } else { c }).collect();
    let at: String = minute(item.at);
    let text = shorten(&text, MAX_CHANGE_CHARS);
    match &item.listing_id {
        Some(id) => format!("- {at}: {text}\n  {}\n", settings.url(&format!("/list/{id}"))),
        None => format!("- {at}: {text}\n"),
    }
}

/// `2026-11-26 04:05 UTC`.
fn minute(at: Moment) -> String {
    at.to_string().get(..16).map(|text| format!("{} UTC", text.replace('T', " "))).unwrap_or_default()
}
