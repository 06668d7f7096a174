//! Tests the daily budget of first invitations. The budget grows with what the operator adds to the acceleration
//! index, up to a maximum, and then falls again. The activity of callers does not change it.

use serde_json::{Value, json};
use tests::peers::{Peer, agents};
use tests::test_registry::{HOUR, TestOptions, TestRegistry};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const AUTOCATALYSIS: &str = "/api/products/autocatalysis";

async fn bump(registry: &TestRegistry, body: &Value, token: &str) -> (u16, Value) {
    let reply = registry.post_with_token(AUTOCATALYSIS, token, body).await;
    (reply.status, reply.body)
}

async fn day_budget(registry: &TestRegistry) -> Value {
    registry.get("/api/products/conversion-pressure").await.body
}

async fn start(options: TestOptions) -> (TestRegistry, Peer) {
    let options = options.with_setting("OPERATOR_TOKEN", TOKEN).with(|settings| settings.recheck_days = 3650);
    let (registry, peer) = (TestRegistry::start_with(options).await, Peer::start(agents::fleet).await);
    registry.publish_fleet(&peer, 0..40).await;
    registry.deliver_events().await;
    (registry, peer)
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_operator_raises_the_daily_budget_up_to_a_bound() {
    let (registry, _peer) = start(TestOptions::default().with_setting("PROBE_WINDOW_CAP", 1000)).await;
    // 40 listed and 40 answered a second ago, which raises the index. Only the operator raises the budget.
    let accelerated = registry.call_tool("get_acceleration", &json!({})).await;
    assert!(accelerated["acceleration_index"].as_f64().unwrap() > 1.4, "{accelerated}");
    let budget = day_budget(&registry).await;
    assert_eq!((&budget["base_cap"], &budget["day_cap"]), (&json!(12), &json!(12)), "{budget}");
    assert_eq!(budget["scaled_by"]["day_budget"], json!(1.0), "{budget}");

    // 20 bumps of .08 * 3 exceed the bound.
    for _ in 0..20 {
        let (status, body) =
            bump(&registry, &json!({ "action": "bump", "event": "founding_claim", "amount": 50 }), TOKEN)
                .await;
        assert_eq!((status, &body["added"]), (200, &json!(0.24)), "{body}");
    }
    let budget = day_budget(&registry).await;
    assert_eq!(budget["scaled_by"]["day_budget"], 1.8, "{budget}");
    assert_eq!(budget["day_cap"], 21, "{budget}");
    assert_eq!(registry.reach_out().await["invited"], 21);
    assert_eq!(registry.reach_out().await["invited"], 0, "the budget of the day was exceeded");

    // After 9 days (three half-lives) the bumps' 4.8 are .6: 1 + .4 * .6 = 1.24; 12 * 1.24 = 14.9.
    registry.advance(HOUR * 24 * 9);
    let budget = day_budget(&registry).await;
    assert_eq!((&budget["day_cap"], &budget["base_cap"]), (&json!(14), &json!(12)), "{budget}");
    registry.advance(HOUR * 24 * 60);
    assert_eq!(day_budget(&registry).await["day_cap"], 12, "the acceleration did not decay");
}

#[tokio::test]
async fn only_the_operator_can_raise_acceleration() {
    let registry =
        TestRegistry::start_with(TestOptions::default().with_setting("OPERATOR_TOKEN", TOKEN)).await;
    let body = json!({ "action": "bump", "amount": 10 });
    registry.post(AUTOCATALYSIS, &body).await.assert_refused(401, "operator_token_required");
    assert_eq!(bump(&registry, &body, "x").await.0, 403);
    for (event, amount) in
        [(json!("sleep"), 10), (json!(null), 10), (json!("take_demo"), 51), (json!("take_demo"), 0)]
    {
        let body = json!({ "action": "bump", "event": event, "amount": amount });
        assert_eq!(bump(&registry, &body, TOKEN).await.0, 422, "{body}");
    }
    assert_eq!(registry.call_tool("get_acceleration", &json!({})).await["acceleration_index"], 1.0);

    let (status, body) = bump(&registry, &json!({ "action": "bump", "event": "take_demo" }), TOKEN).await;
    let added = (status, &body["acceleration_index"], &body["counted_as"]);
    assert_eq!(added, (200, &json!(1.012), &json!("operator_bump")));
    let multipliers = registry.call_tool("get_acceleration", &json!({})).await;
    let shown = multipliers["inputs"].as_array().unwrap().last().unwrap().clone();
    let bump = json!({ "event": "operator_bump", "weight": 1.0, "count": 1, "recent": 0.012, "adds": 0.012 });
    assert_eq!(shown, bump);
}
