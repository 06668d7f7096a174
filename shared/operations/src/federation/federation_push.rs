//! Telling other registries of this one: its own card is sent to where they take listings. The operator's act alone, because
//! it writes to somebody else.

use crate::federation::federation_pull::{Arguments, chosen};
use crate::federation::overview::PATH;
use crate::operator_token;
use crate::prelude::*;
use registry_domain::federation::{self, Pushed};
use registry_domain::interop;

pub struct FederationPush;

/// What became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    /// `push`.
    action: &'static str,
    /// What was sent: this registry's own card.
    agent_card_url: String,
    /// What became of it at each registry.
    peers: Vec<Pushed>,
    /// How it went, in a sentence.
    note: String,
}

impl Operation for FederationPush {
    const NAME: &'static str = "federation_push";
    const TITLE: &'static str = "Tell other registries";
    const DESCRIPTION: &'static str = "For the operator: lists this registry's own agent card at the registries of the \
        setting FEDERATION_PEERS. Needs the operator's bearer token.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: true, open_world: true };
    const EXAMPLE: &'static str = "{}";
    const PHRASES: &'static [&'static str] =
        &["push our card to the federation", "push to the federation peers"];
    const ACTIONS: &'static [Action] = &[Action { path: PATH, names: &["push"] }];
    const REFUSALS: &'static [u16] = &[401, 403];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        operator_token::require(app, caller)?;
        let only = chosen(app, arguments.url.as_deref())?;
        let peers = federation::push(app, only.as_deref()).await;
        let taken = peers.iter().filter(|peer| peer.ok).count();
        Ok(Answer {
            ok: true,
            version: interop::VERSION,
            action: "push",
            agent_card_url: app.settings.url("/.well-known/agent-card.json"),
            note: format!(
                "{taken} of {} registries took it; each probes it before it shows it.",
                peers.len()
            ),
            peers,
        })
    }
}
