//! Lists of servers, and single servers. A server that is no longer Live or gated is listed for some days with `status:
//! deleted`, as in the official API. Otherwise a mirror that reads only the changes since its last visit would keep the
//! server forever. A page is rendered once for each version of the data, because aggregators often read the whole list.

use super::collection::Selection;
use super::query::{Cursor, ServerQuery};
use crate::documents;
use crate::prelude::*;
use registry_features::listing::{ServerResponse, active_page, server_entry};
use registry_formats::registry_name;
use registry_formats::server_json::is_name;
use registry_model::cache::TaggedPage;
use registry_model::{Access, Lane, Listed, ServerDocument};
use registry_search::browse::{BrowseQuery, Row};
use registry_store::Delisting;

/// Index pages to read for one page of an exact version or of a collection; the next page continues.
const MAX_READS: usize = 2;
/// Servers that are read for one name.
const MAX_SAME_NAME: usize = 10;
/// Bytes of a page with more than one server. Lambda answers with at most 6 MB, and a description may have 64 KB.
const LARGEST_PAGE: usize = 3_000_000;

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct ServerList {
    servers: Vec<ServerResponse>,
    metadata: Metadata,
}

#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Metadata {
    #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
    pub(super) count: usize,
}

pub(super) async fn server_list(app: &App, query: &ServerQuery) -> Result<ServerList, Problem> {
    let mut servers: Vec<ServerResponse> = Vec::new();
    let mut begin = query.begin.clone();
    // The parts of the list follow each other, also within a page.
    let next = loop {
        let room = query.part.limit.saturating_sub(servers.len());
        if room == 0 {
            break Some(begin);
        }
        let (mut found, mut next) = list_part(app, query, &begin, room).await?;
        while found.len() > 1 && documents::json(&found)?.len() > LARGEST_PAGE {
            (found, next) = list_part(app, query, &begin, found.len() / 2).await?;
        }
        servers.extend(found);
        if next.is_some() {
            break next;
        }
        match query.after(&begin) {
            Some(part) => begin = part,
            None => break None,
        }
    };
    let next_cursor = next.map(|next| next.write());
    Ok(ServerList { metadata: Metadata { next_cursor, count: servers.len() }, servers })
}

/// At most `room` servers of the part of the list that begins there, and where the rest of this part begins.
async fn list_part(
    app: &App,
    query: &ServerQuery,
    begin: &Cursor,
    room: usize,
) -> Result<(Vec<ServerResponse>, Option<Cursor>), Problem> {
    Ok(match begin {
        Cursor::Live(_) if query.access == Some(Access::Package) => (Vec::new(), None),
        Cursor::Live(after) => {
            let (rows, next) = index_page(app, query, after.clone(), room).await?;
            (with_documents(app, &rows).await?, next.map(|position| Cursor::Live(Some(position))))
        }
        Cursor::Packages(after) => {
            let (found, next) = package_page(app, query, after.as_deref(), room).await?;
            (found, next.map(|position| Cursor::Packages(Some(position))))
        }
        Cursor::Deleted(after) => {
            let (found, next) = deleted_page(app, query, after.as_deref(), room).await?;
            (found, next.map(|position| Cursor::Deleted(Some(position))))
        }
    })
}

/// # Errors
/// 404 if no Live server has that name; the table is busy.
pub(super) async fn server_versions(
    app: &App,
    name: &str,
    collection: Option<&Selection>,
) -> Result<ServerList, Problem> {
    let row = server_named(app, name, collection).await?;
    let stored = stored_versions(app, &row.listing).await?;
    let latest = ServerResponse::of_row(&row, stored.first(), &app.settings);
    let earlier = stored.iter().skip(1).map(|earlier| ServerResponse::of_earlier(&row.listing, earlier));
    let servers: Vec<_> = std::iter::once(latest).chain(earlier).collect();
    Ok(ServerList { metadata: Metadata { next_cursor: None, count: servers.len() }, servers })
}

/// # Errors
/// 404 if no Live server has that name and version; the table is busy.
pub(super) async fn server_version(
    app: &App,
    name: &str,
    version: &str,
    collection: Option<&Selection>,
) -> Result<ServerResponse, Problem> {
    let row = server_named(app, name, collection).await?;
    let stored = stored_versions(app, &row.listing).await?;
    let there = server_entry::version(&row.listing);
    if version == "latest" || version == there {
        return Ok(ServerResponse::of_row(&row, stored.first(), &app.settings));
    }
    if let Some(earlier) = stored.iter().skip(1).find(|earlier| earlier.version() == version) {
        return Ok(ServerResponse::of_earlier(&row.listing, earlier));
    }
    let detail = format!(
        "Server version not found: the latest version of `{}` is {there}. Its `versions` path lists all.",
        shorten(name, 120)
    );
    Err(Problem::not_found(Code::VersionNotFound, detail).with("version", there))
}

/// The stored descriptions of a listing, the latest first.
async fn stored_versions(app: &App, listing: &Listing) -> Result<Vec<ServerDocument>, Problem> {
    if !listing.is_described() {
        return Ok(Vec::new());
    }
    Ok(app.store.server_versions(&listing.id).await?)
}

pub(super) async fn check_store(app: &App) -> Result<serde_json::Value, Problem> {
    app.store.live().await?;
    Ok(json!({ "status": "ok" }))
}

/// Rows with the descriptions of their publishers.
async fn with_documents(app: &App, rows: &[Row]) -> Result<Vec<ServerResponse>, Problem> {
    let described = rows.iter().map(|row| &row.listing).filter(|listing| listing.is_described());
    let ids: Vec<ListingId> = described.map(|listing| listing.id.clone()).collect();
    let documents = app.store.server_documents(&ids).await?;
    let response = |row: &Row| ServerResponse::of_row(row, documents.get(&row.listing.id), &app.settings);
    Ok(rows.iter().map(response).collect())
}

