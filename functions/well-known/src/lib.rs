//! The documents by which machines discover the registry; and, being the function of last resort, the answer to
//! every path that no other function has.

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use registry::app::App;
use registry::documents::discovery::{self, Map};
use registry::error::Problem;
use registry::http::finish;

/// The routes of this function.
pub fn router(app: App) -> Router {
    finish(Router::new().route("/discovery.json", get(map)), app)
}

async fn map(State(app): State<App>) -> Result<Json<Map>, Problem> {
    Ok(Json(discovery::draw(&app).await?))
}
