//! The registry as it lives: 10,000 listings in a file, its schedules running, in a process of its own. How soon what
//! is published is Live, how fast it answers beside the same gateway doing nothing, and what memory it holds.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use local::Embedded;
use local::engine::{self, Data};
use registry::app::App;
use registry::events::Bus;
use registry::model::{Clock, ListingId, Random};
use registry::settings::{Mode, Settings};
use registry::store::table;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client::{self, Connection};
use crate::folder::Folder;
use crate::load::{self, Taken, Target};
use crate::peers::{self, Manner};
use crate::processes::{self, Server};
use crate::report::{Report, amount};
use crate::words::Words;
use crate::{Failure, machine, rivals, seed};

/// Live listings in the table.
const LISTINGS: usize = 10_000;
/// New questions for each number of connections: more than are asked.
const QUESTIONS: usize = 4_000;
/// Listings published one after another, and as many at once; together within one window of the probe budget.
const PUBLISHED: usize = 24;
/// Seconds within which 95 of 100 are Live.
const TO_LIVE: f64 = 3.0;
/// Seconds, and those that all targets take at one number of connections, at most.
const TENTH_OF_AN_HOUR: i64 = 360;
const ONE_TURN: i64 = 60;
/// Between two looks at a status.
const LOOK: Duration = Duration::from_millis(10);
/// After this a listing is given up on.
const PATIENCE: Duration = Duration::from_secs(15);
/// MB of the registry's process at its peak.
const RESIDENT: f64 = 100.0;
/// How many times another target's median a target's may take: a status and an unchanged page the empty answer's,
/// the protocol endpoints that of the REST route of the same operation.
const RATIOS: [(&str, &str, f64); 4] =
    [(STATUS, EMPTY, 5.0), (UNCHANGED, EMPTY, 8.0), (BY_MCP, BY_REST, 1.3), (BY_A2A, BY_REST, 1.3)];

const EMPTY: &str = "the same gateway, an empty 200";
const STATUS: &str = "status by id";
const UNCHANGED: &str = "active, unchanged (304)";
const DEFAULT: &str = "active, default page";
const GZIP: &str = "active, default page, gzip";
const ANEW: &str = "active, a page made anew";
const THIRTY: &str = "active?limit=15 (30 rows)";
const SERVERS: &str = "/v0.1/servers?limit=30";
const BY_REST: &str = "search_active of 20 by REST";
const BY_MCP: &str = "search_active of 20 by MCP";
const BY_A2A: &str = "search_active of 20 by A2A";
const SEARCH_NEW: &str = "ARD search of 12, a new question each time";
const SEARCH_AGAIN: &str = "ARD search of 12, questions asked before";
/// Searches a second over one connection, of new questions and of those that were asked before, on a machine that gives so
/// many empty answers: one that gives half of them owes half of the searches.
const SEARCHES: [(&str, f64); 2] = [(SEARCH_NEW, 500.0), (SEARCH_AGAIN, 1000.0)];
const EMPTY_ANSWERS: f64 = 16_400.0;
/// So many questions are asked again and again.
const ASKED_AGAIN: usize = 40;
const PUBLISH: &str = "publish, new each time";
const DEMO: &str = "demo, new each time";
const DEMO_AGAIN: &str = "demo, taken before";
const FEEDBACK: &str = "feedback, new each time";
/// Listings whose demo is taken, and as many that give feedback: over one connection, and over sixteen.
const FUNNEL: [usize; 2] = [600, 2400];

