//! `bench hot-keys` shows which partition keys of the table limit the number of requests. It sends the mix of requests to
//! several instances of the registry. They share a table that limits each partition key, as DynamoDB does. The clock moves
//! with the requests. So the rate does not depend on the speed of the machine.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use http_body_util::BodyExt as _;
use local::engine::partitions::{HotKey, PartitionMeter};
use local::engine::{self, Data};
use local::functions::{self, Job};
use local::{Embedded, Template, Transport, gateway};
use registry::app::App;
use registry::events::Bus;
use registry::model::{Clock, ListingId, Random};
use registry::settings::{Mode, Settings};
use registry::store::{Store, table};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;
use tower::ServiceExt as _;

use crate::client::{self, Answer};
use crate::mix::{DEMOS_BEFORE_LOAD, Mix, MixTargets};
use crate::mixed_load::number;
use crate::peers::{self, Manner};
use crate::report::Report;
use crate::words::Words;
use crate::{Failure, seed};

/// Default of `HOT_KEYS_LIMIT`: the share of DynamoDB's limits that each key has.
const LIMIT: f64 = 0.1;
/// Default of `HOT_KEYS_RATE`, in requests per second of the clock.
const RATE: f64 = 500.0;
/// Default of `HOT_KEYS_SECONDS`.
const SECONDS: f64 = 300.0;
/// Requests that an instance answers in a second: a function answers one request at a time, in about 40 ms.
const REQUESTS_PER_INSTANCE: f64 = 25.0;
/// Seconds before the measurement, so that each instance has loaded the index and filled its caches.
const WARM_UP: usize = 10;
const LISTINGS: usize = 2_000;
/// Ticks after the listings were inserted, so that none of their leaves waits.
const TICKS_BEFORE_LOAD: usize = 3;
/// Peers of the published listings.
const PEERS: usize = 24;
/// Requests of one caller.
const PER_CALLER: usize = 20;
/// Requests in flight.
const CONCURRENT: usize = 8;
/// Keys in the report.
const SHOWN: usize = 15;
/// Each schedule, the seconds between two runs and the second of its first run. Hourly schedules are left out.
const SCHEDULES: [(&str, usize, usize); 3] =
    [("probe-tick", 360, 20), ("search-index", 60, 30), ("tell-subscribers", 60, 40)];

/// Runs the load and reports the hottest keys.
///
/// # Errors
/// The registry does not start, or a reply before the load is wrong.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    let limit = number("HOT_KEYS_LIMIT", LIMIT);
    let (rate, seconds) = (number("HOT_KEYS_RATE", RATE), number("HOT_KEYS_SECONDS", SECONDS) as usize);
    let mut load = Load::start(rate, limit).await?;
    report.part(format!(
        "{seconds} s at {rate} requests/s on {} instances, {LISTINGS} listings, {limit} of DynamoDB's limits of a \
         partition key",
        load.instances.len()
    ));
    load.run(0..WARM_UP).await;
    load.meter.reset();
    load.errors = Arc::default();
    load.run(WARM_UP..WARM_UP + seconds).await;
    for key in load.meter.hottest(SHOWN) {
        report.info(&key.key, row(&key, rate, seconds));
    }
    let next = load.meter.hottest(1).pop().ok_or("no key was used")?;
    let text = format!("{:.0} requests/s: {}", rate / next.share(), next.key);
    report.info("the first key that is full with the limits of DynamoDB", text);
    report.must("throttled accesses", load.meter.throttles() == 0, load.meter.throttles(), "0");
    let errors = load.errors.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let text = errors.first().map_or_else(|| "0".to_owned(), |first| format!("{}: {first}", errors.len()));
    let requests = seconds as f64 * rate;
    report.must(format!("errors in {requests} requests"), errors.is_empty(), text, "0");
    Ok(())
}

fn row(key: &HotKey, rate: f64, seconds: usize) -> String {
    let seconds = seconds as f64;
    format!(
        "read {:>6.1}/s (mean {:>6.1}), write {:>6.1}/s (mean {:>6.1}); full at {:>6.0}/s",
        key.peak_read,
        key.read / seconds,
        key.peak_write,
        key.write / seconds,
        rate / key.share()
    )
}

/// The instances and what they share.
struct Load {
    rate: f64,
    clock: Clock,
    meter: PartitionMeter,
    instances: Vec<Router>,
    jobs: BTreeMap<&'static str, Job>,
    template: Template,
    events: UnboundedReceiver<Value>,
    mix: Arc<Mix>,
    errors: Arc<Mutex<Vec<String>>>,
}

