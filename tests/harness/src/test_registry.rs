//! A complete registry for one test. It has the real gateway on a free port and a table in memory. Only the
//! test moves its clock, and its random numbers have a fixed seed. It runs no schedules. Each test has its
//! own registry, so tests run in parallel.

mod options;
mod reply;
mod requests;
mod steps;
mod table;

use std::collections::HashMap;
use std::fmt::Display;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use jiff::SignedDuration;
use local::{Embedded, Local};
use registry::app::App;
use registry::model::{Clock, ListingId, Moment};
use registry::store::Store;
use serde_json::{Value, json};
use tokio::sync::mpsc::Receiver;

use crate::instrumented::{Calls, Denials, Fault, Observer, as_function};
use crate::peers::Peer;
use crate::{chroma, ports};

pub use options::TestOptions;
pub use reply::{Reply, snapshot_of};
pub use requests::{client, client_from, for_whole_answer, plain_client};
pub use table::Table;

/// The start time of tests: a Friday noon, in the middle of an ISO week and far from midnight.
pub const NOON: &str = "2026-11-20T12:00:00Z";

/// The interval of ticks, and the minimum time between two probes of one listing.
pub const TICK: Duration = Duration::from_secs(360);

pub const HOUR: Duration = Duration::from_secs(3600);

pub const DAY: Duration = Duration::from_secs(86_400);

#[derive(Debug)]
pub struct TestRegistry {
    /// The `App` that all functions share.
    pub app: App,
    /// Counts the table calls, and injects faults.
    pub observer: Observer,
    local: Local,
    is_delivered_twice: bool,
    http: reqwest::Client,
    _denials: CheckedDenials,
    events: Mutex<Receiver<Value>>,
}

impl TestRegistry {
    /// Starts a registry with the limits of the specification, development rules and no rate limits.
    pub async fn start() -> Self {
        Self::start_with(TestOptions::default()).await
    }

    /// Starts a registry whose probe budget is enough for a fleet in one period.
    pub async fn start_for_fleet() -> Self {
        Self::start_with_setting("PROBE_WINDOW_CAP", 1000).await
    }

    /// Starts a registry with options. With the URL of a Chroma server in `SEARCH_BACKEND`, the registry uses a new database
    /// of this server, unless the options contain one.
    pub async fn start_with(options: TestOptions) -> Self {
        let options = match std::env::var("SEARCH_BACKEND") {
            Ok(server) if !options.has_setting("SEARCH_BACKEND_URL") => {
                options.with_setting("SEARCH_BACKEND_URL", chroma::database(&server).await)
            }
            _ => options,
        };
        let observer = Observer::default();
        let is_delivered_twice = options.is_delivered_twice;
        let lags = options.lags();
        let mut local = Local::start(options.into_local(observer.clone())).await.unwrap();
        ports::allow(local.address.port());
        if lags {
            let table = local.engine.clone();
            let (name, clock) = (&local.app.settings.table_name, &local.app.clock);
            let replica = table::copied(&local::engine::client(table.clone()), name, clock).await;
            observer.lag.start(table, replica, clock.clone());
        }
        let events = local.events.take().unwrap();
        Self {
            app: local.app.clone(),
            _denials: CheckedDenials(observer.denials.clone()),
            observer,
            local,
            is_delivered_twice,
            http: client(),
            events: Mutex::new(events),
        }
    }

    pub fn url(&self, path: &str) -> String {
        self.local.url(path)
    }

    pub fn now(&self) -> Moment {
        self.app.clock.now()
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        assert!(matches!(self.app.clock, Clock::Manual(_)), "this registry uses the machine's clock");
        self.app.clock.advance(by);
    }

    /// Moves the clock forward to a moment.
    pub fn advance_to(&self, moment: Moment) {
        let ahead = moment.duration_since(self.now());
        self.advance(ahead.try_into().unwrap_or_else(|_| panic!("{moment} is past")));
    }

    /// Moves the clock forward or back, as a correction of a machine's clock.
    pub fn step_clock(&self, by: SignedDuration) {
        let Clock::Manual(millis) = &self.app.clock else { panic!("this registry uses the machine's clock") };
        millis.fetch_add(i64::try_from(by.as_millis()).unwrap(), Ordering::SeqCst);
    }