/// Only the index's own filters are cheap: with others, rows are read until the page is full, within bounds.
pub(super) async fn index_page(
    app: &App,
    query: &ServerQuery,
    after: Option<String>,
    limit: usize,
) -> Result<(Vec<Row>, Option<String>), Problem> {
    let mut part = BrowseQuery { after, limit, ..query.part.clone() };
    let (mut found, now) = (Vec::new(), app.clock.now());
    for _ in 0..MAX_READS {
        let page = app.search.browse_loaded(&part).await?;
        part.after = page.next;
        found.extend(page.rows.into_iter().filter(|row| query.matches(&row.listing, now)));
        part.limit = limit.saturating_sub(found.len());
        if part.after.is_none() || part.limit == 0 || !query.is_selective() {
            break;
        }
    }
    Ok((found, part.after))
}

/// Servers that run on the machine of their user, the newest first.
async fn package_page(
    app: &App,
    query: &ServerQuery,
    after: Option<&str>,
    limit: usize,
) -> Result<(Vec<ServerResponse>, Option<String>), Problem> {
    let (listings, next) = app.store.packages(after, limit).await?;
    let now = app.clock.now();
    let is_recent =
        |listing: &Listing| query.part.changed_since.is_none_or(|since| listing.checked_at() >= since);
    let found: Vec<Listing> = listings
        .into_iter()
        .filter(|listing| is_recent(listing) && query.matches_name(listing) && query.matches(listing, now))
        .collect();
    let ids: Vec<ListingId> = found.iter().map(|listing| listing.id.clone()).collect();
    let documents = app.store.server_documents(&ids).await?;
    let response = |listing: &Listing| {
        let document = documents.get(&listing.id);
        ServerResponse::of(listing, document, Some(listing.checked_at()), &app.settings)
    };
    Ok((found.iter().map(response).collect(), next))
}

/// The Live server of a name, or else the server of this name that is gated or runs on the machine of its user.
pub(super) async fn server_named(
    app: &App,
    name: &str,
    collection: Option<&Selection>,
) -> Result<Row, Problem> {
    let part = BrowseQuery {
        kind: Some(Kind::Mcp),
        listed: Listed::With(Access::All),
        named: Some(name.to_owned()),
        limit: MAX_SAME_NAME,
        ..BrowseQuery::default()
    };
    let is_in = |row: &Row| {
        let is_one = |all: &Arc<HashSet<String>>| all.contains(name) || all.contains(row.listing.id.as_str());
        collection.is_none_or(|selection| {
            selection.matches(&row.listing, app.clock.now()) && selection.only.as_ref().is_none_or(is_one)
        })
    };
    let rows = if is_name(name) { app.search.browse(&part).await?.rows } else { Vec::new() };
    // What nothing runs, only a proven publisher may describe under the name.
    let is_shown = |row: &Row| row.listing.lane != Lane::Package || row.listing.has_proven_name();
    // A listing can lose its name after it was indexed.
    let rows =
        rows.into_iter().filter(|row| is_shown(row) && registry_name::name_of_listing(&row.listing) == name);
    let row = rows.min_by_key(|row| row.listing.lane != Lane::Active);
    row.filter(is_in).ok_or_else(|| {
        let detail = format!(
            "Server not found: `{}`. Use a name from the list without deleted servers; that of a package must be proven.",
            shorten(name, 120)
        );
        Problem::not_found(Code::ServerNotFound, detail)
    })
}

/// The content changes with the Live rows and with the index that orders them. Both versions are read first,
/// so that a page is never older than the version that it is cached under.
pub(super) async fn rendered_list(app: &App, query: &ServerQuery) -> Result<TaggedPage, Problem> {
    let live = async { app.store.live().await };
    let (live, ()) = futures::try_join!(live, app.search.refresh())?;
    // The content also changes with time, without a write: proofs expire, and delistings are shown for some days only.
    let version = active_page::validator(app, live, &format!("{:?}", app.search.version()));
    let name = query.name();
    if let Some(page) = app.server_pages.get(&name, &version) {
        return Ok(page);
    }
    let page = TaggedPage::of_body(documents::json(&server_list(app, query).await?)?);
    app.server_pages.put(name, version, page.clone());
    Ok(page)
}

async fn deleted_page(
    app: &App,
    query: &ServerQuery,
    after: Option<&str>,
    limit: usize,
) -> Result<(Vec<ServerResponse>, Option<String>), Problem> {
    let (since, now) = (query.deleted_since.unwrap_or(Moment::UNIX_EPOCH), app.clock.now());
    let (falls, next) = app.store.falls(since, after, limit, now).await?;
    // Only the last delisting counts, and only if the listing is not listed again.
    let latest: BTreeMap<ListingId, Delisting> =
        falls.into_iter().map(|fall| (fall.listing.id.clone(), fall)).collect();
    let ids: Vec<ListingId> = latest.keys().cloned().collect();
    let listings = if ids.is_empty() { Vec::new() } else { app.store.listings(&ids).await? };
    let listed: BTreeSet<ListingId> =
        listings.into_iter().filter(|now| query.lists(now)).map(|now| now.id).collect();
    let mut falls: Vec<Delisting> =
        latest.into_values().filter(|fall| !listed.contains(&fall.listing.id)).collect();
    falls.sort_by(|a, b| (a.at, &a.listing.id).cmp(&(b.at, &b.listing.id)));
    let matching = falls
        .iter()
        .filter(|fall| query.matches_name(&fall.listing) && query.matches(&fall.listing, fall.at));
    Ok((matching.map(ServerResponse::of_fall).collect(), next))
}
