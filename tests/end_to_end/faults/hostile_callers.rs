//! 50 hostile callers use up their rate limits. A caller with few requests must not notice it.

use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use futures::future::join_all;
use registry::model::{Kind, LimitedAction};
use serde_json::json;
use tests::fixtures::insert_live_listings;
use tests::test_registry::{Reply, TestOptions, TestRegistry, client_from};

const HOSTILE: u8 = 50;

/// Live listings, one for each demo of the honest caller and, in the timed test, of the hostile callers.
const LISTINGS: usize = 400;

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
    let registry = TestRegistry::start_with(TestOptions::default().with_rates()).await;
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
    assert_eq!((shed.code, shed.retry_after), ("rate_limited", Some(300)), "{shed:?}");
    registry.advance(Duration::from_secs(300));
    heavy_act().await.expect("the limit of all callers recovers within minutes");
}

/// A refused caller changes at most its own counter, so it never waits for others and others never wait for it.
#[tokio::test]
async fn caller_beyond_its_limit_writes_nothing() {
    let options = TestOptions::default().with_rates().with_setting("PUBLISH_PER_HOUR", 2);
    let registry = TestRegistry::start_with(options).await;
    let publish =
        |number: u32| json!({ "url": format!("https://agent.example.org/{number}/agent-card.json") });
    for number in 0..2 {
        registry.publish(&publish(number)).await;
    }
    let (before, calls) = (registry.table().await, registry.observer.tally.snapshot());
    assert_eq!(registry.post("/api/publish", &publish(2)).await.body["allowance"], "caller");
    assert_eq!(before.difference(&registry.table().await), [""; 0]);
    let calls = registry.observer.tally.since(&calls);
    assert_eq!((calls.of("UpdateItem"), calls.of("TransactWriteItems")), (1, 0), "{calls:?}");
}

/// The success and the latency of the honest caller over HTTP, first alone and then together with the hostile callers.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures latency, so it needs a machine without other work: see tests/README.md"]
async fn honest_caller_is_as_fast_as_without_hostile_callers() {
    const HONEST_LIMIT: u32 = 6;
    const PHASE: Duration = Duration::from_secs(120);
    let registry =
        TestRegistry::start_with(TestOptions::public().with_setting("PUBLISH_PER_HOST_PER_HOUR", 100_000))
            .await;
    let ids = insert_live_listings(&registry.app, Kind::Agent, LISTINGS).await;
    let measure = async |first: usize| {
        let mut times = Vec::new();
        // Each of several honest callers sends few requests.
        for caller in 0..16 {
            let client = client_from(address(HONEST - u8::try_from(first + caller).unwrap()));
            for round in 0..HONEST_LIMIT {
                let at = (first + caller) * 6 + usize::try_from(round).unwrap();
                let begin = Instant::now();
                let replies = honest_requests(&registry, &client, ids[at].as_str(), round).await;
                times.push(begin.elapsed());
                assert!(replies.iter().all(|reply| reply.status == 200), "{replies:?}");
            }
        }
        times.sort_unstable();
        (times[times.len() / 2], times[times.len() * 99 / 100])
    };
    measure(0).await;
    let quiet = measure(16).await;
    let flood = join_all((2..2 + HOSTILE).map(|number| {
        let (client, registry, ids) = (client_from(address(number)), &registry, &ids);
        async move {
            let (began, mut counts) = (Instant::now(), [0_u32; 2]);
            // Each sends its hourly limits of 60 within the phase, thirty times as fast as the limits allow. The callers send
            // one after another, not all at once: the wait for one burst says nothing about the limits.
            tokio::time::sleep(PHASE / 60 / u32::from(HOSTILE) * u32::from(number)).await;
            let mut tick = tokio::time::interval(PHASE / 60);
            while began.elapsed() < PHASE {
                tick.tick().await;
                let round = counts[0] + counts[1];
                let id = &ids[(usize::from(number) * 7 + usize::try_from(round).unwrap()) % ids.len()];
                for reply in honest_requests(registry, &client, id.as_str(), round).await {
                    counts[usize::from(reply.status == 429)] += 1;
                }
            }
            counts
        }
    }));
    let under_attack = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        measure(32).await
    };
    let (counts, attacked) = futures::join!(flood, under_attack);
    let sum = |at: usize| counts.iter().map(|counts| counts[at]).sum::<u32>();
    println!(
        "publish, demo and search of an honest caller: p50 and p99 alone {quiet:?}, under attack {attacked:?}"
    );
    println!("hostile requests: {} accepted, {} refused", sum(0), sum(1));
    assert!(attacked.1 <= quiet.1 * 2, "p99 {attacked:?} under attack, {quiet:?} alone");
}
