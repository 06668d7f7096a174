//! Runs the registry in its own process, with 10,000 listings in a file and with running schedules. It
//! measures the time from publishing to Live, the memory, and the speed of replies. It compares this speed
//! with the speed of an empty reply from the same gateway.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use local::engine::Data;
use registry::model::{Clock, ListingId};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client::{self, Connection};
use crate::load::{self, Samples, Target};
use crate::peers;
use crate::processes::{self, Server};
use crate::report::{Report, amount};
use crate::words::Words;
use crate::{Failure, machine, seed};

/// Live listings in the table.
const LISTINGS: usize = 10_000;
/// New queries for each number of connections; more than are sent.
const QUERIES: usize = 4_000;
/// Connections of each measurement.
const CONNECTIONS: [usize; 2] = [1, 16];
/// Listings published one after another, and as many concurrently; all within one window of the probe budget for unproven
/// listings, which is half of 64.
const PUBLISHED: usize = 12;
/// Limit in seconds for the 95th percentile from publish to Live.
const TO_LIVE: f64 = 3.0;
/// Seconds after which the validator of a page changes.
const VALIDATOR_PERIOD: i64 = 60;
/// Maximum seconds of the measurements at one number of connections.
const ONE_TURN: i64 = 55;
/// Time between two status requests.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Time limit for one listing.
const TIME_LIMIT: Duration = Duration::from_secs(15);
/// Limit for the peak memory of the registry process, in MB.
const MAX_PEAK_MB: f64 = 100.0;
/// Limits for the ratio of two medians: a status and an unchanged page compared with the empty reply, and the protocol
/// endpoints compared with the REST route of the same operation. What clients ask most often must reach .6 of the rate of the
/// badge.
const RATIOS: [(&str, &str, f64); 7] = [
    (STATUS, EMPTY, 5.0),
    (UNCHANGED, EMPTY, 8.0),
    (BY_MCP, BY_REST, 1.3),
    (BY_A2A, BY_REST, 1.3),
    (STATUS, BADGE, 1.0 / 0.6),
    (LATEST, BADGE, 1.0 / 0.6),
    (MATCH_NEW, SEARCH_NEW, 1.1),
];

const ACTIVE: &str = "/api/listings/active";
const EMPTY: &str = "the same gateway, an empty 200";
pub(crate) const STATUS: &str = "status by id";
const BADGE: &str = "/badge/live.svg";
pub(crate) const BADGE_OF: &str = "/badge/live.svg of a listing";
pub(crate) const LATEST: &str = "/v0.1/servers/{name}/versions/latest";
const UNCHANGED: &str = "active, unchanged (304)";
pub(crate) const DEFAULT: &str = "active, default page";
pub(crate) const GZIP: &str = "active, default page, gzip";
pub(crate) const RENDERED: &str = "active, page rendered again";
pub(crate) const THIRTY: &str = "active, 30 rows";
pub(crate) const SERVERS: &str = "/v0.1/servers?limit=30";
const BY_REST: &str = "search_active of 20 by REST";
pub(crate) const BY_MCP: &str = "search_active of 20 by MCP";
pub(crate) const BY_A2A: &str = "search_active of 20 by A2A";
pub(crate) const SEARCH_NEW: &str = "ARD search of 12, new queries";
pub(crate) const MATCH_NEW: &str = "match of 12, new queries";
pub(crate) const SEARCH_REPEATED: &str = "ARD search of 12, repeated queries";
/// Minimum searches per second over one connection, on a machine with `EMPTY_REPLIES` empty replies per second. The limit is
/// proportional to that number.
const SEARCHES: [(&str, f64); 2] = [(SEARCH_NEW, 500.0), (SEARCH_REPEATED, 1000.0)];
const EMPTY_REPLIES: f64 = 16_400.0;
/// Number of repeated queries.
const REPEATED_QUERIES: usize = 40;
pub(crate) const PUBLISH: &str = "publish, new each time";
pub(crate) const DEMO: &str = "demo, new each time";
const DEMO_REPEATED: &str = "demo, repeated";
pub(crate) const FEEDBACK: &str = "feedback, new each time";
/// Listings that take a demo, and as many that give feedback, at 1 and at 16 connections.
const FUNNEL: [usize; 2] = [600, 2400];

