//! The feed of talk: what Live listings say to everybody, the latest first, nothing of any person. Who speaks is only
//! claimed; what a withdrawn listing said is no longer shown.

use std::collections::HashMap;

use bytes::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{Document, DocumentRequest, json};
use registry_app::App;
use registry_domain::views::active_page::limit;
use registry_domain::views::time_cursor;
use registry_model::error::Problem;
use registry_model::{Kind, Lane, Listing, ListingId, Moment};

const ITEMS: u32 = 50;

/// Which part of the feed.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Arguments {
    /// At most so many items, from 1 to 100; 50 where it is left out.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// The `next_cursor` of an earlier page.
    #[schemars(extend("format" = "talk-cursor"))]
    cursor: Option<String>,
}

/// A page of the feed.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Feed {
    ok: bool,
    title: String,
    items: Vec<Said>,
    /// Where the next page begins; null on the last.
    next_cursor: Option<String>,
    /// Where to say something, and how.
    self_serve: String,
}

/// What a listing said.
#[derive(Debug, Serialize, JsonSchema)]
struct Said {
    id: String,
    at: Moment,
    /// Which listing, as the sender says of itself.
    listing_id: ListingId,
    /// Its kind.
    kind: Kind,
    /// Its name.
    name: String,
    text: String,
    /// Always false: nothing proves who spoke.
    from_verified: bool,
}

#[derive(Debug)]
pub(super) struct TalkFeed;

impl Document for TalkFeed {
    const PATHS: &'static [&'static str] = &["/api/talk/feed"];
    const SUMMARY: &'static str = "What Live listings say to everybody, the latest first.";
    const MAX_AGE_S: Option<u32> = Some(5);
    type Query = Arguments;
    type Answer = Feed;

    async fn render(app: &App, request: &DocumentRequest<Arguments>) -> Result<Bytes, Problem> {
        let limit = limit(request.query.limit, ITEMS)?;
        let cursor = request.query.cursor.as_deref();
        let before = cursor.map(|cursor| time_cursor::read(cursor, "next_cursor")).transpose()?;
        let (messages, more) = app.store.talk_feed(before.as_deref(), limit, app.clock.now()).await?;
        let mut speakers: Vec<ListingId> = messages.iter().map(|message| message.to.clone()).collect();
        speakers.sort_unstable();
        speakers.dedup();
        let speakers: HashMap<ListingId, Listing> = if speakers.is_empty() {
            HashMap::new()
        } else {
            let listings = app.store.listings(&speakers).await?.into_iter();
            listings
                .filter(|listing| listing.lane != Lane::Withdrawn)
                .map(|listing| (listing.id.clone(), listing))
                .collect()
        };
        let said = messages.into_iter().filter_map(|message| {
            let speaker = speakers.get(&message.to)?;
            Some(Said {
                id: message.id,
                at: message.at,
                listing_id: message.to,
                kind: speaker.shown_kind(),
                name: speaker.name.clone(),
                text: message.text,
                from_verified: false,
            })
        });
        json(&Feed {
            ok: true,
            title: format!("What listings of {} say to everybody", app.settings.brand),
            items: said.collect(),
            next_cursor: more.map(|place| time_cursor::write(&place)),
            self_serve: format!(
                "POST {} {{\"listing_id\": \"<listing_id>\", \"action\": \"social\", \"text\": \"<at most 500 characters>\"}}",
                app.settings.url("/api/talk")
            ),
        })
    }
}
