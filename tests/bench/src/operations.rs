//! Measures the cost of each request: the table operations and units, counted in the SDK's connector, and the time to
//! reply. `growth` uses this module with more and more listings, and checks the values that must not grow.

use std::time::{Duration, Instant};

use local::engine::instrumented::{Calls, Units};
use local::{Local, Observer};
use registry::model::{Clock, ListingId};
use registry::probe::run;
use serde_json::{Value, json};

use crate::Failure;
use crate::client::{self, Connection};
use crate::load::quantile;
use crate::peers::{self, CARD, Manner};

/// Sizes of a small and a large sweep, both within the limit. Their difference is the cost of verdicts.
const SWEEP_SIZES: [usize; 2] = [20, 60];
/// Timed runs of a read request.
const READ_RUNS: usize = 31;
/// Timed runs of a write request, each with another listing.
const WRITE_RUNS: usize = 9;

/// The cost of one kind of request.
#[derive(Clone, Debug)]
pub(crate) struct Cost {
    /// Its name in the report.
    pub(crate) name: &'static str,
    /// Table operations.
    pub(crate) calls: f64,
    /// The table operations as text.
    pub(crate) words: String,
    /// Limit for table operations.
    pub(crate) limit: f64,
    /// Billed table units.
    pub(crate) units: Units,
    /// Median time over one connection, in milliseconds; `None` if it is not a request.
    pub(crate) median_ms: Option<f64>,
    /// The operations are an average over several items, so they may be fractional.
    pub(crate) varies: bool,
}

/// Path and body of a request about a listing.
type BuildRequest = dyn Fn(&ListingId) -> (&'static str, Value) + Send + Sync;

/// The subjects of the requests.
#[derive(Clone, Debug)]
pub(crate) struct Subjects {
    /// Live listings that have not taken a demo.
    pub(crate) ids: Vec<ListingId>,
    /// The name of the first listing, encoded for a query.
    pub(crate) name: String,
}

/// Table calls and units between two times.
#[derive(Clone, Debug)]
struct Used {
    calls: Calls,
    units: Units,
}

impl Used {
    fn cost(&self, name: &'static str, limit: f64, median_ms: impl Into<Option<f64>>) -> Cost {
        Cost {
            name,
            calls: self.calls.total() as f64,
            words: words(&self.calls),
            limit,
            units: self.units,
            median_ms: median_ms.into(),
            varies: false,
        }
    }
}

/// Counts requests to a running registry.
pub(crate) struct Counter<'a> {
    local: &'a Local,
    observer: &'a Observer,
    clock: &'a Clock,
    connection: Connection,
    peer: String,
    published: usize,
}

impl<'a> Counter<'a> {
    /// A counter with the observer of this registry. It moves the clock.
    ///
    /// # Errors
    /// The registry cannot be reached.
    pub(crate) async fn new(
        local: &'a Local,
        observer: &'a Observer,
        clock: &'a Clock,
    ) -> Result<Self, Failure> {
        let connection = Connection::open(local.address).await?;
        let peer = peers::start(Manner::Sound).await?;
        Ok(Self { local, observer, clock, connection, peer, published: 0 })
    }

