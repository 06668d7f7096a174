//! Submits this registry's own card to other registries. Only the operator may call this operation, because
//! it writes to other servers.

use futures::future::join_all;

use super::federation_pull::{Arguments, selected_peers};
use crate::prelude::*;
use registry_fetch::{Request, Target};

const MAX_JSON_VALUES: usize = 2000;

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

/// The result at one registry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
struct Pushed {
    /// The base URL of the registry.
    peer: String,
    /// Whether the other registry accepted the listing.
    ok: bool,
    /// The HTTP status of the other registry, if it answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// The id of the listing at the other registry.
    #[serde(skip_serializing_if = "Option::is_none")]
    listing_id: Option<String>,
    /// A short code for the reason why the other registry did not accept the listing.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
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
        let selected = selected_peers(app, caller, arguments)?;
        let peers = join_all(selected.iter().map(|peer| push(app, peer))).await;
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

/// Sends this registry's own card to another registry.
async fn push(app: &App, peer: &str) -> Pushed {
    let settings = &app.settings;
    let failed = |failure: &str| Pushed {
        peer: peer.to_owned(),
        failure: Some(failure.to_owned()),
        ..Pushed::default()
    };
    let target = match Target::parse(&format!("{peer}/api/publish"), app.fetcher.reach()) {
        Ok(target) => target,
        Err(error) => return failed(error.code().as_str()),
    };
    let body = json!({
        "agent_card_url": settings.url("/.well-known/agent-card.json"),
        "name": settings.brand,
        "source": settings.base_url,
    });
    let answer = match app.fetcher.send(Request::post_json(target, &body)).await {
        Ok(answer) => answer,
        Err(error) => return failed(error.code()),
    };
    let body = answer.json(&mut MAX_JSON_VALUES.clone()).unwrap_or(Value::Null);
    let ok = answer.status.is_success();
    Pushed {
        peer: peer.to_owned(),
        ok,
        status: Some(answer.status.as_u16()),
        listing_id: body["listing_id"].as_str().filter(|_| ok).map(|id| shorten(id, 120)),
        failure: (!ok)
            .then(|| body["code"].as_str().map_or_else(|| "refused".to_owned(), |code| shorten(code, 60))),
    }
}
