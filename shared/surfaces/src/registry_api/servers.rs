//! The lists of servers that the official API has: a page by name, the versions of one server, one version. Each read is
//! a page of the browse index, so a list costs the same however many servers are Live.

use http::StatusCode;
use serde::Serialize;
use serde_json::json;

use super::cursor::Cursor;
use super::falls;
use super::query::ServerQuery;
use super::server::{self, ServerResponse};
use registry_app::App;
use registry_formats::server_json::is_name;
use registry_model::Kind;
use registry_model::error::{Problem, shorten};
use registry_search::browse::{BrowseQuery, Row};

/// Index pages to read for one page of an exact version; the next page continues.
const LOOKS: usize = 8;

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
    let only_falls = query.falls.as_ref().is_some_and(|falls| falls.only);
    let (rows, mut next_cursor) = if only_falls { (Vec::new(), None) } else { page(app, query).await? };
    let mut servers: Vec<_> = rows.iter().map(|row| ServerResponse::of_row(row, &app.settings)).collect();
    if let (Some(falls), None) = (&query.falls, &next_cursor) {
        let room = query.part.limit.saturating_sub(servers.len());
        if room == 0 {
            next_cursor = Some(Cursor::Fallen(None).write());
        } else {
            let (fallen, next) = falls::falls(app, falls, room).await?;
            let fallen = fallen.iter().filter(|fall| query.matches_fallen(&fall.listing));
            servers.extend(fallen.map(ServerResponse::of_fall));
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
        "Server version not found: `{}` answers as version {there}. Ask for that, or for `latest`.",
        shorten(name, 120)
    );
    Err(Problem::new(StatusCode::NOT_FOUND, "version_not_found", detail).with("version", there))
}

pub async fn alive(app: &App) -> Result<serde_json::Value, Problem> {
    app.store.live().await?;
    Ok(json!({ "status": "ok" }))
}

/// Only the index's own filters are cheap: for an exact version, rows are read until the page is full, within
/// bounds.
pub(super) async fn page(app: &App, query: &ServerQuery) -> Result<(Vec<Row>, Option<String>), Problem> {
    let mut part = query.part.clone();
    let mut found = Vec::new();
    for _ in 0..LOOKS {
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
            "Server not found: no Live server is named `{}`. A name is one that the list gives, with its slash as %2F.",
            shorten(name, 120)
        );
        Problem::new(StatusCode::NOT_FOUND, "server_not_found", detail)
    })
}
