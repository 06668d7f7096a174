//! Tests the scheduler: a job that fails, panics or hangs must not affect other jobs. The tests use tokio's
//! paused clock, so they never wait.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::FutureExt;
use registry::events;
use registry::model::Clock;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

use super::{MAX_DELIVERIES, MAX_RUNS, RunningScheduler, SHUTDOWN_TIMEOUT, with_timeout};
use crate::engine::{Data, Embedded};
use crate::functions::{Job, JobFunction, Queue};

const TIMEOUT: Duration = Duration::from_secs(60);

fn function(job: Job, seconds: u64) -> JobFunction {
    JobFunction {
        job,
        timeout: TIMEOUT,
        every: Duration::from_secs(seconds),
        events: Vec::new(),
        queue: None,
    }
}

/// A job that records its events.
fn recorder() -> (Job, mpsc::UnboundedReceiver<Value>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let job: Job = Arc::new(move |event| {
        sender.send(event).unwrap();
        async { Ok(json!({})) }.boxed()
    });
    (job, receiver)
}

fn clock() -> Clock {
    Clock::manual("2026-11-20T12:00:00Z".parse().unwrap())
}

/// Starts a tick that gets events, and a recheck.
fn start(tick: Job, seconds: u64, recheck: Job) -> (RunningScheduler, mpsc::Sender<Value>) {
    let tick = JobFunction { events: vec!["listing.queued"], ..function(tick, seconds) };
    start_functions([("probe-tick", tick), ("weekly-recheck", function(recheck, 3600))].into())
}

fn start_functions(
    functions: BTreeMap<&'static str, JobFunction>,
) -> (RunningScheduler, mpsc::Sender<Value>) {
    let engine = Embedded::open(&Data::Memory, &clock()).unwrap();
    let (bus, events) = mpsc::channel(1000);
    (super::start(functions, &clock(), events, engine), bus)
}

fn drain(receiver: &mut mpsc::UnboundedReceiver<Value>) -> Vec<Value> {
    std::iter::from_fn(|| receiver.try_recv().ok()).collect()
}

fn queued(source: &str, what: &str) -> Value {
    json!({ "source": source, "detail-type": what, "detail": { "listing_id": "agtpub_1" } })
}

#[tokio::test(start_paused = true)]
async fn scheduled_jobs_run_after_the_start_and_then_regularly() {
    let (tick, mut ticks) = recorder();
    let (recheck, mut rechecks) = recorder();
    let (running, _bus) = start(tick, 10, recheck);
    sleep(Duration::from_secs(1)).await;
    let first =
        json!({ "source": "registry.schedule", "detail-type": "probe-tick", "time": "2026-11-20T12:00:00Z" });
    assert_eq!(drain(&mut ticks), [first]);
    assert_eq!(drain(&mut rechecks).len(), 1);
    sleep(Duration::from_secs(60)).await;
    assert_eq!(drain(&mut ticks).len(), 6, "every ten seconds");
    assert_eq!(drain(&mut rechecks).len(), 0);
    sleep(Duration::from_secs(3600)).await;
    assert_eq!(drain(&mut rechecks).len(), 1);
    running.stop().await;
    sleep(Duration::from_secs(3600)).await;
    drain(&mut ticks);
    assert!(ticks.is_closed(), "a job still exists after the stop");

    let late = Clock::manual("2026-11-20T12:00:03Z".parse().unwrap());
    let ((tick, mut ticks), (_bus, events)) = (recorder(), mpsc::channel(1));
    let engine = Embedded::open(&Data::Memory, &late).unwrap();
    let _running = super::start([("probe-tick", function(tick, 10))].into(), &late, events, engine);
    sleep(Duration::from_millis(6900)).await;
    drain(&mut ticks);
    sleep(Duration::from_millis(200)).await;
    assert_eq!(drain(&mut ticks).len(), 1, "at a multiple of the interval");
}

