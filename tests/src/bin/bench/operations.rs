//! What each request costs with so many listings Live: table operations and units, read in the SDK's connector, and the
//! time of an answer. `growth` asks at growing sizes, and holds what must not grow.

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

/// A small and a large sweep, neither so large that it is cut; what they differ by is what verdicts cost.
const SWEPT: [usize; 2] = [20, 60];
/// So often a reading request is timed.
const READINGS: usize = 31;
/// So often a writing request is timed, each time with another listing.
const WRITINGS: usize = 9;

/// What one sort of request costs.
#[derive(Clone, Debug)]
pub(crate) struct Cost {
    /// Its name in tables.
    pub(crate) name: &'static str,
    /// Table operations.
    pub(crate) calls: f64,
    /// The same by name.
    pub(crate) words: String,
    /// The most table operations that it may take.
    pub(crate) limit: f64,
    /// What the table bills.
    pub(crate) units: Units,
    /// Milliseconds of half of the answers, over one connection; nothing where it is no request.
    pub(crate) half: Option<f64>,
    /// It is no whole number of operations, but a share of what several have in common.
    pub(crate) varies: bool,
}

/// The path and the body of what is sent about a listing.
type Asking = dyn Fn(&ListingId) -> (&'static str, Value) + Send + Sync;

/// What is asked about.
#[derive(Clone, Debug)]
pub(crate) struct Subjects {
    /// Live listings whose demo nobody has taken.
    pub(crate) ids: Vec<ListingId>,
    /// The name of the first, as it stands in a query.
    pub(crate) name: String,
    /// A listing with many marks.
    pub(crate) marked: ListingId,
}

/// What was used between two moments.
#[derive(Clone, Debug)]
struct Used {
    calls: Calls,
    units: Units,
}

impl Used {
    fn cost(&self, name: &'static str, limit: f64, half: impl Into<Option<f64>>) -> Cost {
        Cost {
            name,
            calls: self.calls.total() as f64,
            words: words(&self.calls),
            limit,
            units: self.units,
            half: half.into(),
            varies: false,
        }
    }
}

/// Counts at a running registry.
pub(crate) struct Counter<'a> {
    local: &'a Local,
    observer: &'a Observer,
    clock: &'a Clock,
    connection: Connection,
    peer: String,
    published: usize,
}

impl<'a> Counter<'a> {
    /// Counts what an observer of this registry sees, and moves its clock.
    ///
    /// # Errors
    /// It cannot be reached.
    pub(crate) async fn new(
        local: &'a Local,
        observer: &'a Observer,
        clock: &'a Clock,
    ) -> Result<Self, Failure> {
        let connection = Connection::open(local.address).await?;
        let peer = peers::start(Manner::Sound).await?;
        Ok(Self { local, observer, clock, connection, peer, published: 0 })
    }

