//! Rehearses a restore: listings are lost, and come back from a copy of the table of an earlier time. Everything that was
//! decided after the copy was made stays decided.

use std::time::Instant;

use local::engine::instrumented::as_function;
use local::{Data, Embedded, engine};
use registry::model::{AccessToken, ListingId};
use registry::store::Store;
use serde_json::{Value, json};
use tests::peers::{Peer, agents};
use tests::test_registry::{DAY, HOUR, TICK, TestOptions, TestRegistry};

use super::evidence_log::{leaves, verified_proof};

/// Runs the command `recover` with the rights that its function has on AWS.
async fn recover(registry: &TestRegistry, copy: &Store, named: &[&ListingId]) -> Value {
    let command = json!({ "command": "recover", "listing_ids": named });
    let outcome =
        as_function("operator", ::operator::handle_with(&registry.app, copy, command)).await.unwrap();
    registry.settle();
    outcome
}

async fn operate(registry: &TestRegistry, command: Value) {
    registry.advance(HOUR);
    assert_eq!(registry.run("operator", command).await["changed"], true);
}

async fn last_event(registry: &TestRegistry, id: &ListingId) -> Value {
    verified_proof(registry, &format!("listing_id={id}")).await["leaf"]["event"].clone()
}

/// Loses all items in the partition of a listing.
async fn lose(registry: &TestRegistry, id: &ListingId) {
    for item in registry.items(&format!("LISTING#{id}")).await {
        registry.forget(&format!("LISTING#{id}"), item["sk"].as_s().unwrap()).await;
    }
}

#[tokio::test]
async fn unreadable_listing_of_the_backup_does_not_stop_the_recovery() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::fleet).await);
    let mut ids = Vec::new();
    for number in 0..3 {
        ids.push(registry.live_card(&peer.url(&format!("/{number}/card.json"))).await);
    }
    let unreadable = aws_sdk_dynamodb::types::AttributeValue::S("?".to_owned());
    registry.overwrite(&format!("LISTING#{}", ids[1]), "CORE", "lane", unreadable).await;
    let copy = engine::client(registry.copy_of_table().await);
    let copy = Store::new(copy, &registry.app.settings.table_name);
    for id in &ids {
        lose(&registry, id).await;
    }
    let outcome = recover(&registry, &copy, &[]).await;
    assert_eq!((&outcome["listings"], &outcome["next"]), (&json!(2), &Value::Null), "{outcome}");
    assert_eq!([registry.lane(&ids[0]).await, registry.lane(&ids[2]).await], ["queued", "queued"]);
}

