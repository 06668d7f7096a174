//! What a server's own description cannot contain: that it answered a probe, how and when. It is placed under the
//! registry's own key, so that strict clients ignore it.

use serde::Serialize;

use registry_domain::views::NameStanding;
use registry_model::protocol::MCP_NEWEST_REVISION;
use registry_model::settings::Settings;
use registry_model::{Handshake, Listing, Moment};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ServerEvidence {
    /// `ok` for every listed server.
    class: Handshake,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_checked: Option<Moment>,
    method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    era: Option<String>,
    /// Milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_ms: Option<u32>,
    /// SHA-256 over the tool list, so that clients see a change of tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    tools_hash: Option<String>,
    /// Absent if the listing has no server name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name_standing: Option<NameStanding>,
    /// 0 to 100.
    score: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    live_since: Option<Moment>,
    status_url: String,
}

impl ServerEvidence {
    #[must_use]
    pub fn of(listing: &Listing, settings: &Settings) -> Self {
        let probe = listing.probe.as_ref();
        let era = listing.era.clone();
        let is_modern = era.as_deref().is_some_and(|era| era >= MCP_NEWEST_REVISION);
        Self {
            class: probe.map_or(Handshake::Skip, |probe| probe.handshake),
            reason: reason(listing),
            last_checked: probe.map(|probe| probe.at),
            method: if is_modern { "server/discover, tools/list" } else { "initialize, tools/list" },
            era,
            latency_ms: probe.and_then(|probe| probe.latency_ms),
            tools_hash: listing.tools_hash.clone(),
            name_standing: NameStanding::of(listing),
            score: probe.map_or(0, |probe| probe.score),
            live_since: listing.live_since,
            status_url: settings.url(&format!("/api/listings/status?id={}", listing.id)),
        }
    }
}

fn reason(listing: &Listing) -> String {
    match (&listing.probe, listing.failures) {
        (None, _) => "It has not been asked yet.".to_owned(),
        (Some(_), 0) => "It completed the handshake, without a credential.".to_owned(),
        (Some(_), failures) => format!(
            "It completed the handshake, without a credential; {failures} later probe(s) failed, which is being confirmed."
        ),
    }
}
