//! Short periods on tokio's own clock, which stands still until it is moved: nothing here waits.
//! A job that fails, panics or hangs must not take its neighbours with it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::FutureExt;
use registry::model::Clock;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

use super::{MAX_DELIVERIES, RunningScheduler, SHUTDOWN_TIMEOUT, Scheduler};
use crate::engine::{Data, Embedded};
use crate::functions::Job;
use crate::template::{Rule, Schedule, Template};

fn schedule(function: &str, seconds: u64) -> Schedule {
    let input = json!({ "for": function, "time": "<aws.scheduler.scheduled-time>" });
    Schedule { function: function.to_owned(), every: Duration::from_secs(seconds), input: Some(input) }
}

fn template() -> Template {
    Template {
        schedules: vec![schedule("probe-tick", 360), schedule("weekly-recheck", 3600)],
        rules: vec![Rule {
            function: "probe-tick".to_owned(),
            source: vec!["registry".to_owned()],
            detail_type: vec!["listing.queued".to_owned()],
        }],
        ..Template::default()
    }
}

/// A job that writes down its events.
fn recorder() -> (Job, mpsc::UnboundedReceiver<Value>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let job: Job = Arc::new(move |event| {
        sender.send(event).unwrap();
        async { Ok(json!({})) }.boxed()
    });
    (job, receiver)
}

fn start(jobs: &BTreeMap<&'static str, Job>, tick: u64) -> (RunningScheduler, mpsc::UnboundedSender<Value>) {
    let clock = Clock::manual("2026-11-20T12:00:00Z".parse().unwrap());
    let engine = Embedded::open(&Data::Memory, &clock).unwrap();
    let scheduler = Scheduler::new(&template(), jobs, Duration::from_secs(tick), clock).unwrap();
    let (bus, events) = mpsc::unbounded_channel();
    (scheduler.start(events, engine), bus)
}

fn drain(receiver: &mut mpsc::UnboundedReceiver<Value>) -> Vec<Value> {
    std::iter::from_fn(|| receiver.try_recv().ok()).collect()
}

fn queued(source: &str, what: &str) -> Value {
    json!({ "source": source, "detail-type": what, "detail": { "listing_id": "agtpub_1" } })
}

#[tokio::test(start_paused = true)]
async fn schedules_fire_soon_after_the_start_and_then_in_their_time() {
    let (tick, mut ticks) = recorder();
    let (recheck, mut rechecks) = recorder();
    let (running, _bus) = start(&BTreeMap::from([("probe-tick", tick), ("weekly-recheck", recheck)]), 10);
    sleep(Duration::from_secs(1)).await;
    let first = json!({ "for": "probe-tick", "time": "2026-11-20T12:00:00Z" });
    assert_eq!(drain(&mut ticks), [first]);
    assert_eq!(drain(&mut rechecks).len(), 1);
    sleep(Duration::from_secs(60)).await;
    assert_eq!(drain(&mut ticks).len(), 6, "the setting's ten seconds, not the template's six minutes");
    assert_eq!(drain(&mut rechecks).len(), 0);
    sleep(Duration::from_secs(3600)).await;
    assert_eq!(drain(&mut rechecks).len(), 1);
    running.stop().await;
    sleep(Duration::from_secs(3600)).await;
    drain(&mut ticks);
    assert!(ticks.is_closed(), "a job is still there after the stop");
}

#[tokio::test(start_paused = true)]
async fn the_bus_delivers_what_a_rule_asks_for() {
    let (tick, mut ticks) = recorder();
    let (recheck, mut rechecks) = recorder();
    let (running, bus) = start(&BTreeMap::from([("probe-tick", tick), ("weekly-recheck", recheck)]), 360);
    sleep(Duration::from_secs(1)).await;
    drain(&mut ticks);
    drain(&mut rechecks);
    for event in [
        queued("elsewhere", "listing.queued"),
        queued("registry", "listing.live"),
        queued("registry", "listing.queued"),
    ] {
        bus.send(event).unwrap();
    }
    let event = timeout(Duration::from_secs(1), ticks.recv()).await.unwrap();
    assert_eq!(event, Some(queued("registry", "listing.queued")));
    sleep(Duration::from_secs(1)).await;
    assert_eq!((drain(&mut ticks).len(), drain(&mut rechecks).len()), (0, 0));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_job_that_fails_or_panics_is_called_again() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let bad: Job = Arc::new(move |_| {
        let call = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            assert_ne!(call, 1, "the second call panics");
            Err("the others fail".to_owned())
        }
        .boxed()
    });
    let (recheck, _rechecks) = recorder();
    let (running, _bus) = start(&BTreeMap::from([("probe-tick", bad), ("weekly-recheck", recheck)]), 10);
    sleep(Duration::from_secs(31)).await;
    assert_eq!(calls.load(Ordering::SeqCst), 4);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_job_never_runs_beside_itself_on_its_schedule() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (recheck, _rechecks) = recorder();
    let slow = slow(&now, &most, Duration::from_secs(25));
    let (running, _bus) = start(&BTreeMap::from([("probe-tick", slow), ("weekly-recheck", recheck)]), 10);
    sleep(Duration::from_secs(120)).await;
    assert_eq!(most.load(Ordering::SeqCst), 1);
    running.stop().await;
}

/// A job that takes `time`, and notes how many of it run and how many ran at most.
fn slow(now: &Arc<AtomicUsize>, most: &Arc<AtomicUsize>, time: Duration) -> Job {
    let (now, most) = (Arc::clone(now), Arc::clone(most));
    Arc::new(move |_| {
        let (now, most) = (Arc::clone(&now), Arc::clone(&most));
        async move {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            sleep(time).await;
            now.fetch_sub(1, Ordering::SeqCst);
            Ok(json!({}))
        }
        .boxed()
    })
}

#[tokio::test(start_paused = true)]
async fn deliveries_are_bounded_and_the_stop_waits_for_them_but_not_for_ever() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (recheck, _rechecks) = recorder();
    let slow = slow(&now, &most, Duration::from_secs(2));
    let (running, bus) = start(&BTreeMap::from([("probe-tick", slow), ("weekly-recheck", recheck)]), 360);
    sleep(Duration::from_secs(10)).await;
    for _ in 0..3 * MAX_DELIVERIES {
        bus.send(queued("registry", "listing.queued")).unwrap();
    }
    sleep(Duration::from_secs(3)).await;
    assert_eq!((now.load(Ordering::SeqCst), most.load(Ordering::SeqCst)), (MAX_DELIVERIES, MAX_DELIVERIES));
    running.stop().await;
    assert_eq!(now.load(Ordering::SeqCst), 0, "work that had begun was cut short");

    let hanging: Job = Arc::new(|_| std::future::pending().boxed());
    let (recheck, _rechecks) = recorder();
    let (running, _bus) = start(&BTreeMap::from([("probe-tick", hanging), ("weekly-recheck", recheck)]), 10);
    sleep(Duration::from_secs(1)).await;
    let before = Instant::now();
    running.stop().await;
    assert!(before.elapsed() < SHUTDOWN_TIMEOUT + Duration::from_secs(1));
}

#[test]
fn an_unknown_function_stops_the_start() {
    let (tick, _ticks) = recorder();
    let jobs = BTreeMap::from([("probe-tick", tick)]);
    let error = Scheduler::new(&template(), &jobs, Duration::from_secs(360), Clock::System).err().unwrap();
    assert_eq!(
        error.to_string(),
        "the template sends events to function `weekly-recheck`, which is not part of this binary"
    );
}
