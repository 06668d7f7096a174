//! Tests concurrent additions to trails on each engine. No addition is lost in any order. The lists of the
//! strongest trails and pairs stay sorted.

use futures::future::join_all;
use jiff::SignedDuration;
use registry::model::{Kind, TrailEvent, TrailValue};
use registry::store::{Board, Deposit};
use serde_json::json;
use tests::fixtures;

use super::{apps, call, now};

/// Concurrent depositors, and deposits of each.
const DEPOSITORS: u32 = 16;
const DEPOSITS_EACH: u32 = 5;

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_trail_changes_are_all_stored() {
    for (engine, app) in apps().await {
        let ids = fixtures::insert_live_listings(&app, Kind::Mcp, 2).await;
        let deposits = (0..DEPOSITORS).map(|_| async {
            for _ in 0..DEPOSITS_EACH {
                // The deposit does not depend on the depositor's view of the current values.
                let deposit = Deposit::of(&ids[0], TrailEvent::Endorse);
                while app.store.write_deposits(std::slice::from_ref(&deposit), now()).await.is_err() {
                    tokio::task::yield_now().await;
                }
            }
        });
        join_all(deposits).await;
        let trail = app.store.trail(&ids[0], now()).await.unwrap();
        let count = DEPOSITORS * DEPOSITS_EACH;
        // A new listing starts with 2.5.
        let expected = 2.5 + 12.0 * f64::from(count);
        assert!((trail.attraction - expected).abs() < 1e-6, "{engine}: {trail:?}");
        assert_eq!((trail.endorsements, trail.count(TrailEvent::Endorse)), (count, count), "{engine}");
        let totals = app.store.trail_totals(now()).await.unwrap().of(TrailEvent::Endorse);
        assert_eq!(totals.count, u64::from(count), "{engine}");
        assert!((totals.recent - f64::from(count)).abs() < 1e-6, "{engine}: {totals:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trail_values_decay_and_rankings_stay_sorted_over_years() {
    for (engine, app) in apps().await {
        let ids = fixtures::insert_live_listings(&app, Kind::Mcp, 3).await;
        let mut at = now();
        // Several epochs of 64 half-lives; one epoch is 448 days.
        for turn in 0..40_u32 {
            at = at + SignedDuration::from_hours(24 * 45);
            for (place, id) in ids.iter().enumerate() {
                let current = app.store.trail(id, at).await.unwrap().values();
                let deposit = Deposit::of(id, TrailEvent::TakeDemo).on(Some(current));
                let times = u32::try_from(place).unwrap() + 1;
                let deposit = Deposit { amounts: deposit.amounts.times(f64::from(times)), times, ..deposit };
                app.store.write_deposits(&[deposit], at).await.unwrap();
            }
            let hot = app.store.strongest(Board::Hot, 3, at).await.unwrap();
            let order: Vec<_> = hot.iter().map(|(id, _)| id).collect();
            assert_eq!(order, [&ids[2], &ids[1], &ids[0]], "{engine} {turn}");
            let raw = app.store.strongest_listings(Board::Hot, 1).await.unwrap();
            assert_eq!(raw, [ids[2].clone()], "{engine} {turn}: the index itself is sorted");
        }
        // 24 * (1 + f + f^2 + ...), where f is the factor of 45 days (1080 hours).
        let factor = (-1080.0_f64 / 168.0).exp2();
        let expected = 24.0 / (1.0 - factor);
        let trail = app.store.trail(&ids[2], at).await.unwrap();
        assert!((trail.of(TrailValue::Attraction) - expected).abs() < 1e-6, "{engine}: {trail:?} {expected}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trail_marks_are_stored_and_found_on_each_engine() {
    for (engine, app) in apps().await {
        let ids = fixtures::insert_live_listings(&app, Kind::Agent, 3).await;
        let pair = |b: usize| json!({ "listing_id": ids[0], "listing_b": ids[b] });
        for arguments in [pair(1), pair(2)] {
            assert_eq!(call(&app, "used_with", arguments).await["counted"], true, "{engine}");
        }
        assert_eq!(call(&app, "used_with", pair(1)).await["counted"], false, "{engine}");
        let traces = call(&app, "sense_traces", json!({ "listing_id": ids[0] })).await;
        let count = |name: &str| traces[name].as_array().unwrap().len();
        assert_eq!((count("trails"), count("marks"), count("compositions")), (1, 3, 2), "{engine}: {traces}");
        let hot = call(&app, "follow_trail", json!({})).await;
        assert_eq!(hot["items"][0]["listing_id"], json!(ids[0]), "{engine}: {hot}");
        let removed = app.store.remove_trail(&ids[0]).await.unwrap();
        assert_eq!((removed.marks, removed.compositions, removed.had_values), (3, 2, true), "{engine}");
        assert!(app.store.edges_of(&ids[1], 10, now()).await.unwrap().is_empty(), "{engine}");
    }
}
