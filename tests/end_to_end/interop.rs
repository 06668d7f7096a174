//! Tests interop. A caller can find a request that solves a task, use sessions, and
//! report outcomes. The tests also cover compositions (pairs of listings that were used together) and
//! federation with other registries.

mod compositions;
mod federation;
mod outcomes;
mod resolve;
mod sessions;

use tests::prelude::*;

const INTEROP: &str = "/api/products/interop";

const TOKEN: &str = "an-operator-token-of-32-characters-or-more";

/// POSTs an action to an operation family and returns the body.
async fn act(registry: &TestRegistry, path: &str, action: &str, mut body: Value) -> Value {
    body["action"] = json!(action);
    registry.post(path, &body).await.ok()
}
