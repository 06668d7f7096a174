//! Measures requests and search with 1,000, 10,000 and 100,000 Live listings. It measures the table
//! operations, units and time of each request, and the cost of search.

use std::sync::Arc;

use ::tests::instrumented::Observer;
use local::{Data, Local, Options};
use registry::model::{Clock, ListingId};
use registry::settings::{Mode, Settings};

use crate::folder::Folder;
use crate::operations::{Cost, Counter, Subjects};
use crate::report::{Report, amount};
use crate::words::Words;
use crate::{Failure, search, seed};

/// Default of `GROWTH_SIZES`: the numbers of Live listings.
const SIZES: &str = "1000,10000,100000";
/// Maximum ratio between the units of a size and the units of the smallest size. It is not 1, because the texts of the
/// rows have different lengths.
const MAX_UNITS_RATIO: f64 = 1.25;
/// This many additional units are not growth, because a slightly longer item costs one.
const ROUNDING: f64 = 2.0;

/// Counts at each size and compares the highest value with its limit.
///
/// # Errors
/// The registry does not start, or a reply is wrong.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    let words = Arc::new(Words::real());
    let sizes = sizes()?;
    report.part(format!("Search at growing sizes, with texts {}", words.source()));
    let folder = Folder::new()?;
    let file = folder.file("operations.db");
    let observer = Observer::default();
    // All peers are unproven listings of one host.
    let caps = |name: &str| (name == "PROBE_WINDOW_CAP").then(|| "1000".to_owned());
    let settings = Settings::from_env(Mode::Development, caps)?;
    let clock = Clock::manual(Clock::default().now());
    let local = Local::start(Options {
        parts: Arc::new(observer.clone()),
        clock: clock.clone(),
        data: Data::File(file.clone()),
        ..Options::new(settings)
    })
    .await?;
    let store = seed::store(&local.engine, &local.app.settings);
    let mut counted = Vec::new();
    let mut seeded = 0;
    for &size in &sizes {
        let ids = seed::seed(&store, &local.app.settings, clock.now(), seeded..size, &words).await?;
        seeded = size;
        seed::index(&local.app).await?;
        search::measure(report, &file, size).await?;
        let subjects = subjects(&local, ids).await?;
        counted.push(Counter::new(&local, &observer, &clock).await?.all(&subjects).await?);
    }
    local.stop().await;
    judge(report, &sizes, &counted)
}

fn sizes() -> Result<Vec<usize>, Failure> {
    let named = std::env::var("GROWTH_SIZES").unwrap_or_else(|_| SIZES.to_owned());
    Ok(named.split(',').map(|size| size.trim().parse()).collect::<Result<_, _>>()?)
}

/// The subjects of the requests, from these Live listings.
///
/// # Errors
/// The first listing is not in the table.
pub(crate) async fn subjects(local: &Local, ids: Vec<ListingId>) -> Result<Subjects, Failure> {
    let id = ids.first().ok_or("nothing was seeded")?;
    let named = local.app.store.listing(id).await?.ok_or("the seeded listing is missing")?.name;
    let name = form_urlencoded::byte_serialize(named.as_bytes()).collect();
    Ok(Subjects { ids, name })
}

/// Reports the counts at each size, and checks that they do not grow.
///
/// # Errors
/// The sizes have different measurements.
pub(crate) fn judge(report: &mut Report, sizes: &[usize], counted: &[Vec<Cost>]) -> Result<(), Failure> {
    let requests = by_request(counted)?;
    report.part(format!("Table operations of a request, at {sizes:?} Live listings"));
    for costs in &requests {
        let calls = || costs.iter().map(|cost| cost.calls);
        let (first, most) = (costs[0], calls().fold(0.0, f64::max));
        let same = first.varies || calls().all(|calls| (calls - first.calls).abs() < 1e-9);
        let text = if costs.iter().all(|cost| cost.words == first.words) {
            first.words.clone()
        } else {
            costs.iter().map(|cost| cost.words.as_str()).collect::<Vec<_>>().join(" | ")
        };
        let limit = if first.varies { "" } else { ", the same" };
        report.must(first.name, same && most <= first.limit, text, format!("<= {}{limit}", first.limit));
    }
    report.part(format!("Billed table units of a request, at {sizes:?} Live listings"));
    for costs in &requests {
        let read: Vec<f64> = costs.iter().map(|cost| cost.units.read).collect();
        let write: Vec<f64> = costs.iter().map(|cost| cost.units.write).collect();
        let holds = !grows(&read) && !grows(&write);
        let text = format!("read {}, write {}", side_by_side(&read), side_by_side(&write));
        report.must(costs[0].name, holds, text, format!("<= {MAX_UNITS_RATIO} times"));
    }
    report.part(format!("Time of a request over one connection, p50, at {sizes:?} Live listings"));
    for costs in &requests {
        let medians: Option<Vec<f64>> = costs.iter().map(|cost| cost.median_ms).collect();
        if let Some(medians) = medians {
            let last = medians.last().copied().unwrap_or(f64::NAN);
            let text = format!("{} ms, {:.1} times the first", side_by_side(&medians), last / medians[0]);
            report.info(costs[0].name, text);
        }
    }
    Ok(())
}

/// The costs of each request, by size.
fn by_request(counted: &[Vec<Cost>]) -> Result<Vec<Vec<&Cost>>, Failure> {
    let first = counted.first().ok_or("nothing was counted")?;
    let mut requests: Vec<Vec<&Cost>> = Vec::new();
    for (place, one) in first.iter().enumerate() {
        let costs: Option<Vec<&Cost>> =
            counted.iter().map(|costs| costs.get(place).filter(|cost| cost.name == one.name)).collect();
        requests.push(costs.ok_or("the sizes have different measurements")?);
    }
    Ok(requests)
}

fn grows(units: &[f64]) -> bool {
    let most = units.iter().copied().fold(0.0, f64::max);
    units.first().is_some_and(|first| most > first * MAX_UNITS_RATIO && most > first + ROUNDING)
}

/// Numbers by size, or one number if they are all equal.
fn side_by_side(numbers: &[f64]) -> String {
    let mut texts: Vec<String> = numbers.iter().map(|number| amount(*number, "")).collect();
    if texts.iter().all(|one| *one == texts[0]) {
        texts.truncate(1);
    }
    texts.join(" | ")
}
