//! What is packaged for Lambda: the size of each zip, and the time from the start of its binary until it asks for its
//! first event and until it has answered one, in turns with a minimal function that is packaged by the same profile.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use local::Embedded;
use local::engine::{self, Data};
use registry::app::App;
use registry::events::Bus;
use registry::model::{Clock, Random};
use registry::settings::{Mode, Settings};
use registry::store::table;
use serde_json::{Value, json};
use tests::aws_endpoints::{DynamoDb, EventBridge};
use tests::runtime_api::Function;
use tests::sample_events;
use tests::template::Template;

use crate::load::quantile;
use crate::report::{Report, amount};
use crate::{Failure, processes, seed};

/// The function that all are held against.
const MINIMAL: &str = "minimal-lambda";
/// How often each is started.
const STARTS: usize = 21;
/// How many times the minimal function's start one may take until it asks for its first event.
const RATIO: f64 = 2.5;
/// MB of a zip, which is uploaded, and loaded at a cold start: what is aimed at, and what none may grow to. The protocol
/// endpoints link every operation, and whoever searches the table of meanings, of which 4 MB stay as they are in a zip.
const AIM: f64 = 6.0;
const SIZE: f64 = 14.0;
/// Live listings in the table that the functions find.
const LISTINGS: usize = 30;
/// The event that each function is given first: of those that it serves, one that reads or writes the table.
const EVENTS: [(&str, &str); 14] = [
    (MINIMAL, "discovery"),
    ("a2a", "a2a"),
    ("daily-connector", "daily-connector"),
    ("listings", "active"),
    ("operator", ""),
    ("pages", "page-home"),
    ("probe-tick", "probe-tick"),
    ("products", "agentfinder"),
    ("protocol", "protocol"),
    ("publish", "publish"),
    ("search-index", "search-index"),
    ("talk", "talk-feed"),
    ("weekly-recheck", "weekly-recheck"),
    ("well-known", "discovery"),
];

/// A packaged function, and what its starts took in milliseconds.
struct Packaged {
    name: String,
    binary: PathBuf,
    event: Value,
    asked: Vec<f64>,
    answered: Vec<f64>,
}

/// The table and the bus that the functions find.
struct Surroundings {
    table: DynamoDb,
    bus: EventBridge,
}

/// Measures every function of the template.
///
/// # Errors
/// A binary does not start or answers with a failure, or the template cannot be read.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    report.part("Lambda functions: the binary, its zip; from start to first poll, and to the first answer");
    let limit = format!("<= {SIZE} MB, {RATIO}x");
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
                asked: Vec::new(),
                answered: Vec::new(),
            });
        } else {
            report.not_measured(name, "not built: `make bench` builds it", &limit);
        }
    }
    if built.first().is_none_or(|first| first.name != MINIMAL) {
        for function in &built {
            report.not_measured(&function.name, format!("without {MINIMAL} there is no ratio"), &limit);
        }
        return Ok(());
    }
    let surroundings = Surroundings::new().await?;
    for turn in 0..=STARTS {
        for function in &mut built {
            let (asked, answered) = surroundings.start(function).await?;
            // The first one also reads the binary from the disk.
            if turn > 0 {
                function.asked.push(asked);
                function.answered.push(answered);
            }
        }
    }
    let Some(least) = built.first().map(Packaged::halves) else { return Ok(()) };
    for function in &built {
        tell(report, function, least, &limit)?;
    }
    Ok(())
}

fn tell(report: &mut Report, function: &Packaged, least: (f64, f64), limit: &str) -> Result<(), Failure> {
    let megabytes = |path: &Path| std::fs::metadata(path).map(|file| file.len() as f64 / 1e6);
    let (binary, zip) = (megabytes(&function.binary)?, megabytes(&zip(&function.binary))?);
    let (asked, answered) = function.halves();
    let (asked_ratio, answered_ratio) = (asked / least.0, answered / least.1);
    let over = if zip > AIM { ", over the aim" } else { "" };
    let told = format!(
        "{}, zip {}{over}; {} ({asked_ratio:.1}x), answer {} ({answered_ratio:.1}x)",
        amount(binary, "MB"),
        amount(zip, "MB"),
        amount(asked, "ms"),
        amount(answered, "ms")
    );
    if function.name == MINIMAL {
        report.told(&function.name, told);
    } else {
        let holds = zip <= SIZE && asked_ratio <= RATIO * report.slack();
        report.must(&function.name, holds, told, limit);
    }
    Ok(())
}

/// The zip beside a binary.
fn zip(binary: &Path) -> PathBuf {
    binary.with_extension("zip")
}

fn first_event(function: &str, samples: &[(String, Value)]) -> Result<Value, Failure> {
    let (_, wanted) = EVENTS
        .into_iter()
        .find(|(name, _)| *name == function)
        .ok_or_else(|| format!("{function} has no event here"))?;
    if wanted.is_empty() {
        return Ok(json!({ "command": "unblock_host", "host": "blocked.example.com" }));
    }
    let found = samples.iter().find(|(name, _)| name == wanted);
    Ok(found.ok_or_else(|| format!("there is no event {wanted}"))?.1.clone())
}

impl Packaged {
    /// The medians of both times.
    fn halves(&self) -> (f64, f64) {
        (quantile(&self.asked, 0.5), quantile(&self.answered, 0.5))
    }
}

impl Surroundings {
    /// A table with Live listings and an index over them, as a deployed registry has; and a bus.
    async fn new() -> Result<Self, Failure> {
        let settings = Settings::from_env(Mode::Public, |_| None)?;
        let engine = Embedded::open(&Data::Memory, &Clock::System)?;
        table::ensure(&engine::client(engine.clone()), &settings.table_name).await?;
        let store = seed::store(&engine, &settings);
        seed::seed(&store, &settings, Clock::System.now(), 0..LISTINGS, &Arc::default()).await?;
        let app = App::new(settings, store, Bus::Silent, Clock::System, Random::System);
        seed::index(&app).await?;
        Ok(Self { table: DynamoDb::serve(engine).await?, bus: EventBridge::serve().await? })
    }

    /// Milliseconds from the start of a binary until it asks for an event, and until it has answered it.
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
        let asked = began.elapsed();
        let answer = function.invoke(packaged.event.clone()).await.map_err(|failure| failed(&failure))?;
        let answered = began.elapsed();
        if answer.get("statusCode").is_some_and(|status| *status != json!(200)) {
            return Err(failed(&answer));
        }
        Ok((asked.as_secs_f64() * 1000.0, answered.as_secs_f64() * 1000.0))
    }
}
