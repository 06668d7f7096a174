//! Search at growing sizes, each in a process of its own over the seeded table: how soon it can answer after a cold
//! start, how fast it answers then, what it holds, and what it asks of the table.

use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use local::engine::instrumented::InstrumentedEngine;
use local::engine::{self, Data};
use local::{Embedded, Observer};
use registry::app::App;
use registry::events::Bus;
use registry::model::{Clock, Random};
use registry::search::{Query, Text};
use registry::settings::{Mode, Settings};
use registry::store::Store;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::report::{Report, amount};
use crate::{Failure, machine};

/// The argument that makes this program search the table in the file given after it.
pub(crate) const ALONE: &str = "search";

/// Milliseconds of a cold start, at 10,000 listings.
const COLD: (usize, f64) = (10_000, 300.0);
/// Milliseconds of a warm search in this process, by the number of listings.
const WARM: [(usize, f64); 2] = [(10_000, 10.0), (100_000, 30.0)];
/// MB that the process may hold, by the number of listings.
const HELD: [(usize, f64); 2] = [(10_000, 256.0), (100_000, 512.0)];
/// Reads of the table for a warm search.
const READS: f64 = 1.0;
/// Processes that do the same in turn. Of each time the least counts: what a shared machine does beside them only adds.
const STARTS: usize = 3;
/// So often each question is asked.
const ROUNDS: usize = 10;
/// After this a size is given up on.
const PATIENCE: Duration = Duration::from_secs(120);

/// Sentences, keywords, other words for things, slips and names.
pub(crate) const QUESTIONS: [&str; 20] = [
    "I need a tool to search scientific papers",
    "an agent that plans trips and books hotels",
    "query a postgres database",
    "send a message to a chat channel",
    "weather forecast",
    "github pull requests",
    "kubernets cluster managment",
    "turn speech into text",
    "translate documents into German",
    "stock prices and company filings",
    "browser automation with screenshots",
    "summarise a web page",
    "k8s logs",
    "mcp server for a vector database",
    "generate images from a description",
    "who is the owner of this domain name",
    "calender invitations",
    "crypto wallet balance",
    "find bugs in my code",
    "io.github.example/unknown-server",
];

/// Measures search over the table in `file`, with an index over `size` listings.
///
/// # Errors
/// It cannot be run.
pub(crate) async fn measure(report: &mut Report, file: &Path, size: usize) -> Result<(), Failure> {
    let mut told = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        told.push(in_a_process(file).await?);
    }
    let numbers =
        |name: &str| told.iter().map(|told| told[name].as_f64().unwrap_or(f64::MAX)).collect::<Vec<_>>();
    let least = |name: &str| numbers(name).into_iter().fold(f64::MAX, f64::min);
    let most = |name: &str| numbers(name).into_iter().fold(f64::MIN, f64::max);
    let searched =
        told.iter().map(|told| told["searched"].as_u64().unwrap_or_default()).min().unwrap_or_default();
    report.must(
        format!("search at {size}: listings in the index"),
        searched >= size as u64,
        searched,
        format!(">= {size}"),
    );
    let mut hold = |what: &str, measured: f64, limits: &[(usize, f64)], unit: &str| {
        let name = format!("search at {size}: {what}");
        match limits.iter().find(|(at, _)| *at == size) {
            Some((_, limit)) => report.below(name, measured, *limit, unit),
            None => report.told(name, amount(measured, unit)),
        }
    };
    hold("cold start, model, index and first answer", least("cold_ms"), &[COLD], "ms");
    hold("warm, in the process, p50", least("look_p50_ms"), &WARM, "ms");
    hold("warm, in the process, p99", least("look_p99_ms"), &[], "ms");
    hold(&format!("the slowest of {ROUNDS} shares of this size, p50"), least("shares_p50_ms"), &[], "ms");
    hold(&format!("the slowest of {ROUNDS} shares of this size, p99"), least("shares_p99_ms"), &[], "ms");
    hold("warm, with its rows from the table, p50", least("find_p50_ms"), &[], "ms");
    hold("memory of the process", most("peak_mb"), &HELD, "MB");
    report.at_most(
        format!("search at {size}: table operations when warm"),
        most("reads"),
        READS,
        most("reads"),
    );
    Ok(())
}

async fn in_a_process(file: &Path) -> Result<Value, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(ALONE).arg(file);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    let output = tokio::time::timeout(PATIENCE, child.wait_with_output()).await??;
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Searches the table in a file, and prints what it took.
///
/// # Errors
/// The table cannot be read.
pub(crate) async fn alone(file: &str) -> Result<ExitCode, Failure> {
    let settings = Settings::from_env(Mode::Development, |_| None)?;
    let engine = Embedded::open(&Data::File(file.into()), &Clock::System)?;
    let observer = Observer::default();
    let client = engine::client(InstrumentedEngine::new(engine, observer.clone()));
    let store = Store::new(client, &settings.table_name);
    let app = App::new(settings, store, Bus::Silent, Clock::System, Random::System);

    let wanted: Vec<Query> = QUESTIONS.iter().map(|question| wanted(question)).collect::<Result<_, _>>()?;
    let began = Instant::now();
    let first =
        app.search.find(&wanted[0], app.clock.now()).await.map_err(|problem| format!("{problem:?}"))?;
    let cold = began.elapsed();

    let (mut look, mut find) = (Vec::new(), Vec::new());
    let before = observer.tally.snapshot();
    for wanted in wanted.iter().cycle().take(QUESTIONS.len() * ROUNDS) {
        let began = Instant::now();
        app.search.find(wanted, app.clock.now()).await.map_err(|problem| format!("{problem:?}"))?;
        find.push(began.elapsed());
    }
    let reads = observer.tally.since(&before).total() as f64 / find.len() as f64;
    for wanted in wanted.iter().cycle().take(QUESTIONS.len() * ROUNDS) {
        let began = Instant::now();
        std::hint::black_box(app.search.search_index(wanted));
        look.push(began.elapsed());
    }
    // As often as each question is asked, so many shares of this size might be asked at once: the slowest answers last.
    let mut slowest: Vec<Duration> = (0..QUESTIONS.len())
        .filter_map(|question| look.iter().skip(question).step_by(QUESTIONS.len()).max().copied())
        .collect();
    let memory = machine::memory(std::process::id()).ok_or("the memory of this process cannot be read")?;
    let told = json!({
        "searched": first.searched,
        "cold_ms": milliseconds(cold),
        "look_p50_ms": at(&mut look, 0.5),
        "look_p99_ms": at(&mut look, 0.99),
        "shares_p50_ms": at(&mut slowest, 0.5),
        "shares_p99_ms": at(&mut slowest, 0.99),
        "find_p50_ms": at(&mut find, 0.5),
        "peak_mb": memory.peak,
        "reads": reads,
    });
    println!("{told}");
    Ok(ExitCode::SUCCESS)
}

fn wanted(question: &str) -> Result<Query, Failure> {
    let text = Text::parse(question, "q").map_err(|problem| format!("{problem:?}"))?;
    Ok(Query { text, kind: None, category: None, skip: 0, limit: 20 })
}

fn at(times: &mut [Duration], part: f64) -> f64 {
    times.sort_unstable();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place among the times")]
    let place = (times.len() as f64 * part) as usize;
    times.get(place.min(times.len().saturating_sub(1))).copied().map_or(f64::MAX, milliseconds)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
