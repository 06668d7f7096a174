//! Kills a registry at random moments while it writes. After a restart, every acknowledged write is present,
//! no transaction is half written, and published listings are probed. `FAULT_KILLS` sets the number of kills.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use local::Data;
use registry::model::{Clock, Random};
use tests::fixtures::insert_live_listings;
use tests::prelude::*;

use super::audit::{audit, texts};
use super::child_registry::{ChildRegistry, send_request};

const KILLS: usize = 3;
/// Concurrent writers.
const WRITERS: usize = 4;
/// Live listings for each kill; more than one run of the child can write to.
const LIVE_PER_KILL: usize = 60;

/// A write that the registry acknowledged.
#[derive(Debug)]
enum Written {
    Listing(ListingId),
    Demo(ListingId),
    /// A feedback with its token or code.
    Feedback(ListingId, String),
    /// The text of a message.
    Message(String),
    /// The text of a trace.
    Trace(String),
}

/// A client that follows the changes of listings.
#[derive(Debug, Default)]
struct Follower {
    /// The last number it knows.
    cursor: u64,
    /// The type and the listing of each change.
    seen: Vec<(String, String)>,
}

impl Follower {
    /// Adds the changes of an answer, which must begin after the last one.
    fn add(&mut self, answer: &Value) {
        for change in answer["changes"].as_array().unwrap() {
            self.cursor += 1;
            assert_eq!(change["cursor"], self.cursor, "a change is missing or repeated: {answer}");
            let part = |name: &str| change[name].as_str().unwrap_or_default().to_owned();
            self.seen.push((part("type"), part("listing_id")));
        }
    }

