//! Two feeds. `/api/feed` contains the events of all listings. `/api/talk/feed` contains the public posts of
//! listings. The senders of posts are not verified, and posts of withdrawn listings are not shown.

use super::document::json;
use crate::prelude::*;
use registry_features::operation::arguments::page_limit;
use registry_model::{Cursor, FeedItem, Lane, TimeKey};

const ITEMS: u32 = 50;

/// A page of the activity feed.
#[derive(Debug, Deserialize, JsonSchema)]
struct FeedQuery {
    /// The most items of a page: 1 to 100, default 50.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    #[schemars(extend("format" = "feed-cursor"))]
    cursor: Option<String>,
}

/// What happened to which listing, the latest first.
#[derive(Debug, Serialize, JsonSchema)]
struct ActivityFeed {
    ok: bool,
    title: String,
    /// The time of the newest item on this page; null without items.
    updated_at: Option<Moment>,
    items: Vec<FeedItem>,
    /// The cursor of the next page; null on the last.
    next_cursor: Option<String>,
    /// The URL of the discovery map.
    discovery: String,
    /// The URL at which to publish, and so to appear in the feed.
    self_serve: String,
}

pub static ACTIVITY_FEED: AnyDocument = AnyDocument {
    paths: &["/api/feed"],
    summary: "The latest events of all listings, newest first, without personal data.",
    max_age_s: Some(5),
    ..AnyDocument::of::<ActivityFeed>(|app, request| Box::pin(activity(app, request)))
        .with_query::<FeedQuery>()
};

async fn activity(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let query: &FeedQuery = request.query()?;
    let limit = page_limit(query.limit, ITEMS)?;
    let before = Cursor::<TimeKey>::position(query.cursor.as_deref(), "next_cursor")?;
    let (items, more) = app.store.feed(before.as_ref().map(TimeKey::as_str), limit).await?;
    json(&ActivityFeed {
        ok: true,
        title: format!("Activity of {}", app.settings.brand),
        updated_at: items.first().map(|item| item.at),
        items,
        next_cursor: more.map(|position| Cursor(position).to_string()),
        discovery: app.settings.url("/discovery.json"),
        self_serve: app.settings.url("/api/publish"),
    })
}

/// A page of the talk feed.
#[derive(Debug, Deserialize, JsonSchema)]
struct TalkFeedQuery {
    /// The most items of a page: 1 to 100, default 50.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    #[schemars(extend("format" = "talk-cursor"))]
    cursor: Option<String>,
}

/// What listings said to everyone while they were Live, the latest first.
#[derive(Debug, Serialize, JsonSchema)]
struct TalkFeed {
    ok: bool,
    title: String,
    items: Vec<PublicMessage>,
    /// The cursor of the next page; null on the last.
    next_cursor: Option<String>,
    /// How to post a message.
    self_serve: String,
}

/// A message of a listing to everyone.
#[derive(Debug, Serialize, JsonSchema)]
struct PublicMessage {
    id: String,
    at: Moment,
    /// The listing that the sender claims to be.
    listing_id: ListingId,
    kind: Kind,
    name: String,
    text: String,
    /// Always false: senders are not verified.
    from_verified: bool,
}

pub static TALK_FEED: AnyDocument = AnyDocument {
    paths: &["/api/talk/feed"],
    summary: "The public posts of listings, newest first. Only a Live listing can post.",
    max_age_s: Some(5),
    ..AnyDocument::of::<TalkFeed>(|app, request| Box::pin(talk(app, request))).with_query::<TalkFeedQuery>()
};

async fn talk(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let query: &TalkFeedQuery = request.query()?;
    let limit = page_limit(query.limit, ITEMS)?;
    let before = Cursor::<TimeKey>::position(query.cursor.as_deref(), "next_cursor")?;
    let (messages, more) =
        app.store.talk_feed(before.as_ref().map(TimeKey::as_str), limit, app.clock.now()).await?;
    let senders: HashSet<ListingId> = messages.iter().map(|message| message.to.clone()).collect();
    let listings = app.store.listings(&Vec::from_iter(senders)).await?;
    let senders: HashMap<ListingId, Listing> = listings
        .into_iter()
        .filter(|listing| listing.lane != Lane::Withdrawn)
        .map(|listing| (listing.id.clone(), listing))
        .collect();
    let items = messages.into_iter().filter_map(|message| {
        let sender = senders.get(&message.to)?;
        Some(PublicMessage {
            id: message.id,
            at: message.at,
            listing_id: message.to,
            kind: sender.likely_kind(),
            name: sender.texts.name.clone(),
            text: message.text,
            from_verified: false,
        })
    });
    json(&TalkFeed {
        ok: true,
        title: format!("Public messages of the listings of {}", app.settings.brand),
        items: items.collect(),
        next_cursor: more.map(|position| Cursor(position).to_string()),
        self_serve: format!(
            "POST {} {{\"listing_id\": \"<listing_id>\", \"action\": \"social\", \"text\": \"<at most 500 characters>\"}}",
            app.settings.url("/api/talk")
        ),
    })
}
