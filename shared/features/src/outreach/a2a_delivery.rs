//! Sends the first message to a Live agent over A2A too, if the operator has enabled this. The message is one
//! text. It goes through the guarded fetcher to the endpoint at which the agent answered its last probe, and
//! to no other address (`specification.md#outreach`).

use std::collections::BTreeMap;

use futures::{StreamExt as _, stream};
use jiff::SignedDuration;

use crate::prelude::*;
use registry_fetch::Target;
use registry_formats::a2a_message::Endpoint;
use registry_model::{HostName, TalkMessage};
use registry_probe::handshake::{self, Delivery, Recipient};
use registry_settings::OutreachDelivery;
use registry_store::StoreError;

#[derive(Clone, Debug)]
pub struct TouchedListing {
    pub listing: Listing,
    pub message: TalkMessage,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deliveries {
    pub delivered: u32,
    /// The message stays in the inbox.
    pub failed: u32,
}

/// Also sends the inbox messages to the agents, if the operator turned that on; each at most once, even if it fails.
pub async fn deliver(app: &App, touched: Vec<TouchedListing>) -> Deliveries {
    let mut by_host: BTreeMap<HostName, Vec<TouchedListing>> = BTreeMap::new();
    if app.settings.outreach_delivery == OutreachDelivery::TalkAndA2a {
        for one in touched.into_iter().filter(|one| one.listing.kind == Some(Kind::Agent)) {
            let Some(host) = one.listing.endpoint.as_deref().and_then(HostName::of_url) else { continue };
            by_host.entry(host).or_default().push(one);
        }
    }
    let hosts = stream::iter(by_host).map(|(host, touched)| at_host(app, host, touched));
    hosts
        // Hosts are called at the same time; agents of one host are called in turn.
        .buffer_unordered(8)
        .fold(Deliveries::default(), async |all, one| Deliveries {
            delivered: all.delivered + one.delivered,
            failed: all.failed + one.failed,
        })
        .await
}

async fn at_host(app: &App, host: HostName, touched: Vec<TouchedListing>) -> Deliveries {
    let mut deliveries = Deliveries::default();
    for one in &touched {
        match send(app, &host, one).await {
            Ok(true) => deliveries.delivered += 1,
            Ok(false) => deliveries.failed += 1,
            Err(error) => {
                tracing::warn!(listing_id = %one.listing.id, %error, "could not store the delivery result of an invitation");
                deliveries.failed += 1;
            }
        }
    }
    deliveries
}

/// Whether the agent accepted it.
async fn send(app: &App, host: &HostName, one: &TouchedListing) -> Result<bool, StoreError> {
    let (store, id) = (&app.store, &one.listing.id);
    if store.is_host_paused(host, app.clock.now()).await? {
        store.note_a2a(&one.message, Some("asked_to_wait")).await?;
        return Ok(false);
    }
    let evidence = store.listing_with_evidence(id).await?;
    let hints = evidence.iter().filter_map(|named| named.1.as_ref());
    let rest = hints.flat_map(|proof| &proof.verdict.protocol_hints).any(|hint| hint == "http+json");
    let fetcher = app.fetcher_for(id);
    let endpoint = one.listing.endpoint.as_deref().unwrap_or_default();
    let Endpoint { url, tenant } = Endpoint::read(endpoint);
    let delivery = match Target::parse(&url, fetcher.reach()) {
        Ok(endpoint) => {
            let to = Recipient { endpoint, tenant, era: one.listing.proof.era.clone(), rest };
            handshake::send_message(&fetcher, &app.random, &to, &one.message.text).await
        }
        Err(_) => Delivery { failure: Some("url_refused".to_owned()), retry_after: None },
    };
    let wait = delivery.retry_after.and_then(|wait| SignedDuration::try_from(wait).ok());
    if let Some(wait) = wait {
        store.pause_host(host, app.clock.now() + wait).await?;
    }
    store.note_a2a(&one.message, delivery.failure.as_deref()).await?;
    Ok(delivery.failure.is_none())
}
