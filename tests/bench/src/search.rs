//! Measures search with growing numbers of listings: the time of the first search (cold start), the time of
//! later searches, memory and table operations. Each number of listings is measured in a separate process
//! with a prepared table.

use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use local::Embedded;
use local::engine::Data;
use registry::app::App;
use registry::events::Bus;
use registry::model::{Clock, Listed, Random};
use registry::search::{Query, Text};
use registry::settings::{Mode, Settings};
use registry::store::Store;
use serde_json::{Value, json};
use tests::instrumented::Observer;
use tokio::process::Command;

use crate::load::quantile;
use crate::report::{Report, amount};
use crate::words::Words;
use crate::{Failure, machine, processes, seed};

/// The argument that makes this program search the table in a file; the next argument is its path.
pub(crate) const CHILD_MODE: &str = "search";

/// Numbers of Live listings.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// Number of listings, and limit of a cold start in milliseconds.
const COLD: (usize, f64) = (10_000, 300.0);
/// Number of listings, and limit of a warm search in milliseconds.
const WARM: [(usize, f64); 2] = [(10_000, 10.0), (100_000, 30.0)];
/// Number of listings, and limit for the memory of the process in MB.
const MEMORY_MB: [(usize, f64); 2] = [(10_000, 256.0), (100_000, 512.0)];
/// Limit for table reads of a warm search.
const MAX_READS: f64 = 1.0;
/// Number of processes that measure in turn. The lowest of their times counts, because other work on a shared machine can
/// only increase them.
const STARTS: usize = 3;
/// Runs of each query.
const ROUNDS: usize = 10;
/// Time limit of one process.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// Sentences, keywords, synonyms, misspellings and names.
const QUESTIONS: [&str; 20] = [
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

/// Measures search over a table in a file with more and more listings.
///
/// # Errors
/// The table cannot be written, or the process cannot be run.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    let words = Arc::new(Words::real());
    report.part(format!("Search at growing sizes, with texts {}", words.source()));
    let folder = processes::temporary_folder()?;
    let file = folder.path().join("search.db");
    let (_engine, app, _) = seed::table(&Data::File(file.clone()), 0, &words).await?;
    let mut seeded = 0;
    for size in SIZES {
        seed::seed(&app.store, &app.settings, app.clock.now(), seeded..size, &words).await?;
        seeded = size;
        seed::index(&app).await?;
        measure_size(report, &file, size).await?;
    }
    Ok(())
}

async fn measure_size(report: &mut Report, file: &Path, size: usize) -> Result<(), Failure> {
    let mut results = Vec::with_capacity(STARTS);
    for _ in 0..STARTS {
        results.push(run_process(file).await?);
    }
    let numbers = |name: &str| {
        results.iter().map(|result| result[name].as_f64().unwrap_or(f64::MAX)).collect::<Vec<_>>()
    };
    let lowest = |name: &str| numbers(name).into_iter().fold(f64::MAX, f64::min);
    let highest = |name: &str| numbers(name).into_iter().fold(f64::MIN, f64::max);
    let searched = results
        .iter()
        .map(|result| result["searched"].as_u64().unwrap_or_default())
        .min()
        .unwrap_or_default();
    report.must(
        format!("search at {size}: listings in the index"),
        searched >= size as u64,
        searched,
        format!(">= {size}"),
    );
    let mut check = |what: &str, measured: f64, limits: &[(usize, f64)], unit: &str| {
        let name = format!("search at {size}: {what}");
        match limits.iter().find(|(at, _)| *at == size) {
            Some((_, limit)) => report.below(name, measured, *limit, unit),
            None => report.info(name, amount(measured, unit)),
        }
    };
    check("cold start, model, index and first answer", lowest("cold_ms"), &[COLD], "ms");
    check("warm, in the process, p50", lowest("in_process_p50_ms"), &WARM, "ms");
    check("warm, in the process, p99", lowest("in_process_p99_ms"), &[], "ms");
    check("warm, with rows from the table, p50", lowest("with_rows_p50_ms"), &[], "ms");
    check("memory of the process", highest("peak_mb"), &MEMORY_MB, "MB");
    report.at_most(
        format!("search at {size}: table operations when warm"),
        highest("reads"),
        MAX_READS,
        highest("reads"),
    );
    Ok(())
}

async fn run_process(file: &Path) -> Result<Value, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(CHILD_MODE).arg(file);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    let output = tokio::time::timeout(TIME_LIMIT, child.wait_with_output()).await??;
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Searches the table in a file, and prints times, memory and reads.
///
/// # Errors
/// The table cannot be read.
pub(crate) async fn run_child(file: &str) -> Result<ExitCode, Failure> {
    let settings = Settings::from_env(Mode::Development, |_| None)?;
    let engine = Embedded::open(&Data::File(file.into()), &Clock::System)?;
    let observer = Observer::default();
    let store = Store::new(observer.client(engine), &settings.table_name);
    let app = App::new(settings, store, Bus::Silent, Clock::System, Random::System);

    let queries: Vec<Query> = QUESTIONS.iter().map(|question| query(question)).collect::<Result<_, _>>()?;
    let began = Instant::now();
    let first =
        app.search.find(&queries[0], app.clock.now()).await.map_err(|problem| format!("{problem:?}"))?;
    let cold = began.elapsed();

    let (mut in_process, mut with_rows) = (Vec::new(), Vec::new());
    let before = observer.tally.snapshot();
    for query in queries.iter().cycle().take(QUESTIONS.len() * ROUNDS) {
        let began = Instant::now();
        app.search.find(query, app.clock.now()).await.map_err(|problem| format!("{problem:?}"))?;
        with_rows.push(milliseconds(began.elapsed()));
    }
    let reads = observer.tally.since(&before).total() as f64 / with_rows.len() as f64;
    for query in queries.iter().cycle().take(QUESTIONS.len() * ROUNDS) {
        let began = Instant::now();
        std::hint::black_box(app.search.total(query).await.map_err(|problem| format!("{problem:?}"))?);
        in_process.push(milliseconds(began.elapsed()));
    }
    let memory = machine::memory(std::process::id()).ok_or("the memory of this process cannot be read")?;
    let result = json!({
        "searched": first.searched,
        "cold_ms": milliseconds(cold),
        "in_process_p50_ms": quantile(&in_process, 0.5),
        "in_process_p99_ms": quantile(&in_process, 0.99),
        "with_rows_p50_ms": quantile(&with_rows, 0.5),
        "peak_mb": memory.peak,
        "reads": reads,
    });
    println!("{result}");
    Ok(ExitCode::SUCCESS)
}

fn query(question: &str) -> Result<Query, Failure> {
    let text = Text::parse(question, "q").map_err(|problem| format!("{problem:?}"))?;
    Ok(Query { text, kind: None, category: None, listed: Listed::Live, skip: 0, limit: 20 })
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
