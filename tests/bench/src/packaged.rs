//! Measures the packaged Lambda functions: the size of each zip, and the time from the start of the binary to
//! its first poll and to its first reply. For comparison, each run is followed by a run of a minimal function
//! with the same build profile.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use local::engine::Data;
use serde_json::{Value, json};
use tests::aws_endpoints::{DynamoDb, EventBridge};
use tests::runtime_api::Function;
use tests::sample_events;
use tests::template::Template;

use crate::load::quantile;
use crate::report::{Report, amount};
use crate::{Failure, processes, seed};

/// The function for comparison.
const MINIMAL: &str = "minimal-lambda";
/// Starts per function.
const STARTS: usize = 21;
/// Maximum ratio between the start times of a function and the minimal function, up to the first poll.
const MAX_RATIO: f64 = 2.5;
/// Goal and limit for the size of a zip, in MB. The protocol endpoints link every operation, and functions that search
/// contain the language model with its table and phrases, which have about 20 MB after compression.
const GOAL_MB: f64 = 6.0;
const MAX_MB: f64 = 30.0;
/// Live listings in the table.
const LISTINGS: usize = 30;
/// The first event of each function: one that reads or writes the table.
const EVENTS: [(&str, &str); 15] = [
    (MINIMAL, "discovery"),
    ("a2a", "a2a"),
    ("daily-connector", "daily-connector"),
    ("listings", "active"),
    ("operator", ""),
    ("pages", "page-home"),
    ("payment-webhook", "checkout-webhook"),
    ("probe-tick", "probe-tick"),
    ("products", "agentfinder"),
    ("protocol", "protocol"),
    ("publish", "publish"),
    ("search-index", "search-index"),
    ("talk", "talk-feed"),
    ("weekly-recheck", "weekly-recheck"),
    ("well-known", "discovery"),
];

/// A packaged function, and the times of its starts in milliseconds.
struct Packaged {
    name: String,
    binary: PathBuf,
    event: Value,
    first_poll: Vec<f64>,
    first_reply: Vec<f64>,
}

/// The table and the bus of the functions.
struct Backend {
    table: DynamoDb,
    bus: EventBridge,
}

/// Measures every function of the template.
///
/// # Errors
/// A binary does not start or reports an error, or the template cannot be read.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    report.part("Lambda functions: binary, zip, time from start to first poll, and to first answer");
    let limit = format!("<= {MAX_MB} MB, {MAX_RATIO}x");
    let template = Template::read()?;
    let samples = sample_events::all()?;
    let mut built = Vec::new();
    for name in std::iter::once(MINIMAL).chain(template.functions().into_keys()) {
        let binary = processes::target_folder()?.join("lambda").join(name).join("bootstrap");
        if binary.is_file() && zip(&binary).is_file() {
            let event = first_event(name, &samples)?;
            built.push(Packaged {
                name: name.to_owned(),
                binary,
                event,
                first_poll: Vec::new(),
                first_reply: Vec::new(),
            });
        } else {
            report.not_measured(name, "not built: `make bench` builds it", &limit);
        }
    }
    if built.first().is_none_or(|first| first.name != MINIMAL) {
        for function in &built {
            report.not_measured(&function.name, format!("requires {MINIMAL} for the ratio"), &limit);
        }
        return Ok(());
    }
    let backend = Backend::new().await?;
    for turn in 0..=STARTS {
        for function in &mut built {
            let (first_poll, first_reply) = backend.start(function).await?;
            // The first start also reads the binary from disk.
            if turn > 0 {
                function.first_poll.push(first_poll);
                function.first_reply.push(first_reply);
            }
        }
    }
    let Some(minimal) = built.first().map(Packaged::medians) else { return Ok(()) };
    for function in &built {
        report_function(report, function, minimal, &limit)?;
    }
    Ok(())
}

fn report_function(
    report: &mut Report,
    function: &Packaged,
    minimal: (f64, f64),
    limit: &str,
) -> Result<(), Failure> {
    let megabytes = |path: &Path| std::fs::metadata(path).map(|file| file.len() as f64 / 1e6);
    let (binary, zip) = (megabytes(&function.binary)?, megabytes(&zip(&function.binary))?);
    let (first_poll, first_reply) = function.medians();
    let (poll_ratio, reply_ratio) = (first_poll / minimal.0, first_reply / minimal.1);
    let over = if zip > GOAL_MB { ", over the goal" } else { "" };
    let text = format!(
        "{}, zip {}{over}; {} ({poll_ratio:.1}x), answer {} ({reply_ratio:.1}x)",
        amount(binary, "MB"),
        amount(zip, "MB"),
        amount(first_poll, "ms"),
        amount(first_reply, "ms")
    );
    if function.name == MINIMAL {
        report.info(&function.name, text);
    } else {
        let holds = zip <= MAX_MB && poll_ratio <= MAX_RATIO * report.slack();
        report.must(&function.name, holds, text, limit);
    }
    Ok(())
}

/// The zip of a binary, in the same folder.
fn zip(binary: &Path) -> PathBuf {
    binary.with_extension("zip")
}

fn first_event(function: &str, samples: &[(String, Value)]) -> Result<Value, Failure> {
    let (_, event) = EVENTS
        .into_iter()
        .find(|(name, _)| *name == function)
        .ok_or_else(|| format!("{function} is not in EVENTS"))?;
    if event.is_empty() {
        return Ok(json!({ "command": "unblock_host", "host": "blocked.example.com" }));
    }
    let found = samples.iter().find(|(name, _)| name == event);
    Ok(found.ok_or_else(|| format!("there is no sample event {event}"))?.1.clone())
}

impl Packaged {
    /// The medians of both times.
    fn medians(&self) -> (f64, f64) {
        (quantile(&self.first_poll, 0.5), quantile(&self.first_reply, 0.5))
    }
}

impl Backend {
    /// A table with Live listings and an index, and a bus.
    async fn new() -> Result<Self, Failure> {
        let (engine, app, _) = seed::table(&Data::Memory, LISTINGS, &Arc::default()).await?;
        seed::index(&app).await?;
        Ok(Self { table: DynamoDb::serve(engine).await?, bus: EventBridge::serve().await? })
    }

    /// Milliseconds from the start of a binary to its first poll, and to its first reply.
    async fn start(&self, packaged: &Packaged) -> Result<(f64, f64), Failure> {
        let environment = [
            ("TABLE_NAME", "registry"),
            ("BUS_NAME", "bus"),
            ("BASE_URL", "https://registry.example.org"),
            ("RUST_LOG", "error"),
            ("AWS_ENDPOINT_URL_DYNAMODB", &*self.table.url),
            ("AWS_ENDPOINT_URL_EVENTBRIDGE", &*self.bus.url),
        ];
        let failed = |failure: &dyn std::fmt::Debug| Failure::from(format!("{}: {failure:?}", packaged.name));
        let began = Instant::now();
        let function = Function::start(&packaged.binary, &environment).await?;
        function.asks().await.map_err(|failure| failed(&failure))?;
        let first_poll = began.elapsed();
        let answer = function.invoke(packaged.event.clone()).await.map_err(|failure| failed(&failure))?;
        let first_reply = began.elapsed();
        // Without a payment provider, the function of the webhook refuses every event.
        let expected = if packaged.name == "payment-webhook" { 503 } else { 200 };
        if answer.get("statusCode").is_some_and(|status| *status != json!(expected)) {
            return Err(failed(&answer));
        }
        Ok((first_poll.as_secs_f64() * 1000.0, first_reply.as_secs_f64() * 1000.0))
    }
}
