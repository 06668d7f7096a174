//! Reads the entries of other registries, through the guarded fetcher and within limits. The last answer of a
//! registry is kept until a new answer arrives. So a registry that is down for a day does not disappear.

use std::collections::HashSet;

use futures::future::join_all;
use jiff::SignedDuration;

use super::document::{self, Catalogue};
use super::imports::Client;
use registry_app::App;
use registry_model::{HostName, PeerRegistry};
use registry_store::StoreError;

const MAX_REFERRALS: usize = 100;
const MAX_JSON_VALUES: usize = 50_000;
/// A registry is read once a day; the job runs every hour.
const PULL_INTERVAL: SignedDuration = SignedDuration::from_hours(23);

/// Reads some registries of the settings, and stores what they list.
pub async fn pull(app: &App, peers: &[String]) -> Result<Vec<PeerRegistry>, StoreError> {
    let before = app.store.peer_registries(peers).await?;
    let pulled = peers.iter().map(|peer| pull_one(app, peer, before.iter().find(|known| known.url == *peer)));
    let pulled = join_all(pulled).await;
    for peer in &pulled {
        app.store.keep_peer_registry(peer).await?;
    }
    app.peer_registries.clear();
    Ok(pulled)
}

/// Reads the registries that were not read for a day; returns how many there were.
pub async fn pull_due(app: &App) -> Result<usize, StoreError> {
    let peers = &app.settings.federation_peers;
    if peers.is_empty() {
        return Ok(0);
    }
    let known = app.store.peer_registries(peers).await?;
    let since = app.clock.now() - PULL_INTERVAL;
    let mut count = 0;
    for peer in peers {
        if known.iter().any(|known| known.url == *peer && known.asked_at > since) {
            continue;
        }
        count += pull(app, std::slice::from_ref(peer)).await?.len();
    }
    Ok(count)
}

async fn pull_one(app: &App, peer: &str, before: Option<&PeerRegistry>) -> PeerRegistry {
    let now = app.clock.now();
    let client = Client { max_values: MAX_JSON_VALUES, ..Client::of(app) };
    let catalogue = format!("{peer}/.well-known/ai-catalog.json");
    let servers = format!("{peer}/v0.1/servers?limit=100");
    let own_name = registry_formats::registry_name::name_of_registry(&app.settings.base_url);
    let search: String = form_urlencoded::byte_serialize(own_name.as_bytes()).collect();
    let search = format!("{peer}/v0.1/servers?search={search}&limit=100");
    let (catalogue, servers, found) =
        futures::join!(client.json(&catalogue), client.json(&servers), client.json(&search));
    let lists_this = found.ok().and_then(|found| document::has_server(&found, &own_name));
    let failure = match (&catalogue, &servers) {
        (Err(failure), Err(_)) => Some(failure.code.clone()),
        _ => None,
    };
    let host = HostName::of_url(peer).map(|host| host.to_string()).unwrap_or_default();
    let mut registry = before.cloned().unwrap_or_else(|| PeerRegistry {
        url: peer.to_owned(),
        name: host.clone(),
        ..PeerRegistry::default()
    });
    (registry.asked_at, registry.failure) = (now, failure);
    if registry.failure.is_some() {
        return registry;
    }
    let reach = app.settings.reach();
    let Catalogue { name, search_url, referrals } =
        catalogue.map(|document| document::catalogue(&document, peer, now, reach)).unwrap_or_default();
    let servers = servers.map(|document| document::servers(&document, peer, now, reach)).unwrap_or_default();
    let own = HostName::of_url(&app.settings.base_url);
    let mut seen = HashSet::new();
    let mut referrals: Vec<_> = referrals.into_iter().chain(servers).collect();
    // No referrals to this registry itself, which other registries list under its own host.
    referrals.retain(|referral| {
        let host = HostName::of_url(&referral.url);
        let is_own = host.is_some() && host == own && referral.url.starts_with(&app.settings.base_url);
        !is_own && seen.insert(referral.url.clone())
    });
    referrals.truncate(MAX_REFERRALS);
    let (name, answered_at) = (name.unwrap_or(host), Some(now));
    PeerRegistry { name, search_url, answered_at, lists_this, referrals, ..registry }
}
