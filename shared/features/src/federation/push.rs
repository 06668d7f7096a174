//! Publishes the registry's own agent card at other registries. Only the operator may do so: it writes to other services.

use futures::future::join_all;

use crate::prelude::*;
use registry_fetch::{Request, Target};

const MAX_JSON_VALUES: usize = 2000;

/// The result at one registry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Pushed {
    /// The base URL of the registry.
    pub peer: String,
    /// Whether the other registry accepted the listing.
    pub ok: bool,
    /// The HTTP status of the other registry, if it answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The id of the listing at the other registry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listing_id: Option<String>,
    /// A short code for the reason why the other registry did not accept the listing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// Sends this registry's own card to the registries of the settings, or only one of them.
pub async fn push(app: &App, only: Option<&str>) -> Vec<Pushed> {
    let peers = app.settings.federation_peers.iter().filter(|peer| only.is_none_or(|only| only == *peer));
    join_all(peers.map(|peer| send(app, peer))).await
}

async fn send(app: &App, peer: &str) -> Pushed {
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
