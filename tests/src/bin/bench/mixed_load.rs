//! Minutes of mixed load at a fixed rate, over 10,000 listings in a file and with sweeps running: first upon the
//! `registry` process, then upon the packaged binaries as Lambda would run them. Nothing may fail, and memory stays flat.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use local::Embedded;
use local::engine::{self, Data};
use registry::app::App;
use registry::events::Bus;
use registry::model::{Clock, Kind, ListingId, Random};
use registry::settings::{Mode, Settings};
use registry::store::table;
use serde_json::{Value, json};

use crate::client::{self, Connection};
use crate::folder::Folder;
use crate::mix::{AHEAD, Aim, Mix, SHARES};
use crate::pace::{self, Taken};
use crate::peers::{self, Manner};
use crate::report::{Report, amount};
use crate::seed::{self, Site};
use crate::watch::Watch;
use crate::words::Words;
use crate::{Failure, packaged_load, processes};

/// Live listings that are asked for, unless `LOAD_LISTINGS` says otherwise.
const LISTINGS: f64 = 10_000.0;
/// Further ones whose weekly recheck is due, so that it has something to do.
const DUE: usize = 600;
/// Peers of those, and of what is published.
const PEERS: usize = 24;
/// How long, unless `LOAD_MINUTES` says otherwise.
const MINUTES: f64 = 10.0;
/// Requests a second, unless `LOAD_RATE` says otherwise: about half of what two cores carry, client and peers included.
const RATE: f64 = 150.0;
/// The same load before it is measured, so that caches are full.
const WARM_UP: Duration = Duration::from_secs(10);
/// Milliseconds within which 99 of 100 are answered.
const P99: f64 = 50.0;
/// Seconds from one tick to the next, so that several fall into the shortest load.
const TICK: &str = "20";

/// Measures both.
///
/// # Errors
/// The registry does not start, or answers what it should not before the load.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    let minutes = number("LOAD_MINUTES", MINUTES);
    let words = Arc::new(Words::real());
    let mut origins = Vec::new();
    for _ in 0..PEERS {
        origins.push(peers::start(Manner::Sound).await?);
    }
    let folder = Folder::new()?;
    let (data, copy) = (folder.file("registry.db"), folder.file("packaged.db"));
    let listings = number("LOAD_LISTINGS", LISTINGS) as usize;
    let ids = seed_file(&data, listings, &origins, &words).await?;
    copy_table(&data, &copy)?;

    let binary = processes::build_registry().await?;
    let registry = processes::start_registry_with(&binary, &data, &[("PROBE_TICK_SECONDS", TICK)]).await?;
    let rate = number("LOAD_RATE", RATE);
    report.part(format!(
        "{minutes} minutes at {rate} requests/s upon the registry, {listings} listings in a file, words {}",
        words.source()
    ));
    let watched = vec![("registry".to_owned(), registry.process)];
    let load = Load { address: registry.address, rate, minutes, watched };
    load.put(report, &ids, &origins).await?;
    drop(registry);
    packaged_load::measure(report, &copy, &ids, minutes).await
}

/// Copies a table that nobody has open. Whatever stands in its log of writes goes with it.
fn copy_table(from: &Path, to: &Path) -> Result<(), Failure> {
    let log = |file: &Path| PathBuf::from(format!("{}-wal", file.display()));
    std::fs::copy(from, to)?;
    if log(from).exists() {
        std::fs::copy(log(from), log(to))?;
    }
    Ok(())
}

/// A number that the environment gives.
pub(crate) fn number(name: &str, otherwise: f64) -> f64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

async fn seed_file(
    data: &Path,
    listings: usize,
    origins: &[String],
    words: &Arc<Words>,
) -> Result<Arc<[ListingId]>, Failure> {
    let settings = Settings::from_env(Mode::Development, |_| None)?;
    let engine = Embedded::open(&Data::File(data.to_path_buf()), &Clock::System)?;
    table::ensure(&engine::client(engine.clone()), &settings.table_name).await?;
    let store = seed::store(&engine, &settings);
    let now = Clock::System.now();
    let ids = seed::seed(&store, &settings, now, 0..listings, words).await?;
    let proven = now - SignedDuration::from_hours(24 * 6 + 14);
    for number in listings..listings + DUE {
        let kind = if number % 2 == 0 { Kind::Agent } else { Kind::Mcp };
        let site = Site { kind, url: format!("{}/due/{number}", origins[number % origins.len()]), number };
        seed::live_at(&store, &settings, proven, &site, words).await?;
    }
    let app = App::new(settings, store, Bus::Silent, Clock::System, Random::System);
    seed::index(&app).await?;
    Ok(ids.into())
}

