//! Submits this registry's own card to other registries. Only the operator may call this operation, because
//! it writes to other servers.

use super::federation_pull::{Arguments, chosen};
use crate::federation::Pushed;
use crate::operation::operator_token;
use crate::prelude::*;

pub struct FederationPush;

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// Always `push`.
    action: &'static str,
    /// The URL that was submitted: this registry's own card.
    agent_card_url: String,
    /// The result at each registry.
    peers: Vec<Pushed>,
    note: String,
}

impl Operation for FederationPush {
    const NAME: &'static str = "federation_push";
    const TITLE: &'static str = "Push to other registries";
    const FAMILY: Option<Family> = Some(Family::FEDERATION);
    const DESCRIPTION: &'static str = "Sends the agent card of this registry to other registries, so that \
        they list it. Only for the operator (bearer token). The setting FEDERATION_PEERS lists the \
        registries; pass url to send the card to only one of them. Returns the result for each registry.";
    const PHRASES: &'static [&'static str] =
        &["push our card to the federation", "push to the federation peers"];
    const EFFECT: Effect = Effect { idempotent: true, open_world: true, ..Effect::WRITES };
    const SUMMARY: &'static [&'static str] = &[
        "Registries to which the card {agent_card_url} was sent: {peers#}.",
        "[peers]{peer} {ok?accepted it|did not accept it} | : {failure}",
    ];
    const ACTION: &'static str = "push";
    const REFUSALS: &'static [ErrorKind] =
        &[ErrorKind::Unauthenticated, ErrorKind::Forbidden, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        operator_token::require(app, caller)?;
        let only = chosen(app, arguments.url.as_deref())?;
        let peers = crate::federation::push(app, only.as_deref()).await;
        let accepted = peers.iter().filter(|peer| peer.ok).count();
        Ok(Answer {
            action: "push",
            agent_card_url: app.settings.url("/.well-known/agent-card.json"),
            note: format!(
                "{accepted} of {} registries accepted the card. A registry may probe this registry before it \
                 shows the card.",
                peers.len()
            ),
            peers,
        })
    }
}
