//! Reads the entries of other registries at once, without waiting for the daily job. Only the operator may
//! call this operation, because it sends requests to other servers.

use super::overview::Peer;
use crate::federation;
use crate::operation::operator_token;
use crate::prelude::*;

pub struct FederationPull;

/// One of the other registries.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The base URL of one registry in the setting `FEDERATION_PEERS`. Default: all registries in the setting.
    url: Option<String>,
}

/// The result for each registry.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// Always `pull`.
    action: &'static str,
    /// The queried registries.
    peers: Vec<Peer>,
    /// The number of entries of these registries that searches can return as referrals.
    referrals: usize,
    note: String,
}

impl Operation for FederationPull {
    const NAME: &'static str = "federation_pull";
    const TITLE: &'static str = "Pull from other registries";
    const FAMILY: Option<Family> = Some(Family::FEDERATION);
    const DESCRIPTION: &'static str = "Reads the entries of other registries now, so that searches can \
        return them as referrals. Only for the operator (bearer token); a daily job does the same. The \
        setting FEDERATION_PEERS lists the registries; pass url to read only one of them. Returns the result \
        for each registry.";
    const PHRASES: &'static [&'static str] =
        &["pull the federation peers", "pull referrals from the federation"];
    const EFFECT: Effect = Effect { idempotent: true, open_world: true, ..Effect::WRITES };
    const SUMMARY: &'static [&'static str] = &[
        "{note} Entries that searches can return: {referrals}.",
        "[peers]{url} | has {referrals} entries | , but failed: {failure}",
    ];
    const ACTION: &'static str = "pull";
    const REFUSALS: &'static [ErrorKind] =
        &[ErrorKind::Unauthenticated, ErrorKind::Forbidden, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let pulled = federation::pull(app, &selected_peers(app, caller, arguments)?).await?;
        let peers: Vec<Peer> = pulled.iter().map(|peer| Peer::of(&peer.url, &pulled)).collect();
        let answered = pulled.iter().filter(|peer| peer.failure.is_none()).count();
        Ok(Answer {
            action: "pull",
            referrals: pulled.iter().map(|peer| peer.referrals.len()).sum(),
            note: format!("Registries that answered: {answered} of {}.", peers.len()),
            peers,
        })
    }
}

/// The registries that the operator selects: the one with the URL, or all in the setting.
pub(super) fn selected_peers(
    app: &App,
    caller: &Caller,
    arguments: Arguments,
) -> Result<Vec<String>, Problem> {
    operator_token::require(app, caller)?;
    let peers = &app.settings.federation_peers;
    if peers.is_empty() {
        let detail = "No other registries are configured: set FEDERATION_PEERS to their base URLs.";
        return Err(Problem::conflict(Code::NoPeers, detail));
    }
    let Some(url) = arguments.url else { return Ok(peers.clone()) };
    let url = url.trim().trim_end_matches('/');
    let selected: Vec<String> = peers.iter().filter(|peer| *peer == url).cloned().collect();
    if selected.is_empty() {
        let detail =
            format!("`url` must be one of the registries in FEDERATION_PEERS: {}.", peers.join(", "));
        return Err(Problem::invalid("url", Code::UnknownPeer, detail));
    }
    Ok(selected)
}