/// Measures time to Live, requests and memory.
///
/// # Errors
/// The registry does not start, or a reply is wrong.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    let binary = processes::build_registry().await?;
    let folder = processes::temporary_folder()?;
    let data = folder.path().join("registry.db");
    let words = Arc::new(Words::real());
    let (_, app, ids) = seed::table(&Data::File(data.clone()), LISTINGS, &words).await?;
    // Otherwise the registry would index all of them during the measurement.
    seed::index(&app).await?;
    drop(app);
    let registry = processes::start_registry(&binary, &data).await?;
    let at_start = machine::memory(registry.process);

    let empty = processes::start_empty_gateway().await?;
    let publish = publish_target(&registry).await?;
    let mut parts = Vec::new();
    for (turn, connections) in CONNECTIONS.into_iter().enumerate() {
        wait_for_stable_validator().await;
        let tag = stable_tag(registry.address).await?;
        let targets = targets(&registry, &empty, &ids, turn, &tag).await?;
        let samples = load::in_turns(&targets, connections, 5, Duration::from_millis(400)).await?;
        parts.push((targets, samples));
    }
    // Afterwards, because demos and feedback change the page and its validator, at once and later.
    let funnel = funnel_targets(&registry, &ids).await?;
    for ((funnel, connections), (measured, samples)) in funnel.into_iter().zip(CONNECTIONS).zip(&mut parts) {
        samples.extend(load::in_turns(&funnel, connections, 2, Duration::from_millis(400)).await?);
        measured.extend(funnel);
    }
    // Listings are published last, because the registry probes and records them during later requests.
    report.part(format!("From publish to Live, responsive peers on loopback, {LISTINGS} listings in a file"));
    to_live(report, &registry).await?;
    for ((publish, connections), (mut measured, mut samples)) in
        publish.into_iter().zip(CONNECTIONS).zip(parts)
    {
        let publish = [publish];
        samples.extend(load::in_turns(&publish, connections, 2, Duration::from_millis(800)).await?);
        measured.extend(publish);
        report.part(format!("Requests over {connections} connection(s), {LISTINGS} listings in a file"));
        report_requests(report, &measured, &samples, connections);
    }

    report.part("Memory of the registry process");
    if let (Some(start), Some(end)) = (at_start, machine::memory(registry.process)) {
        report.info("at the start", amount(start.now, "MB"));
        report.info("after the load", amount(end.now, "MB"));
        report.below("at its peak", end.peak, MAX_PEAK_MB, "MB");
    } else {
        report.not_measured("at its peak", "requires /proc", "< 100 MB");
    }
    Ok(())
}

async fn to_live(report: &mut Report, registry: &Server) -> Result<(), Failure> {
    let mut sequential = Vec::new();
    for number in 0..PUBLISHED {
        sequential.push(one_to_live(registry.address, number).await?);
    }
    let mut tasks = JoinSet::new();
    for number in 0..PUBLISHED {
        tasks.spawn(one_to_live(registry.address, number));
    }
    let mut concurrent = Vec::new();
    while let Some(seconds) = tasks.join_next().await {
        concurrent.push(seconds??);
    }
    for (words, seconds) in [("one after another", sequential), ("all at once", concurrent)] {
        report.info(format!("{PUBLISHED} {words}: p50"), amount(load::quantile(&seconds, 0.5), "s"));
        report.below(format!("{PUBLISHED} {words}: p95"), load::quantile(&seconds, 0.95), TO_LIVE, "s");
    }
    Ok(())
}

