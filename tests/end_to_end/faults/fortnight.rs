//! Two weeks of a registry in which servers fail, recover and change their tools. Who follows `/api/changes` must read each
//! change of tools and each fall once, and nothing that did not happen. A server that answers must be probed every day.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use axum::response::Response;
use jiff::SignedDuration;
use local::Data;
use registry::model::{Moment, Random};
use tests::prelude::*;

use super::print_row;

const HOURS: u64 = 14 * 24;
/// Hours within which something happens to each server.
const FATES_WITHIN: u64 = 6 * 24;
/// One server in so many falls, changes its tools, or fails for one hour.
const ONE_IN: u64 = 4;
/// The hosts on which the servers are.
const HOSTS: usize = 16;
/// The registry runs a tick an hour, which may do what ten ticks of six minutes may do by default.
const PROBES_PER_TICK: u32 = 640;

/// What the servers do, by their number.
#[derive(Default)]
struct World {
    failing: BTreeSet<u64>,
    changed: BTreeSet<u64>,
    /// When each server last answered.
    answered: BTreeMap<u64, Moment>,
    /// The longest time in which a server that answers was not asked.
    longest: SignedDuration,
}

impl World {
    fn answer(&mut self, request: &PeerRequest, now: Moment) -> Response {
        let number = number_of(&request.path);
        if self.failing.contains(&number) {
            // Half of them are gone; the others are out of order.
            return empty(if number.is_multiple_of(2 * ONE_IN) { 404 } else { 503 });
        }
        if let Some(before) = self.answered.insert(number, now)
            && !is_fallible(number)
        {
            self.longest = self.longest.max(now.duration_since(before));
        }
        let tools: &[&str] = if self.changed.contains(&number) { &["add", "steal"] } else { &["add"] };
        servers::modern_with(tools)(request)
    }
}

/// Whether a server falls, or fails for an hour.
const fn is_fallible(number: u64) -> bool {
    number.is_multiple_of(2)
}

fn number_of(path: &str) -> u64 {
    path.trim_matches('/').split('/').next().and_then(|number| number.parse().ok()).unwrap_or(u64::MAX)
}

/// How often each type of change was read, by listing.
type Changes = BTreeMap<(String, String), u32>;

/// Reads the changes after `cursor`, and counts them. Returns the cursor after them.
async fn follow(registry: &TestRegistry, mut cursor: u64, read: &mut Changes) -> u64 {
    loop {
        let page = registry.get(&format!("/api/changes?since={cursor}")).await.body;
        for change in page["changes"].as_array().unwrap() {
            let text = |name: &str| change[name].as_str().unwrap().to_owned();
            *read.entry((text("listing_id"), text("type"))).or_default() += 1;
        }
        cursor = page["cursor"].as_u64().unwrap();
        if page["more"] == false {
            return cursor;
        }
    }
}

/// The number of servers can be greater than in a quick run.
fn servers() -> u64 {
    std::env::var("FORTNIGHT_SERVERS").ok().and_then(|number| number.parse().ok()).unwrap_or(24)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes two minutes; `tests/hostile/faults` runs it"]
async fn followers_read_each_fall_and_each_change_of_tools_once() {
    let folder = tempfile::tempdir().unwrap();
    let options = TestOptions::default()
        .with_data(Data::File(folder.path().join("registry.db")))
        .with_setting("PROBE_WINDOW_CAP", PROBES_PER_TICK);
    let registry = TestRegistry::start_with(options).await;
    let world: Arc<Mutex<World>> = Arc::default();
    let mut hosts = Vec::new();
    for _ in 0..HOSTS {
        let (seen, clock) = (Arc::clone(&world), registry.app.clock.clone());
        let answer = move |request: &PeerRequest| seen.lock().unwrap().answer(request, clock.now());
        hosts.push(Peer::start(answer).await);
    }
    let forget_requests = || hosts.iter().for_each(Peer::forget_requests);
    let mut ids = Vec::new();
    for (number, host) in (0..servers()).zip(hosts.iter().cycle()) {
        ids.push(registry.publish_mcp(&host.url(&format!("/{number}/mcp"))).await.to_string());
    }
    registry.events();
    while registry.live_counts().await.1 < servers() {
        registry.tick_after(HOUR).await;
        forget_requests();
    }

    let random = Random::seeded(14);
    let mut read = Changes::new();
    let mut cursor = registry.get("/api/changes").await.body["cursor"].as_u64().unwrap();

    // Each server has at most one fate. A server that is gone falls within hours. One that answers 503 falls when its last
    // proof expires, after a week.
    let mut expected = Changes::new();
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
    let mut recovering = Vec::new();
    for hour in 0..HOURS {
        if hour % 24 == 0 {
            println!("day {} with {} Live servers", hour / 24, registry.live_counts().await.1);
        }
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
        registry.tick_after(HOUR).await;
        registry.recheck().await;
        cursor = follow(&registry, cursor, &mut read).await;
        forget_requests();
    }
    assert_eq!(read, expected);
    assert_eq!(registry.live_counts().await.1, servers() - servers().div_ceil(ONE_IN), "no other fell");
    let longest = world.lock().unwrap().longest;
    assert!(longest < SignedDuration::from_hours(24), "a server that answers was not probed for {longest:#}");
    let figures =
        format!("{} falls and changes read; a server was probed at least every {longest:#}", expected.len());
    print_row("Two weeks of servers that fall and change, with a follower of the changes", &figures);
}
