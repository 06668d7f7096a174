//! Where Stripe says what became of a payment. No operation: only Stripe calls it, and its signature is over the body as
//! it came.

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use http::HeaderMap;
use registry::app::App;
use registry::error::Problem;
use registry::http::RawBody;
use registry::payments;
use serde_json::{Value, json};

const PATH: &str = "/api/products/checkout/webhook";

/// The route of the webhook.
pub(crate) fn routes() -> Router<App> {
    Router::new().route(PATH, post(receive))
}

async fn receive(State(app): State<App>, headers: HeaderMap, body: RawBody) -> Result<Json<Value>, Problem> {
    let signature = headers.get("stripe-signature").and_then(|value| value.to_str().ok());
    let received = payments::receive(&app, signature, &body.0).await?;
    Ok(Json(json!({ "ok": true, "received": received.as_str() })))
}