impl Load {
    async fn start(rate: f64, limit: f64) -> Result<Self, Failure> {
        let settings = Settings::from_env(Mode::Development, |name| Some(setting(name)?.to_owned()))?;
        let clock = Clock::manual(Clock::default().now());
        let engine = Embedded::open(&Data::Memory, &clock)?;
        table::ensure(&engine::client(engine.clone()), &settings.table_name).await?;
        let ids = seeded(&engine, &settings, &clock).await?;

        let meter = PartitionMeter::new(limit, clock.clone());
        let metered = engine.with_partitions(meter.clone());
        let (bus, events) = Bus::local();
        let app = |number: u64| {
            let store = Store::of_many_writers(seed::client(&metered), &settings.table_name, clock.clone());
            App::new(settings.clone(), store, bus.clone(), clock.clone(), Random::seeded(number))
        };
        let template = Template::own()?;
        let instances = (rate / REQUESTS_PER_INSTANCE).ceil().max(1.0) as u64;
        let router = |number| gateway::router(&template, &functions::http(&app(number)), Transport::Direct);
        let instances = (1..=instances).map(router).collect::<Result<Vec<_>, _>>()?;
        let jobs = functions::jobs(&app(0));
        let mut origins = Vec::new();
        for _ in 0..PEERS {
            origins.push(peers::start(Manner::Sound).await?);
        }
        let first = instances.first().ok_or("there is no instance")?;
        let cursors = prepared(first, &clock, &ids).await?;
        let mix = Arc::new(Mix::new(&MixTargets { ids: ids.into(), cursors, origins }));
        Ok(Self { rate, clock, meter, instances, jobs, template, events, mix, errors: Arc::default() })
    }

    /// Sends the requests of these seconds, and starts the jobs that are due in them.
    async fn run(&mut self, seconds: std::ops::Range<usize>) {
        let per_second = self.rate as usize;
        let (mut requests, mut probes, mut jobs) = (JoinSet::new(), JoinSet::new(), JoinSet::new());
        let mut is_changed = false;
        for second in seconds {
            for number in second * per_second..(second + 1) * per_second {
                self.clock.advance(Duration::from_secs_f64(1.0 / self.rate));
                if requests.len() >= CONCURRENT {
                    requests.join_next().await;
                }
                requests.spawn(self.request(number));
            }
            while let Ok(event) = self.events.try_recv() {
                match event["detail-type"].as_str() {
                    Some("listing.queued") => drop(probes.spawn(self.job("probe-tick", event))),
                    _ => is_changed = true,
                }
            }
            let due = SCHEDULES.iter().filter(|(_, every, first)| second % every == *first);
            for (name, ..) in due {
                jobs.spawn(self.job(name, self.scheduled(name)));
            }
            // The queue of the template collects changes for two seconds.
            if is_changed && second % 2 == 0 && jobs.is_empty() {
                is_changed = false;
                jobs.spawn(self.job("search-index", self.scheduled("search-index")));
            }
            while jobs.try_join_next().is_some() || probes.try_join_next().is_some() {}
        }
        while requests.join_next().await.is_some() {}
        while probes.join_next().await.is_some() || jobs.join_next().await.is_some() {}
    }

    fn request(&self, number: usize) -> impl Future<Output = ()> + use<> {
        let router = self.instances[number % self.instances.len()].clone();
        let (mix, errors) = (Arc::clone(&self.mix), Arc::clone(&self.errors));
        async move {
            let (kind, bytes) = mix.request(number);
            let kind = &mix.kinds[kind];
            let failure = match send(&router, &bytes, number / PER_CALLER).await {
                Ok(reply) if kind.is_expected(&reply.answer()) => return,
                Ok(reply) => format!("{} {}", reply.status, String::from_utf8_lossy(&reply.body)),
                Err(failure) => failure.to_string(),
            };
            note(&errors, format!("{}: {failure}", kind.name));
        }
    }

    /// The event of a schedule at this moment.
    fn scheduled(&self, name: &str) -> Value {
        let input = self.template.schedules.iter().find(|one| one.function == name);
        let mut event = input.and_then(|schedule| schedule.input.clone()).unwrap_or_default();
        event["time"] = json!(self.clock.now());
        event
    }

    fn job(&self, name: &'static str, event: Value) -> impl Future<Output = ()> + use<> {
        let (done, errors) = (self.jobs.get(name).map(|job| job(event)), Arc::clone(&self.errors));
        async move {
            if let Some(Err(error)) = futures::future::OptionFuture::from(done).await {
                note(&errors, format!("{name}: {error}"));
            }
        }
    }
}

