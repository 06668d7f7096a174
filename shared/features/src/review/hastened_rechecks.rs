//! Brings a recheck of a listing forward if a score or its users saw it fail. A stranger who does this again and again only
//! causes a probe each six hours: the probe decides, and no report ends a proof or counts as a failure.

use std::collections::BTreeSet;

use crate::prelude::*;
use registry_fetch::Target;
use registry_model::{Assessment, Handshake};

/// After a score of `target`: if the probe failed and a Live listing has this URL or its endpoint, the listing is due now. A
/// sign-in that works is no failure.
pub async fn after_score(app: &App, target: &Target, assessment: &Assessment) -> Result<(), Problem> {
    let verdict = &assessment.verdict;
    let has_failed = matches!(verdict.handshake, Handshake::Fail | Handshake::Partial);
    if !has_failed || verdict.facts.sign_in.is_some() {
        return Ok(());
    }
    let urls = std::iter::once(target.to_string()).chain(verdict.facts.endpoint.clone());
    let holders = app.store.endpoint_holders(&urls.collect::<Vec<_>>()).await?;
    let mut listings: BTreeSet<ListingId> = holders.into_values().collect();
    listings.insert(ListingId::of_url(target.url()));
    for id in listings {
        app.store.hasten(&id, app.clock.now()).await?;
    }
    Ok(())
}

pub async fn after_failure_report(app: &App, listing: &Listing) -> Result<(), Problem> {
    let now = app.clock.now();
    // So many different sources must report it within a day.
    if listing.lane.is_proven() && app.store.failing_sources(&listing.id, now).await? >= 3 {
        app.store.hasten(&listing.id, now).await?;
    }
    Ok(())
}
