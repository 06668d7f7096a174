//! The functions in this binary, by crate name. The template uses the same names. Add a new function here.
//! The template decides which requests and events the function gets.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

use axum::Router;
use futures::future::{BoxFuture, FutureExt, TryFutureExt};
use registry::app::App;
use registry::events;
use serde_json::Value;

/// A function that is called with an event and returns its report or an error message.
pub type Job = Arc<dyn Fn(Value) -> BoxFuture<'static, Result<Value, String>> + Send + Sync>;

pub fn http(app: &App) -> BTreeMap<&'static str, Router> {
    BTreeMap::from([
        ("a2a", a2a::router(app.clone())),
        ("listings", listings::router(app.clone())),
        ("pages", pages::router(app.clone())),
        ("payment-webhook", payment_webhook::router(app.clone())),
        ("products", products::router(app.clone())),
        ("protocol", protocol::router(app.clone())),
        ("publish", publish::router(app.clone())),
        ("talk", talk::router(app.clone())),
        ("well-known", well_known::router(app.clone())),
    ])
}

/// The functions of the schedules and the bus.
pub fn jobs(app: &App) -> BTreeMap<&'static str, Job> {
    BTreeMap::from([
        job("daily-connector", app, |app, event| async move { daily_connector::handle(&app, event).await }),
        job("probe-tick", app, |app, event| async move { probe_tick::handle(&app, event).await }),
        job("search-index", app, |app, event| async move { search_index::handle(&app, event).await }),
        job("weekly-recheck", app, |app, event| async move { weekly_recheck::handle(&app, event).await }),
    ])
}

/// The function of the operator's commands.
pub fn operator(app: &App) -> Job {
    job("operator", app, |app, event| async move { operator::handle(&app, event).await }).1
}

fn job<F, D, E>(name: &'static str, app: &App, handle: F) -> (&'static str, Job)
where
    F: Fn(App, Value) -> D + Send + Sync + 'static,
    D: Future<Output = Result<Value, E>> + Send + 'static,
    E: Display,
{
    let app = app.clone();
    let job = move |event: Value| {
        let (own_id, event) = (format!("{name}-{}", app.clock.now()), events::from_queue(event));
        let work = handle(app.clone(), event.clone()).map_err(|error| error.to_string());
        events::handled(name, &event, own_id, work).boxed()
    };
    (name, Arc::new(job))
}