    /// Costs of requests that depend on the table and not on the search index.
    ///
    /// # Errors
    /// A reply is wrong.
    pub(crate) async fn table_bound(&mut self, subjects: &Subjects) -> Result<Vec<Cost>, Failure> {
        let Subjects { ids, name, .. } = subjects;
        let (Some(id), others) = (ids.first(), ids.iter().skip(1).take(WRITE_RUNS)) else {
            return Err("nothing was seeded".into());
        };
        let mut costs = Vec::new();
        let rendered = self.read("/api/listings/active").await?;
        // Before the other pages evict it from the cache.
        let unchanged = self.read("/api/listings/active").await?;
        let unchanged_median =
            self.median_ms(&vec![client::get("/api/listings/active", ""); READ_RUNS]).await?;
        // Pages of different lengths, because equal requests are cached.
        let pages =
            (0..READ_RUNS).map(|n| client::get(&format!("/api/listings/active?limit={}", 35 + n), ""));
        let median_ms = self.median_ms(&pages.collect::<Vec<_>>()).await?;
        costs.push(rendered.cost("active page, rendered again", 3.0, median_ms));
        costs.push(unchanged.cost("active page, unchanged", 3.0, unchanged_median));
        // Loads the search index, which each process reads once. The registry API and demos use it.
        self.read("/api/match?q=adder").await?;
        for (name, limit, path) in [
            ("status by id", 2.0, format!("/api/listings/status?id={id}")),
            // Two more than by id, for the look-up of the name and the listings that have it.
            ("status by name", 4.0, format!("/api/listings/status?name={name}")),
            ("feed", 2.0, "/api/feed".to_owned()),
            ("registry API, 30 servers", 3.0, "/v0.1/servers?limit=30".to_owned()),
        ] {
            let used = self.read(&path).await?;
            let repeated = vec![client::get(&path, ""); READ_RUNS];
            let median_ms = self.median_ms(&repeated).await?;
            costs.push(used.cost(name, limit, median_ms));
        }
        costs.push(self.publish_cost().await?);

        let demo = |id: &ListingId| ("/api/products/demo", json!({ "listing_id": id }));
        let feedback = |id: &ListingId| {
            let answers = json!({ "tried": "It.", "ux_friction": "None.", "product_one_ship": "Less.",
                "overall": "Kept.", "would_buy": "maybe" });
            ("/api/products/feedback", json!({ "listing_id": id, "rating": 4, "answers": answers }))
        };
        for (name, of) in
            [("demo, for the first time", &demo as &BuildRequest), ("feedback", &feedback as &BuildRequest)]
        {
            let (path, body) = of(id);
            let used = self.write(path, &body).await?;
            let mut times = Vec::new();
            for other in others.clone() {
                let (path, body) = of(other);
                times.push(self.timed(path, &body).await?);
            }
            costs.push(used.cost(name, 6.0, quantile(&times, 0.5)));
        }
        Ok(costs)
    }

    /// All costs.
    ///
    /// # Errors
    /// A reply is wrong.
    pub(crate) async fn all(mut self, subjects: &Subjects) -> Result<Vec<Cost>, Failure> {
        let mut costs = self.table_bound(subjects).await?;
        for (name, limit, path) in [
            ("match", 2.0, "/api/match?q=reads%20tables".to_owned()),
            ("ARD search", 2.0, "/api/ard/search?q=reads%20tables".to_owned()),
            ("sense", 3.0, format!("/api/products/stigmergy?action=sense&listing_id={}", subjects.ids[0])),
            ("follow the hot trail", 3.0, "/api/products/stigmergy?action=follow&kind=hot".to_owned()),
        ] {
            let used = self.read(&path).await?;
            let median_ms = self.median_ms(&vec![client::get(&path, ""); READ_RUNS]).await?;
            costs.push(used.cost(name, limit, median_ms));
        }
        let deposits = self.settle().await;
        costs.push(deposits.cost("deposits of reads, written every 30 seconds", 2.0, None::<f64>));
        self.sweep().await?;
        let mut swept = Vec::new();
        for size in SWEEP_SIZES {
            for _ in 0..size {
                self.publish().await?;
            }
            swept.push(self.sweep().await?);
        }
        costs.push(verdict(&swept)?);
        Ok(costs)
    }

    /// The most expensive of publishing a new listing, the same again, and a server.json. The time is that of a new listing.
    async fn publish_cost(&mut self) -> Result<Cost, Failure> {
        // The first publish of a process also reads the key for the digests of callers, and the blocked hosts.
        self.publish().await?;
        let new = self.publish().await?;
        self.published -= 1;
        let again = self.publish().await?;
        let described = self.publish_described().await?;
        let mut times = Vec::new();
        for _ in 0..WRITE_RUNS {
            let body = self.next_agent();
            times.push(self.timed("/api/publish", &body).await?);
        }
        let highest = [new, again, described].into_iter().max_by_key(|used| used.calls.total());
        let highest = highest.ok_or("nothing was published")?;
        // Three of these count for the rate limits: of the caller, of the host and of all callers.
        Ok(highest.cost("publish: highest of new, again, described", 7.0, quantile(&times, 0.5)))
    }

    fn begin(&self) -> Calls {
        self.observer.meter.start();
        self.observer.tally.snapshot()
    }

    fn end(&self, before: &Calls) -> Used {
        Used { calls: self.observer.tally.since(before), units: self.observer.meter.stop() }
    }

    async fn read(&mut self, path: &str) -> Result<Used, Failure> {
        self.settle().await;
        let before = self.begin();
        expect(self.connection.request(&client::get(path, "")).await?, path)?;
        Ok(self.end(&before))
    }