/// A load upon a registry that runs.
pub(crate) struct Load {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// Requests a second.
    pub(crate) rate: f64,
    pub(crate) minutes: f64,
    /// The processes whose memory is watched, by name.
    pub(crate) watched: Vec<(String, u32)>,
}

impl Load {
    /// Puts it upon the registry, and tells what came.
    ///
    /// # Errors
    /// The registry answers what it should not before the load, or is gone.
    pub(crate) async fn put(
        &self,
        report: &mut Report,
        ids: &Arc<[ListingId]>,
        origins: &[String],
    ) -> Result<(), Failure> {
        let mut connection = Connection::open(self.address).await?;
        for id in ids.iter() {
            fetched(&mut connection, &client::get(&format!("/api/listings/status?id={id}"), "")).await?;
        }
        for id in ids.iter().take(AHEAD) {
            let demo = json!({ "listing_id": id }).to_string();
            fetched(&mut connection, &client::post("/api/products/demo", &demo)).await?;
        }
        let cursors = cursors(&mut connection).await?;
        let mix = Arc::new(Mix::new(&Aim { ids: Arc::clone(ids), cursors, origins: origins.to_vec() }));
        pace::run(&mix, self.address, self.rate, 0, WARM_UP).await?;

        let before = statistics(&mut connection).await?;
        let watch = Watch::start(self.watched.clone());
        let first = (self.rate * WARM_UP.as_secs_f64()).ceil() as usize;
        let time = Duration::from_secs_f64(self.minutes * 60.0);
        let taken = pace::run(&mix, self.address, self.rate, first, time).await?;
        let watched = watch.end().await?;
        tell(report, &mix, &taken, time);
        let after = statistics(&mut connection).await?;
        let more = |path: &str| count(&after, path) - count(&before, path);
        let ticks = more("/probe_worker/ticks");
        report.must("ticks meanwhile", ticks > 0, ticks, "> 0");
        report.told("listings judged by probes meanwhile", more("/outcomes/unique_primaries"));
        for process in watched {
            process.tell(report, self.minutes);
        }
        Ok(())
    }
}

async fn fetched(connection: &mut Connection, request: &[u8]) -> Result<Value, Failure> {
    let answer = connection.ask(request).await?;
    if answer.status != 200 {
        let asked = String::from_utf8_lossy(request);
        return Err(format!("{asked} answered {}", String::from_utf8_lossy(answer.body)).into());
    }
    Ok(serde_json::from_slice(answer.body)?)
}

async fn statistics(connection: &mut Connection) -> Result<Value, Failure> {
    fetched(connection, &client::get("/api/probes", "")).await
}

fn count(statistics: &Value, path: &str) -> i64 {
    statistics.pointer(path).and_then(Value::as_i64).unwrap_or(0)
}

async fn cursors(connection: &mut Connection) -> Result<Vec<String>, Failure> {
    let mut cursors: Vec<String> = Vec::new();
    while cursors.len() < 40 {
        let after = cursors.last().map_or_else(String::new, |cursor| format!("?cursor={cursor}"));
        let page = fetched(connection, &client::get(&format!("/api/listings/active{after}"), "")).await?;
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursors.push(next.to_owned());
    }
    if cursors.is_empty() { Err("the active list has one page".into()) } else { Ok(cursors) }
}

fn tell(report: &mut Report, mix: &Mix, taken: &[Taken], time: Duration) {
    let words = |taken: &Taken| {
        format!(
            "{:>6.1} rps, p50 {:>6.2}, p95 {:>6.2}, p99 {:>6.2} ms, {} errors",
            taken.times.len() as f64 / time.as_secs_f64(),
            taken.quantile(0.5),
            taken.quantile(0.95),
            taken.quantile(0.99),
            taken.errors
        )
    };
    let mut all = Taken::default();
    for (family, name, _) in SHARES {
        let mut of_family = Taken::default();
        for (kind, taken) in mix.kinds.iter().zip(taken).filter(|(kind, _)| kind.family == family) {
            of_family.add(taken);
            report.told(kind.name, words(taken));
        }
        report.told(format!("all {name}"), words(&of_family));
        all.add(&of_family);
    }
    report.told("all", words(&all));
    let errors =
        all.first_error.as_ref().map_or_else(|| "0".to_owned(), |first| format!("{}: {first}", all.errors));
    report.must(format!("errors in {} requests", all.times.len()), all.errors == 0, errors, "0");
    report.below("p99", all.quantile(0.99), P99, "ms");
    report.told("the slowest", amount(all.quantile(1.0), "ms"));
}