/// Measures all of it.
///
/// # Errors
/// The registry does not start, or answers what it should not.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    let binary = processes::build_registry().await?;
    let folder = Folder::new()?;
    let data = folder.file("registry.db");
    let ids = seed_file(&data).await?;
    let registry = processes::start_registry(&binary, &data).await?;
    let at_start = machine::memory(registry.process);

    report.part(format!("From publish to Live, responsive peers on loopback, {LISTINGS} listings in a file"));
    to_live(report, &registry).await?;

    let empty = processes::start_empty_gateway().await?;
    let publish = publish_target(&registry).await?;
    let funnel = funnel_targets(&registry, &ids).await?;
    for (turn, connections) in [1, 16].into_iter().enumerate() {
        clear_of_a_new_validator().await;
        // Anew for each, since demos and feedback change the page whose validator is held.
        let targets = targets(&registry, &empty, &ids, turn).await?;
        report.part(format!("Requests over {connections} connection(s), {LISTINGS} listings in a file"));
        let mut taken = load::in_turns(&targets, connections, 5, Duration::from_millis(400)).await?;
        let mut shown = targets.clone();
        // Last, for each of these is probed and recorded behind the answers that follow.
        if let Some(publish) = publish.get(connections / 16) {
            taken.extend(
                load::in_turns(std::slice::from_ref(publish), connections, 2, Duration::from_millis(800))
                    .await?,
            );
            shown.push(publish.clone());
        }
        if let Some(funnel) = funnel.get(connections / 16) {
            taken.extend(load::in_turns(funnel, connections, 2, Duration::from_millis(400)).await?);
            shown.extend(funnel.clone());
        }
        tell(report, &shown, &taken, connections);
        if connections == 1 {
            report.note(rivals::text(&shown, &taken));
        }
    }

    report.part("Memory of the registry's process");
    if let (Some(start), Some(end)) = (at_start, machine::memory(registry.process)) {
        report.told("at the start", amount(start.now, "MB"));
        report.told("after the load", amount(end.now, "MB"));
        report.below("at its peak", end.peak, RESIDENT, "MB");
    } else {
        report.not_measured("at its peak", "no /proc here", "< 100 MB");
    }
    Ok(())
}

async fn seed_file(data: &Path) -> Result<Vec<ListingId>, Failure> {
    let settings = Settings::from_env(Mode::Development, |_| None)?;
    let engine = Embedded::open(&Data::File(data.to_path_buf()), &Clock::System)?;
    table::ensure(&engine::client(engine.clone()), &settings.table_name).await?;
    let store = seed::store(&engine, &settings);
    let now = Clock::System.now();
    let ids = seed::seed(&store, &settings, now, 0..LISTINGS, &Arc::new(Words::real())).await?;
    // Else the registry would be found at work on the index of all of them.
    let app = App::new(settings, store, Bus::Silent, Clock::System, Random::System);
    seed::index(&app).await?;
    Ok(ids)
}

async fn to_live(report: &mut Report, registry: &Server) -> Result<(), Failure> {
    let mut alone = Vec::new();
    for number in 0..PUBLISHED {
        alone.push(one_to_live(registry.address, number).await?);
    }
    let mut together = JoinSet::new();
    for number in 0..PUBLISHED {
        together.spawn(one_to_live(registry.address, number));
    }
    let mut at_once = Vec::new();
    while let Some(seconds) = together.join_next().await {
        at_once.push(seconds??);
    }
    for (words, seconds) in [("one after another", alone), ("all at once", at_once)] {
        report.told(format!("{PUBLISHED} {words}: p50"), amount(load::quantile(&seconds, 0.5), "s"));
        report.below(format!("{PUBLISHED} {words}: p95"), load::quantile(&seconds, 0.95), TO_LIVE, "s");
    }
    Ok(())
}

