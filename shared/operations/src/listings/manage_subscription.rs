//! Confirms or ends a subscription. The token is the only credential.

use crate::prelude::*;
use registry_domain::subscriptions;
use registry_model::Topic;

pub struct ManageSubscription;

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Act {
    /// Confirms the subscription of an e-mail address.
    Confirm,
    /// Ends the subscription and deletes its recipient.
    End,
}

/// The subscription and the act.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The token in the messages of the subscription.
    token: String,
    act: Act,
}

/// The subscription after the act.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// `confirmed` or `ended`.
    state: &'static str,
    topic: Topic,
}

impl Operation for ManageSubscription {
    const NAME: &'static str = "manage_subscription";
    const TITLE: &'static str = "Confirm or end a subscription";
    const VERSION: Option<&'static str> = Some(registry_model::VERSION);
    const DESCRIPTION: &'static str = "Confirms or ends a subscription to changes. Pass the token from a message of the \
        subscription, and act: confirm (an e-mail address) or end.";
    const EFFECT: Effect =
        Effect { read_only: false, idempotent: true, open_world: false, destructive: true };
    const EXAMPLE: &'static str = r#"{"token": "sub_0123456789abcdef0123456789abcdef", "act": "end"}"#;
    const SUMMARY: &'static [&'static str] = &["The subscription is {state}."];
    const ROUTES: &'static [Route] = &[Route::post_as("/api/subscriptions/manage", Ok)];
    const REFUSALS: &'static [u16] = &[404, 409];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let token = arguments.token.trim();
        let (state, subscription) = match arguments.act {
            Act::Confirm => ("confirmed", subscriptions::confirm(app, token).await?),
            Act::End => ("ended", subscriptions::end(app, token).await?),
        };
        Ok(Answer { state, topic: subscription.topic })
    }
}
