//! Lists of servers, and single servers. A server that is no longer Live is listed for some days with `status:
//! deleted`, as in the official API. Otherwise a mirror that reads only the changes since its last visit would keep the
//! server forever. A page is rendered once for each version of the data, because aggregators often read the whole list.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use http::StatusCode;
use serde::Serialize;
use serde_json::json;

use super::cursor::Cursor;
use super::query::{DelistedQuery, ServerQuery};
use super::server::{self, ServerResponse};
use registry_app::App;
use registry_domain::views::active_page;
use registry_formats::server_json::is_name;
use registry_model::cache::TaggedPage;
use registry_model::error::{Problem, shorten};
use registry_model::{Kind, Lane, ListingId};
use registry_search::browse::{BrowseQuery, Row};
use registry_store::Delisting;

/// Index pages to read for one page of an exact version; the next page continues.
const MAX_READS: usize = 2;

#[derive(Clone, Debug, Serialize)]
pub struct ServerList {
    servers: Vec<ServerResponse>,
    metadata: Metadata,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Metadata {
    #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
    pub(super) count: usize,
}

pub(super) async fn list(app: &App, query: &ServerQuery) -> Result<ServerList, Problem> {
    let only_delisted = query.delisted.as_ref().is_some_and(|delisted| delisted.only);
    let (rows, mut next_cursor) = if only_delisted { (Vec::new(), None) } else { page(app, query).await? };
    let mut servers: Vec<_> = rows.iter().map(|row| ServerResponse::of_row(row, &app.settings)).collect();
    if let (Some(delisted_query), None) = (&query.delisted, &next_cursor) {
        let room = query.part.limit.saturating_sub(servers.len());
        if room == 0 {
            next_cursor = Some(Cursor::Fallen(None).write());
        } else {
            let (page, next) = delisted(app, delisted_query, room).await?;
            let matching = page.iter().filter(|fall| query.matches_delisted(&fall.listing));
            servers.extend(matching.map(ServerResponse::of_fall));
            next_cursor = next.map(|place| Cursor::Fallen(Some(place)).write());
        }
    }
    Ok(ServerList { metadata: Metadata { next_cursor, count: servers.len() }, servers })
}

/// # Errors
/// 404 if no Live server has that name; the table is busy.
pub async fn versions(app: &App, name: &str) -> Result<ServerList, Problem> {
    let row = named(app, name).await?;
    let metadata = Metadata { next_cursor: None, count: 1 };
    Ok(ServerList { servers: vec![ServerResponse::of_row(&row, &app.settings)], metadata })
}

/// # Errors
/// 404 if no Live server has that name and version; the table is busy.
pub async fn version(app: &App, name: &str, version: &str) -> Result<ServerResponse, Problem> {
    let row = named(app, name).await?;
    let there = server::version(&row.listing);
    if version == "latest" || version == there {
        return Ok(ServerResponse::of_row(&row, &app.settings));
    }
    let detail = format!(
        "Server version not found: `{}` has version {there}. Use that version, or `latest`.",
        shorten(name, 120)
    );
    Err(Problem::new(StatusCode::NOT_FOUND, "version_not_found", detail).with("version", there))
}

pub async fn alive(app: &App) -> Result<serde_json::Value, Problem> {
    app.store.live().await?;
    Ok(json!({ "status": "ok" }))
}

/// Only the index's own filters are cheap: for an exact version, rows are read until the page is full, within bounds.
pub(super) async fn page(app: &App, query: &ServerQuery) -> Result<(Vec<Row>, Option<String>), Problem> {
    let mut part = query.part.clone();
    let mut found = Vec::new();
    for _ in 0..MAX_READS {
        let page = app.search.browse_loaded(&part).await?;
        part.after = page.next;
        found.extend(page.rows.into_iter().filter(|row| query.matches(&row.listing)));
        part.limit = query.part.limit.saturating_sub(found.len());
        if part.after.is_none() || part.limit == 0 || query.version.is_none() {
            break;
        }
    }
    Ok((found, part.after.map(|place| Cursor::Live(place).write())))
}

pub(super) async fn named(app: &App, name: &str) -> Result<Row, Problem> {
    let part = BrowseQuery {
        kind: Some(Kind::Mcp),
        named: Some(name.to_owned()),
        limit: 1,
        ..BrowseQuery::default()
    };
    let row = if is_name(name) { app.search.browse(&part).await?.rows.pop() } else { None };
    row.ok_or_else(|| {
        let detail = format!(
            "Server not found: no Live server is named `{}`. Use a name from the list, and write the slash \
             in the name as %2F.",
            shorten(name, 120)
        );
        Problem::new(StatusCode::NOT_FOUND, "server_not_found", detail)
    })
}

/// The content changes with the Live rows and with the index that orders them. Both versions are read first,
/// so that a page is never older than the version that it is cached under.
pub async fn rendered_list(app: &App, query: &ServerQuery) -> Result<TaggedPage, Problem> {
    let live = async { app.store.live().await };
    let (live, ()) = futures::try_join!(live, app.search.refresh())?;
    // The content also changes with time, without a write: proofs expire, and delistings are shown for some days only.
    let version = active_page::validator(app, live, &format!("{:?}", app.search.version()));
    let name = query.name();
    if let Some(page) = app.server_pages.get(&name, &version) {
        return Ok(page);
    }
    let list = list(app, query).await?;
    let body = serde_json::to_vec(&list).map_err(|error| Problem::fault(error.to_string()))?;
    let page = TaggedPage::of_body(Bytes::from(body));
    app.server_pages.put(name, version, page.clone());
    Ok(page)
}

pub(super) async fn delisted(
    app: &App,
    query: &DelistedQuery,
    limit: usize,
) -> Result<(Vec<Delisting>, Option<String>), Problem> {
    let after = query.after.as_deref();
    let (falls, next) = app.store.falls(query.since, after, limit, app.clock.now()).await?;
    // Only the last delisting counts, and only if the listing is not Live again.
    let latest: BTreeMap<ListingId, Delisting> =
        falls.into_iter().map(|fall| (fall.listing.id.clone(), fall)).collect();
    let ids: Vec<ListingId> = latest.keys().cloned().collect();
    let listings = if ids.is_empty() { Vec::new() } else { app.store.listings(&ids).await? };
    let live: BTreeSet<ListingId> =
        listings.into_iter().filter(|now| now.lane == Lane::Active).map(|now| now.id).collect();
    let mut falls: Vec<Delisting> =
        latest.into_values().filter(|fall| !live.contains(&fall.listing.id)).collect();
    falls.sort_by(|a, b| (a.at, &a.listing.id).cmp(&(b.at, &b.listing.id)));
    Ok((falls, next))
}
