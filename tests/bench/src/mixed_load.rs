//! Sends a mix of requests at a fixed rate for some minutes. The registry has 10,000 listings in a file and
//! runs its sweeps (probe runs). No request may fail, and memory must not grow.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use local::engine::Data;
use registry::model::{Clock, Kind, ListingId};
use serde_json::Value;

use crate::Failure;
use crate::client::{self, Connection};
use crate::life;
use crate::mix::{FAMILIES, Mix};
use crate::pace::{self, Samples};
use crate::peers;
use crate::processes::{self, Server};
use crate::report::{Report, amount};
use crate::seed::{self, Site};
use crate::watch::Watch;
use crate::words::Words;

/// Live listings that are requested.
const LISTINGS: usize = 10_000;
/// Additional listings whose weekly recheck is due.
const DUE: usize = 600;
/// Peers of those.
const PEERS: usize = 24;
/// Default of `LOAD_MINUTES`. The demos and feedback, one for each listing, last for 17 minutes.
const MINUTES: f64 = 10.0;
/// Default of `LOAD_RATE`, in requests per second: about half of what two cores can process, with client and peers.
const RATE: f64 = 150.0;
/// Duration of the load before the measurement, so that caches are full.
const WARM_UP: Duration = Duration::from_secs(10);
/// Limit for the 99th percentile, in milliseconds.
const P99: f64 = 50.0;
/// Seconds between ticks, so that several ticks are in the shortest load.
const TICK: &str = "20";

/// Measures the registry.
///
/// # Errors
/// The registry does not start, or a reply before the load is wrong.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    let minutes = number("LOAD_MINUTES", MINUTES);
    let words = Arc::new(Words::real());
    let mut origins = Vec::new();
    for _ in 0..PEERS {
        origins.push(peers::start().await?);
    }
    let folder = processes::temporary_folder()?;
    let data = folder.path().join("registry.db");
    let ids = seed_file(&data, &origins, &words).await?;

    let binary = processes::build_registry().await?;
    let registry = processes::start_registry_with(&binary, &data, &[("PROBE_TICK_SECONDS", TICK)]).await?;
    let rate = number("LOAD_RATE", RATE);
    report.part(format!(
        "{minutes} minutes at {rate} requests/s on the registry, {LISTINGS} listings in a file, texts {}",
        words.source()
    ));
    run(report, &registry, rate, minutes, &ids).await
}

/// A number from an environment variable.
fn number(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

async fn seed_file(data: &Path, origins: &[String], words: &Arc<Words>) -> Result<Vec<ListingId>, Failure> {
    let (_, app, ids) = seed::table(&Data::File(data.to_path_buf()), LISTINGS, words).await?;
    let proven = Clock::System.now() - SignedDuration::from_hours(24 * 6 + 14);
    for number in LISTINGS..LISTINGS + DUE {
        let kind = if number % 2 == 0 { Kind::Agent } else { Kind::Mcp };
        let site = Site { kind, url: format!("{}/due/{number}", origins[number % origins.len()]), number };
        seed::live_at(&app.store, &app.settings, proven, &site, words).await?;
    }
    seed::index(&app).await?;
    Ok(ids)
}

/// Runs the load on a running registry and reports the results.
async fn run(
    report: &mut Report,
    registry: &Server,
    rate: f64,
    minutes: f64,
    ids: &[ListingId],
) -> Result<(), Failure> {
    // Without a gateway for empty replies and a validator: the mix contains neither of these targets.
    let mut targets = life::targets(registry, registry, ids, 0, "").await?;
    targets.extend(life::funnel_targets(registry, ids).await?.pop().ok_or("no funnel")?);
    targets.extend(life::publish_target(registry).await?);
    let mix = Arc::new(Mix::new(&targets)?);
    let mut connection = Connection::open(registry.address).await?;
    pace::run(&mix, registry.address, rate, 0, WARM_UP).await?;

    let before = statistics(&mut connection).await?;
    let watch = Watch::start(registry.process);
    let first = (rate * WARM_UP.as_secs_f64()).ceil() as usize;
    let time = Duration::from_secs_f64(minutes * 60.0);
    let samples = pace::run(&mix, registry.address, rate, first, time).await?;
    let watched = watch.end().await?;
    report_requests(report, &mix, &samples, time);
    let after = statistics(&mut connection).await?;
    let more = |path: &str| count(&after, path) - count(&before, path);
    let ticks = more("/probe_worker/ticks");
    report.must("ticks during the load", ticks > 0, ticks, "> 0");
    report.info("listings with a verdict during the load", more("/outcomes/unique_primaries"));
    watched.report(report, minutes);
    Ok(())
}

async fn fetch(connection: &mut Connection, request: &[u8]) -> Result<Value, Failure> {
    let answer = connection.request(request).await?;
    if answer.status != 200 {
        let request = String::from_utf8_lossy(request);
        return Err(format!("{request} returned {}", String::from_utf8_lossy(answer.body)).into());
    }
    Ok(serde_json::from_slice(answer.body)?)
}

async fn statistics(connection: &mut Connection) -> Result<Value, Failure> {
    fetch(connection, &client::get("/api/probes", "")).await
}

fn count(statistics: &Value, path: &str) -> i64 {
    statistics.pointer(path).and_then(Value::as_i64).unwrap_or(0)
}

fn report_requests(report: &mut Report, mix: &Mix, samples: &[Samples], time: Duration) {
    let text = |samples: &Samples| {
        format!(
            "{:>6.1} rps, p50 {:>6.2}, p95 {:>6.2}, p99 {:>6.2} ms, {} errors",
            samples.times.len() as f64 / time.as_secs_f64(),
            samples.quantile(0.5),
            samples.quantile(0.95),
            samples.quantile(0.99),
            samples.errors
        )
    };
    let mut all = Samples::default();
    let mut measured = mix.targets.iter().zip(samples);
    for (name, kinds) in FAMILIES {
        let mut of_family = Samples::default();
        for (target, samples) in measured.by_ref().take(kinds.len()) {
            of_family.add(samples);
            report.info(target.name, text(samples));
        }
        report.info(format!("all {name}"), text(&of_family));
        all.add(&of_family);
    }
    report.info("all", text(&all));
    let errors =
        all.first_error.as_ref().map_or_else(|| "0".to_owned(), |first| format!("{}: {first}", all.errors));
    report.must(format!("errors in {} requests", all.times.len()), all.errors == 0, errors, "0");
    report.below("p99", all.quantile(0.99), P99, "ms");
    report.info("slowest", amount(all.quantile(1.0), "ms"));
}
