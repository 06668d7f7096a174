//! `make bench` measures speed and cost of the registry on this machine and compares them with their limits. If a value
//! is over its limit, the exit code is 1. So the author of a change that makes the registry slower notices it.

mod client;
mod cost;
mod folder;
mod growth;
mod life;
mod load;
mod machine;
mod million;
mod mix;
mod mixed_load;
mod operations;
mod pace;
mod packaged;
mod peers;
mod prices;
mod processes;
mod recheck;
mod report;
mod search;
mod seed;
mod sweep;
mod upkeep;
mod watch;
mod words;

use std::process::ExitCode;

use report::Report;

/// Why a measurement could not be made.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The default parts, in the order of measurement.
const PARTS: [&str; 5] = ["lambda", "probes", "recheck", "requests", "operations"];
/// Parts that run only if they are named. They take ten minutes, and some minutes with gigabytes on disk; `cost` has no
/// limits.
const LOAD: &str = "load";
const MILLION: &str = "million";
const COST: &str = "cost";
const OPTIONAL_PARTS: [&str; 3] = [LOAD, MILLION, COST];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if cfg!(debug_assertions) && std::env::var_os("BENCH_SLACK").is_none() {
        eprintln!("bench: a debug build cannot measure speed; `make bench` builds with --release");
        return ExitCode::from(2);
    }
    let done = match arguments.split_first() {
        Some((mode, _)) if mode == processes::EMPTY_GATEWAY => {
            on_all_cores(processes::serve_empty_responses())
        }
        // One thread, as on Lambda.
        Some((mode, targets)) if mode == sweep::CHILD_MODE => on_one_thread(sweep::run_child(targets)),
        Some((mode, _)) if mode == recheck::CHILD_MODE => on_one_thread(recheck::run_child()),
        Some((mode, file)) if mode == search::CHILD_MODE => {
            on_one_thread(search::run_child(file.first().map_or("", String::as_str)))
        }
        _ => on_all_cores(measure(&arguments)),
    };
    done.unwrap_or_else(|failure| {
        eprintln!("bench: {failure}");
        ExitCode::from(2)
    })
}

fn on_all_cores(work: impl Future<Output = Result<ExitCode, Failure>>) -> Result<ExitCode, Failure> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(work)
}

fn on_one_thread(work: impl Future<Output = Result<ExitCode, Failure>>) -> Result<ExitCode, Failure> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}

/// Measures the named parts, or all default parts.
async fn measure(named: &[String]) -> Result<ExitCode, Failure> {
    let is_part = |name: &str| PARTS.contains(&name) || OPTIONAL_PARTS.contains(&name);
    if let Some(other) = named.iter().find(|name| !is_part(name)) {
        let parts = [&PARTS[..], &OPTIONAL_PARTS].concat().join(", ");
        return Err(format!("unknown part `{other}`; the parts are {parts}").into());
    }
    println!("{}\n", machine::line());
    let mut report = Report::new();
    for part in PARTS.into_iter().filter(|part| named.is_empty() || named.iter().any(|name| name == part)) {
        match part {
            "lambda" => packaged::measure(&mut report).await?,
            "probes" => sweep::measure(&mut report).await?,
            "recheck" => recheck::measure(&mut report).await?,
            "requests" => life::measure(&mut report).await?,
            _ => growth::measure(&mut report).await?,
        }
    }
    for name in named {
        match name.as_str() {
            LOAD => mixed_load::measure(&mut report).await?,
            MILLION => million::measure(&mut report).await?,
            COST => cost::measure(&mut report).await?,
            _ => {}
        }
    }
    Ok(if report.finish() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
