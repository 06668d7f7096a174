//! Asking other registries what they list, now instead of with the daily job. The operator's act: it sends requests to
//! somebody else.

use http::StatusCode;

use crate::federation::overview::{PATH, Peer};
use crate::operator_token;
use crate::prelude::*;
use registry_domain::federation;
use registry_domain::interop;

pub struct FederationPull;

/// Which.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The base URL of one of the registries of the settings; all of them where it is left out.
    pub(super) url: Option<String>,
}

/// What they told.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    /// `pull`.
    action: &'static str,
    /// The registries that were asked.
    peers: Vec<Peer>,
    /// Entries that are told as referrals from now on.
    referrals: usize,
    /// How it went, in a sentence.
    note: String,
}

impl Operation for FederationPull {
    const NAME: &'static str = "federation_pull";
    const TITLE: &'static str = "Ask other registries";
    const DESCRIPTION: &'static str = "For the operator: asks the registries of the setting FEDERATION_PEERS what they list, \
        and keeps it as referrals. Needs the operator's bearer token; a daily job does the same.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: true, open_world: true };
    const EXAMPLE: &'static str = "{}";
    const PHRASES: &'static [&'static str] =
        &["pull the federation peers", "pull referrals from the federation"];
    const ACTIONS: &'static [Action] = &[Action { path: PATH, names: &["pull"] }];
    const REFUSALS: &'static [u16] = &[401, 403, 409];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        operator_token::require(app, caller)?;
        let only = chosen(app, arguments.url.as_deref())?;
        let told = federation::pull(app, only.as_deref()).await?;
        let peers: Vec<Peer> = told.iter().map(|peer| Peer::of(&peer.url, &told)).collect();
        let answered = told.iter().filter(|peer| peer.failure.is_none()).count();
        Ok(Answer {
            ok: true,
            version: interop::VERSION,
            action: "pull",
            referrals: told.iter().map(|peer| peer.referrals.len()).sum(),
            note: format!("{answered} of {} registries answered.", peers.len()),
            peers,
        })
    }
}

/// The registry that is meant, where one is named.
pub(super) fn chosen(app: &App, url: Option<&str>) -> Result<Option<String>, Problem> {
    let peers = &app.settings.federation_peers;
    if peers.is_empty() {
        let detail = "No other registry is known: name their base URLs in the setting FEDERATION_PEERS.";
        return Err(Problem::new(StatusCode::CONFLICT, "no_peers", detail));
    }
    let Some(url) = url.map(|url| url.trim().trim_end_matches('/')) else { return Ok(None) };
    match peers.iter().find(|peer| *peer == url) {
        Some(peer) => Ok(Some(peer.clone())),
        None => {
            let detail =
                format!("`url` must be one of the registries of the settings: {}.", peers.join(", "));
            Err(Problem::invalid("url", "unknown_peer", detail))
        }
    }
}
