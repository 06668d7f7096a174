//! What grows with the registry and what must not: table operations of each request, counted in the SDK's connector, and
//! the cost of search, with a thousand, ten thousand and a hundred thousand Live listings.

use std::sync::Arc;
use std::time::Duration;

use local::engine::instrumented::Calls;
use local::{Data, Local, Observer, Options};
use registry::model::Clock;
use registry::probe::run;
use registry::settings::{Mode, Settings};
use serde_json::{Value, json};

use crate::client::{self, Connection};
use crate::folder::Folder;
use crate::peers::{self, CARD, Manner};
use crate::report::Report;
use crate::words::Words;
use crate::{Failure, search, seed, trails};

/// How many listings are Live when it is counted.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

/// A small and a large sweep, neither so large that it is cut; what they differ by is what verdicts cost.
const SWEPT: [usize; 2] = [20, 60];

/// Counts at each size and holds the highest against its limit.
///
/// # Errors
/// The registry does not start, or answers what it should not.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    let words = Arc::new(Words::real());
    report.part(format!("Search at growing sizes, over the words {}", words.source()));
    let folder = Folder::new()?;
    let file = folder.file("operations.db");
    let observer = Observer::default();
    let settings = Settings::from_env(Mode::Development, |_| None)?;
    let clock = Clock::manual(Clock::default().now());
    let local = Local::start(Options {
        observer: Some(observer.clone()),
        clock: clock.clone(),
        data: Data::File(file.clone()),
        remembers: false,
        ..Options::still(settings)
    })
    .await?;
    let store = seed::store(&local.engine, &local.app.settings);
    let mut counted = Vec::new();
    let mut seeded = 0;
    let mut marked = None;
    for size in SIZES {
        let ids = seed::seed(&store, &local.app.settings, clock.now(), seeded..size, &words).await?;
        seeded = size;
        seed::index(&local.app).await?;
        search::measure(report, &file, size).await?;
        if marked.is_none() {
            marked = Some(trails::fill(&store, &local.app, &ids, clock.now()).await?);
        }
        let marked = marked.as_ref().ok_or("nothing was marked")?;
        trails::measure(report, &local.app, marked).await?;
        let id = ids.first().ok_or("nothing was seeded")?;
        let named = local.app.store.listing(id).await?.ok_or("what was seeded is not there")?.name;
        let name: String = form_urlencoded::byte_serialize(named.as_bytes()).collect();
        let id = id.to_string();
        counted.push(Counter::new(&local, &observer, &clock).await?.all(&id, &name, marked.as_str()).await?);
    }
    local.stop().await;
    report.part(format!("Table operations of a request, at {SIZES:?} Live listings"));
    let [few, .., many] = counted.as_slice() else { return Err("several counts were expected".into()) };
    for (few, many) in few.iter().zip(many) {
        let same = (few.cost - many.cost).abs() < 1e-9 || few.varies;
        let told = if few.words == many.words {
            few.words.clone()
        } else {
            format!("{} | {}", few.words, many.words)
        };
        let holds = same && few.cost.max(many.cost) <= few.limit;
        let limit = if few.varies { "" } else { ", the same" };
        report.must(few.name, holds, told, format!("<= {}{limit}", few.limit));
    }
    Ok(())
}

/// What one sort of request costs.
struct Cost {
    name: &'static str,
    cost: f64,
    words: String,
    limit: f64,
    /// It is no whole number of operations, but a share of what several have in common.
    varies: bool,
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

