//! The functions in this binary, by crate name, with what the template configures for each of them: paths, timeouts,
//! schedules and events. Tests compare this with the template. Add a new function here.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use futures::future::{BoxFuture, FutureExt, TryFutureExt};
use registry::app::App;
use registry::error::chain;
use registry::events::{self, RECHECK_PART, What};
use serde_json::Value;

/// The function that also gets the requests for all other paths (the route `$default`).
pub const DEFAULT: &str = "well-known";

#[derive(Clone, Debug)]
pub struct HttpFunction {
    pub router: Router,
    /// How long a request may take.
    pub timeout: Duration,
    /// A slash at the end stands for all paths below.
    pub paths: &'static [&'static str],
}

pub fn http(app: &App) -> BTreeMap<&'static str, HttpFunction> {
    let function = |router: fn(App) -> Router, seconds, paths| HttpFunction {
        router: router(app.clone()),
        timeout: Duration::from_secs(seconds),
        paths,
    };
    BTreeMap::from([
        ("a2a", function(a2a::router, 29, a2a::PATHS)),
        ("listings", function(listings::router, 15, listings::PATHS)),
        ("products", function(products::router, 29, products::PATHS)),
        ("protocol", function(protocol::router, 29, protocol::PATHS)),
        ("publish", function(publish::router, 29, publish::PATHS)),
        ("talk", function(talk::router, 15, talk::PATHS)),
        (DEFAULT, function(well_known::router, 15, well_known::PATHS)),
    ])
}

/// Calls a function with an event; returns its report or an error message.
pub type Job = Arc<dyn Fn(Value) -> BoxFuture<'static, Result<Value, String>> + Send + Sync>;

#[derive(Clone)]
pub struct JobFunction {
    pub job: Job,
    /// How long a run may take.
    pub timeout: Duration,
    /// The time between two events of its schedule.
    pub every: Duration,
    /// The types of the events on the bus that it gets.
    pub events: Vec<&'static str>,
    /// The queue between the bus and the function; without one, the bus calls the function.
    pub queue: Option<Queue>,
}

#[derive(Clone, Copy, Debug)]
pub struct Queue {
    /// After this time, a message that was not handled is delivered again.
    pub visibility_timeout: Duration,
    /// How often a message is delivered.
    pub max_receives: u32,
}

pub fn jobs(app: &App) -> BTreeMap<&'static str, JobFunction> {
    let seconds = Duration::from_secs;
    let queue = |timeout| Some(Queue { visibility_timeout: seconds(timeout), max_receives: 10 });
    let function = |job, timeout, every, events: &[&'static str], queue| JobFunction {
        job,
        timeout: seconds(timeout),
        every,
        events: events.to_vec(),
        queue,
    };
    let connector =
        job("daily-connector", app, |app, event| async move { daily_connector::handle(&app, event).await });
    let tick = job("probe-tick", app, |app, event| async move { probe_tick::handle(&app, event).await });
    let index = job("search-index", app, |app, event| async move { search_index::handle(&app, event).await });
    let recheck =
        job("weekly-recheck", app, |app, event| async move { weekly_recheck::handle(&app, event).await });
    let changed = [What::Live, What::Gated, What::Demoted, What::Withdrawn].map(What::as_str);
    BTreeMap::from([
        ("daily-connector", function(connector, 300, seconds(3600), &[], None)),
        // `PROBE_TICK_SECONDS` replaces its schedule.
        ("probe-tick", function(tick, 180, app.settings.tick(), &[What::Queued.as_str()], queue(180))),
        ("search-index", function(index, 120, seconds(60), &changed, queue(240))),
        ("weekly-recheck", function(recheck, 900, seconds(3600), &[RECHECK_PART], None)),
    ])
}

pub fn operator(app: &App) -> Job {
    job("operator", app, |app, event| async move { operator::handle(&app, event).await })
}

fn job<F, D, E>(name: &'static str, app: &App, handle: F) -> Job
where
    F: Fn(App, Value) -> D + Send + Sync + 'static,
    D: Future<Output = Result<Value, E>> + Send + 'static,
    E: Error,
{
    let app = app.clone();
    Arc::new(move |event: Value| {
        let (own_id, event) = (format!("{name}-{}", app.clock.now()), events::from_queue(event));
        let work = handle(app.clone(), event.clone()).map_err(|error| chain(&error));
        events::handled(name, &event, own_id, work).boxed()
    })
}
