//! The webhook for Stripe's payment events. It is not in the catalog, because only Stripe calls it and the signature
//! covers the raw body. It is a function of its own, so that no other can read the signing secret.

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use http::HeaderMap;
use registry::app::App;
use registry::error::Problem;
use registry::features::products::payments;
use registry::http::{RawBody, with_middleware};
use serde_json::{Value, json};

pub fn router(app: App) -> Router {
    with_middleware(Router::new().route("/api/products/checkout/webhook", post(receive)), app)
}

async fn receive(State(app): State<App>, headers: HeaderMap, body: RawBody) -> Result<Json<Value>, Problem> {
    let signature = headers.get("stripe-signature").and_then(|value| value.to_str().ok());
    let received = payments::receive(&app, signature, &body.0).await?;
    Ok(Json(json!({ "ok": true, "received": received.as_str() })))
}
