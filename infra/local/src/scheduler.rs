//! EventBridge on one machine: fires the template's schedules and delivers events of the bus to the template's
//! rules, in the shapes that AWS uses. A lost event is only logged, since the next tick finds the same work.

mod input;

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use registry::model::Clock;
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use crate::engine::Embedded;
use crate::functions::Job;
use crate::template::{Rule, Template};

/// The function whose schedule `PROBE_TICK_SECONDS` sets.
const TICK: &str = "probe-tick";

/// How soon after the start every schedule fires for the first time: a machine that was off has work waiting.
const INITIAL_DELAY: Duration = Duration::from_millis(300);

/// How often expired items are removed. DynamoDB promises no more than "within a few days".
const EXPIRY_INTERVAL: Duration = Duration::from_secs(60);

/// How many events of the bus are delivered concurrently; further ones wait.
const MAX_DELIVERIES: usize = 64;

/// How long running work may take after the stop.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// The template schedules, or subscribes, a function that this binary does not hold.
#[derive(Debug, thiserror::Error)]
#[error("the template sends events to function `{0}`, which is not part of this binary")]
pub struct UnknownJob(String);

/// The jobs of the template, checked against the functions of this binary before anything starts.
pub struct Scheduler {
    schedules: Vec<ScheduledJob>,
    rules: Vec<(Rule, Job)>,
    clock: Clock,
}

struct ScheduledJob {
    name: String,
    job: Job,
    every: Duration,
    input: Option<Value>,
}

impl Scheduler {
    /// Reads the template's schedules and rules; `tick` is the time of one probe tick, whatever the template says.
    ///
    /// # Errors
    /// Names a function of the template that is not among `jobs`.
    pub fn new(
        template: &Template,
        jobs: &BTreeMap<&'static str, Job>,
        tick: Duration,
        clock: Clock,
    ) -> Result<Self, UnknownJob> {
        let find = |name: &str| jobs.get(name).cloned().ok_or_else(|| UnknownJob(name.to_owned()));
        let schedules = template.schedules.iter().map(|schedule| {
            Ok(ScheduledJob {
                name: schedule.function.clone(),
                job: find(&schedule.function)?,
                every: if schedule.function == TICK { tick } else { schedule.every },
                input: schedule.input.clone(),
            })
        });
        let rules = template.rules.iter().map(|rule| Ok((rule.clone(), find(&rule.function)?)));
        Ok(Self {
            schedules: schedules.collect::<Result<_, _>>()?,
            rules: rules.collect::<Result<_, _>>()?,
            clock,
        })
    }

    /// Fires the schedules and delivers the events of `bus` in background tasks.
    #[must_use]
    pub fn start(self, bus: mpsc::UnboundedReceiver<Value>, engine: Embedded) -> RunningScheduler {
        let (stop, stopped) = watch::channel(false);
        let mut tasks = JoinSet::new();
        for timed in self.schedules {
            tasks.spawn(fire(timed, self.clock.clone(), stopped.clone()));
        }
        tasks.spawn(deliver(self.rules, bus, stopped.clone()));
        tasks.spawn(expire(engine, stopped));
        RunningScheduler { stop, tasks }
    }
}

/// The background tasks; dropping it aborts them.
#[derive(Debug)]
pub struct RunningScheduler {
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl RunningScheduler {
    /// Starts no further work, and waits five seconds for running work.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        let all_done = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, all_done).await.is_err() {
            tracing::warn!("work was cut short at the end; the next start takes it up again");
            self.tasks.shutdown().await;
        }
    }
}

/// A job never runs twice at once: a tick during a run is skipped.
async fn fire(timed: ScheduledJob, clock: Clock, mut stopped: watch::Receiver<bool>) {
    let mut interval = tokio::time::interval_at(Instant::now() + INITIAL_DELAY.min(timed.every), timed.every);
    interval.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        tokio::select! {
            _ = stopped.wait_for(|stopped| *stopped) => return,
            _ = interval.tick() => {}
        }
        let event = input::event(timed.input.as_ref(), &timed.name, clock.now().timestamp());
        run(&timed.name, &timed.job, event).await;
    }
}

async fn deliver(
    rules: Vec<(Rule, Job)>,
    mut bus: mpsc::UnboundedReceiver<Value>,
    mut stopped: watch::Receiver<bool>,
) {
    let places = Arc::new(Semaphore::new(MAX_DELIVERIES));
    let mut deliveries = JoinSet::new();
    let take_in = async {
        while let Some(event) = bus.recv().await {
            for (rule, job) in rules.iter().filter(|(rule, _)| matches(rule, &event)) {
                let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
                let (name, job, event) = (rule.function.clone(), Arc::clone(job), event.clone());
                deliveries.spawn(async move {
                    run(&name, &job, event).await;
                    drop(place);
                });
            }
            while deliveries.try_join_next().is_some() {}
        }
    };
    tokio::select! {
        _ = stopped.wait_for(|stopped| *stopped) => {}
        () = take_in => {}
    }
    while deliveries.join_next().await.is_some() {}
}

fn matches(rule: &Rule, event: &Value) -> bool {
    let among = |allowed: &[String], value: &Value| {
        allowed.is_empty() || value.as_str().is_some_and(|value| allowed.iter().any(|one| one == value))
    };
    among(&rule.source, &event["source"]) && among(&rule.detail_type, &event["detail-type"])
}

/// Runs a job as Lambda would: neither an error nor a panic reaches the sender of the event.
async fn run(name: &str, job: &Job, event: Value) {
    match AssertUnwindSafe(job(event)).catch_unwind().await {
        Ok(Ok(report)) => tracing::debug!(function = name, %report, "done"),
        Ok(Err(error)) => tracing::error!(function = name, error, "failed"),
        Err(_panic) => tracing::error!(function = name, "panicked"),
    }
}

/// DynamoDB removes expired items by itself, the embedded engine only when called.
async fn expire(engine: Embedded, mut stopped: watch::Receiver<bool>) {
    let mut interval = tokio::time::interval_at(Instant::now() + EXPIRY_INTERVAL, EXPIRY_INTERVAL);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = stopped.wait_for(|stopped| *stopped) => return,
            _ = interval.tick() => {}
        }
        let engine = engine.clone();
        match tokio::task::spawn_blocking(move || engine.sweep_expired()).await {
            Ok(Ok(removed)) => tracing::debug!(removed, "expired items"),
            Ok(Err(error)) => tracing::error!(error, "expired items were not removed"),
            Err(error) => tracing::error!(%error, "expired items were not removed"),
        }
    }
}

#[cfg(test)]
mod tests;
