//! EventBridge on one machine. It starts the functions that have a schedule. It also delivers the events of the
//! bus to the functions that get them, in the format of AWS. If a job fails, this is only logged, because the
//! next tick finds the same work.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use registry::error::chain;
use registry::events::{self, SOURCE};
use registry::model::Clock;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use crate::engine::Embedded;
use crate::functions::{Job, JobFunction};

/// DynamoDB itself removes expired items only "within a few days".
const EXPIRY_INTERVAL: Duration = Duration::from_secs(60);

/// Concurrent deliveries of events; further events wait.
const MAX_DELIVERIES: usize = 64;

/// Concurrent runs of one schedule. On AWS, reserved concurrency limits them.
const MAX_RUNS: usize = 2;

/// How long running jobs may take after the stop.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Fires the schedules and delivers the events of `bus` in background tasks.
#[must_use]
pub fn start(
    mut functions: BTreeMap<&'static str, JobFunction>,
    clock: &Clock,
    bus: mpsc::Receiver<Value>,
    engine: Embedded,
) -> RunningScheduler {
    let (stop, stopped) = watch::channel(false);
    let mut tasks = JoinSet::new();
    for (name, function) in &mut functions {
        function.job = with_timeout(Arc::clone(&function.job), function.timeout);
        tasks.spawn(fire(name, function.clone(), clock.clone(), stopped.clone()));
    }
    tasks.spawn(deliver(functions, bus, stopped.clone()));
    tasks.spawn(expire(engine, stopped));
    RunningScheduler { stop, tasks }
}

/// The background tasks; dropping it aborts them.
#[derive(Debug)]
pub struct RunningScheduler {
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

impl RunningScheduler {
    /// Does this work, too, until it is done or the scheduler stops.
    pub fn also(&mut self, work: impl Future<Output = ()> + Send + 'static) {
        let mut stopped = self.stop.subscribe();
        self.tasks.spawn(async move {
            tokio::select! {
                _ = stopped.wait_for(|stopped| *stopped) => {}
                () = work => {}
            }
        });
    }

    /// Starts no further jobs and waits at most five seconds for running jobs.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        let all_done = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(SHUTDOWN_TIMEOUT, all_done).await.is_err() {
            tracing::warn!("running jobs were aborted; the next start continues their work");
            self.tasks.shutdown().await;
        }
    }
}

/// A job that is stopped after `timeout`, as Lambda stops a function.
fn with_timeout(job: Job, timeout: Duration) -> Job {
    Arc::new(move |event| {
        let report = job(event);
        async move {
            let stopped = |_| Err(format!("timed out after {} s", timeout.as_secs()));
            tokio::time::timeout(timeout, report).await.unwrap_or_else(stopped)
        }
        .boxed()
    })
}

/// The time until the next multiple of `every` since the epoch: slots of the tick begin then, and readers are told so.
fn until_next(now_ms: i64, every: Duration) -> Duration {
    let every_ms = i64::try_from(every.as_millis()).unwrap_or(i64::MAX).max(1);
    Duration::from_millis((every_ms - now_ms.rem_euclid(every_ms)).unsigned_abs())
}

/// A run does not wait for the end of the previous run, because Scheduler does not wait either. A tick during
/// [`MAX_RUNS`] runs is skipped.
async fn fire(name: &'static str, function: JobFunction, clock: Clock, mut stopped: watch::Receiver<bool>) {
    // Every schedule fires soon after the start, because work may be due from the time when the machine was off.
    let mut first = Some(Instant::now() + Duration::from_millis(300).min(function.every));
    let next = Instant::now() + until_next(clock.now().as_millisecond(), function.every);
    let mut interval = tokio::time::interval_at(next, function.every);
    interval.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut runs = JoinSet::new();
    loop {
        tokio::select! {
            _ = stopped.wait_for(|stopped| *stopped) => break,
            () = tokio::time::sleep_until(first.unwrap_or(next)), if first.is_some() => first = None,
            _ = interval.tick() => {}
        }
        while runs.try_join_next().is_some() {}
        if runs.len() < MAX_RUNS {
            let time = clock.now().timestamp().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
            let event = json!({ "source": "registry.schedule", "detail-type": name, "time": time });
            let job = Arc::clone(&function.job);
            runs.spawn(async move { drop(run(name, &job, event).await) });
        }
    }
    while runs.join_next().await.is_some() {}
}

async fn deliver(
    functions: BTreeMap<&'static str, JobFunction>,
    mut bus: mpsc::Receiver<Value>,
    stopped: watch::Receiver<bool>,
) {
    let permits = Arc::new(Semaphore::new(MAX_DELIVERIES));
    let mut deliveries = JoinSet::new();
    let receive = async {
        while let Some(event) = bus.recv().await {
            for (name, function) in functions.iter().filter(|(_, function)| gets(function, &event)) {
                let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { return };
                let (function, permits, stopped) = (function.clone(), Arc::clone(&permits), stopped.clone());
                deliveries.spawn(deliver_one(name, function, event.clone(), permit, permits, stopped));
            }
            while deliveries.try_join_next().is_some() {}
        }
    };
    let mut stop = stopped.clone();
    tokio::select! {
        _ = stop.wait_for(|stopped| *stopped) => {}
        () = receive => {}
    }
    while deliveries.join_next().await.is_some() {}
}

/// Delivers an event to a function. If the function has a queue, the event is a message of SQS, which is delivered again and
/// again until it is handled.
async fn deliver_one(
    name: &'static str,
    function: JobFunction,
    event: Value,
    permit: OwnedSemaphorePermit,
    permits: Arc<Semaphore>,
    mut stopped: watch::Receiver<bool>,
) {
    let Some(queue) = function.queue else {
        run(name, &function.job, event).await;
        return;
    };
    let mut permit = Some(permit);
    for received in 1..=queue.max_receives {
        if received > 1 {
            tokio::select! {
                _ = stopped.wait_for(|stopped| *stopped) => return,
                () = tokio::time::sleep(queue.visibility_timeout) => {}
            }
            let Ok(next) = Arc::clone(&permits).acquire_owned().await else { return };
            permit = Some(next);
        }
        let report = run(name, &function.job, events::queued(&event, received)).await;
        drop(permit.take());
        if report.is_some_and(|report| !events::is_unhandled(&report)) {
            return;
        }
    }
    tracing::error!(function = name, %event, "the queue gave up a message");
}

/// Whether a rule of the bus sends the event to the function.
fn gets(function: &JobFunction, event: &Value) -> bool {
    event["source"] == SOURCE && function.events.iter().any(|kind| event["detail-type"] == *kind)
}

/// Runs a job as Lambda does, and returns its report: neither an error nor a panic reaches the sender of the event.
async fn run(name: &str, job: &Job, event: Value) -> Option<Value> {
    match AssertUnwindSafe(job(event)).catch_unwind().await {
        Ok(Ok(report)) => {
            tracing::debug!(function = name, %report, "job done");
            return Some(report);
        }
        Ok(Err(error)) => tracing::error!(function = name, error, "job failed"),
        Err(_panic) => tracing::error!(function = name, "job panicked"),
    }
    None
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
            Ok(Ok(removed)) => tracing::debug!(removed, "expired items removed"),
            Ok(Err(error)) => tracing::error!(error = chain(&error), "expired items were not removed"),
            Err(error) => tracing::error!(%error, "expired items were not removed"),
        }
    }
}

#[cfg(test)]
mod tests;