#[tokio::test(start_paused = true)]
async fn bus_delivers_events_that_match_a_rule() {
    let (tick, mut ticks) = recorder();
    let (recheck, mut rechecks) = recorder();
    let (running, bus) = start(tick, 360, recheck);
    sleep(Duration::from_secs(1)).await;
    drain(&mut ticks);
    drain(&mut rechecks);
    for event in [
        queued("elsewhere", "listing.queued"),
        queued("registry", "listing.live"),
        queued("registry", "listing.queued"),
    ] {
        bus.try_send(event).unwrap();
    }
    let event = timeout(Duration::from_secs(1), ticks.recv()).await.unwrap();
    assert_eq!(event, Some(queued("registry", "listing.queued")));
    sleep(Duration::from_secs(1)).await;
    assert_eq!((drain(&mut ticks).len(), drain(&mut rechecks).len()), (0, 0));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn message_of_a_queue_is_delivered_until_it_is_handled() {
    let (visibility_timeout, max_receives) = (Duration::from_secs(180), 5);
    for (handled_at, deliveries) in [(3, 3), (9, 5)] {
        let (sender, mut received) = mpsc::unbounded_channel();
        let job: Job = Arc::new(move |message| {
            let event = events::from_queue(message);
            if event["source"] == "registry.schedule" {
                return async { Ok(json!({})) }.boxed();
            }
            sender.send((Instant::now(), event.clone())).unwrap();
            async move {
                match event["received"].as_u64().unwrap() {
                    1 => Err("the table is busy".to_owned()),
                    received => {
                        let mut report = json!({});
                        if received < handled_at {
                            events::leave_in_queue(&mut report, event["message"].as_str().unwrap());
                        }
                        Ok(report)
                    }
                }
            }
            .boxed()
        });
        let queue = Some(Queue { visibility_timeout, max_receives });
        let tick = JobFunction { events: vec!["listing.queued"], queue, ..function(job, 360) };
        let (running, bus) = start_functions([("probe-tick", tick)].into());
        let mut event = queued("registry", "listing.queued");
        event["id"] = json!("event-1");
        bus.try_send(event.clone()).unwrap();
        sleep(Duration::from_secs(3600)).await;
        running.stop().await;
        let mut times = Vec::new();
        while let Ok((at, mut delivered)) = received.try_recv() {
            assert_eq!(delivered["received"], times.len() + 1);
            assert_eq!(delivered["message"], "event-1");
            delivered
                .as_object_mut()
                .unwrap()
                .retain(|member, _| member != "received" && member != "message");
            assert_eq!(delivered, event);
            times.push(at);
        }
        assert_eq!(times.len(), deliveries);
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= visibility_timeout));
    }
}

#[tokio::test(start_paused = true)]
async fn job_that_fails_or_panics_is_called_again() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    let failing: Job = Arc::new(move |_| {
        let call = counter.fetch_add(1, Ordering::SeqCst);
        async move {
            assert_ne!(call, 1, "the second call panics");
            Err("the others fail".to_owned())
        }
        .boxed()
    });
    let (running, _bus) = start_functions([("probe-tick", function(failing, 10))].into());
    sleep(Duration::from_secs(31)).await;
    assert_eq!(calls.load(Ordering::SeqCst), 4);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn slow_job_overlaps_with_itself_a_limited_number_of_times() {
    let (now, max) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let job = function(slow(&now, &max, Duration::from_secs(25)), 10);
    let (running, _bus) = start_functions([("probe-tick", job)].into());
    sleep(Duration::from_secs(120)).await;
    assert_eq!(max.load(Ordering::SeqCst), MAX_RUNS);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn job_is_stopped_at_the_timeout_of_its_function() {
    let (now, max) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let report = |time| with_timeout(slow(&now, &max, time), TIMEOUT)(json!({}));
    assert_eq!(report(TIMEOUT - Duration::from_secs(1)).await, Ok(json!({})));
    let before = Instant::now();
    assert_eq!(report(TIMEOUT * 2).await, Err("timed out after 60 s".to_owned()));
    assert_eq!(before.elapsed().as_secs(), TIMEOUT.as_secs());

    // The same for the events of the bus and for schedules.
    let (recheck, _rechecks) = recorder();
    let hanging: Job = Arc::new(|_| std::future::pending().boxed());
    let (running, bus) = start(hanging, 3600, recheck);
    for _ in 0..MAX_DELIVERIES {
        bus.try_send(queued("registry", "listing.queued")).unwrap();
    }
    sleep(TIMEOUT + Duration::from_secs(1)).await;
    let before = Instant::now();
    running.stop().await;
    assert_eq!(before.elapsed().as_secs(), 0, "no job is still running");
}

/// A job that takes `time` and counts its concurrent runs.
fn slow(running: &Arc<AtomicUsize>, max: &Arc<AtomicUsize>, time: Duration) -> Job {
    let (running, max) = (Arc::clone(running), Arc::clone(max));
    Arc::new(move |_| {
        let (running, max) = (Arc::clone(&running), Arc::clone(&max));
        async move {
            max.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            sleep(time).await;
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(json!({}))
        }
        .boxed()
    })
}

#[tokio::test(start_paused = true)]
async fn number_of_deliveries_is_bounded_and_stopping_has_a_timeout() {
    let (now, max) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (recheck, _rechecks) = recorder();
    let (running, bus) = start(slow(&now, &max, Duration::from_secs(2)), 360, recheck);
    sleep(Duration::from_secs(10)).await;
    for _ in 0..3 * MAX_DELIVERIES {
        bus.try_send(queued("registry", "listing.queued")).unwrap();
    }
    sleep(Duration::from_secs(3)).await;
    assert_eq!((now.load(Ordering::SeqCst), max.load(Ordering::SeqCst)), (MAX_DELIVERIES, MAX_DELIVERIES));
    running.stop().await;
    assert_eq!(now.load(Ordering::SeqCst), 0, "running jobs were aborted");

    let hanging: Job = Arc::new(|_| std::future::pending().boxed());
    let (running, _bus) = start_functions([("probe-tick", function(hanging, 10))].into());
    sleep(Duration::from_secs(1)).await;
    let before = Instant::now();
    running.stop().await;
    assert!(before.elapsed() < SHUTDOWN_TIMEOUT + Duration::from_secs(1));
}
