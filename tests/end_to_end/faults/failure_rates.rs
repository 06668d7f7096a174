//! Tests a table that fails for 1, 10 and 100 percent of all calls, with every kind of fault. Each request succeeds or
//! returns 503 with `retry-after`. No transaction is half written. When the fault is over, a retry succeeds.

use futures::future::join_all;
use tests::fixtures::insert_live_listings;
use tests::prelude::*;

use super::audit::audit;
use super::table_faults::assert_busy;

/// Failing calls per 1,000.
const RATES: [u16; 3] = [10, 100, 1000];
/// Concurrent callers, each with a listing of its own.
const CALLERS: usize = 6;
/// The operations that can meet a transaction conflict.
const WRITES: [&str; 4] = ["TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem"];

struct Request {
    name: &'static str,
    path: String,
    body: Option<Value>,
}

fn requests(id: &ListingId, caller: usize, peer: &Peer) -> Vec<Request> {
    let post = |name, path: &str, body: Value| Request { name, path: path.to_owned(), body: Some(body) };
    let get = |name, path: String| Request { name, path, body: None };
    let answers = json!({ "tried": "It.", "ux_friction": "None.", "product_one_ship": "Less.",
        "overall": "Kept.", "would_buy": "maybe" });
    let feedback = json!({ "listing_id": id, "rating": 4, "answers": answers });
    let trace =
        json!({ "action": "leave_trace", "listing_id": id, "body": "It answered.", "from": "tester" });
    vec![
        post("publish", "/api/publish", json!({ "url": peer.url(&format!("/{caller}/card.json")) })),
        get("status", format!("/api/listings/status?id={id}")),
        post("demo", "/api/products/demo", json!({ "listing_id": id })),
        post("feedback", "/api/products/feedback", feedback),
        post("talk", "/api/talk", json!({ "listing_id": id, "action": "message", "text": "It works." })),
        get("inbox", format!("/api/talk?listing_id={id}")),
        post("trace", "/api/products/stigmergy", trace),
        get("active", "/api/listings/active".to_owned()),
    ]
}

async fn send(registry: &TestRegistry, request: &Request) -> Reply {
    match &request.body {
        Some(body) => registry.post(&request.path, body).await,
        None => registry.get(&request.path).await,
    }
}

/// Sends each request of one caller once, under a fault. Returns the positions of those to retry.
async fn under_fault(registry: &TestRegistry, requests: &[Request], what: &str) -> Vec<usize> {
    let mut retries = Vec::new();
    for (at, request) in requests.iter().enumerate() {
        let reply = send(registry, request).await;
        if reply.status == 200 {
            continue;
        }
        // The feedback is too early if its demo failed.
        let is_early = request.name == "feedback" && retries.contains(&(at - 1)) && reply.status == 409;
        if !is_early {
            assert_busy(&reply, &format!("{what}: {}", request.name));
        }
        retries.push(at);
    }
    retries
}

async fn assert_at_rate(fault: Fault, per_mille: u16) {
    let what = format!("{fault:?} at {}%", f64::from(per_mille) / 10.0);
    let registry = TestRegistry::start().await;
    let peer = Peer::start(agents::fleet).await;
    let ids = insert_live_listings(&registry.app, Kind::Agent, CALLERS).await;
    let requests_by_caller: Vec<Vec<Request>> =
        ids.iter().enumerate().map(|(caller, id)| requests(id, caller, &peer)).collect();
    let operations: &[&str] = if fault == Fault::TransactionConflict { &WRITES } else { &[] };
    registry.observer.faults.arm_by_chance(operations, fault, per_mille, 1);
    let retries =
        join_all(requests_by_caller.iter().map(|requests| under_fault(&registry, requests, &what))).await;
    registry.observer.faults.disarm();
    audit(&registry.table().await, &what);

    for (retries, requests) in retries.iter().zip(&requests_by_caller) {
        let is_without_table = per_mille == 1000 && fault != Fault::TransactionConflict;
        assert!(!is_without_table || retries.len() == requests.len(), "{what}: a request succeeded");
        for request in retries.iter().map(|at| &requests[*at]) {
            let reply = send(&registry, request).await;
            // A write whose reply was lost is not repeated.
            let written = fault == Fault::AnswerLost && reply.body["code"] == "already_completed";
            assert!(reply.status == 200 || written, "{what}, afterwards: {}: {reply:?}", request.name);
        }
    }
    let counts = audit(&registry.table().await, &what);
    assert_eq!(counts.listings, 2 * CALLERS, "{what}");
    assert_eq!((counts.demos, counts.completions), (CALLERS, CALLERS), "{what}");
    // A trace has no id of its own, so a caller who retries after a lost reply writes it a second time.
    let possible_duplicates = if fault == Fault::AnswerLost { CALLERS } else { 0 };
    assert!((CALLERS..=CALLERS + possible_duplicates).contains(&counts.traces), "{what}: {counts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_succeed_or_return_503_at_any_failure_rate() {
    for fault in
        [Fault::Throttle, Fault::TransactionConflict, Fault::Timeout, Fault::ServiceError, Fault::AnswerLost]
    {
        for per_mille in RATES {
            assert_at_rate(fault, per_mille).await;
        }
    }
}