#[tokio::test]
async fn lost_listings_come_back_and_later_decisions_stay() {
    let registry = TestRegistry::start().await;
    let (mut ids, mut peers) = (Vec::new(), Vec::new());
    for _ in 0..6 {
        peers.push(Peer::start(agents::newest).await);
    }
    for peer in &peers[..5] {
        ids.push(registry.live_card(&peer.card()).await);
    }
    let [kept, withdrawn, damaged, intact, returned] = ids.as_slice() else { unreachable!() };
    let demo = registry.post("/api/products/demo", &json!({ "listing_id": kept })).await.body;
    let reward = registry.post("/api/products/feedback", &demo["next_steps"]["example_body"]).await.body;
    let token: AccessToken = reward["access_token"].as_str().unwrap().parse().unwrap();
    operate(&registry, json!({ "command": "withdraw", "listing_id": returned, "reason": "Spam." })).await;
    registry.tick().await;

    let copy = engine::client(registry.copy_of_table().await);
    let copy = Store::new(copy, &registry.app.settings.table_name);

    // After the copy: a recheck, a withdrawal, a restore, a revocation, a new listing. Two leaves wait for the log.
    operate(&registry, json!({ "command": "restore", "listing_id": returned })).await;
    registry.first_probe(returned).await;
    operate(&registry, json!({ "command": "revoke_access", "token_sha256": token.digest() })).await;
    registry.advance(DAY * 6 + HOUR * 20);
    registry.recheck().await;
    let new = registry.live_card(&peers[5].card()).await;
    operate(&registry, json!({ "command": "withdraw", "listing_id": withdrawn, "reason": "Spam." })).await;
    let count = ids.len() as u64;
    assert_eq!(registry.live_counts().await, (count, 0));
    let log = registry.get("/log").await.body;

    for id in [kept, withdrawn, returned] {
        lose(&registry, id).await;
        assert!(registry.app.store.listing(id).await.unwrap().is_none());
    }
    let lane = format!("LISTING#{damaged}");
    registry
        .overwrite(&lane, "CORE", "lane", aws_sdk_dynamodb::types::AttributeValue::S("?".to_owned()))
        .await;

    let outcome = recover(&registry, &copy, &[]).await;
    assert_eq!((&outcome["listings"], &outcome["next"]), (&json!(4), &Value::Null), "{outcome}");
    let table = registry.table().await;
    assert_eq!(recover(&registry, &copy, &[]).await["changed"], false);
    assert_eq!(table.difference(&registry.table().await), [""; 0], "a second recovery changed something");

    let mut lanes = Vec::new();
    for id in [kept, withdrawn, damaged, intact, returned, &new] {
        lanes.push(registry.lane(id).await);
    }
    assert_eq!(lanes, ["queued", "withdrawn", "queued", "active", "queued", "active"]);
    assert_eq!(registry.live_counts().await, (2, 0), "what is not probed is not Live");
    registry.tick().await;
    for id in [kept, damaged, returned] {
        assert_eq!(registry.lane(id).await, "active", "{}", registry.status(id).await);
    }
    assert_eq!(registry.live_counts().await, (count, 0));
    assert_eq!(registry.lane(withdrawn).await, "withdrawn");
    let access = registry.get(&format!("/api/products/access?token={}", token.reveal())).await;
    assert_eq!(access.status, 401, "the revoked token gives access again");

    // The log grew. Its index has the leaves from before and after the copy.
    registry.tick().await;
    let grown = registry.get("/log").await.body;
    assert!(grown["tree_size"].as_u64() > log["tree_size"].as_u64(), "{grown}");
    for (id, event) in [(kept, "live"), (withdrawn, "withdrawn"), (damaged, "live"), (returned, "live")] {
        assert_eq!(last_event(&registry, id).await, event, "{id}");
    }
    let events: Vec<String> = (leaves(&registry).await.iter())
        .filter(|leaf| leaf["listing_id"] == json!(kept))
        .map(|leaf| format!("{} {}", leaf["event"].as_str().unwrap(), leaf["reason"].as_str().unwrap_or("-")))
        .collect();
    assert_eq!(events, ["live -", "confirmed -", "demoted recovered", "live -"]);
    let then = format!("listing_id={kept}&at={}", registry.now() - jiff::SignedDuration::from_mins(30));
    assert_eq!(verified_proof(&registry, &then).await["leaf"]["event"], "confirmed");
}

#[tokio::test]
async fn named_listing_is_replaced_although_it_is_intact() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let id = registry.live_card(&peer.card()).await;
    let before = registry.status(&id).await["name"].clone();
    let copy = engine::client(registry.copy_of_table().await);
    let copy = Store::new(copy, &registry.app.settings.table_name);
    let spoilt = aws_sdk_dynamodb::types::AttributeValue::S("Spoilt".to_owned());
    registry.overwrite(&format!("LISTING#{id}"), "CORE", "name", spoilt).await;
    assert_eq!(registry.app.store.listing(&id).await.unwrap().unwrap().name, "Spoilt");

    assert_eq!(recover(&registry, &copy, &[]).await["changed"], false);
    assert_eq!(recover(&registry, &copy, &[&id]).await["listings"], 1);
    let status = registry.status(&id).await;
    assert_eq!((&status["name"], &status["lane"]), (&before, &json!("queued")));
    assert_eq!(registry.live_counts().await, (0, 0));
    registry.advance(HOUR);
    registry.tick().await;
    assert_eq!((registry.lane(&id).await.as_str(), registry.live_counts().await), ("active", (1, 0)));

    let unknown: ListingId = "mcp-unknown".parse().unwrap();
    let command = json!({ "command": "recover", "listing_ids": [unknown] });
    let error = ::operator::handle_with(&registry.app, &copy, command).await.unwrap_err().to_string();
    assert!(error.contains("listing_not_found"), "{error}");
}

