//! Adds referrals to search results. Some referrals are other registries, where a client can search. The
//! others are entries of these registries that match the words of the query. If the settings contain no other
//! registry, nothing is read.

use std::sync::Arc;

use crate::prelude::*;
use registry_model::protocol::REGISTRY_MEDIA_TYPE;
use registry_model::{HostName, PeerRegistry, Referral};
use registry_store::StoreError;

/// Entries of other registries in one search.
const MAX_REFERRALS: usize = 10;
/// How long this process caches the referrals, in milliseconds.
const CACHE_MS: i64 = 60_000;

/// Whether a search includes entries of other registries (ARD §7.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FederationMode {
    /// Include entries of other registries that fit, or where those are searched.
    #[default]
    Auto,
    /// The same as `auto`.
    Referrals,
    /// Leave out entries of other registries.
    None,
}

/// Another registry (ARD). You can send the same search to its API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PeerReferral {
    /// Its URN.
    pub identifier: String,
    /// The name of the registry.
    pub display_name: String,
    /// `application/ai-registry+json`.
    #[serde(rename = "type")]
    pub of_type: &'static str,
    /// The URL of its search API.
    pub url: String,
}

/// The registries of the settings and what they list, at most a minute old.
pub async fn known_peers(app: &App) -> Result<Arc<Vec<PeerRegistry>>, StoreError> {
    let peers = &app.settings.federation_peers;
    if peers.is_empty() {
        return Ok(Arc::default());
    }
    let now = app.clock.now().as_millisecond();
    match app.peer_registries.get(now, CACHE_MS) {
        Some(known) => Ok(known),
        None => Ok(app.peer_registries.put(now, app.store.peer_registries(peers).await?)),
    }
}

/// The registries that announce a search API.
pub fn peer_referrals(peers: &[PeerRegistry]) -> Vec<PeerReferral> {
    let referral = |peer: &PeerRegistry| {
        let host = HostName::of_url(&peer.url)?;
        Some(PeerReferral {
            identifier: format!("urn:air:{}:registry:ard", host.to_string().replace([':', '[', ']'], "-")),
            display_name: peer.name.clone(),
            of_type: REGISTRY_MEDIA_TYPE,
            url: peer.search_url.clone()?,
        })
    };
    peers.iter().filter_map(referral).collect()
}

/// The entries that share words with a query, most shared words first; the newest ones if there are no words.
pub fn referrals(peers: &[PeerRegistry], words: &str, kind: Option<Kind>) -> Vec<Referral> {
    let words: Vec<String> = words
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 2)
        // Each is searched in each entry.
        .take(50)
        .map(str::to_lowercase)
        .collect();
    let of_kind = peers
        .iter()
        .flat_map(|peer| &peer.referrals)
        .filter(|referral| kind.is_none_or(|kind| referral.kind == kind));
    let mut found: Vec<(usize, &Referral)> = of_kind
        .map(|referral| {
            let text = format!("{} {}", referral.name, referral.description.as_deref().unwrap_or_default());
            let text = text.to_lowercase();
            (words.iter().filter(|word| text.contains(word.as_str())).count(), referral)
        })
        .filter(|(shared, _)| words.is_empty() || *shared > 0)
        .collect();
    found.sort_by(|(shared, one), (other_shared, other)| {
        other_shared.cmp(shared).then(other.at.cmp(&one.at)).then_with(|| one.url.cmp(&other.url))
    });
    found.into_iter().take(MAX_REFERRALS).map(|(_, referral)| referral.clone()).collect()
}

#[cfg(test)]
mod tests;
