//! Measures what listings cost when nobody sends requests. It measures schedules that have no work, a recheck with its
//! effects on the evidence log and the index, and storage. It measures one table. The caller multiplies the results.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aws_sdk_dynamodb::types::AttributeValue;
use jiff::SignedDuration;
use local::functions::{self, Job};
use local::{Local, Options, Template};
use registry::model::{Clock, Kind};
use registry::settings::{Mode, Settings};
use serde_json::Value;
use tests::instrumented::{Observer, Units};

use crate::peers::{self, Manner};
use crate::seed::Site;
use crate::words::Words;
use crate::{Failure, seed};

/// Live listings in the table, and how many of them become due.
const LISTINGS: usize = 1_000;
const DUE: usize = 200;
/// Age in hours of the proofs that will be due, which is from the end of the sixth day on.
const PROVEN_HOURS: i64 = 24 * 6 - 4;
/// Time from the warm-up until all of them are due and none is overdue.
const UNTIL_DUE: Duration = Duration::from_secs(17 * 3600);
/// Warm-up runs of the schedules, which take less than four hours on the clock.
const WARM_UP_RUNS: usize = 4;
/// Hosts of the listings, because concurrent probes of one host are limited.
const HOSTS: usize = 50;
/// Additional bytes per item of the table and per entry of an index.
const OVERHEAD: usize = 100;

/// Used resources.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Used {
    pub(crate) operations: f64,
    pub(crate) units: Units,
    pub(crate) seconds: f64,
}

/// A schedule and the resources of one run without work.
#[derive(Clone, Debug)]
pub(crate) struct Idle {
    pub(crate) function: String,
    pub(crate) every: Duration,
    pub(crate) used: Used,
}

/// The measured upkeep.
#[derive(Clone, Debug)]
pub(crate) struct Upkeep {
    /// Each schedule of the template.
    pub(crate) schedules: Vec<Idle>,
    /// One recheck of one listing, with its effects on the log and the index.
    pub(crate) recheck: Used,
    /// Events on the bus for a recheck.
    pub(crate) events: f64,
    /// Bytes of a Live listing, and those that a recheck adds.
    pub(crate) bytes: f64,
    pub(crate) bytes_of_recheck: f64,
}

/// A registry whose schedules run on demand.
struct Registry {
    local: Local,
    observer: Observer,
    clock: Clock,
    jobs: BTreeMap<&'static str, Job>,
    template: Template,
}

/// Measures the upkeep.
///
/// # Errors
/// A job fails, or not all that is due is found to be sound.
pub(crate) async fn measure() -> Result<Upkeep, Failure> {
    let mut registry = Registry::start().await?;
    let empty = registry.bytes().await?;
    registry.seed().await?;
    // Completes the work that seeding left, and fills caches. Then the listings become due.
    for _ in 0..WARM_UP_RUNS {
        for schedule in registry.template.schedules.clone() {
            if schedule.function != "weekly-recheck" {
                registry.fire(&schedule.function, schedule.input.as_ref()).await?;
            }
        }
    }
    registry.clock.advance(UNTIL_DUE);
    let before = registry.bytes().await?;
    let (mut recheck, swept) = registry.fire("weekly-recheck", None).await?;
    if swept["ok"] != DUE {
        return Err(format!("not all of {DUE} listings were proven: {swept}").into());
    }
    let events = registry.take_events();
    for function in ["probe-tick", "search-index"] {
        let (after, _) = registry.fire(function, None).await?;
        recheck.operations += after.operations;
        recheck.units.read += after.units.read;
        recheck.units.write += after.units.write;
    }
    let after = registry.bytes().await?;
    let mut schedules = Vec::new();
    for schedule in registry.template.schedules.clone() {
        let (used, _) = registry.fire(&schedule.function, schedule.input.as_ref()).await?;
        schedules.push(Idle { function: schedule.function, every: schedule.every, used });
    }
    let idle = |of: &dyn Fn(&Used) -> f64| -> f64 {
        let fired = ["weekly-recheck", "probe-tick", "search-index"];
        let those = schedules.iter().filter(|idle| fired.contains(&idle.function.as_str()));
        those.map(|idle| of(&idle.used)).sum()
    };
    let each = |all: f64, idle: f64| (all - idle).max(0.0) / DUE as f64;
    let recheck = Used {
        operations: each(recheck.operations, idle(&|used| used.operations)),
        units: Units {
            read: each(recheck.units.read, idle(&|used| used.units.read)),
            write: each(recheck.units.write, idle(&|used| used.units.write)),
        },
        seconds: recheck.seconds / DUE as f64,
    };
    registry.local.stop().await;
    Ok(Upkeep {
        schedules,
        recheck,
        events: events as f64 / DUE as f64,
        bytes: (before - empty) / LISTINGS as f64,
        bytes_of_recheck: (after - before) / DUE as f64,
    })
}

