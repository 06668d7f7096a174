//! `make bench` measures the speed of the registry on this machine and compares them with their limits. If a value
//! is over its limit, the exit code is 1. So the author of a change that makes the registry slower notices it.

mod client;
mod life;
mod load;
mod machine;
mod mix;
mod mixed_load;
mod pace;
mod packaged;
mod peers;
mod processes;
mod report;
mod search;
mod seed;
mod watch;
mod words;

use std::process::ExitCode;

use report::Report;

/// Why a measurement could not be made.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The default parts, in the order of measurement.
const PARTS: [&str; 3] = ["lambda", "requests", "search"];
/// A part that runs only if it is named. It takes ten minutes.
const LOAD: &str = "load";

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
        Some((mode, file)) if mode == search::CHILD_MODE && !file.is_empty() => {
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
    if let Some(other) = named.iter().find(|name| *name != LOAD && !PARTS.contains(&name.as_str())) {
        return Err(format!("unknown part `{other}`; the parts are {}, {LOAD}", PARTS.join(", ")).into());
    }
    println!("{}\n", machine::line());
    let mut report = Report::new();
    for part in PARTS.into_iter().filter(|part| named.is_empty() || named.iter().any(|name| name == part)) {
        match part {
            "lambda" => packaged::measure(&mut report).await?,
            "requests" => life::measure(&mut report).await?,
            _ => search::measure(&mut report).await?,
        }
    }
    if named.iter().any(|name| name == LOAD) {
        mixed_load::measure(&mut report).await?;
    }
    Ok(if report.finish() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