    async fn write(&mut self, path: &str, body: &Value) -> Result<Used, Failure> {
        self.settle().await;
        let before = self.begin();
        expect(self.connection.request(&client::post(path, &body.to_string())).await?, path)?;
        Ok(self.end(&before))
    }

    /// Median time of the replies, in milliseconds.
    async fn median_ms(&mut self, requests: &[Vec<u8>]) -> Result<f64, Failure> {
        let mut times = Vec::with_capacity(requests.len());
        for request in requests {
            let began = Instant::now();
            let answer = self.connection.request(request).await?;
            times.push(began.elapsed().as_secs_f64() * 1000.0);
            expect(answer, "a timed request")?;
        }
        Ok(quantile(&times, 0.5))
    }

    /// Time of one reply, in milliseconds. Stays within the hourly rate limit of one caller.
    async fn timed(&mut self, path: &str, body: &Value) -> Result<f64, Failure> {
        self.clock.advance(Duration::from_secs(90));
        self.median_ms(&[client::post(path, &body.to_string())]).await
    }

    /// An agent of the peer that is not listed yet.
    fn next_agent(&mut self) -> Value {
        self.published += 1;
        let url = format!("{}/agents/{}{CARD}", self.peer, self.published);
        json!({ "agent_card_url": url, "contact_email": "owner@example.com" })
    }

    async fn publish(&mut self) -> Result<Used, Failure> {
        let body = self.next_agent();
        self.send(&body).await
    }

    async fn publish_described(&mut self) -> Result<Used, Failure> {
        let document = json!({
            "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
            "name": format!("io.github.example/adder-{}", self.local.app.random.hex(4)),
            "description": "Adds up numbers from tables.",
            "version": "1.0.0",
            "remotes": [{ "type": "streamable-http", "url": format!("{}/mcp", self.peer) }],
        });
        self.send(&document).await
    }

    async fn send(&mut self, body: &Value) -> Result<Used, Failure> {
        // Stays within the hourly rate limit of one caller.
        self.clock.advance(Duration::from_secs(90));
        self.write("/api/publish", body).await
    }

    /// Writes pending deposits of earlier reads, which would otherwise count for the next request.
    async fn settle(&self) -> Used {
        self.clock.advance(Duration::from_secs(31));
        let before = self.begin();
        self.local.app.pending_deposits.flush(&self.local.app.store, self.clock.now()).await;
        self.end(&before)
    }

    /// One tick over all due listings, in a new slot and with a new budget.
    async fn sweep(&mut self) -> Result<(u32, Used), Failure> {
        self.clock.advance(Duration::from_secs(3600));
        let before = self.begin();
        let swept = run::tick(&self.local.app, None).await?;
        if swept.ok != swept.claimed {
            return Err(format!("a sound peer failed: {swept:?}").into());
        }
        Ok((swept.claimed, self.end(&before)))
    }
}

fn expect(answer: client::Answer<'_>, path: &str) -> Result<(), Failure> {
    match answer.status {
        200 => Ok(()),
        status => Err(format!("{path} returned {status}: {}", String::from_utf8_lossy(answer.body)).into()),
    }
}

/// The cost of one more verdict in a sweep: its transaction, and other operations. The number of budget transactions of a
/// sweep differs between runs, so they are part of the other operations. A verdict itself is one transaction.
fn verdict(swept: &[(u32, Used)]) -> Result<Cost, Failure> {
    let [(few, small), (many, large)] = swept else { return Err("expected two sweeps".into()) };
    if (*few as usize, *many as usize) != (SWEEP_SIZES[0], SWEEP_SIZES[1]) {
        return Err(format!("{few} and {many} listings were swept instead of {SWEEP_SIZES:?}").into());
    }
    let more = f64::from(many - few);
    let of = |count: &dyn Fn(&Used) -> f64| (count(large) - count(small)) / more;
    let all = of(&|used| used.calls.total() as f64);
    let rest = all - 1.0;
    let words = format!("1 transaction and {rest:.2}, with its share of the budget");
    let units = Units { read: of(&|used| used.units.read), write: of(&|used| used.units.write) };
    Ok(Cost { name: "a probe verdict", calls: all, words, limit: 4.0, units, median_ms: None, varies: true })
}

fn words(calls: &Calls) -> String {
    let each: Vec<String> = calls
        .iter()
        .map(
            |(operation, count)| {
                if count == 1 { operation.to_owned() } else { format!("{count} {operation}") }
            },
        )
        .collect();
    format!("{} ({})", calls.total(), each.join(", "))
}
