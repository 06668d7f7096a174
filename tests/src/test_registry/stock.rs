//! Listings put into the table without a peer behind them, for tests of what reading does with many.
//! They come through the same parser and the same insertion as published ones.

use jiff::SignedDuration;
use registry::app::App;
use registry::model::{FeedItem, Kind, Lane, Listing, ListingId};
use registry::publish::submission::{PublishRequest, Submission};
use serde_json::{Value, json};

/// A listing of a kind, as its publish makes it.
#[must_use]
pub fn submitted(app: &App, kind: Kind, number: usize) -> (Submission, Listing) {
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

/// So many Live listings of a kind, a second apart and some at the same moment; gives their ids.
pub async fn live(app: &App, kind: Kind, how_many: usize) -> Vec<ListingId> {
    let mut ids = Vec::new();
    for number in 0..how_many {
        let (submission, mut listing) = submitted(app, kind, number);
        let at = app.clock.now() - SignedDuration::from_secs(i64::try_from(number / 3).unwrap());
        listing.lane = Lane::Active;
        listing.live_since = Some(at);
        let news = FeedItem {
            what: "listing_queued".to_owned(),
            at,
            listing_id: listing.id.clone(),
            kind: listing.kind,
            name: listing.name.clone(),
            text: "In stock.".to_owned(),
        };
        app.store.insert(&listing, &submission.contact, &news).await.unwrap();
        ids.push(listing.id);
    }
    ids
}