impl Registry {
    async fn start() -> Result<Self, Failure> {
        let (observer, clock) = (Observer::default(), Clock::manual(Clock::default().now()));
        let local = Local::start(Options {
            parts: Arc::new(observer.clone()),
            clock: clock.clone(),
            ..Options::new(Settings::from_env(Mode::Development, |_| None)?)
        })
        .await?;
        let jobs = functions::jobs(&local.app);
        Ok(Self { local, observer, clock, jobs, template: Template::own()? })
    }

    /// Seeds Live listings with sound peers; the first ones are due soon.
    async fn seed(&self) -> Result<(), Failure> {
        let settings = &self.local.app.settings;
        let store = seed::store(&self.local.engine, settings);
        let mut hosts = Vec::new();
        for _ in 0..HOSTS {
            hosts.push(peers::start(Manner::Sound).await?);
        }
        let words = Words::real();
        for number in 0..LISTINGS {
            let hours = if number < DUE { PROVEN_HOURS } else { 1 };
            let kind = if number % 2 == 0 { Kind::Agent } else { Kind::Mcp };
            let site = Site { kind, url: format!("{}/{number}", hosts[number / 10 % HOSTS]), number };
            let at = self.clock.now() - SignedDuration::from_hours(hours);
            seed::live_at(&store, settings, at, &site, &words).await?;
        }
        Ok(())
    }

    /// Runs a schedule in a new slot; returns its resources and the report of the function.
    async fn fire(&self, function: &str, input: Option<&Value>) -> Result<(Used, Value), Failure> {
        self.clock.advance(Duration::from_secs(360));
        let schedules = &self.template.schedules;
        let own = schedules.iter().find(|one| one.function == function).and_then(|one| one.input.as_ref());
        let mut event = input.or(own).cloned().unwrap_or_default();
        event["time"] = Value::String(self.clock.now().to_string());
        let job = self.jobs.get(function).ok_or_else(|| format!("there is no job {function}"))?;
        let before = self.observer.tally.snapshot();
        self.observer.meter.start();
        let began = Instant::now();
        let report = job(event).await?;
        let used = Used {
            seconds: began.elapsed().as_secs_f64(),
            units: self.observer.meter.stop(),
            operations: self.observer.tally.since(&before).total() as f64,
        };
        Ok((used, report))
    }

    fn take_events(&mut self) -> usize {
        let Some(events) = &mut self.local.events else { return 0 };
        std::iter::from_fn(|| events.try_recv().ok()).count()
    }

    /// Bytes of the table and its indexes, as DynamoDB counts them.
    async fn bytes(&self) -> Result<f64, Failure> {
        let client = local::engine::client(self.local.engine.clone());
        let mut bytes = 0;
        let mut from = None;
        loop {
            let page = client
                .scan()
                .table_name(&self.local.app.settings.table_name)
                .set_exclusive_start_key(from)
                .send()
                .await?;
            for item in page.items() {
                let all: usize = item.iter().map(|(name, value)| name.len() + size(value)).sum();
                bytes += OVERHEAD + all;
                // The first index contains whole items, the second only keys.
                let keys = |names: &[&str]| -> usize {
                    names
                        .iter()
                        .filter_map(|name| item.get(*name).map(|value| name.len() + size(value)))
                        .sum()
                };
                if item.contains_key("gsi1pk") {
                    bytes += OVERHEAD + all;
                }
                if item.contains_key("gsi2pk") {
                    bytes += OVERHEAD + keys(&["pk", "sk", "gsi2pk", "gsi2sk"]);
                }
            }
            from = page.last_evaluated_key;
            if from.is_none() {
                return Ok(bytes as f64);
            }
        }
    }
}

/// Bytes of a value, as the developer guide of DynamoDB counts them.
fn size(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        // Two digits per byte, and one byte for the exponent.
        AttributeValue::N(number) => number.len().div_ceil(2) + 1,
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        AttributeValue::L(values) => 3 + values.iter().map(|value| 1 + size(value)).sum::<usize>(),
        AttributeValue::M(members) => {
            3 + members.iter().map(|(name, value)| 1 + name.len() + size(value)).sum::<usize>()
        }
        AttributeValue::Ss(texts) => texts.iter().map(String::len).sum(),
        AttributeValue::Ns(numbers) => numbers.iter().map(|number| number.len().div_ceil(2) + 1).sum(),
        AttributeValue::Bs(all) => all.iter().map(|bytes| bytes.as_ref().len()).sum(),
        _ => 1,
    }
}