/// Seconds from the POST until the status is Live. Agents and MCP servers alternate.
async fn one_to_live(address: std::net::SocketAddr, number: usize) -> Result<f64, Failure> {
    let origin = peers::start().await?;
    let body = match number % 2 {
        0 => json!({ "agent_card_url": format!("{origin}{}", peers::CARD) }),
        _ => json!({ "mcp_url": format!("{origin}/mcp") }),
    };
    let mut connection = Connection::open(address).await?;
    let began = Instant::now();
    let published: Value = serde_json::from_slice(
        connection.request(&client::post("/api/publish", &body.to_string())).await?.body,
    )?;
    let id = published["listing_id"].as_str().ok_or_else(|| format!("publish returned {published}"))?;
    let poll = client::get(&format!("/api/listings/status?id={id}"), "");
    loop {
        let status: Value = serde_json::from_slice(connection.request(&poll).await?.body)?;
        if status["lane"] == "active" {
            return Ok(began.elapsed().as_secs_f64());
        }
        if status["lane"] != "queued" || began.elapsed() > TIME_LIMIT {
            return Err(format!("a sound peer did not go Live: {status}").into());
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// The targets that change nothing. Each turn has its own new queries. `tag` is the validator of the active page.
///
/// # Errors
/// A reply is wrong.
pub(crate) async fn targets(
    registry: &Server,
    empty: &Server,
    ids: &[ListingId],
    turn: usize,
    tag: &str,
) -> Result<Vec<Target>, Failure> {
    let mut connection = Connection::open(registry.address).await?;
    let condition = format!("if-none-match: {tag}\r\n");
    let one = |request: Vec<u8>| Arc::from([request]);
    let status = ids.iter().step_by(7).map(|id| client::get(&format!("/api/listings/status?id={id}"), ""));
    let status: Arc<[Vec<u8>]> = status.collect();
    // Each listing was asked for before: the first reads of the table are not part of the measurement.
    for request in status.iter() {
        connection.request(request).await?;
    }
    let badges =
        ids.iter().step_by(7).map(|id| client::get(&format!("/badge/live.svg?id={id}"), "")).collect();
    let latest = latest_versions(&mut connection).await?;
    let rendered = cursors(&mut connection).await?;
    let new_queries = turn * QUERIES..(turn + 1) * QUERIES;
    let target = |name, requests, status| {
        let server = if name == EMPTY { empty } else { registry };
        Target { name, address: server.address, process: server.process, requests, status, send_once: false }
    };
    Ok(vec![
        target(EMPTY, one(client::get(ACTIVE, "")), 200),
        target(STATUS, status, 200),
        target(BADGE, one(client::get("/badge/live.svg", "")), 200),
        target(BADGE_OF, badges, 200),
        target(LATEST, latest, 200),
        target(UNCHANGED, one(client::get(ACTIVE, &condition)), 304),
        target(DEFAULT, one(client::get(ACTIVE, "")), 200),
        target(GZIP, one(client::get(ACTIVE, "accept-encoding: gzip\r\n")), 200),
        target(RENDERED, rendered, 200),
        target(THIRTY, one(client::get(&format!("{ACTIVE}?limit=15"), "")), 200),
        target(SERVERS, one(client::get("/v0.1/servers?limit=30", "")), 200),
        Target {
            send_once: true,
            ..target(SEARCH_NEW, search_requests("/api/ard/search", new_queries.clone(), 0), 200)
        },
        Target { send_once: true, ..target(MATCH_NEW, search_requests("/api/match", new_queries, 1), 200) },
        target(SEARCH_REPEATED, search_requests("/api/ard/search", 0..REPEATED_QUERIES, 0), 200),
        target(BY_REST, one(client::get(&format!("{ACTIVE}?kind=agent&limit=20"), "")), 200),
        target(BY_MCP, one(client::post("/api/protocol", &tool_call())), 200),
        target(BY_A2A, one(client::post("/api/a2a", &message())), 200),
    ])
}

/// The validator of a page changes every six minutes, because the page contains ages. Waits for the change if it would be
/// during the measurement.
async fn wait_for_stable_validator() {
    let left = VALIDATOR_PERIOD - Clock::System.now().as_second().rem_euclid(VALIDATOR_PERIOD);
    if left < ONE_TURN {
        let wait = Duration::from_secs(u64::try_from(left + 1).unwrap_or_default());
        tokio::time::sleep(wait).await;
    }
}

/// The validator of the active page when it no longer changes. At its start the registry probes its own listings.
async fn stable_tag(address: std::net::SocketAddr) -> Result<String, Failure> {
    let mut connection = Connection::open(address).await?;
    let mut last = String::new();
    for _ in 0..60 {
        let page = connection.request(&client::get(ACTIVE, "")).await?;
        let tag = page.header("etag").ok_or("the active page has no validator")?;
        if tag == last {
            return Ok(last);
        }
        tag.clone_into(&mut last);
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Err("the active page changes every second".into())
}

fn tool_call() -> String {
    let params = json!({ "name": "search_active", "arguments": { "kind": "agent", "limit": 20 } });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string()
}

fn message() -> String {
    let call = json!({ "operation": "search_active", "arguments": { "kind": "agent", "limit": 20 } });
    let message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "data": call }] });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": message } })
        .to_string()
}

/// Search requests with words from different listings. Two requests with another first word are different queries.
fn search_requests(path: &str, numbers: Range<usize>, first_word: usize) -> Arc<[Vec<u8>]> {
    let words = Words::real();
    let request = |number: usize| {
        let texts = words.of(number, false);
        let part: Vec<&str> =
            texts.description.split_whitespace().skip(number % 3 + first_word).take(6).collect();
        let query: String = form_urlencoded::byte_serialize(part.join(" ").as_bytes()).collect();
        // Some descriptions have too few words.
        (!query.is_empty()).then(|| client::get(&format!("{path}?q={query}"), ""))
    };
    numbers.filter_map(request).collect()
}

/// Requests for the latest version of servers of the registry API.
async fn latest_versions(connection: &mut Connection) -> Result<Arc<[Vec<u8>]>, Failure> {
    let page = connection.request(&client::get("/v0.1/servers?limit=100", "")).await?;
    let page: Value = serde_json::from_slice(page.body)?;
    let names = page["servers"].as_array().into_iter().flatten();
    let names = names.filter_map(|entry| entry["server"]["name"].as_str());
    let path = |name: &str| {
        let name: String = form_urlencoded::byte_serialize(name.as_bytes()).collect();
        format!("/v0.1/servers/{name}/versions/latest")
    };
    Ok(names.map(|name| client::get(&path(name), "")).collect())
}

