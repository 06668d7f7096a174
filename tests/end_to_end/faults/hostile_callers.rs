//! 50 hostile callers use up their rate limits. A caller with few requests must not notice it.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use futures::future::join_all;
use registry::model::{Kind, LimitedAction};
use serde_json::json;
use tests::fixtures::insert_live_listings;
use tests::test_registry::{Reply, TestOptions, TestRegistry, client_from};

const HOSTILE: u8 = 50;

/// The hostile callers have the addresses 127.0.0.2 to 127.0.0.51, the honest caller has another.
fn address(number: u8) -> IpAddr {
    Ipv4Addr::new(127, 0, 0, number).into()
}

const HONEST: u8 = 200;

async fn honest_requests(
    registry: &TestRegistry,
    client: &reqwest::Client,
    demo_of: &str,
    round: u32,
) -> Vec<Reply> {
    let publish = json!({ "url": format!("https://honest.example.org/{round}/agent-card.json") });
    let publish = client.post(registry.url("/api/publish")).json(&publish);
    let demo = client.post(registry.url("/api/products/demo")).json(&json!({ "listing_id": demo_of }));
    let search = client.get(registry.url("/api/match?q=serves"));
    let mut replies = Vec::new();
    for request in [publish, demo, search] {
        replies.push(Reply::of(request).await);
    }
    replies
}

/// The limit of all callers together was one counter that refused everybody for the rest of the hour.
#[tokio::test(flavor = "multi_thread")]
async fn hostile_callers_at_their_limits_never_cause_a_refusal_of_an_honest_one() {
    // A fifth of all limits, so that they are used up in a fifth of the time.
    let registry = TestRegistry::start_with(TestOptions::default().with_setting("RATE_LIMITS", 20)).await;
    let ids = insert_live_listings(&registry.app, Kind::Agent, 3).await;
    let actions = [LimitedAction::Publish, LimitedAction::Demo, LimitedAction::Feedback];
    let limit = registry.app.settings.rate(LimitedAction::Publish).caller;
    // A heavy but honest caller has already used half of its limit.
    let heavy = address(HONEST + 1).to_string();
    for _ in 0..limit / 2 {
        registry.app.count(LimitedAction::Publish, &heavy, Some("heavy.example.org")).await.unwrap();
    }
    let refused = join_all((2..2 + HOSTILE).map(|number| {
        let (app, caller) = (registry.app.clone(), address(number).to_string());
        async move {
            let mut refused = 0;
            for act in 0..limit {
                for action in actions {
                    let target = format!("{number}-{}.example.org", act % 8);
                    refused += u32::from(app.count(action, &caller, Some(&target)).await.is_err());
                }
            }
            refused
        }
    }))
    .await;
    assert!(refused.iter().all(|refused| *refused > 0), "all callers together are not limited: {refused:?}");

    let client = client_from(address(HONEST));
    for (round, id) in (1..).zip(&ids) {
        for reply in honest_requests(&registry, &client, id.as_str(), round).await {
            assert_eq!(reply.status, 200, "round {round}: {reply:?}");
        }
    }
    let heavy_act = || registry.app.count(LimitedAction::Publish, &heavy, Some("heavy.example.org"));
    let shed = heavy_act().await.unwrap_err();
    assert_eq!((shed.code.as_str(), shed.retry_after), ("rate_limited", Some(300)), "{shed:?}");
    registry.advance(Duration::from_secs(300));
    heavy_act().await.expect("the limit of all callers recovers within minutes");
}