    async fn all(mut self, id: &str, name: &str, marked: &str) -> Result<Vec<Cost>, Failure> {
        let made_anew = self.reading("/api/listings/active", "").await?;
        let again = self.reading("/api/listings/active", "").await?;
        let status = self.reading(&format!("/api/listings/status?id={id}"), "").await?;
        let by_name = self.reading(&format!("/api/listings/status?name={name}"), "").await?;
        let sense =
            self.reading(&format!("/api/products/stigmergy?action=sense&listing_id={marked}"), "").await?;
        let follow = self.reading("/api/products/stigmergy?action=follow&kind=hot", "").await?;
        let publish = self.publish().await?;
        let repeated = {
            self.published -= 1;
            self.publish().await?
        };
        let described = self.publish_described().await?;
        // A demo names peers out of the search index, which each process reads once and then keeps.
        self.reading("/api/match?q=adder", "").await?;
        let deposits = self.settle().await;
        let demo = self.sending("/api/products/demo", &json!({ "listing_id": id })).await?;
        let answers = json!({ "tried": "It.", "ux_friction": "None.", "product_one_ship": "Less.",
            "overall": "Kept.", "would_buy": "maybe" });
        let feedback = json!({ "listing_id": id, "rating": 4, "answers": answers });
        let feedback = self.sending("/api/products/feedback", &feedback).await?;
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
            varies: false,
        };
        Ok(vec![
            cost("active page, made anew", &made_anew, 3.0),
            cost("active page, unchanged", &again, 3.0),
            cost("status by id", &status, 2.0),
            // One more than by id: the name is looked up first.
            cost("status by name", &by_name, 3.0),
            cost("sense, at a listing with 10,000 marks", &sense, 3.0),
            cost("follow the hot trail", &follow, 3.0),
            cost("deposits of reads, written once in ten seconds", &deposits, 2.0),
            cost("demo, for the first time", &demo, 6.0),
            cost("feedback", &feedback, 6.0),
            cost("publish: the dearest of new, again, described", dearest_publish.unwrap_or(&publish), 4.0),
            verdict,
        ])
    }

    async fn reading(&mut self, path: &str, headers: &str) -> Result<Calls, Failure> {
        self.settle().await;
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
        self.sending("/api/publish", body).await
    }

    async fn sending(&mut self, path: &str, body: &Value) -> Result<Calls, Failure> {
        self.settle().await;
        let before = self.observer.tally.snapshot();
        let answer = self.connection.ask(&client::post(path, &body.to_string())).await?;
        expect(answer, path)?;
        Ok(self.observer.tally.since(&before))
    }

    /// Writes what earlier reads deposited, which would else be counted with whatever is asked next.
    async fn settle(&self) -> Calls {
        self.clock.advance(Duration::from_secs(11));
        let before = self.observer.tally.snapshot();
        self.local.app.pending_deposits.flush(&self.local.app.store, self.clock.now()).await;
        self.observer.tally.since(&before)
    }

    /// One tick over whatever is due, in a slot and with a budget of its own.
    async fn sweep(&mut self) -> Result<(u32, Calls), Failure> {
        self.clock.advance(Duration::from_secs(3600));
        let before = self.observer.tally.snapshot();
        let swept = run::tick(&self.local.app, None).await?;
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

/// The cost of one more verdict in a sweep: its transaction, and the rest. A sweep takes its budget in as many
/// transactions as listings pass the preflight together, so their share differs from run to run; it is told among the
/// rest, for a verdict itself is one transaction (tests/tests/costs.rs).
fn verdict(swept: &[(u32, Calls)]) -> Result<Cost, Failure> {
    let [(few, cheap), (many, dear)] = swept else { return Err("two sweeps were expected".into()) };
    if (*few as usize, *many as usize) != (SWEPT[0], SWEPT[1]) {
        return Err(format!("{few} and {many} listings were swept, not {SWEPT:?}").into());
    }
    let more = f64::from(many - few);
    let of = |count: &dyn Fn(&Calls) -> f64| (count(dear) - count(cheap)) / more;
    let all = of(&|calls| calls.total() as f64);
    let rest = all - 1.0;
    let words = format!("1 transaction and {rest:.2}, its share of the budget included");
    Ok(Cost { name: "a probe verdict", cost: all, words, limit: 4.0, varies: true })
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