fn note(errors: &Mutex<Vec<String>>, error: String) {
    errors.lock().unwrap_or_else(PoisonError::into_inner).push(error);
}

/// The budgets of probes do not limit the load, and nothing is requested from other hosts.
fn setting(name: &str) -> Option<&'static str> {
    match name {
        "BASE_URL" => Some("https://registry.example.org"),
        "PROBE_WINDOW_CAP" | "PROBE_HOURLY_CAP" | "PROBE_DAILY_BUDGET" => Some("1000000"),
        "LIST_ITSELF" | "GITHUB_RAW_URL" | "DNS_SERVER" => Some("off"),
        _ => None,
    }
}

async fn seeded(engine: &Embedded, settings: &Settings, clock: &Clock) -> Result<Vec<ListingId>, Failure> {
    let store = seed::store(engine, settings);
    let ids = seed::seed(&store, settings, clock.now(), 0..LISTINGS, &Arc::new(Words::default())).await?;
    let app = App::new(settings.clone(), store, Bus::Silent, clock.clone(), Random::System);
    seed::index(&app).await?;
    // The changes and leaves of the seeded listings are not part of the load.
    let jobs = functions::jobs(&app);
    let tick = jobs.get("probe-tick").ok_or("there is no such job")?;
    for _ in 0..TICKS_BEFORE_LOAD {
        clock.advance(Duration::from_secs(360));
        tick(json!({ "detail-type": "probe-tick" })).await?;
    }
    // The job would pause between two transactions.
    while app.store.number_changes(clock.now()).await? {}
    Ok(ids)
}

/// Takes the demos that the mix needs, and returns cursors of the active list.
async fn prepared(router: &Router, clock: &Clock, ids: &[ListingId]) -> Result<Vec<String>, Failure> {
    for (number, id) in ids.iter().take(DEMOS_BEFORE_LOAD).enumerate() {
        clock.advance(Duration::from_secs(1));
        let demo = json!({ "listing_id": id }).to_string();
        value(&send(router, &client::post("/api/products/demo", &demo), usize::MAX - number).await?)?;
    }
    let mut cursors: Vec<String> = Vec::new();
    while cursors.len() < 10 {
        clock.advance(Duration::from_secs(1));
        let after = cursors.last().map_or_else(String::new, |cursor| format!("?cursor={cursor}"));
        let path = format!("/api/listings/active{after}");
        let page = value(&send(router, &client::get(&path, ""), usize::MAX).await?)?;
        cursors.push(page["next_cursor"].as_str().ok_or("the active list has too few pages")?.to_owned());
    }
    Ok(cursors)
}

fn value(reply: &Reply) -> Result<Value, Failure> {
    match reply.status {
        200 => Ok(serde_json::from_slice(&reply.body)?),
        status => Err(format!("{status} {}", String::from_utf8_lossy(&reply.body)).into()),
    }
}

struct Reply {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Reply {
    fn answer(&self) -> Answer<'_> {
        Answer { status: self.status, head: &self.head, body: &self.body }
    }
}

/// Sends the bytes of a request to a router, without a connection. The number of the caller decides its address.
async fn send(router: &Router, bytes: &[u8], caller: usize) -> Result<Reply, Failure> {
    let text = std::str::from_utf8(bytes)?;
    let (head, body) = text.split_once("\r\n\r\n").ok_or("the request has no end of its head")?;
    let mut lines = head.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Err("no path".into()) };
    let headers = lines.filter_map(|line| line.split_once(": "));
    let request = headers.fold(Request::builder().method(method).uri(path), |request, (name, value)| {
        request.header(name, value)
    });
    // A network of 16 million addresses for private use.
    let address = Ipv4Addr::from(0x0A00_0000 | (caller as u32 & 0x00FF_FFFF));
    let mut request = request.body(Body::from(body.to_owned()))?;
    request.extensions_mut().insert(ConnectInfo(SocketAddr::from((address, 443))));
    let reply = router.clone().oneshot(request).await?;
    let (parts, body) = reply.into_parts();
    let mut head = "HTTP/1.1\r\n".to_owned();
    for (name, value) in &parts.headers {
        head.push_str(&format!("{name}: {}\r\n", value.to_str().unwrap_or_default()));
    }
    Ok(Reply { status: parts.status.as_u16(), head, body: body.collect().await?.to_bytes().to_vec() })
}
