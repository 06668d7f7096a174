//! Tests that reading trails costs at most three table calls. The cost does not depend on the number of marks
//! and used-together pairs of the listing.

use futures::stream::{self, StreamExt as _};
use registry::model::Kind;
use serde_json::{Value, json};
use tests::instrumented::Calls;
use tests::test_registry::TestRegistry;

use super::STIGMERGY;
use crate::fixtures::call_as;

/// Compositions of one listing; each also leaves a mark. The bench measures 1,000 and 10,000.
const PAIRS: usize = 120;

async fn cost(registry: &TestRegistry, body: &Value) -> Calls {
    let (reply, calls) = registry.counted(registry.post(STIGMERGY, body)).await;
    assert_eq!(reply.status, 200, "{body}: {reply:?}");
    calls
}

#[tokio::test(flavor = "multi_thread")]
async fn cost_of_a_read_is_bounded_for_many_marks_and_compositions() {
    let registry = TestRegistry::start().await;
    let servers = tests::fixtures::insert_live_listings(&registry.app, Kind::Mcp, PAIRS + 1).await;
    let (centre, others) = servers.split_first().unwrap();
    let bodies = [
        json!({ "action": "sense_traces", "listing_id": centre, "limit": 50 }),
        json!({ "action": "follow_trail", "kind": "hot", "limit": 40 }),
        json!({ "action": "follow_trail", "kind": "composition", "limit": 40 }),
    ];
    let mut costs = Vec::new();
    for pairs in [&others[..2], &others[2..]] {
        let use_together = |(number, other)| {
            let (number, registry) = (u8::try_from(number % 200).unwrap(), &registry);
            async move {
                let pair = json!({ "listing_id": centre, "listing_b": other });
                let answer = call_as(registry, number, "used_with", pair).await;
                assert!(answer.as_ref().is_ok_and(|answer| answer["counted"] == true), "{answer:?}");
            }
        };
        stream::iter(pairs.iter().enumerate().map(use_together)).buffer_unordered(4).collect::<()>().await;
        for body in &bodies {
            costs.push(cost(&registry, body).await);
        }
    }
    for (calls, body) in costs.iter().zip(bodies.iter().cycle()) {
        assert!(calls.total() <= 4 && calls.of("Scan") == 0, "{body} cost {calls:?}");
    }
    let sensed = registry.post(STIGMERGY, &bodies[0]).await.body;
    let shown = |name: &str| sensed[name].as_array().unwrap().len();
    assert_eq!((shown("marks"), shown("compositions")), (50, 50));
    assert_eq!(sensed["totals"]["compositions"], PAIRS);
}