/// Runs ticks until this number of agents is Live.
async fn tick_until_live(registry: &TestRegistry, agents: u64) {
    for _ in 0..200 {
        registry.tick().await;
        if registry.live_counts().await.0 == agents {
            return;
        }
        registry.advance(TICK);
    }
    panic!("{:?} of {agents} agents are Live", registry.live_counts().await);
}

/// Prints how long a restore takes on this machine. Every listing is lost; the backup is a copy of the data file.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes; `make nightly` runs it"]
async fn rehearsal_of_a_restore() {
    let count = std::env::var("RESTORE_LISTINGS").map_or(2_000, |text| text.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let (data, backup) = (folder.path().join("registry.db"), folder.path().join("backup.db"));
    let mut options = TestOptions::default().with_data(Data::File(data.clone()));
    for cap in ["PROBES_PER_TICK", "PROBE_WINDOW_CAP", "PROBE_HOURLY_CAP", "PROBE_DAILY_BUDGET"] {
        options = options.with_setting(cap, 100_000_000);
    }
    let peer = Peer::start(agents::fleet).await;
    let registry = TestRegistry::start_with(options.clone()).await;
    let mut ids = Vec::new();
    for number in 0..count {
        ids.push(registry.publish_card(&peer.url(&format!("/{number}/card.json"))).await);
    }
    tick_until_live(&registry, count).await;
    registry.stop().await;

    let began = Instant::now();
    std::fs::copy(&data, &backup).unwrap();
    let copied = began.elapsed();

    // A decision after the backup, then the loss.
    let registry = TestRegistry::start_with(options).await;
    operate(&registry, json!({ "command": "withdraw", "listing_id": ids[0], "reason": "Spam." })).await;
    registry.tick().await;
    let log = registry.get("/log").await.body;
    for item in registry.items("LISTING#").await {
        registry.forget(item["pk"].as_s().unwrap(), item["sk"].as_s().unwrap()).await;
    }
    assert!(registry.app.store.listing(&ids[1]).await.unwrap().is_none());

    let began = Instant::now();
    let copy = Embedded::open(&Data::File(backup), &registry.app.clock).unwrap();
    let copy = Store::new(engine::client(copy), &registry.app.settings.table_name);
    let (mut listings, mut after) = (0, Value::Null);
    loop {
        let command = json!({ "command": "recover", "after": after });
        let outcome = ::operator::handle_with(&registry.app, &copy, command).await.unwrap();
        listings += outcome["listings"].as_u64().unwrap();
        after = outcome["next"].clone();
        if after.is_null() {
            break;
        }
    }
    let recovered = began.elapsed();
    assert_eq!(listings, count);
    tick_until_live(&registry, count - 1).await;
    let live = began.elapsed();
    assert_eq!(registry.lane(&ids[0]).await, "withdrawn", "a decision after the backup was lost");
    let grown = registry.get("/log").await.body;
    assert!(grown["tree_size"].as_u64() > log["tree_size"].as_u64(), "{grown}");
    println!(
        "restore: {count} listings: backup {:.1} s, recovery {:.1} s, all Live again after {:.1} s ({:.1} minutes in all)",
        copied.as_secs_f64(),
        recovered.as_secs_f64(),
        live.as_secs_f64(),
        (copied + live).as_secs_f64() / 60.0
    );
}