    /// What is bound by the table: nothing of it asks the search index for more than names of peers.
    ///
    /// # Errors
    /// The registry answers what it should not.
    pub(crate) async fn bound_by_the_table(&mut self, subjects: &Subjects) -> Result<Vec<Cost>, Failure> {
        let Subjects { ids, name, .. } = subjects;
        let (Some(id), others) = (ids.first(), ids.iter().skip(1).take(WRITINGS)) else {
            return Err("nothing was seeded".into());
        };
        let mut costs = Vec::new();
        let made_anew = self.reading("/api/listings/active").await?;
        // Before so many others drive it out of what is remembered.
        let unchanged = self.reading("/api/listings/active").await?;
        let unchanged_half = self.half(&vec![client::get("/api/listings/active", ""); READINGS]).await?;
        // A page of each length, for those of the same are remembered.
        let pages = (0..READINGS).map(|n| client::get(&format!("/api/listings/active?limit={}", 35 + n), ""));
        let half = self.half(&pages.collect::<Vec<_>>()).await?;
        costs.push(made_anew.cost("active page, made anew", 3.0, half));
        costs.push(unchanged.cost("active page, unchanged", 3.0, unchanged_half));
        // The search index, which each process reads once and then keeps: the registry API takes its pages from it, a demo
        // its peers.
        self.reading("/api/match?q=adder").await?;
        for (name, limit, path) in [
            ("status by id", 2.0, format!("/api/listings/status?id={id}")),
            // One more than by id: the name is looked up first.
            ("status by name", 3.0, format!("/api/listings/status?name={name}")),
            ("feed", 2.0, "/api/feed".to_owned()),
            ("registry API, 30 servers", 3.0, "/v0.1/servers?limit=30".to_owned()),
        ] {
            let used = self.reading(&path).await?;
            let again = vec![client::get(&path, ""); READINGS];
            let half = self.half(&again).await?;
            costs.push(used.cost(name, limit, half));
        }
        costs.push(self.publishing().await?);

        let demo = |id: &ListingId| ("/api/products/demo", json!({ "listing_id": id }));
        let feedback = |id: &ListingId| {
            let answers = json!({ "tried": "It.", "ux_friction": "None.", "product_one_ship": "Less.",
                "overall": "Kept.", "would_buy": "maybe" });
            ("/api/products/feedback", json!({ "listing_id": id, "rating": 4, "answers": answers }))
        };
        for (name, of) in [("demo, for the first time", &demo as &Asking), ("feedback", &feedback as &Asking)]
        {
            let (path, body) = of(id);
            let used = self.sending(path, &body).await?;
            let mut times = Vec::new();
            for other in others.clone() {
                let (path, body) = of(other);
                times.push(self.timed(path, &body).await?);
            }
            costs.push(used.cost(name, 6.0, quantile(&times, 0.5)));
        }
        Ok(costs)
    }

    /// All that is counted.
    ///
    /// # Errors
    /// The registry answers what it should not.
    pub(crate) async fn all(mut self, subjects: &Subjects) -> Result<Vec<Cost>, Failure> {
        let mut costs = self.bound_by_the_table(subjects).await?;
        for (name, limit, path) in [
            ("match", 2.0, "/api/match?q=adds%20numbers".to_owned()),
            ("ARD search", 2.0, "/api/ard/search?q=adds%20numbers".to_owned()),
            (
                "sense, at a listing with 10,000 marks",
                3.0,
                format!("/api/products/stigmergy?action=sense&listing_id={}", subjects.marked),
            ),
            ("follow the hot trail", 3.0, "/api/products/stigmergy?action=follow&kind=hot".to_owned()),
        ] {
            let used = self.reading(&path).await?;
            let half = self.half(&vec![client::get(&path, ""); READINGS]).await?;
            costs.push(used.cost(name, limit, half));
        }
        let deposits = self.settle().await;
        costs.push(deposits.cost("deposits of reads, written once in ten seconds", 2.0, None::<f64>));
        self.sweep().await?;
        let mut swept = Vec::new();
        for size in SWEPT {
            for _ in 0..size {
                self.publish().await?;
            }
            swept.push(self.sweep().await?);
        }
        costs.push(verdict(&swept)?);
        Ok(costs)
    }

    /// The dearest of publishing something new, the same again, and a description; the time is that of the new.
    async fn publishing(&mut self) -> Result<Cost, Failure> {
        let new = self.publish().await?;
        self.published -= 1;
        let again = self.publish().await?;
        let described = self.publish_described().await?;
        let mut times = Vec::new();
        for _ in 0..WRITINGS {
            let body = self.next_agent();
            times.push(self.timed("/api/publish", &body).await?);
        }
        let dearest = [new, again, described].into_iter().max_by_key(|used| used.calls.total());
        let dearest = dearest.ok_or("nothing was published")?;
        Ok(dearest.cost("publish: the dearest of new, again, described", 4.0, quantile(&times, 0.5)))
    }

