//! Erases what people sent: the contacts of a listing, everything about a listing or with an e-mail address, or one
//! public text.

use crate::operator::takedown::Outcome;
use crate::prelude::*;
use registry_store::Erased;

pub(super) async fn erase_contact(app: &App, id: &ListingId) -> Result<Outcome, Problem> {
    let erased = app.store.erase_contact(id).await?;
    if erased {
        add_to_feed(app, id, "contact").await?;
    }
    let note = if erased { "The contacts were erased." } else { "This listing has no stored contact." };
    Ok(Outcome::of_one(erased, 0, note))
}

/// The ids of public texts are longer. A shorter word could be in many texts.
const SHORTEST_ID: usize = 12;

/// Erases in a part of the table. The outcome contains where the next call begins.
pub(super) async fn erase(
    app: &App,
    listing_id: Option<ListingId>,
    email: Option<String>,
    text_id: Option<String>,
    after: Option<&str>,
) -> Result<Outcome, Problem> {
    let whose = match (listing_id, email.map(|email| email.trim().to_owned()), text_id) {
        (Some(id), None, None) => Erased::Listing(id),
        (None, Some(email), None) if email.contains('@') => Erased::Email(email),
        (None, None, Some(id)) if id.len() >= SHORTEST_ID => Erased::PublicText(id),
        (listing, email, text) => {
            let (field, detail) = match (listing, email, text) {
                (None, Some(_), None) => ("email", "`email` must contain an `@`."),
                (None, None, Some(_)) => ("text_id", "Send the whole `text_id`: at least 12 characters."),
                _ => ("listing_id", "Send either `listing_id`, `email` or `text_id`: what is erased."),
            };
            return Err(Problem::invalid(field, Code::WhoseData, detail));
        }
    };
    let report = app.store.erase(&whose, after).await?;
    let counts = [
        ("contacts", report.contacts),
        ("texts of feedback", report.feedback),
        ("A2A tasks", report.tasks),
        ("interop sessions", report.sessions),
        ("reports", report.reports),
        ("Talk messages, marks and outcomes", report.public_texts),
        ("texts that probes read", report.seen),
    ];
    let erased = counts.iter().any(|(_, count)| *count > 0);
    if let Erased::Listing(id) = &whose
        && erased
    {
        add_to_feed(app, id, "personal data").await?;
    }
    let counts: Vec<String> = counts.iter().map(|(what, count)| format!("{what} ({count})")).collect();
    let again = if report.next.is_some() { " Repeat the command with `after`." } else { "" };
    let part = if after.is_some() || report.next.is_some() { " in this part of the table" } else { "" };
    let note = format!("Erased{part}: {}.{again}", counts.join(", "));
    Ok(Outcome { next: report.next, ..Outcome::of_one(erased, 0, note) })
}

/// Adds the erasure to the feed, without the data.
async fn add_to_feed(app: &App, id: &ListingId, what: &str) -> Result<(), Problem> {
    // A contact may outlive its listing; it is erased all the same.
    let name = app.store.listing(id).await?.map_or_else(|| id.to_string(), |listing| listing.texts.name);
    let news = FeedItem {
        what: "contact_erased".to_owned(),
        at: app.clock.now(),
        listing_id: Some(id.clone()),
        text: format!("The {what} of {name} was erased."),
        name,
        ..FeedItem::default()
    };
    Ok(app.store.add_feed_item(&news).await?)
}
