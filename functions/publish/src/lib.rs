//! The publisher's door: list something, or see what it would score. Translates HTTP into operations and back;
//! what is taken or refused is decided in the crate.

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use registry::app::App;
use registry::error::Problem;
use registry::http::{Caller, Query, RawBody, finish};
use registry::operations::{ListYourself, Operation, ScoreCard, list_yourself};

/// The routes of this function.
pub fn router(app: App) -> Router {
    let routes = Router::new().route("/api/publish", post(publish)).route("/api/score", get(score));
    finish(routes, app)
}

async fn publish(
    State(app): State<App>,
    caller: Caller,
    body: RawBody,
) -> Result<Json<<ListYourself as Operation>::Answer>, Problem> {
    let arguments = list_yourself::arguments_of_body(body.json()?)?;
    Ok(Json(ListYourself::run(&app, &caller, registry::http::arguments(arguments)?).await?))
}

async fn score(
    State(app): State<App>,
    caller: Caller,
    Query(arguments): Query<<ScoreCard as Operation>::Arguments>,
) -> Result<Json<<ScoreCard as Operation>::Answer>, Problem> {
    Ok(Json(ScoreCard::run(&app, &caller, arguments).await?))
}
