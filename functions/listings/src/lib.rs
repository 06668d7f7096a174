//! Reading the registry: status, the active list, search, the feed, the probe statistics, badges. Nothing here writes.

mod discovery;
mod registry_api;

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use bytes::Bytes;
use http::{HeaderMap, Uri, header};
use registry::app::App;
use registry::badge;
use registry::error::Problem;
use registry::feed::{self, Feed};
use registry::http::{Caller, Query, etag_of, finish};
use registry::listing::envelope;
use registry::listing::page::Cursor;
use registry::operations::search_active::{self, Wanted};
use registry::operations::{CheckStatus, Operation, SearchActive};
use registry::probe::stats;
use serde::Serialize;

/// Seconds for which a list may be shown again without asking.
const LIST_AGE: u32 = 5;
/// Seconds for which a badge may be shown again without asking.
const BADGE_AGE: u32 = 300;

/// The routes of this function.
pub fn router(app: App) -> Router {
    let routes = Router::new()
        .route("/api/listings/status", get(status))
        .route("/api/listings/active", get(active))
        .route("/api/feed", get(activity))
        .route("/api/probes", get(probes))
        .route("/badge/{name}", get(image))
        .merge(discovery::routes())
        .merge(registry_api::routes());
    finish(routes, app)
}

async fn status(
    State(app): State<App>,
    caller: Caller,
    Query(arguments): Query<<CheckStatus as Operation>::Arguments>,
) -> Result<Json<<CheckStatus as Operation>::Answer>, Problem> {
    Ok(Json(CheckStatus::run(&app, &caller, arguments).await?))
}

/// The contract's envelope around the same pages that `search_active` reads. An unchanged page costs one read.
async fn active(
    State(app): State<App>,
    uri: Uri,
    headers: HeaderMap,
    Query(arguments): Query<<SearchActive as Operation>::Arguments>,
) -> Result<Response, Problem> {
    let limit = search_active::limit(arguments.limit, 50)?;
    let from = arguments.cursor.as_deref().map(Cursor::read).transpose()?.unwrap_or_default();
    let only = arguments.kind.and_then(Wanted::only);
    let live = app.store.live().await?;
    let page = uri.query().unwrap_or_default();
    let validator = envelope::validator(&app, live, page);
    let body = match app.pages.get(page, &validator) {
        Some(body) => body,
        None if validator.is_held_by(&headers) => Bytes::new(),
        None => {
            let envelope = envelope::read(&app, live, only, &from, limit).await?;
            let body = Bytes::from(
                serde_json::to_vec(&envelope).map_err(|error| Problem::fault(error.to_string()))?,
            );
            app.pages.put(page, validator.clone(), body.clone());
            body
        }
    };
    Ok(validator.answer(&headers, LIST_AGE, "application/json", || body))
}

async fn activity(
    State(app): State<App>,
    Query(arguments): Query<feed::Arguments>,
) -> Result<Json<Feed>, Problem> {
    Ok(Json(feed::read(&app, arguments).await?))
}

/// The probe statistics, told to be so.
#[derive(Serialize)]
struct Probes {
    ok: bool,
    #[serde(flatten)]
    statistics: stats::Statistics,
}

async fn probes(State(app): State<App>) -> Result<Json<Probes>, Problem> {
    Ok(Json(Probes { ok: true, statistics: stats::read(&app).await? }))
}

async fn image(
    State(app): State<App>,
    Path(name): Path<String>,
    headers: HeaderMap,
    Query(about): Query<badge::About>,
) -> Result<Response, Problem> {
    let image = Bytes::from(badge::draw(&app, &name, &about).await?);
    let mut response = etag_of(&image).answer(&headers, BADGE_AGE, "image/svg+xml; charset=utf-8", || image);
    let nothing_else = http::HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'");
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, nothing_else);
    Ok(response.into_response())
}
