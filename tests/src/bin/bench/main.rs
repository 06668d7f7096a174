//! `make bench`: the speed and cost that the registry promises, measured on this machine and held against their
//! limits. A broken limit ends with exit code 1, so that a slow change is seen by whoever makes it.

mod client;
mod life;
mod load;
mod machine;
mod operations;
mod packaged;
mod peers;
mod processes;
mod report;
mod rivals;
mod seed;
mod sweep;

use std::process::ExitCode;

use report::Report;

/// Whatever keeps a measurement from being made.
type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    if cfg!(debug_assertions) {
        eprintln!("bench: a debug build says nothing about speed; `make bench` builds with --release");
        return ExitCode::from(2);
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.split_first() {
        None => on_all_cores(measure()),
        Some((mode, _)) if mode == processes::EMPTY_GATEWAY => on_all_cores(processes::serve_nothing()),
        // One thread, as the function has on Lambda.
        Some((mode, targets)) if mode == sweep::ALONE => on_one_thread(sweep::alone(targets)),
        Some((mode, _)) => Err(format!("`{mode}` is no mode of this program; it takes no arguments").into()),
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

async fn measure() -> Result<ExitCode, Failure> {
    let mut report = Report::default();
    println!("{}\n", machine::line());
    packaged::measure(&mut report).await?;
    sweep::measure(&mut report).await?;
    life::measure(&mut report).await?;
    operations::measure(&mut report).await?;
    report.print();
    Ok(if report.is_broken() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
