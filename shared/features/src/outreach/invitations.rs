//! Sends the invitations of one run. The run invites the listings that are due in the queue, within the
//! budget of the day. It costs a fixed number of reads, and one transaction for each invitation. A listing
//! that cannot be invited is moved back in the queue, so that it does not block the others.

use std::collections::{HashMap, HashSet};

use jiff::SignedDuration;

use super::a2a_delivery::TouchedListing;
use super::budget::DayBudget;
use super::texts;
use crate::prelude::*;
use registry_model::TalkKind;
use registry_products::Proof;
use registry_store::{NewTouch, OutreachClass, OutreachPlace, StoreError, TouchOutcome};

/// Pages of a class that one run reads.
const MAX_PAGES: u32 = 4;
/// Places in a page: one batch read.
const PAGE_SIZE: u32 = 100;
/// When to look again at a listing whose proof has expired and that no recheck has judged yet.
const RETRY_AFTER: SignedDuration = SignedDuration::from_hours(24);

#[derive(Clone, Debug, Default)]
pub struct Sent {
    pub touched: Vec<TouchedListing>,
    pub moved: u32,
}

/// Invites the listings that are due, within the day's budget. `sent` gets them, also if an error follows.
pub async fn send(app: &App, sent: &mut Sent) -> Result<(), StoreError> {
    let (store, now) = (&app.store, app.clock.now());
    let budget = DayBudget::read(app).await?;
    let mut room = budget.room();
    let mut seen = HashSet::new();
    for class in OutreachClass::SERVED {
        for _ in 0..MAX_PAGES {
            if room == 0 {
                return Ok(());
            }
            let mut places = store.outreach_due(class, now, room.min(PAGE_SIZE)).await?;
            // The index is eventually consistent and may still contain moved places.
            places.retain(|place| seen.insert(place.id.clone()));
            if places.is_empty() {
                break;
            }
            let ids: Vec<ListingId> = places.iter().map(|place| place.id.clone()).collect();
            let listings = store.listings(&ids).await?.into_iter();
            let mut listings: HashMap<ListingId, Listing> =
                listings.map(|listing| (listing.id.clone(), listing)).collect();
            for place in &places {
                let listing = listings.remove(&place.id).filter(|listing| takes_invitations(app, listing));
                let (until, class) = match listing {
                    Some(listing) if is_proven(app, &listing) => {
                        match invite(app, place, listing, budget.cap).await? {
                            (TouchOutcome::Made, touched) => {
                                sent.touched.push(touched);
                                room = room.saturating_sub(1);
                            }
                            (TouchOutcome::CapReached, _) => return Ok(()),
                            (TouchOutcome::Gone, _) => {}
                        }
                        continue;
                    }
                    Some(_) => (now + RETRY_AFTER, None),
                    None => (now + app.settings.outreach_pause(), Some(OutreachClass::Done)),
                };
                sent.moved += u32::from(store.move_outreach(place, until, class).await?);
            }
        }
    }
    Ok(())
}

fn takes_invitations(app: &App, listing: &Listing) -> bool {
    !listing.demoed && !app.is_own(&listing.id)
}

fn is_proven(app: &App, listing: &Listing) -> bool {
    listing.schedule.failures == 0 && listing.is_live(app.oldest_proof())
}

async fn invite(
    app: &App,
    place: &OutreachPlace,
    listing: Listing,
    cap: u32,
) -> Result<(TouchOutcome, TouchedListing), StoreError> {
    let at = app.clock.now();
    let found = app.store.listing_with_evidence(&listing.id).await?;
    let proof = found.as_ref().and_then(|found| found.1.as_ref()).map(Proof::of);
    let text = texts::invitation(&app.settings, &listing, proof.as_ref());
    let message = texts::message(app, &listing.id, TalkKind::DemoInvitation, text, at);
    // A probe may have failed since the queue was read.
    let is_due = |listing: &Listing| takes_invitations(app, listing) && is_proven(app, listing);
    if !found.as_ref().is_some_and(|found| is_due(&found.0)) {
        return Ok((TouchOutcome::Gone, TouchedListing { listing, message }));
    }
    let (again, after_demo) = (at + app.settings.outreach_pause(), listing.demoed);
    let touch = NewTouch { place, message: &message, after_demo, again, cap, connector_of: None, news: None };
    let outcome = app.store.touch(&touch).await?;
    Ok((outcome, TouchedListing { listing, message }))
}
