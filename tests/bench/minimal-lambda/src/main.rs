//! A minimal HTTP function on Lambda: it returns an empty 200, and has no table, log or settings. It is packaged with
//! the same build profile as the other functions, so that `make bench` can compare their start times with it.

use axum::Router;
use axum::http::StatusCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    lambda_http::run(Router::new().fallback(async || StatusCode::OK)).await
}