    fn begin(&self) -> Calls {
        self.observer.meter.start();
        self.observer.tally.snapshot()
    }

    fn end(&self, before: &Calls) -> Used {
        Used { calls: self.observer.tally.since(before), units: self.observer.meter.stop() }
    }

    async fn reading(&mut self, path: &str) -> Result<Used, Failure> {
        self.settle().await;
        let before = self.begin();
        expect(self.connection.ask(&client::get(path, "")).await?, path)?;
        Ok(self.end(&before))
    }

    async fn sending(&mut self, path: &str, body: &Value) -> Result<Used, Failure> {
        self.settle().await;
        let before = self.begin();
        expect(self.connection.ask(&client::post(path, &body.to_string())).await?, path)?;
        Ok(self.end(&before))
    }

    /// Milliseconds of half of the answers.
    async fn half(&mut self, requests: &[Vec<u8>]) -> Result<f64, Failure> {
        let mut times = Vec::with_capacity(requests.len());
        for request in requests {
            let began = Instant::now();
            let answer = self.connection.ask(request).await?;
            times.push(began.elapsed().as_secs_f64() * 1000.0);
            expect(answer, "a request that was counted")?;
        }
        Ok(quantile(&times, 0.5))
    }

    /// Milliseconds of one answer, within the hour's allowance of one caller.
    async fn timed(&mut self, path: &str, body: &Value) -> Result<f64, Failure> {
        self.clock.advance(Duration::from_secs(90));
        self.half(&[client::post(path, &body.to_string())]).await
    }

    /// The next agent of the peer, which is not listed yet.
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
        // Within the hour's allowance of one caller, whatever was published before.
        self.clock.advance(Duration::from_secs(90));
        self.sending("/api/publish", body).await
    }

    /// Writes what earlier reads deposited, which would else be counted with whatever is asked next.
    async fn settle(&self) -> Used {
        self.clock.advance(Duration::from_secs(11));
        let before = self.begin();
        self.local.app.pending_deposits.flush(&self.local.app.store, self.clock.now()).await;
        self.end(&before)
    }

    /// One tick over whatever is due, in a slot and with a budget of its own.
    async fn sweep(&mut self) -> Result<(u32, Used), Failure> {
        self.clock.advance(Duration::from_secs(3600));
        let before = self.begin();
        let swept = run::tick(&self.local.app, None).await?;
        if swept.ok != swept.claimed {
            return Err(format!("a sound peer was not found to be so: {swept:?}").into());
        }
        Ok((swept.claimed, self.end(&before)))
    }
}

fn expect(answer: client::Answer<'_>, path: &str) -> Result<(), Failure> {
    match answer.status {
        200 => Ok(()),
        status => Err(format!("{path} answered {status}: {}", String::from_utf8_lossy(answer.body)).into()),
    }
}

/// The cost of one more verdict in a sweep: its transaction, and the rest. A sweep takes its budget in as many
/// transactions as listings pass the preflight together, so their share differs from run to run; it is told among the
/// rest, for a verdict itself is one transaction (tests/tests/costs.rs).
fn verdict(swept: &[(u32, Used)]) -> Result<Cost, Failure> {
    let [(few, cheap), (many, dear)] = swept else { return Err("two sweeps were expected".into()) };
    if (*few as usize, *many as usize) != (SWEPT[0], SWEPT[1]) {
        return Err(format!("{few} and {many} listings were swept, not {SWEPT:?}").into());
    }
    let more = f64::from(many - few);
    let of = |count: &dyn Fn(&Used) -> f64| (count(dear) - count(cheap)) / more;
    let all = of(&|used| used.calls.total() as f64);
    let rest = all - 1.0;
    let words = format!("1 transaction and {rest:.2}, its share of the budget included");
    let units = Units { read: of(&|used| used.units.read), write: of(&|used| used.units.write) };
    Ok(Cost { name: "a probe verdict", calls: all, words, limit: 4.0, units, half: None, varies: true })
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
