//! Subscribes a webhook or an e-mail address to changes of listings.

use crate::lookup;
use crate::prelude::*;
use registry_domain::subscriptions::{self, Wanted, manage_link};
use registry_model::{HostName, Recipient, Subscription, Topic};

const MAX_URL_CHARS: usize = 2048;
const MAX_EMAIL_CHARS: usize = 254;

pub struct Subscribe;

/// Who wants to be told, and about which listings.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("oneOf" = [
    { "required": ["url"], "properties": { "url": { "type": "string" }, "email": { "type": "null" } } },
    { "required": ["email"], "properties": { "email": { "type": "string" }, "url": { "type": "null" } } },
]))]
pub struct Arguments {
    /// The URL of a webhook, which receives changes as POST requests (Standard Webhooks). Either `url` or `email`.
    #[schemars(extend("format" = "uri"), length(max = MAX_URL_CHARS))]
    url: Option<String>,
    /// An e-mail address, which receives at most one message an hour. Either `url` or `email`.
    #[schemars(extend("format" = "email"), length(max = MAX_EMAIL_CHARS))]
    email: Option<String>,
    /// Only changes of this listing.
    listing_id: Option<String>,
    /// Only changes of listings at this host name or below it.
    #[schemars(extend("format" = "hostname"))]
    domain: Option<String>,
    /// Only changes of agents or of MCP servers.
    kind: Option<Kind>,
}

/// The subscription, which its recipient must confirm.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// `pending`, until the recipient confirms.
    state: &'static str,
    topic: Topic,
    /// A subscription that is not confirmed by then is deleted.
    confirm_by: Moment,
    /// For a webhook: the key of its signatures, `whsec_` and base64. It is shown only here.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    /// For a webhook: the page on which the subscription can be ended. Keep it secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    manage_url: Option<String>,
    note: &'static str,
}

impl Operation for Subscribe {
    const NAME: &'static str = "subscribe";
    const TITLE: &'static str = "Subscribe to changes";
    const VERSION: Option<&'static str> = Some(registry_model::VERSION);
    const DESCRIPTION: &'static str = "Tells a webhook (url) or an e-mail address (email) about changes of listings: all, one \
        listing_id, one domain or one kind. The recipient must confirm. To read changes yourself, use changes.";
    const EFFECT: Effect =
        Effect { read_only: false, idempotent: false, open_world: false, destructive: false };
    const EXAMPLE: &'static str =
        r#"{"url": "https://hooks.example.com/registry", "listing_id": "agtpub_0123456789abcdef0123"}"#;
    const SUMMARY: &'static [&'static str] = &["The subscription is {state}. {note}"];
    const ROUTES: &'static [Route] = &[Route::post_as("/api/subscriptions", Ok)];
    const REFUSALS: &'static [u16] = &[403, 404, 409];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let Arguments { url, email, listing_id, domain, kind } = arguments;
        let wanted = match (&url, &email) {
            (Some(url), None) => Wanted::Webhook(url),
            (None, Some(email)) => Wanted::Email(email),
            _ => {
                let detail = "Send either `url`, a webhook, or `email`, an address.";
                return Err(Problem::invalid("url", "one_recipient", detail));
            }
        };
        let listing_id = match listing_id {
            Some(id) => Some(lookup::listing(app, &id).await?.id),
            None => None,
        };
        let domain = domain.filter(|domain| !domain.trim().is_empty());
        let domain = domain.map(|domain| domain.parse::<HostName>()).transpose();
        let domain = domain.map_err(|error| Problem::invalid("domain", "bad_domain", error.to_string()))?;
        let subscription =
            subscriptions::subscribe(app, caller, wanted, Topic { listing_id, domain, kind }).await?;
        let Subscription { token, recipient, topic, made_at, .. } = subscription;
        let (secret, manage_url, note) = match recipient {
            Recipient::Webhook { key, .. } => (
                Some(format!("whsec_{key}")),
                Some(manage_link(&app.settings, &token)),
                "Within a minute, the webhook gets a message of type `subscription.challenge`. It must answer with \
                 status 200 and the JSON object {\"challenge\": ...} with the same challenge.",
            ),
            // Whoever owns the address gets the link there, and nobody else.
            Recipient::Email { .. } => {
                (None, None, "Within a minute, the address gets an e-mail with a link to confirm.")
            }
        };
        let confirm_by = made_at + Subscription::CONFIRMED_WITHIN;
        Ok(Answer { state: "pending", topic, confirm_by, secret, manage_url, note })
    }
}
