//! Tests a clock that jumps forward and back by seconds to days, as after a suspend or a correction. No request fails,
//! no Live listing is demoted, and no budget is exceeded. Published listings go Live when the clock is right again.

use jiff::SignedDuration;
use tests::prelude::*;

/// Steps of the clock; each is undone later.
const STEPS: [SignedDuration; 6] = [
    SignedDuration::from_secs(1),
    SignedDuration::from_secs(90),
    SignedDuration::from_mins(7),
    SignedDuration::from_hours(1),
    SignedDuration::from_hours(26),
    SignedDuration::from_hours(24 * 5),
];
const WINDOW: usize = 8;

/// Sends one request to each kind of endpoint, and runs every schedule.
async fn use_everything(registry: &TestRegistry, ids: &[ListingId]) {
    let all =
        "/api/listings/active /api/feed /api/probes /log/checkpoint /list /api/ard/search?q=adds+numbers";
    let mut paths: Vec<String> = all.split(' ').map(str::to_owned).collect();
    for id in ids {
        let of_listing = ["/api/listings/status?id", "/api/talk?listing_id", "/badge/live.svg?id"];
        paths.extend(of_listing.map(|path| format!("{path}={id}")));
    }
    for path in &paths {
        let reply = registry.get(path).await;
        assert_eq!(reply.status, 200, "{path} at {}: {reply:?}", registry.now());
    }
    registry.tick().await;
    registry.recheck().await;
    registry.reach_out().await;
    registry.index().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn live_listings_stay_live_when_the_clock_jumps() {
    let options = TestOptions::default().with_setting("PROBE_WINDOW_CAP", WINDOW).delivered_once();
    let registry = TestRegistry::start_with(options).await;
    let (agents, server) = (Peer::start(agents::fleet).await, Peer::start(servers::modern).await);
    let mut ids = vec![registry.publish_mcp(&server.url("/mcp")).await];
    ids.push(registry.publish_card(&agents.url("/first/card.json")).await);
    assert_eq!(registry.delivered_counts().await, (1, 1));
    for step in STEPS {
        // Forward and back, then back and forward.
        for by in [step, -step, -step, step] {
            let before = registry.probe_statistics().await["used"].as_u64().unwrap();
            registry.step_clock(by);
            let id = registry.publish_card(&agents.url(&format!("/{}/card.json", ids.len()))).await;
            registry.events();
            registry.first_probe(&id).await;
            ids.push(id);
            use_everything(&registry, &[&ids[..2], &ids[ids.len() - 1..]].concat()).await;
            let after = registry.probe_statistics().await;
            assert!(after["window_used"].as_u64().unwrap() <= WINDOW as u64, "{after}");
            let used = after["used"].as_u64().unwrap();
            assert!(used <= before + 2 * WINDOW as u64 || step > SignedDuration::from_hours(20));
            for id in &ids[..2] {
                assert_eq!(registry.lane(id).await, "active", "{id} after a step of {by:#}");
            }
        }
    }
    // The clock is right again; time passes normally.
    let mut hours = 0;
    while registry.live_counts().await != (ids.len() as u64 - 1, 1) {
        assert!(hours < 48, "{:?}", registry.live_counts().await);
        for _ in 0..10 {
            registry.tick().await;
            registry.advance(TICK);
        }
        registry.recheck().await;
        hours += 1;
    }
    // A week later no listing is Live because of a proof with a time in the future.
    registry.advance(HOUR * 24);
    for _ in 0..24 * 7 {
        registry.recheck().await;
        registry.advance(HOUR);
    }
    assert_eq!(registry.live_counts().await, (ids.len() as u64 - 1, 1));
    assert_eq!(registry.get("/log/checkpoint").await.status, 200);
}
