//! The webhook for Stripe's payment events. It is not in the catalog, because only Stripe calls it and the signature
//! covers the raw body.

use axum::routing::post;

use super::RawBody;
use crate::prelude::*;
use registry_features::products::payments;

pub fn payment_webhook() -> Router<App> {
    Router::new().route("/api/products/checkout/webhook", post(receive))
}

async fn receive(State(app): State<App>, headers: HeaderMap, body: RawBody) -> Result<Json<Value>, Refused> {
    let signature = headers.get("stripe-signature").and_then(|value| value.to_str().ok());
    let received = payments::receive(&app, signature, &body.0).await?;
    Ok(Json(json!({ "ok": true, "received": received.as_str() })))
}
