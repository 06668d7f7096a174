//! The changes of listings as an Atom feed, for programs that follow them. Its entries are the changes of `/api/changes`.

use crate::prelude::*;
use registry_features::listing::change_feed;
use registry_features::operation::lookup;
use registry_model::{Change, HostName};
use registry_store::HostPointer;

const ENTRIES: usize = 100;
/// Listings at the host of a feed.
const MAX_LISTINGS: i32 = 5_000;

#[derive(Debug, Default, Deserialize, JsonSchema)]
struct FeedQuery {
    /// Only agents or only MCP servers.
    kind: Option<Kind>,
    /// Only this listing.
    listing_id: Option<String>,
    /// Only listings at this host name or below it.
    domain: Option<String>,
}

#[derive(Template)]
#[template(path = "changes.xml")]
struct Feed {
    /// The URL of the feed, and its id.
    url: String,
    home: String,
    updated: Moment,
    brand: String,
    entries: Vec<Entry>,
}

struct Entry {
    id: String,
    page: String,
    change: Change,
}

pub static CHANGE_FEED: AnyDocument = AnyDocument {
    paths: &["/feeds/changes.atom"],
    summary: "The latest changes of listings as an Atom feed (RFC 4287): at most 100 of the last 1,000 changes. Changes can appear minutes later.",
    media_type: "application/atom+xml; charset=utf-8",
    max_age_s: Some(60),
    ..AnyDocument::of::<String>(|app, request| Box::pin(render(app, request))).with_query::<FeedQuery>()
};

async fn render(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let FeedQuery { kind, listing_id, domain } = request.query()?;
    if let Some(id) = listing_id {
        lookup::listing(app, id).await?;
    }
    let (found, _) = change_feed::latest(app).await?;
    let at_domain = match domain {
        Some(domain) => Some(listings_at(app, domain, &found).await?),
        None => None,
    };
    let is_wanted = |change: &Change| {
        let id = change.item.listing_id.as_ref();
        kind.is_none_or(|kind| change.item.kind == Some(kind))
            && listing_id.as_deref().is_none_or(|wanted| id.is_some_and(|id| id.as_str() == wanted))
            && at_domain.as_ref().is_none_or(|at| id.is_some_and(|id| at.contains(id)))
    };
    let wanted = found.iter().rev().filter(|change| is_wanted(change)).take(ENTRIES).cloned();
    let settings = &app.settings;
    let home = settings.url("/list");
    let entries: Vec<Entry> = wanted
        .map(|change| Entry {
            id: settings.url(&format!("/api/changes?since={}&limit=1", change.cursor - 1)),
            page: change.item.listing_id.as_ref().map_or_else(|| home.clone(), |id| format!("{home}/{id}")),
            change,
        })
        .collect();
    let parameters = [
        ("kind", kind.map(Kind::as_str)),
        ("listing_id", listing_id.as_deref()),
        ("domain", domain.as_deref()),
    ];
    let mut url = url::Url::parse(&settings.url(&request.path)).map_err(Problem::fault)?;
    for (name, value) in parameters.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        url.query_pairs_mut().append_pair(name, value);
    }
    let feed = Feed {
        url: url.to_string(),
        home,
        updated: entries.iter().map(|entry| entry.change.item.at).max().unwrap_or_else(|| app.clock.now()),
        brand: settings.brand.clone(),
        entries,
    };
    Ok(feed.render().map_err(Problem::fault)?.into())
}

/// The listings at a host or below it, and those that were there when they were withdrawn.
async fn listings_at(app: &App, domain: &str, found: &[Change]) -> Result<HashSet<ListingId>, Problem> {
    // No listing is at what is no host name.
    let Some(host) = HostName::of_url(&format!("https://{domain}/")) else { return Ok(HashSet::new()) };
    let mut at = app.store.listings_at(&host, HostPointer::Listed, MAX_LISTINGS).await?;
    let withdrawals = found.iter().rev().filter(|change| change.item.what == "listing_withdrawn");
    // A listing that was restored can be withdrawn again.
    let withdrawn: HashSet<ListingId> =
        withdrawals.filter_map(|change| change.item.listing_id.clone()).take(ENTRIES).collect();
    let withdrawn = app.store.listings(&Vec::from_iter(withdrawn)).await?;
    let were_there =
        withdrawn.into_iter().filter(|listing| listing.hosts().iter().any(|other| host.covers(other)));
    at.extend(were_there.map(|listing| listing.id));
    Ok(at.into_iter().collect())
}
