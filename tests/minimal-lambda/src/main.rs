//! The least that answers HTTP on Lambda: one empty 200, no table, no log, no settings.
//! `make build` packages it with the profile of the functions, so that `make bench` can hold their start against it.

use axum::Router;
use axum::http::StatusCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    lambda_http::run(Router::new().fallback(async || StatusCode::OK)).await
}
