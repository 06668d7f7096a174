//! A minimal HTTP function on Lambda: an empty 200, without table, log or settings. It is packaged with the profile of the
//! functions, so that `make bench` can compare their start with it.

use axum::Router;
use axum::http::StatusCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    lambda_http::run(Router::new().fallback(async || StatusCode::OK)).await
}
