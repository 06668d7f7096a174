//! Erasing whom to write to about a listing. The listing stays: it says nothing of any person.

use super::outcome::Outcome;
use crate::App;
use registry_model::error::Problem;
use registry_model::{FeedItem, ListingId};

pub(super) async fn erase(app: &App, id: &ListingId) -> Result<Outcome, Problem> {
    // Also where the listing itself is gone: a contact that outlived it is erased all the same.
    let name = app.store.listing(id).await?.map_or_else(|| id.to_string(), |listing| listing.name);
    let news = FeedItem {
        what: "contact_erased".to_owned(),
        at: app.clock.now(),
        listing_id: Some(id.clone()),
        kind: None,
        text: format!("The contact of {name} was erased."),
        name,
    };
    let erased = app.store.erase_contact(id).await?;
    if erased {
        app.store.tell(&news).await?;
    }
    let note = if erased { "The contact was erased." } else { "No contact is kept for this listing." };
    Ok(Outcome::of_one(erased, 0, note))
}