    /// Starts a registry with the value of one setting.
    pub async fn start_with_setting(name: &str, value: impl ToString) -> Self {
        Self::start_with(TestOptions::default().with_setting(name, value)).await
    }

    /// The result of `work`, of which the next `times` calls of a table operation get a fault.
    pub async fn with_fault<F: Future>(
        &self,
        operation: &str,
        fault: Fault,
        times: usize,
        work: F,
    ) -> F::Output {
        self.observer.faults.arm(operation, fault, times);
        let result = work.await;
        self.observer.faults.disarm();
        result
    }

    /// The result of `work`, and its table calls.
    pub async fn counted<F: Future>(&self, work: F) -> (F::Output, Calls) {
        let before = self.observer.tally.snapshot();
        let result = work.await;
        (result, self.observer.tally.since(&before))
    }

    /// Publishes; returns the reply.
    pub async fn publish(&self, body: &Value) -> Value {
        let reply = self.post("/api/publish", body).await;
        assert_eq!(reply.status, 200, "{body} was refused: {reply:?}");
        reply.body
    }

    /// Publishes the card at a URL; returns the listing id.
    pub async fn publish_card(&self, url: &str) -> ListingId {
        id_of(&self.publish(&json!({ "agent_card_url": url })).await)
    }

    /// Publishes the MCP endpoint at a URL; returns the listing id.
    pub async fn publish_mcp(&self, url: &str) -> ListingId {
        id_of(&self.publish(&json!({ "mcp_url": url })).await)
    }

    /// Publishes these cards of [`crate::peers::agents::fleet`].
    pub async fn publish_fleet<N: Display>(
        &self,
        peer: &Peer,
        numbers: impl IntoIterator<Item = N>,
    ) -> Vec<ListingId> {
        let mut ids = Vec::new();
        for number in numbers {
            ids.push(self.publish_card(&peer.url(&format!("/{number}/card.json"))).await);
        }
        ids
    }

    /// Withdraws a listing as the operator does; returns the report.
    pub async fn withdraw(&self, id: &ListingId, reason: &str) -> Value {
        self.run("operator", json!({ "command": "withdraw", "listing_id": id, "reason": reason })).await
    }

    /// Restores a withdrawn listing as the operator does; returns the report.
    pub async fn restore(&self, id: &ListingId) -> Value {
        self.run("operator", json!({ "command": "restore", "listing_id": id })).await
    }

    /// The draft of a feedback, from the demo of a listing.
    pub async fn draft(&self, id: &ListingId) -> Value {
        let demo = self.post("/api/products/demo", &json!({ "listing_id": id })).await.ok();
        demo["next_steps"]["example_body"].clone()
    }

    pub async fn status(&self, id: &ListingId) -> Value {
        self.get(&format!("/api/listings/status?id={id}")).await.ok()
    }

    /// Delivers the events, such as those of first probes; returns the status of a listing after that.
    pub async fn probed_status(&self, id: &ListingId) -> Value {
        self.deliver_events().await;
        self.status(id).await
    }

    /// Delivers the events; returns the counts of Live agents and MCP servers after that.
    pub async fn delivered_counts(&self) -> (u64, u64) {
        self.deliver_events().await;
        self.live_counts().await
    }

    /// Delivers the events; the listing must be Live then.
    pub async fn deliver_to_live(&self, id: &ListingId) {
        let status = self.probed_status(id).await;
        assert_eq!(status["lane"], "active", "{status}");
    }

    pub async fn lane(&self, id: &ListingId) -> String {
        self.status(id).await["lane"].as_str().unwrap().to_owned()
    }

    pub async fn reason_codes(&self, id: &ListingId) -> Vec<String> {
        let status = self.status(id).await;
        status["reasons"].as_array().unwrap().iter().map(|r| r["code"].as_str().unwrap().to_owned()).collect()
    }

    /// The counts of Live agents and MCP servers in the active list.
    pub async fn live_counts(&self) -> (u64, u64) {
        let counts = &self.get("/api/listings/active").await.body["counts"];
        (counts["agents_active"].as_u64().unwrap(), counts["mcp_active"].as_u64().unwrap())
    }

