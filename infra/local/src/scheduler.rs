//! EventBridge on one machine. It starts the schedules of the template. It also delivers the events of the
//! bus to the rules of the template, in the format of AWS. If a job fails, this is only logged, because the
//! next tick finds the same work.

mod input;

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use registry::events;
use registry::model::Clock;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use crate::engine::Embedded;
use crate::functions::Job;
use crate::template::{Queue, Rule, Template};

/// `PROBE_TICK_SECONDS` replaces the schedule of this function.
const TICK_FUNCTION: &str = "probe-tick";

/// Every schedule fires soon after the start, because work may be due from the time when the machine was off.
const INITIAL_DELAY: Duration = Duration::from_millis(300);

/// DynamoDB itself removes expired items only "within a few days".
const EXPIRY_INTERVAL: Duration = Duration::from_secs(60);

/// Concurrent deliveries of events; further events wait.
const MAX_DELIVERIES: usize = 64;

/// Concurrent runs of one schedule. On AWS, reserved concurrency limits them.
const MAX_RUNS: usize = 2;

/// How long running jobs may take after the stop.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// The template sends events to a function that this binary does not contain.
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
    /// Reads the template's schedules and rules; `tick` replaces the template's interval of the probe tick.
    ///
    /// # Errors
    /// A function of the template is not among `jobs`.
    pub fn new(
        template: &Template,
        jobs: &BTreeMap<&'static str, Job>,
        tick: Duration,
        clock: Clock,
    ) -> Result<Self, UnknownJob> {
        let find = |name: &str| {
            let job = jobs.get(name).ok_or_else(|| UnknownJob(name.to_owned()))?;
            Ok(with_timeout(Arc::clone(job), template.timeout(name)))
        };
        let schedules = template.schedules.iter().map(|schedule| {
            Ok(ScheduledJob {
                name: schedule.function.clone(),
                job: find(&schedule.function)?,
                every: if schedule.function == TICK_FUNCTION { tick } else { schedule.every },
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
        for scheduled in self.schedules {
            tasks.spawn(fire(scheduled, self.clock.clone(), stopped.clone()));
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

/// The time until the next multiple of `every` since the epoch: the tick has slots that begin then, and readers are told
/// when the next one is.
fn until_next(now_ms: i64, every: Duration) -> Duration {
    let every_ms = i64::try_from(every.as_millis()).unwrap_or(i64::MAX).max(1);
    Duration::from_millis((every_ms - now_ms.rem_euclid(every_ms)).unsigned_abs())
}

/// A run does not wait for the end of the previous run, because Scheduler does not wait either. A tick during
/// [`MAX_RUNS`] runs is skipped.
async fn fire(scheduled: ScheduledJob, clock: Clock, mut stopped: watch::Receiver<bool>) {
    let mut first = Some(Instant::now() + INITIAL_DELAY.min(scheduled.every));
    let next = Instant::now() + until_next(clock.now().as_millisecond(), scheduled.every);
    let mut interval = tokio::time::interval_at(next, scheduled.every);
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
            let event = input::event(scheduled.input.as_ref(), &scheduled.name, clock.now().timestamp());
            let (name, job) = (scheduled.name.clone(), Arc::clone(&scheduled.job));
            runs.spawn(async move { drop(run(&name, &job, event).await) });
        }
    }
    while runs.join_next().await.is_some() {}
}

async fn deliver(
    rules: Vec<(Rule, Job)>,
    mut bus: mpsc::UnboundedReceiver<Value>,
    stopped: watch::Receiver<bool>,
) {
    let permits = Arc::new(Semaphore::new(MAX_DELIVERIES));
    let mut deliveries = JoinSet::new();
    let receive = async {
        while let Some(event) = bus.recv().await {
            for (rule, job) in rules.iter().filter(|(rule, _)| matches(rule, &event)) {
                let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { return };
                let delivery = Delivery {
                    function: rule.function.clone(),
                    job: Arc::clone(job),
                    event: event.clone(),
                    permits: Arc::clone(&permits),
                    stopped: stopped.clone(),
                };
                match rule.queue {
                    Some(queue) => drop(deliveries.spawn(delivery.until_handled(queue, permit))),
                    None => drop(deliveries.spawn(delivery.once(permit))),
                }
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

/// The delivery of one event to one function.
struct Delivery {
    function: String,
    job: Job,
    event: Value,
    permits: Arc<Semaphore>,
    stopped: watch::Receiver<bool>,
}

impl Delivery {
    async fn once(self, permit: OwnedSemaphorePermit) {
        run(&self.function, &self.job, self.event).await;
        drop(permit);
    }

    /// Delivers the event as a message of SQS, again and again until it is handled.
    async fn until_handled(mut self, queue: Queue, permit: OwnedSemaphorePermit) {
        let mut first = Some(permit);
        for received in 1..=queue.max_receives {
            let permit = match first.take() {
                Some(permit) => permit,
                None => {
                    tokio::select! {
                        _ = self.stopped.wait_for(|stopped| *stopped) => return,
                        () = tokio::time::sleep(queue.visibility_timeout) => {}
                    }
                    let Ok(permit) = Arc::clone(&self.permits).acquire_owned().await else { return };
                    permit
                }
            };
            let report = run(&self.function, &self.job, events::queued(&self.event, received)).await;
            drop(permit);
            if report.is_some_and(|report| !events::is_unhandled(&report)) {
                return;
            }
        }
        tracing::error!(function = self.function, event = %self.event, "the queue gave up a message");
    }
}

fn matches(rule: &Rule, event: &Value) -> bool {
    let is_in =
        |allowed: &[String], value: &Value| allowed.is_empty() || allowed.iter().any(|text| value == text);
    is_in(&rule.source, &event["source"]) && is_in(&rule.detail_type, &event["detail-type"])
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
            Ok(Err(error)) => tracing::error!(error, "expired items were not removed"),
            Err(error) => tracing::error!(%error, "expired items were not removed"),
        }
    }
}

#[cfg(test)]
mod tests;
