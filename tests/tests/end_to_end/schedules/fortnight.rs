//! Two weeks of a registry in which servers fail, recover and change their tools. Subscribers must be told of each change of
//! tools and of each fall once, and of nothing that did not happen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use registry::model::Random;
use serde_json::json;
use tests::peers::mail_server::MailServer;
use tests::peers::{Peer, PeerRequest, empty, json_answer, servers};
use tests::test_registry::{HOUR, TestOptions, TestRegistry};

const HOURS: u64 = 14 * 24;
/// Hours within which something happens to each server.
const FATES_WITHIN: u64 = 6 * 24;
/// One server in so many falls, changes its tools, or fails for one hour.
const ONE_IN: u64 = 4;

/// What the servers do, by their number.
#[derive(Default)]
struct World {
    failing: BTreeSet<u64>,
    changed: BTreeSet<u64>,
}

fn number_of(path: &str) -> u64 {
    path.trim_matches('/').split('/').next().and_then(|number| number.parse().ok()).unwrap_or(u64::MAX)
}

/// What a subscriber was told: how often each type of change, by listing.
type Told = BTreeMap<(String, String), u32>;

fn told(webhook: &Peer) -> Told {
    let mut told = Told::new();
    for message in webhook.requests().iter().filter(|request| request.body["type"] == "listing.changes") {
        for change in message.body["data"]["changes"].as_array().unwrap() {
            let text = |name: &str| change[name].as_str().unwrap().to_owned();
            *told.entry((text("listing_id"), text("type"))).or_default() += 1;
        }
    }
    told
}

fn confirming(request: &PeerRequest) -> axum::response::Response {
    json_answer(200, &json!({ "challenge": request.body["data"]["challenge"] }))
}

/// The number of servers can be greater than in a quick run.
fn servers() -> u64 {
    std::env::var("FORTNIGHT_SERVERS").ok().and_then(|number| number.parse().ok()).unwrap_or(24)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes two minutes; `make faults` runs it"]
async fn subscribers_are_told_of_each_fall_and_each_change_of_tools_once() {
    let mail = MailServer::start().await;
    let options = TestOptions::default()
        .with_setting("PROBE_WINDOW_CAP", 20_000)
        .with_setting("PROBE_HOURLY_CAP", 200_000)
        .with_setting("PROBE_DAILY_BUDGET", 2_000_000)
        .with_setting("MAIL_FROM", "registry@example.org")
        .with_setting("SMTP_URL", &mail.url);
    let registry = TestRegistry::start_with(options).await;
    let world: Arc<Mutex<World>> = Arc::default();
    let seen = Arc::clone(&world);
    let fleet = Peer::start(move |request: &PeerRequest| {
        let number = number_of(&request.path);
        let world = seen.lock().unwrap();
        let tools: &[&str] = if world.changed.contains(&number) { &["add", "steal"] } else { &["add"] };
        if world.failing.contains(&number) { empty(503) } else { servers::modern_with(tools)(request) }
    })
    .await;
    let mut ids = Vec::new();
    for number in 0..servers() {
        ids.push(registry.publish_mcp(&fleet.url(&format!("/{number}/mcp"))).await.to_string());
    }
    registry.deliver_events().await;
    assert_eq!(registry.live_counts().await.1, servers());

    let tell = async || registry.run("tell-subscribers", json!({ "detail-type": "tell-subscribers" })).await;
    let (steady, flaky) = (Peer::start(confirming).await, Peer::start(confirming).await);
    for webhook in [&steady, &flaky] {
        registry.post("/api/subscriptions", &json!({ "url": webhook.url("/hook") })).await;
    }
    registry.post("/api/subscriptions", &json!({ "email": "ann@example.org" })).await;
    tell().await;
    let token = mail.take()[0].word_after(&registry.url("/subscribe?token=")).to_owned();
    registry.post("/api/subscriptions/manage", &json!({ "token": token, "act": "confirm" })).await;

    // Half of the messages to this one get lost: they arrive, and the registry sees a failure.
    let random = Random::seeded(14);
    let chance = random.clone();
    flaky.answer_with(move |_: &PeerRequest| if chance.below(2) == 0 { empty(500) } else { empty(204) });

    // Each server has at most one fate. A server that answers 503 falls when its last proof expires, after a week.
    let mut expected = Told::new();
    let mut fates: BTreeMap<u64, Vec<(u64, &str)>> = BTreeMap::new();
    for number in 0..servers() {
        let hour = 1 + random.below(FATES_WITHIN);
        let (fate, kind) = match number % ONE_IN {
            0 => ("falls", Some("listing_demoted")),
            1 => ("changes", Some("listing_tools_changed")),
            2 => ("fails for an hour", None),
            _ => continue,
        };
        fates.entry(hour).or_default().push((number, fate));
        let id = &ids[usize::try_from(number).unwrap()];
        expected.extend(kind.map(|kind| ((id.clone(), kind.to_owned()), 1)));
    }
    let mut mailed = 0;
    let mut recovering = Vec::new();
    for hour in 0..HOURS {
        {
            let mut world = world.lock().unwrap();
            for number in std::mem::take(&mut recovering) {
                world.failing.remove(&number);
            }
            for (number, fate) in fates.remove(&hour).unwrap_or_default() {
                match fate {
                    "changes" => drop(world.changed.insert(number)),
                    _ => drop(world.failing.insert(number)),
                }
                if fate == "fails for an hour" {
                    recovering.push(number);
                }
            }
        }
        registry.advance(HOUR);
        registry.tick().await;
        registry.recheck().await;
        tell().await;
        mailed += mail.take().iter().map(|mail| mail.text.matches("/list/").count()).sum::<usize>();
    }
    flaky.answer_with(|_: &PeerRequest| empty(204));
    for _ in 0..24 {
        registry.advance(HOUR);
        registry.tick().await;
        tell().await;
        mailed += mail.take().iter().map(|mail| mail.text.matches("/list/").count()).sum::<usize>();
    }
    assert_eq!(told(&steady), expected);
    assert_eq!(mailed, expected.len());
    // A message whose answer was lost is repeated, and no change is left out.
    assert_eq!(told(&flaky).keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    assert_eq!(
        registry.live_counts().await.1,
        servers() - servers().div_ceil(ONE_IN),
        "no other server fell"
    );
}
