//! Listings, probe results and feed items for tests. Each builder returns a valid value. The
//! caller changes only the fields that its test needs.

use jiff::SignedDuration;
use registry::app::App;
use registry::model::{Assessment, Check, FeedItem, Kind, Lane, Listing, ListingId, Moment, Score, Verdict};
use registry::publish::submission::{PublishRequest, Submission};
use serde_json::{Value, json};

/// A listing as a publish creates it.
pub fn submitted_listing(app: &App, kind: Kind, number: usize) -> (Submission, Listing) {
    let fields = match kind {
        Kind::Agent => PublishRequest {
            url: Some(format!("https://host-{number}.example.org/.well-known/agent-card.json")),
            ..PublishRequest::default()
        },
        Kind::Mcp => {
            let document = json!({
                "name": format!("org.example/server-{number}"), "description": "Serves.", "version": "1.0.0",
                "remotes": [{ "type": "streamable-http", "url": format!("https://host-{number}.example.org/mcp") }],
            });
            let Value::Object(document) = document else { unreachable!("an object was written") };
            PublishRequest { server_json: Some(document), ..PublishRequest::default() }
        }
    };
    let submission = Submission::parse(fields, app.settings.reach()).unwrap();
    let listing = submission.listing(submission.ids().0, app.clock.now());
    (submission, listing)
}

/// Inserts Live listings without peers; returns their ids. Groups of three have the same time, a second apart. They use the
/// same parser and insertion as published listings.
pub async fn insert_live_listings(app: &App, kind: Kind, count: usize) -> Vec<ListingId> {
    let mut ids = Vec::new();
    for number in 0..count {
        let (submission, mut listing) = submitted_listing(app, kind, number);
        let at = app.clock.now() - SignedDuration::from_secs(i64::try_from(number / 3).unwrap());
        listing.lane = Lane::Active;
        listing.proof.live_since = Some(at);
        listing.proof.last_ok_at = Some(at);
        let item = feed_item("listing_queued", &listing, at);
        app.store.insert(&listing, None, &submission.contact, &item, None).await.unwrap();
        ids.push(listing.id);
    }
    ids
}

pub fn feed_item(what: &str, listing: &Listing, at: Moment) -> FeedItem {
    FeedItem {
        what: what.to_owned(),
        at,
        listing_id: Some(listing.id.clone()),
        kind: listing.kind,
        name: listing.texts.name.clone(),
        text: format!("{} is in the feed: {what}.", listing.texts.name),
        severity: None,
    }
}

/// An assessment with one blocking check that passes if `clean`, and a score of 50.
pub fn assessment(verdict: Verdict, clean: bool, probed_at: Moment) -> Assessment {
    let check =
        Check { id: "https".to_owned(), ok: clean, blocking: true, applies: true, detail: String::new() };
    let score = Score { value: 50, breakdown: Vec::new() };
    Assessment { verdict, checks: vec![check], score, probed_at, changed: None }
}