    /// The types of the feed items, newest first.
    pub async fn feed_types(&self) -> Vec<String> {
        self.settle();
        let feed = self.get("/api/feed?limit=100").await.body;
        let items = feed["items"].as_array().unwrap().iter();
        items.map(|item| item["type"].as_str().unwrap().to_owned()).collect()
    }

    pub async fn probe_statistics(&self) -> Value {
        self.get("/api/probes").await.ok()
    }

    /// The bus events since the last call.
    pub fn events(&self) -> Vec<Value> {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        std::iter::from_fn(|| events.try_recv().ok()).collect()
    }

    /// From now on the bus accepts no events, and its undelivered events are lost.
    pub fn cut_bus(&self) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).close();
        self.events();
    }

    /// Delivers the events on the bus a second later, as its rules do: every `listing.queued` starts a first probe, and Live
    /// listings are added to the search index. Two deliveries of an event overlap. Returns the events.
    pub async fn deliver_events(&self) -> Vec<Value> {
        let events = self.events();
        self.app.clock.advance(Duration::from_secs(1));
        for event in events.iter().filter(|event| event["detail-type"] == "listing.queued") {
            let delivery = || self.run_once("probe-tick", event.clone());
            if self.is_delivered_twice {
                futures::try_join!(delivery(), delivery()).map(drop)
            } else {
                delivery().await.map(drop)
            }
            .unwrap_or_else(|error| panic!("{event}: {error}"));
        }
        self.index().await;
        events
    }

    /// The table as another process on AWS reads it.
    pub fn other_process(&self) -> Store {
        let client = local::engine::client(self.local.engine.clone());
        Store::of_many_writers(client, &self.app.settings.table_name, self.app.clock.clone())
    }

    /// Runs a function that has no route, with its rights.
    pub async fn run(&self, function: &str, event: Value) -> Value {
        self.try_run(function, event).await.unwrap_or_else(|error| panic!("{function}: {error}"))
    }

    /// Runs a function that has no route, with its rights; returns its report or its error. Afterwards, the same event is
    /// delivered once more, unless it is a command of the operator. Then the replicas catch up.
    pub async fn try_run(&self, function: &str, event: Value) -> Result<Value, String> {
        // Schedules fire long after most writes.
        self.settle();
        let report = self.run_once(function, event.clone()).await;
        if self.is_delivered_twice && function != "operator" && report.is_ok() {
            self.run_once(function, event).await?;
        }
        self.settle();
        report
    }

    /// Waits until eventually consistent reads see all writes.
    pub fn settle(&self) {
        self.observer.lag.settle();
    }

    async fn run_once(&self, function: &str, event: Value) -> Result<Value, String> {
        let (name, job) = match local::functions::jobs(&self.app).remove_entry(function) {
            Some((name, function)) => (name, function.job),
            None => ("operator", local::functions::operator(&self.app)),
        };
        as_function(name, job(event)).await
    }

    /// Updates the search index, as an event or the schedule does.
    pub async fn index(&self) -> Value {
        self.run("search-index", json!({ "detail-type": "search-index" })).await
    }

    /// Runs the first probe of a listing, as its event does.
    pub async fn first_probe(&self, id: &ListingId) -> Value {
        self.run("probe-tick", listing_queued_event(id)).await
    }

    pub async fn tick(&self) -> Value {
        self.run("probe-tick", json!({ "detail-type": "probe-tick" })).await
    }

    /// Runs a tick of the schedule this much later.
    pub async fn tick_after(&self, wait: Duration) -> Value {
        self.advance(wait);
        self.tick().await
    }

    /// Runs the weekly recheck, as every hour.
    pub async fn recheck(&self) -> Value {
        self.run("weekly-recheck", json!({ "detail-type": "weekly-recheck" })).await
    }

    /// Runs the weekly recheck this much later.
    pub async fn recheck_after(&self, wait: Duration) -> Value {
        self.advance(wait);
        self.recheck().await
    }

    /// Runs outreach, as every hour.
    pub async fn reach_out(&self) -> Value {
        self.run("daily-connector", json!({ "detail-type": "daily-connector" })).await
    }

    /// Publishes a card and probes it a second later; the listing must go Live.
    pub async fn live_card(&self, url: &str) -> ListingId {
        let id = self.publish_card(url).await;
        self.app.clock.advance(Duration::from_secs(1));
        self.first_probe(&id).await;
        assert_eq!(self.lane(&id).await, "active", "{}", self.status(&id).await);
        id
    }

    /// Lets agents of a fleet go Live that are not yet in the index.
    pub async fn live_agents(&self, fleet: &Peer, numbers: Range<u32>) -> Vec<ListingId> {
        let mut ids = Vec::new();
        for number in numbers {
            ids.push(self.live_card(&fleet.url(&format!("/{number}/card.json"))).await);
        }
        ids
    }

    /// The whole table. This read is not counted by the observer.
    pub async fn table(&self) -> Table {
        Table::read(&local::engine::client(self.local.engine.clone()), &self.app.settings.table_name).await
    }

    /// The raw items whose partition key begins with `prefix`.
    pub async fn items(&self, prefix: &str) -> Vec<HashMap<String, AttributeValue>> {
        let client = local::engine::client(self.local.engine.clone());
        let scan = client.scan().table_name(&self.app.settings.table_name).consistent_read(true);
        let prefix = AttributeValue::S(prefix.to_owned());
        let scan = scan.filter_expression("begins_with(pk, :prefix)");
        let items = scan.expression_attribute_values(":prefix", prefix).into_paginator().items().send();
        items.try_collect().await.unwrap()
    }

    /// Deletes an item, without the observer.
    pub async fn forget(&self, pk: &str, sk: &str) {
        let key = |text: &str| AttributeValue::S(text.to_owned());
        let client = self.unobserved();
        let deletion = client.delete_item().table_name(&self.app.settings.table_name);
        deletion.key("pk", key(pk)).key("sk", key(sk)).send().await.unwrap();
    }

    /// A client that only the replica sees.
    fn unobserved(&self) -> aws_sdk_dynamodb::Client {
        let observer = Observer { lag: self.observer.lag.clone(), ..Observer::default() };
        observer.client(self.local.engine.clone())
    }

    /// Overwrites an attribute of an item, without the observer.
    pub async fn overwrite(&self, pk: &str, sk: &str, name: &str, value: AttributeValue) {
        let key = |text: &str| AttributeValue::S(text.to_owned());
        let client = self.unobserved();
        let update = client.update_item().table_name(&self.app.settings.table_name);
        let update = update.key("pk", key(pk)).key("sk", key(sk)).update_expression("SET #name = :value");
        let update =
            update.expression_attribute_names("#name", name).expression_attribute_values(":value", value);
        update.send().await.unwrap();
    }

    /// A copy of the current table, in a new engine.
    pub async fn copy_of_table(&self) -> Embedded {
        let name = &self.app.settings.table_name;
        table::copied(&local::engine::client(self.local.engine.clone()), name, &Clock::System).await
    }

    /// Deletes expired items, as DynamoDB does at some time.
    pub fn sweep_expired(&self) -> usize {
        self.observer.lag.sweep_expired();
        self.local.engine.sweep_expired().unwrap()
    }

    pub async fn stop(self) {
        self.local.stop().await;
    }
}

/// Fails the test where a function did something to the table to which it has no right on AWS.
#[derive(Debug)]
struct CheckedDenials(Denials);

impl Drop for CheckedDenials {
    fn drop(&mut self) {
        let denials = self.0.snapshot();
        for denial in &denials {
            eprintln!("{denial}");
        }
        assert!(denials.is_empty() || std::thread::panicking(), "a function has no right to what it did");
    }
}

/// The event that a publish sends to the bus.
pub fn listing_queued_event(id: &ListingId) -> Value {
    json!({ "source": "registry", "detail-type": "listing.queued", "detail": { "listing_id": id } })
}

/// The listing id in a publish reply or a row.
pub fn id_of(answer: &Value) -> ListingId {
    let id = answer["listing_id"].as_str().unwrap_or_else(|| panic!("no listing_id in {answer}"));
    id.parse().unwrap()
}
