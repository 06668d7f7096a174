//! Tests trails: traces that callers leave, and values that the registry adds itself. Also tests how trails
//! are read, which traces count, and what they cost.

mod automatic_deposits;
mod caller_traces;
mod edges;

use tests::prelude::*;

const STIGMERGY: &str = "/api/products/stigmergy";

/// Senses a listing over REST.
async fn sensed(registry: &TestRegistry, id: &ListingId) -> Value {
    registry.settle();
    let body = json!({ "action": "sense_traces", "listing_id": id, "limit": 50 });
    registry.post(STIGMERGY, &body).await.ok()
}

async fn trail(registry: &TestRegistry, id: &ListingId) -> Value {
    sensed(registry, id).await["trails"][0].clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn assert_close(trail: &Value, name: &str, expected: f64) {
    let found = number(&trail[name]);
    assert!((found - expected).abs() < 0.01, "{name} is {found}, not {expected}: {trail}");
}