/// Requests for more pages than the cache can store, so that each page is rendered again.
async fn cursors(connection: &mut Connection) -> Result<Arc<[Vec<u8>]>, Failure> {
    let mut requests = Vec::new();
    let mut path = "/api/listings/active".to_owned();
    while requests.len() < 40 {
        let page: Value = serde_json::from_slice(connection.request(&client::get(&path, "")).await?.body)?;
        let cursor = page["next_cursor"].as_str().ok_or("the active list has too few pages")?;
        path = format!("/api/listings/active?cursor={cursor}");
        requests.push(client::get(&path, ""));
    }
    Ok(requests.into())
}

/// Publishes agents at a closed port, so that their probes end at once. One target for each number of connections, because
/// a URL is new only once.
///
/// # Errors
/// No port is free.
pub(crate) async fn publish_target(registry: &Server) -> Result<[Target; 2], Failure> {
    let closed_port = tokio::net::TcpListener::bind("127.0.0.1:0").await?.local_addr()?;
    let target = |first: usize, count: usize| {
        let body = |n| {
            json!({ "agent_card_url": format!("http://{closed_port}/agents/{n}/agent-card.json") })
                .to_string()
        };
        let requests = (first..first + count).map(|n| client::post("/api/publish", &body(n))).collect();
        Target {
            name: PUBLISH,
            address: registry.address,
            process: registry.process,
            requests,
            status: 200,
            send_once: true,
        }
    };
    Ok([target(0, 3000), target(3000, 6000)])
}

/// Demos and feedback, one per listing. The listings that give feedback take their demo before the measurement.
///
/// # Errors
/// A demo is refused.
pub(crate) async fn funnel_targets(
    registry: &Server,
    ids: &[ListingId],
) -> Result<Vec<Vec<Target>>, Failure> {
    const DEMO_PATH: &str = "/api/products/demo";
    let mut connection = Connection::open(registry.address).await?;
    let demo = |id: &ListingId| client::post(DEMO_PATH, &json!({ "listing_id": id }).to_string());
    let feedback = |id: &ListingId| {
        let answers = json!({ "tried": "It.", "ux_friction": "None.", "product_one_ship": "Less.",
            "overall": "Kept.", "would_buy": "maybe" });
        let body = json!({ "listing_id": id, "rating": 4, "answers": answers });
        client::post("/api/products/feedback", &body.to_string())
    };
    let mut rest = ids;
    let mut targets = Vec::new();
    for count in FUNNEL {
        let (new, more) = rest.split_at(count);
        let (taken, more) = more.split_at(count);
        rest = more;
        for id in taken {
            let answer = connection.request(&demo(id)).await?;
            if answer.status != 200 {
                return Err(format!("a demo returned {}", String::from_utf8_lossy(answer.body)).into());
            }
        }
        let target = |name, requests, send_once| Target {
            name,
            address: registry.address,
            process: registry.process,
            requests,
            status: 200,
            send_once,
        };
        targets.push(vec![
            target(DEMO, new.iter().map(demo).collect(), true),
            target(DEMO_REPEATED, taken.iter().take(100).map(demo).collect(), false),
            target(FEEDBACK, taken.iter().map(feedback).collect(), true),
        ]);
    }
    Ok(targets)
}

fn report_requests(report: &mut Report, targets: &[Target], samples: &[Samples], connections: usize) {
    let of = |name| {
        targets.iter().zip(samples).find(|(target, _)| target.name == name).map(|(_, samples)| samples)
    };
    let empty = of(EMPTY).map_or(f64::NAN, |samples| samples.quantile(0.5));
    for (target, samples) in targets.iter().zip(samples) {
        report.info(
            target.name,
            format!(
                "{:>6.0} rps, {:>6.2} / {:>6.2} ms, {:>5.1}x, {:>6} B, cpu {:.2} ms",
                samples.rate(),
                samples.quantile(0.5),
                samples.quantile(0.99),
                samples.quantile(0.5) / empty,
                samples.bytes(),
                samples.processor_ms(),
            ),
        );
    }
    for (name, minimum) in SEARCHES.into_iter().filter(|_| connections == 1) {
        if let (Some(rate), Some(empty)) = (of(name).map(Samples::rate), of(EMPTY).map(Samples::rate)) {
            let minimum = minimum * empty / EMPTY_REPLIES;
            let limit = format!(">= {}", amount(minimum, ""));
            report.must(format!("{name}: per second"), rate >= minimum, amount(rate, ""), limit);
        }
    }
    for (name, baseline, limit) in RATIOS {
        if let (Some(samples), Some(other)) = (of(name), of(baseline)) {
            let ratio = samples.quantile(0.5) / other.quantile(0.5);
            report.at_most(
                format!("{name}: p50 as a multiple of {baseline} ({connections})"),
                ratio,
                limit,
                format!("{ratio:.2}"),
            );
        }
    }
}
