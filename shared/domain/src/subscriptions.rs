//! Subscriptions: who subscribes to changes of listings gets them by webhook or e-mail. A recipient must confirm first, so
//! that nobody can subscribe another person or another server.
//!
//! [`subscribe`] stores a subscription. The job [`tell`] asks its recipient to confirm, and then sends what changed.

mod mail;
mod tell;
mod texts;
mod webhook;

use std::slice;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use http::StatusCode;

use registry_app::{App, takedown};
use registry_fetch::Target;
use registry_formats::email_address;
use registry_model::error::Problem;
use registry_model::{
    Caller, HostName, LimitedAction, Recipient, Subscription, SubscriptionToken, Topic, sha256_hex,
};

pub use tell::{Telling, tell};
pub use texts::{manage_link, topic_in_words};

/// Where a request wants changes to be sent.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'a> {
    Webhook(&'a str),
    Email(&'a str),
}

/// Stores a subscription that its recipient must confirm.
///
/// # Errors
/// 422 invalid URL or address, 403 host blocked, 409 no e-mail configured, 429 limit reached.
pub async fn subscribe(
    app: &App,
    caller: &Caller,
    wanted: Wanted<'_>,
    topic: Topic,
) -> Result<Subscription, Problem> {
    let (recipient, limited) = match wanted {
        Wanted::Webhook(url) => {
            let target = Target::parse(url, app.settings.reach())
                .map_err(|error| Problem::invalid("url", "bad_url", error.to_string()))?;
            let host = HostName::of_url(target.as_str());
            let blocked = app.store.blocked_hosts().await?;
            if let Some(block) = host.as_ref().and_then(|host| blocked.covering(slice::from_ref(host))) {
                return Err(takedown::host_blocked(block));
            }
            let key = BASE64.encode(app.random.bytes::<32>());
            (Recipient::Webhook { url: target.as_str().to_owned(), key }, target.host().to_string())
        }
        Wanted::Email(address) => {
            if app.settings.mail_from.is_none() {
                let detail =
                    "This registry sends no e-mail. Subscribe a webhook, or follow /feeds/changes.atom.";
                return Err(Problem::new(StatusCode::CONFLICT, "no_email", detail));
            }
            let address = email_address::parse("email", address)?;
            let limited = sha256_hex(address.to_lowercase());
            (Recipient::Email { address }, limited)
        }
    };
    let token = SubscriptionToken::new(&app.random);
    let subscription = Subscription::new(token, recipient, topic, app.clock.now());
    let caller = app.caller_digest(caller).await?;
    let allowance = app.allowance(LimitedAction::Subscription, &caller, Some(&limited));
    match app.store.add_subscription(&subscription, allowance).await? {
        Some(used_up) => Err(used_up.into()),
        None => Ok(subscription),
    }
}

/// The id of a message about `what`: the same for each repetition of the message.
fn message_id(subscription: &Subscription, what: &str) -> String {
    let digest = sha256_hex(format!("{}\n{what}", subscription.token.reveal()));
    digest[..32].to_owned()
}

/// The subscription with this token.
///
/// # Errors
/// 404 if there is none, or if it was not confirmed in time.
pub async fn find(app: &App, token: &str) -> Result<Subscription, Problem> {
    let found = match token.parse::<SubscriptionToken>() {
        Ok(token) => app.store.subscription(&token).await?,
        Err(_) => None,
    };
    let found = found.filter(|subscription| !subscription.is_lost(app.clock.now()));
    found.ok_or_else(|| {
        let detail = "There is no subscription with this token. It may have ended, or it was not confirmed within 48 \
            hours. Subscribe again with POST /api/subscriptions.";
        Problem::new(StatusCode::NOT_FOUND, "unknown_subscription", detail)
    })
}

/// Confirms a subscription of an e-mail address. Its first message is about the next change.
///
/// # Errors
/// 404 unknown subscription; 409 webhook, which confirms by its answer.
pub async fn confirm(app: &App, token: &str) -> Result<Subscription, Problem> {
    let subscription = find(app, token).await?;
    if subscription.since.is_none() && matches!(subscription.recipient, Recipient::Webhook { .. }) {
        let detail =
            "A webhook confirms by its answer to the challenge that the registry sends within a minute.";
        return Err(Problem::new(StatusCode::CONFLICT, "answer_the_challenge", detail));
    }
    let since = app.store.last_change().await?;
    app.store.confirm_subscription(&subscription.token, since).await?;
    find(app, token).await
}

/// Ends a subscription.
///
/// # Errors
/// 404 unknown subscription.
pub async fn end(app: &App, token: &str) -> Result<Subscription, Problem> {
    let subscription = find(app, token).await?;
    app.store.end_subscription(&subscription.token).await?;
    Ok(subscription)
}
