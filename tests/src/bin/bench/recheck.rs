//! One weekly recheck over 6,000 due listings of which a tenth hang: spread over many hosts, and all at one gateway. It
//! runs in a process of its own with its table in a file, as the function would.

use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use jiff::SignedDuration;
use local::Embedded;
use local::engine::{self, Data};
use registry::app::App;
use registry::events::Bus;
use registry::model::{Clock, HashPrefix, Kind, Random};
use registry::probe::run;
use registry::settings::{Mode, Settings};
use registry::store::{Store, table};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use crate::folder::Folder;
use crate::peers::{self, Manner};
use crate::report::Report;
use crate::seed::Site;
use crate::words::Words;
use crate::{Failure, machine, seed};

/// The argument that makes this program recheck the sites given by line on its standard input.
pub(crate) const ALONE: &str = "recheck-alone";

const DUE: usize = 6_000;
const HANGING: usize = DUE / 10;
/// Hosts of those that answer, and of those that hang where they are spread.
const HOSTS: usize = 60;
/// Seconds for which the function may run.
const TIME: f64 = 900.0;
const PATIENCE: Duration = Duration::from_secs(1200);

/// Measures a recheck where those that hang are spread, and one where they are all at one gateway.
///
/// # Errors
/// It cannot be run.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    report.part(format!(
        "One weekly recheck over {DUE} due listings of which {HANGING} hang (a process of its own)"
    ));
    one(report, HOSTS, "spread over 60 hosts").await?;
    one(report, 1, "at one gateway").await
}

async fn one(report: &mut Report, hanging_hosts: usize, words: &str) -> Result<(), Failure> {
    let (mut sound, mut hanging) = (Vec::new(), Vec::new());
    for _ in 0..HOSTS {
        sound.push(peers::start(Manner::Sound).await?);
    }
    for _ in 0..hanging_hosts {
        hanging.push(peers::start(Manner::SilentAtInterface).await?);
    }
    let mut command = Command::new(std::env::current_exe()?);
    let mut child =
        command.arg(ALONE).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    let mut sites = String::new();
    for number in 0..DUE {
        let hosts = if number % (DUE / HANGING) == 0 { &hanging } else { &sound };
        let kind = if number % 4 < 2 { "agent" } else { "mcp" };
        sites.push_str(&format!("{kind}={}/{number}\n", hosts[number / 10 % hosts.len()]));
    }
    let mut input = child.stdin.take().ok_or("the process takes no input")?;
    input.write_all(sites.as_bytes()).await?;
    drop(input);
    let output = tokio::time::timeout(PATIENCE, child.wait_with_output()).await??;
    let told: Value = serde_json::from_slice(&output.stdout)?;
    let number = |name: &str| told[name].as_f64().unwrap_or(f64::MAX);
    let ok = told["ok"] == json!(DUE - HANGING);
    report.must(format!("those that answer, {words}"), ok, &told["ok"], DUE - HANGING);
    let claimed = told["claimed"].as_u64().unwrap_or(0);
    if hanging_hosts == 1 {
        let asked = claimed.saturating_sub((DUE - HANGING) as u64);
        report.told(
            format!("asked of those that hang, {words}"),
            format!("{asked} of {HANGING}; the others in the next run"),
        );
    } else {
        report.must(format!("asked in all, {words}"), claimed == DUE as u64, claimed, DUE);
    }
    report.below(format!("time, {words}"), number("seconds"), TIME, "s");
    report.told(format!("peak memory, {words}"), crate::report::amount(number("peak_mb"), "MB"));
    Ok(())
}

/// Makes the sites Live and due, rechecks once, and prints what it took.
///
/// # Errors
/// A site cannot be listed, or the table refuses.
pub(crate) async fn alone() -> Result<ExitCode, Failure> {
    let settings = Settings::from_env(Mode::Development, |_| None)?;
    let folder = Folder::new()?;
    let engine = Embedded::open(&Data::File(folder.file("recheck.db")), &Clock::System)?;
    let client = engine::client(engine.clone());
    table::ensure(&client, &settings.table_name).await?;
    let (seeding, now) = (seed::store(&engine, &settings), Clock::System.now());
    // Due, and not yet overdue.
    let at = now - SignedDuration::from_hours(24 * 6 + 14);
    for (number, line) in std::io::stdin().lines().enumerate() {
        let line = line?;
        let (kind, url) = line.split_once('=').ok_or("a line is no site")?;
        let kind = if kind == "agent" { Kind::Agent } else { Kind::Mcp };
        let site = Site { kind, url: url.to_owned(), number };
        seed::live_at(&seeding, &settings, at, &site, &Words::default()).await?;
    }
    let store = Store::new(client, &settings.table_name);
    let app = App::new(settings, store, Bus::Silent, Clock::System, Random::System);
    let began = Instant::now();
    let swept = run::recheck(&app, HashPrefix::default()).await?;
    let memory = machine::memory(std::process::id()).ok_or("the memory of this process cannot be read")?;
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{}",
        json!({ "seconds": seconds, "peak_mb": memory.peak, "claimed": swept.claimed, "ok": swept.ok })
    );
    Ok(ExitCode::SUCCESS)
}
