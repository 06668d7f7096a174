//! What a request costs at the table, counted in the SDK's connector, with a thousand listings and with a hundred
//! thousand: a cost that grows with the registry would show here first.

use std::time::Duration;

use local::engine::observed::Calls;
use local::{Data, Local, Observer, Options};
use registry::app::Clock;
use registry::probe::sweep;
use registry::settings::{Mode, Settings};
use serde_json::{Value, json};

use crate::client::{self, Connection};
use crate::folder::Folder;
use crate::peers::{self, CARD, Manner};
use crate::report::Report;
use crate::{Failure, seed};

/// How many listings are Live when it is counted.
const SIZES: [usize; 2] = [1_000, 100_000];

/// A small and a large sweep, neither so large that it is cut; what they differ by is what verdicts cost.
const SWEPT: [usize; 2] = [20, 60];

/// Counts at each size and holds the highest against its limit.
///
/// # Errors
/// The registry does not start, or answers what it should not.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    report.part("Table operations of a request, with 1,000 and with 100,000 Live listings");
    let folder = Folder::new()?;
    let observer = Observer::default();
    let settings = Settings::from_env(Mode::Development, |_| None)?;
    let clock = Clock::manual(jiff::Timestamp::now());
    let local = Local::start(Options {
        observer: Some(observer.clone()),
        clock: clock.clone(),
        data: Data::File(folder.file("operations.db")),
        ..Options::still(settings)
    })
    .await?;
    let store = seed::store(&local.engine, &local.app.settings);
    let mut counted = Vec::new();
    let mut seeded = 0;
    for size in SIZES {
        let ids = seed::seed(&store, &local.app.settings, clock.now(), seeded..size).await?;
        seeded = size;
        let id = ids.first().ok_or("nothing was seeded")?.to_string();
        counted.push(Counter::new(&local, &observer, &clock).await?.all(&id).await?);
    }
    local.stop().await;
    let [few, many] = counted.as_slice() else { return Err("two counts were expected".into()) };
    for (few, many) in few.iter().zip(many) {
        let same = (few.cost - many.cost).abs() < 1e-9;
        let told = if same { few.words.clone() } else { format!("{} | {}", few.words, many.words) };
        let holds = same && few.cost <= few.limit;
        report.must(few.name, holds, told, format!("<= {}, the same", few.limit));
    }
    Ok(())
}

/// What one sort of request costs.
struct Cost {
    name: &'static str,
    cost: f64,
    words: String,
    limit: f64,
}

/// Counts at a running registry.
struct Counter<'a> {
    local: &'a Local,
    observer: &'a Observer,
    clock: &'a Clock,
    connection: Connection,
    peer: String,
    published: usize,
}

impl<'a> Counter<'a> {
    async fn new(local: &'a Local, observer: &'a Observer, clock: &'a Clock) -> Result<Self, Failure> {
        let connection = Connection::open(local.address).await?;
        let peer = peers::start(Manner::Sound).await?;
        Ok(Self { local, observer, clock, connection, peer, published: 0 })
    }

    async fn all(mut self, id: &str) -> Result<Vec<Cost>, Failure> {
        let made_anew = self.reading("/api/listings/active", "").await?;
        let again = self.reading("/api/listings/active", "").await?;
        let status = self.reading(&format!("/api/listings/status?id={id}"), "").await?;
        let by_name = self.reading("/api/listings/status?name=Table%20reader%207", "").await?;
        let publish = self.publish().await?;
        let repeated = {
            self.published -= 1;
            self.publish().await?
        };
        let described = self.publish_described().await?;
        self.sweep().await?;
        let mut swept = Vec::new();
        for size in SWEPT {
            for _ in 0..size {
                self.publish().await?;
            }
            swept.push(self.sweep().await?);
        }
        let verdict = verdict(&swept)?;
        let dearest_publish = [&publish, &repeated, &described].into_iter().max_by_key(|calls| calls.total());
        let cost = |name, calls: &Calls, limit| Cost {
            name,
            cost: calls.total() as f64,
            words: words(calls),
            limit,
        };
        Ok(vec![
            cost("active page, made anew", &made_anew, 3.0),
            cost("active page, unchanged", &again, 3.0),
            cost("status by id", &status, 2.0),
            cost("status by name", &by_name, 2.0),
            cost("publish: the dearest of new, again, described", dearest_publish.unwrap_or(&publish), 4.0),
            verdict.0,
            verdict.1,
        ])
    }

    async fn reading(&mut self, path: &str, headers: &str) -> Result<Calls, Failure> {
        let before = self.observer.tally.snapshot();
        let answer = self.connection.ask(&client::get(path, headers)).await?;
        expect(answer, path)?;
        Ok(self.observer.tally.since(&before))
    }

    /// Publishes the next agent of the peer, which is not listed yet.
    async fn publish(&mut self) -> Result<Calls, Failure> {
        self.published += 1;
        let url = format!("{}/agents/{}{CARD}", self.peer, self.published);
        self.send(&json!({ "agent_card_url": url, "contact_email": "owner@example.com" })).await
    }

    async fn publish_described(&mut self) -> Result<Calls, Failure> {
        let document = json!({
            "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
            "name": format!("io.github.example/adder-{}", self.local.app.random.hex(4)),
            "description": "Adds up numbers from tables.",
            "version": "1.0.0",
            "remotes": [{ "type": "streamable-http", "url": format!("{}/mcp", self.peer) }],
        });
        self.send(&document).await
    }

    async fn send(&mut self, body: &Value) -> Result<Calls, Failure> {
        // Within the hour's allowance of one caller, whatever was published before.
        self.clock.advance(Duration::from_secs(90));
        let before = self.observer.tally.snapshot();
        let answer = self.connection.ask(&client::post("/api/publish", &body.to_string())).await?;
        expect(answer, "/api/publish")?;
        Ok(self.observer.tally.since(&before))
    }

    /// One tick over whatever is due, in a slot and with a budget of its own.
    async fn sweep(&mut self) -> Result<(u32, Calls), Failure> {
        self.clock.advance(Duration::from_secs(3600));
        let before = self.observer.tally.snapshot();
        let swept = sweep::tick(&self.local.app).await?;
        if swept.ok != swept.claimed {
            return Err(format!("a sound peer was not found to be so: {swept:?}").into());
        }
        Ok((swept.claimed, self.observer.tally.since(&before)))
    }
}

fn expect(answer: client::Answer<'_>, path: &str) -> Result<(), Failure> {
    match answer.status {
        200 => Ok(()),
        status => Err(format!("{path} answered {status}: {}", String::from_utf8_lossy(answer.body)).into()),
    }
}

/// The cost of one more verdict in a sweep: transactions, and the rest.
fn verdict(swept: &[(u32, Calls)]) -> Result<(Cost, Cost), Failure> {
    let [(few, cheap), (many, dear)] = swept else { return Err("two sweeps were expected".into()) };
    if (*few as usize, *many as usize) != (SWEPT[0], SWEPT[1]) {
        return Err(format!("{few} and {many} listings were swept, not {SWEPT:?}").into());
    }
    let more = f64::from(many - few);
    let transactions = |calls: &Calls| calls.of("TransactWriteItems") as f64;
    let others = |calls: &Calls| calls.total() as f64 - transactions(calls);
    let of = |count: &dyn Fn(&Calls) -> f64| (count(dear) - count(cheap)) / more;
    let cost = |name, cost: f64, limit| Cost { name, cost, words: format!("{cost}"), limit };
    Ok((
        cost("a probe verdict: transactions", of(&transactions), 1.0),
        cost("a probe verdict: other operations", of(&others), 3.0),
    ))
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
