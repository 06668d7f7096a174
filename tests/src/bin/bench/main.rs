//! `make bench`: the speed and cost that the registry promises, measured on this machine and held against their
//! limits. A broken limit ends with exit code 1, so that a slow change is seen by whoever makes it.

mod client;
mod cost;
mod folder;
mod growth;
mod instances;
mod life;
mod load;
mod machine;
mod million;
mod mix;
mod mixed_load;
mod operations;
mod pace;
mod packaged;
mod packaged_load;
mod peers;
mod plot;
mod prices;
mod processes;
mod recheck;
mod report;
mod rivals;
mod search;
mod seed;
mod soak;
mod sweep;
mod trails;
mod upkeep;
mod watch;
mod words;

use std::process::ExitCode;

use report::Report;

/// Whatever keeps a measurement from being made.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The parts in the order in which they are measured.
const PARTS: [&str; 5] = ["lambda", "probes", "recheck", "requests", "operations"];
/// Parts that are measured only where they are named: an hour, ten minutes twice, some minutes and a file of gigabytes,
/// and no limit.
const SOAK: &str = "soak";
const LOAD: &str = "load";
const MILLION: &str = "million";
const COST: &str = "cost";
const NAMED: [&str; 4] = [SOAK, LOAD, MILLION, COST];

fn main() -> ExitCode {
    if cfg!(debug_assertions) && std::env::var_os("BENCH_SLACK").is_none() {
        eprintln!("bench: a debug build says nothing about speed; `make bench` builds with --release");
        return ExitCode::from(2);
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.split_first() {
        Some((mode, _)) if mode == processes::EMPTY_GATEWAY => on_all_cores(processes::serve_nothing()),
        // One thread, as the function has on Lambda.
        Some((mode, targets)) if mode == sweep::ALONE => on_one_thread(sweep::alone(targets)),
        Some((mode, _)) if mode == recheck::ALONE => on_one_thread(recheck::alone()),
        Some((mode, minutes)) if mode == soak::ALONE => {
            on_one_thread(soak::alone(minutes.first().map_or("", String::as_str)))
        }
        Some((mode, file)) if mode == search::ALONE => {
            on_one_thread(search::alone(file.first().map_or("", String::as_str)))
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

/// Measures the parts that are named; all of them, where none is.
async fn measure(named: &[String]) -> Result<ExitCode, Failure> {
    let is_part = |name: &str| PARTS.contains(&name) || NAMED.contains(&name);
    if let Some(other) = named.iter().find(|name| !is_part(name)) {
        let parts = [&PARTS[..], &NAMED].concat().join(", ");
        return Err(format!("`{other}` is no part; there are {parts}").into());
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
            SOAK => soak::measure(&mut report).await?,
            MILLION => million::measure(&mut report).await?,
            COST => cost::tell(&mut report).await?,
            _ => {}
        }
    }
    Ok(if report.end() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
