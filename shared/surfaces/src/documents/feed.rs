//! The public activity feed: what happened to which listing, the latest first, nothing of any person.

use bytes::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::{Document, DocumentRequest, json};
use registry_app::App;
use registry_domain::views::active_page::limit;
use registry_domain::views::time_cursor;
use registry_model::error::Problem;
use registry_model::{FeedItem, Moment};

const ITEMS: u32 = 50;

/// Which part of the feed.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Arguments {
    /// At most so many items, from 1 to 100; 50 where it is left out.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// The `next_cursor` of an earlier page.
    #[schemars(extend("format" = "feed-cursor"))]
    cursor: Option<String>,
}

/// A page of the feed.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Feed {
    ok: bool,
    title: String,
    /// When the newest item happened; null for an empty feed.
    updated_at: Option<Moment>,
    items: Vec<FeedItem>,
    /// Where the next page begins; null on the last.
    next_cursor: Option<String>,
    /// Everything else that can be read here.
    discovery: String,
    /// How to appear in it.
    self_serve: String,
}

#[derive(Debug)]
pub(super) struct ActivityFeed;

impl Document for ActivityFeed {
    const PATHS: &'static [&'static str] = &["/api/feed"];
    const SUMMARY: &'static str = "What happened to which listing, the latest first, nothing of any person.";
    const MAX_AGE_S: Option<u32> = Some(5);
    type Query = Arguments;
    type Answer = Feed;

    async fn render(app: &App, request: &DocumentRequest<Arguments>) -> Result<Bytes, Problem> {
        let limit = limit(request.query.limit, ITEMS)?;
        let cursor = request.query.cursor.as_deref();
        let before = cursor.map(|cursor| time_cursor::read(cursor, "next_cursor")).transpose()?;
        let (items, more) = app.store.feed(before.as_deref(), limit).await?;
        json(&Feed {
            ok: true,
            title: format!("Activity of {}", app.settings.brand),
            updated_at: items.first().map(|item| item.at),
            items,
            next_cursor: more.map(|place| time_cursor::write(&place)),
            discovery: app.settings.url("/discovery.json"),
            self_serve: app.settings.url("/api/publish"),
        })
    }
}