    async fn follow_until_killed(&mut self, address: SocketAddr, stop: &AtomicBool) {
        while !stop.load(Ordering::SeqCst) {
            let path = format!("/api/changes?since={}&limit=200", self.cursor);
            match send_request(address, &path, None).await {
                Some((200, answer)) => self.add(&answer),
                Some((status, answer)) => panic!("{path} answered {status}: {answer}"),
                None => return,
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// The number of the last change; 0 if there is none.
async fn last_change(address: SocketAddr) -> u64 {
    let answer = send_request(address, "/api/changes?limit=1", None).await;
    answer.and_then(|(_, answer)| answer["cursor"].as_u64()).unwrap_or_default()
}

/// Sends writes of every kind in turn until the registry is gone.
async fn write_until_killed(
    address: SocketAddr,
    peer: &Peer,
    ids: &[ListingId],
    next: &AtomicUsize,
    stop: &AtomicBool,
) -> Vec<Written> {
    let mut done = Vec::new();
    while !stop.load(Ordering::SeqCst) {
        let number = next.fetch_add(1, Ordering::SeqCst);
        let written = async {
            let post = async |path, body: Value| match send_request(address, path, Some(&body)).await {
                Some((200, answer)) => Some(answer),
                Some((status, answer)) => panic!("{path} answered {status}: {answer}"),
                None => None,
            };
            let url = peer.url(&format!("/{number}/card.json"));
            let published = json!({ "url": url, "contact_email": "a@example.org" });
            done.push(Written::Listing(id_of(&post("/api/publish", published).await?)));
            let id = &ids[number % ids.len()];
            let message = format!("Message {number}.");
            post("/api/talk", json!({ "listing_id": id, "action": "message", "text": message })).await?;
            done.push(Written::Message(message));
            let trace = format!("Trace {number}.");
            let mark = json!({ "action": "leave_trace", "listing_id": id, "body": trace, "from": "tester" });
            post("/api/products/stigmergy", mark).await?;
            done.push(Written::Trace(trace));
            if number >= ids.len() {
                return Some(());
            }
            let demo = post("/api/products/demo", json!({ "listing_id": id })).await?;
            done.push(Written::Demo(id.clone()));
            let draft = demo["next_steps"]["example_body"].clone();
            let thanks = post("/api/products/feedback", draft).await?;
            let reward = thanks["access_token"].as_str().or(thanks["discount"]["code"].as_str());
            done.push(Written::Feedback(id.clone(), reward.unwrap().to_owned()));
            Some(())
        };
        if written.await.is_none() {
            break;
        }
    }
    done
}

#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_writes_survive_sigkill() {
    let kills = std::env::var("FAULT_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let peer = Peer::start(agents::fleet).await;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("registry.db");
    let options = || TestOptions::default().with_data(Data::File(data.clone())).with_clock(Clock::System);
    let registry = TestRegistry::start_with(options()).await;
    let ids = insert_live_listings(&registry.app, Kind::Agent, LIVE_PER_KILL * kills).await;
    registry.stop().await;

    let (mut acknowledged, next) = (Vec::new(), AtomicUsize::new(0));
    let random = Random::System;
    let [mut first, mut second] = [Follower::default(), Follower::default()];
    for kill in 0..kills {
        let child = ChildRegistry::start(&data).await;
        let (address, stop) = (child.address, Arc::new(AtomicBool::new(false)));
        let writers = join_all((0..WRITERS).map(|_| write_until_killed(address, &peer, &ids, &next, &stop)));
        // By then some writers have finished a round and others are in the middle of one, on any machine.
        let enough = next.load(Ordering::SeqCst) + WRITERS + 1 + usize::try_from(random.below(12)).unwrap();
        let killing = async {
            for _ in 0..20_000 {
                if next.load(Ordering::SeqCst) >= enough && last_change(address).await > 0 {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            tokio::time::sleep(Duration::from_millis(random.below(60))).await;
            child.kill();
            stop.store(true, Ordering::SeqCst);
        };
        let followers = futures::future::join(
            first.follow_until_killed(address, &stop),
            second.follow_until_killed(address, &stop),
        );
        let (done, (), _) = futures::join!(writers, killing, followers);
        let before = acknowledged.len();
        acknowledged.extend(done.into_iter().flatten());
        assert!(acknowledged.len() > before, "kill {kill}: no write was acknowledged before it");
    }

    // Two minutes later, the claims of the killed probes have ended.
    let clock = Clock::manual(Clock::System.now());
    clock.advance(Duration::from_secs(120));
    let options = options().with_clock(clock);
    let options = options.with_setting("PROBE_WINDOW_CAP", 100_000).with_setting("PROBE_HOURLY_CAP", 100_000);
    let registry = TestRegistry::start_with(options).await;
    let table = registry.table().await;
    audit(&table, "after all kills");
    let (stored, mut published) = (texts(&table), Vec::new());
    for written in &acknowledged {
        let one = |key: String| assert_eq!(table.items_under(&key).len(), 1, "{written:?} is lost: {key}");
        match written {
            Written::Listing(id) => {
                one(format!("LISTING#{id} CORE"));
                one(format!("CONTACT#{id} "));
                published.push(id);
            }
            Written::Demo(id) => {
                let demoed = &table.items_under(&format!("LISTING#{id} CORE"))[0]["demoed"];
                assert_eq!(demoed, true, "{written:?} is lost");
            }
            Written::Feedback(id, reward) => {
                one(format!("FEEDBACK#{id} FEEDBACK"));
                if reward.starts_with("at_") {
                    registry.get(&format!("/api/products/access?token={reward}")).await.ok();
                }
            }
            Written::Message(words) | Written::Trace(words) => {
                assert!(stored.iter().any(|text| text.contains(words)), "{words} is lost");
            }
        }
    }
    // The schedule probes the listings that waited. A sample of 100 is enough.
    published.truncate(100);
    let mut ticks = 0;
    for id in &published {
        while registry.lane(id).await == "queued" && ticks < 100 {
            registry.tick_after(TICK).await;
            ticks += 1;
        }
        assert_eq!(registry.lane(id).await, "active", "after {ticks} ticks");
    }
    let known = first.cursor.min(second.cursor);
    assert!(known > 0, "no follower saw a change before the last kill");
    registry.tick().await;
    for follower in [&mut first, &mut second] {
        loop {
            let page = registry.get(&format!("/api/changes?since={}&limit=200", follower.cursor)).await;
            follower.add(&page.body);
            if page.body["more"] == false {
                break;
            }
        }
    }
    assert_eq!(first.seen, second.seen, "the followers saw different changes");
    for id in &published {
        let live = first.seen.iter().filter(|(what, about)| what == "listing_live" && about == id.as_str());
        assert_eq!(live.count(), 1, "{id} went Live once");
    }
}