/// Seconds from the POST until status says that it is Live. Agents and MCP servers take turns.
async fn one_to_live(address: std::net::SocketAddr, number: usize) -> Result<f64, Failure> {
    let origin = peers::start(Manner::Sound).await?;
    let body = match number % 2 {
        0 => json!({ "agent_card_url": format!("{origin}{}", peers::CARD) }),
        _ => json!({ "mcp_url": format!("{origin}/mcp") }),
    };
    let mut connection = Connection::open(address).await?;
    let began = Instant::now();
    let published: Value =
        serde_json::from_slice(connection.ask(&client::post("/api/publish", &body.to_string())).await?.body)?;
    let id = published["listing_id"].as_str().ok_or_else(|| format!("publish answered {published}"))?;
    let look = client::get(&format!("/api/listings/status?id={id}"), "");
    loop {
        let status: Value = serde_json::from_slice(connection.ask(&look).await?.body)?;
        if status["lane"] == "active" {
            return Ok(began.elapsed().as_secs_f64());
        }
        if status["lane"] != "queued" || began.elapsed() > PATIENCE {
            return Err(format!("a sound peer did not go Live: {status}").into());
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// The targets; in each turn its own new questions are asked.
async fn targets(
    registry: &Server,
    empty: &Server,
    ids: &[ListingId],
    turn: usize,
) -> Result<Vec<Target>, Failure> {
    const ACTIVE: &str = "/api/listings/active";
    let mut connection = Connection::open(registry.address).await?;
    let held = format!("if-none-match: {}\r\n", settled_tag(&mut connection, ACTIVE).await?);
    let one = |request: Vec<u8>| Arc::from([request]);
    let status = ids.iter().step_by(7).map(|id| client::get(&format!("/api/listings/status?id={id}"), ""));
    let status: Arc<[Vec<u8>]> = status.collect();
    let anew = cursors(&mut connection).await?;
    let target = |name, requests, status| {
        let server = if name == EMPTY { empty } else { registry };
        Target { name, address: server.address, process: server.process, requests, status, once: false }
    };
    Ok(vec![
        target(EMPTY, one(client::get(ACTIVE, "")), 200),
        target(STATUS, status, 200),
        target(UNCHANGED, one(client::get(ACTIVE, &held)), 304),
        target(DEFAULT, one(client::get(ACTIVE, "")), 200),
        target(GZIP, one(client::get(ACTIVE, "accept-encoding: gzip\r\n")), 200),
        target(ANEW, anew, 200),
        target(THIRTY, one(client::get(&format!("{ACTIVE}?limit=15"), "")), 200),
        target(SERVERS, one(client::get("/v0.1/servers?limit=30", "")), 200),
        Target { once: true, ..target(SEARCH_NEW, questions(turn * QUESTIONS..(turn + 1) * QUESTIONS), 200) },
        target(SEARCH_AGAIN, questions(0..ASKED_AGAIN), 200),
        target(BY_REST, one(client::get(&format!("{ACTIVE}?kind=agent&limit=20"), "")), 200),
        target(BY_MCP, one(client::post("/api/protocol", &tool_call())), 200),
        target(BY_A2A, one(client::post("/api/a2a", &message())), 200),
    ])
}

/// A page's validator changes every tenth of an hour, since the page tells ages. Where that would be while it is measured,
/// it is waited for.
async fn clear_of_a_new_validator() {
    let left = TENTH_OF_AN_HOUR - Clock::System.now().as_second().rem_euclid(TENTH_OF_AN_HOUR);
    if left < ONE_TURN {
        let wait = Duration::from_secs(u64::try_from(left + 1).unwrap_or_default());
        tokio::time::sleep(wait).await;
    }
}

/// The validator of a page once it stays the same: the registry's own listings are probed, too, when it starts.
async fn settled_tag(connection: &mut Connection, path: &str) -> Result<String, Failure> {
    let mut last = String::new();
    for _ in 0..60 {
        let page = connection.ask(&client::get(path, "")).await?;
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

/// Searches for what listings say of themselves, each in other words.
fn questions(numbers: Range<usize>) -> Arc<[Vec<u8>]> {
    let words = Words::real();
    let question = |number: usize| {
        let said = words.of(number, false);
        let part: Vec<&str> = said.description.split_whitespace().skip(number % 3).take(6).collect();
        let asked: String = form_urlencoded::byte_serialize(part.join(" ").as_bytes()).collect();
        client::get(&format!("/api/ard/search?q={asked}"), "")
    };
    numbers.map(question).collect()
}

/// Requests for more pages than the registry remembers, so that each is made anew when its turn comes.
async fn cursors(connection: &mut Connection) -> Result<Arc<[Vec<u8>]>, Failure> {
    let mut requests = Vec::new();
    let mut path = "/api/listings/active".to_owned();
    while requests.len() < 40 {
        let page: Value = serde_json::from_slice(connection.ask(&client::get(&path, "")).await?.body)?;
        let cursor = page["next_cursor"].as_str().ok_or("the active list has too few pages")?;
        path = format!("/api/listings/active?cursor={cursor}");
        requests.push(client::get(&path, ""));
    }
    Ok(requests.into())
}

/// Publishing agents at an address where nobody listens: their probes end at once. One target for each number of
/// connections, for nothing is new twice.
async fn publish_target(registry: &Server) -> Result<[Target; 2], Failure> {
    let nobody = tokio::net::TcpListener::bind("127.0.0.1:0").await?.local_addr()?;
    let target = |first: usize, count: usize| {
        let body = |n| {
            json!({ "agent_card_url": format!("http://{nobody}/agents/{n}/agent-card.json") }).to_string()
        };
        let requests = (first..first + count).map(|n| client::post("/api/publish", &body(n))).collect();
        Target {
            name: PUBLISH,
            address: registry.address,
            process: registry.process,
            requests,
            status: 200,
            once: true,
        }
    };
    Ok([target(0, 3000), target(3000, 6000)])
}

/// Demos and feedback, each listing's once. Those that give feedback took their demo before it is measured.
async fn funnel_targets(registry: &Server, ids: &[ListingId]) -> Result<Vec<Vec<Target>>, Failure> {
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
    let mut of_each = Vec::new();
    for count in FUNNEL {
        let (new, more) = rest.split_at(count);
        let (taken, more) = more.split_at(count);
        rest = more;
        for id in taken {
            let answer = connection.ask(&demo(id)).await?;
            if answer.status != 200 {
                return Err(format!("a demo answered {}", String::from_utf8_lossy(answer.body)).into());
            }
        }
        let target = |name, requests, once| Target {
            name,
            address: registry.address,
            process: registry.process,
            requests,
            status: 200,
            once,
        };
        of_each.push(vec![
            target(DEMO, new.iter().map(demo).collect(), true),
            target(DEMO_AGAIN, taken.iter().take(100).map(demo).collect(), false),
            target(FEEDBACK, taken.iter().map(feedback).collect(), true),
        ]);
    }
    Ok(of_each)
}

fn tell(report: &mut Report, targets: &[Target], taken: &[Taken], connections: usize) {
    let of = |name| targets.iter().zip(taken).find(|(target, _)| target.name == name).map(|(_, taken)| taken);
    let nothing = of(EMPTY).map_or(f64::NAN, |taken| taken.quantile(0.5));
    for (target, taken) in targets.iter().zip(taken) {
        report.told(
            target.name,
            format!(
                "{:>6.0} rps, {:>6.2} / {:>6.2} ms, {:>5.1}x, {:>6} B, cpu {:.2} ms",
                taken.rate(),
                taken.quantile(0.5),
                taken.quantile(0.99),
                taken.quantile(0.5) / nothing,
                taken.bytes(),
                taken.processor_ms(),
            ),
        );
    }
    for (name, least) in SEARCHES.into_iter().filter(|_| connections == 1) {
        if let (Some(rate), Some(empty)) = (of(name).map(Taken::rate), of(EMPTY).map(Taken::rate)) {
            let least = least * empty / EMPTY_ANSWERS;
            let limit = format!(">= {}", amount(least, ""));
            report.must(format!("{name}: a second"), rate >= least, amount(rate, ""), limit);
        }
    }
    for (name, beside, limit) in RATIOS {
        if let (Some(taken), Some(other)) = (of(name), of(beside)) {
            let ratio = taken.quantile(0.5) / other.quantile(0.5);
            let words = if beside == EMPTY { "the empty 200's" } else { "REST's" };
            report.at_most(
                format!("{name}: p50 as a multiple of {words} ({connections})"),
                ratio,
                limit,
                format!("{ratio:.2}"),
            );
        }
    }
}
