//! Measures a weekly recheck of 6,000 due listings. A tenth of the peers never answer. The recheck runs twice: with the
//! listings on many hosts, and with all listings on one host. It runs in a separate process with a table in a file.

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

/// The argument that makes this program recheck the sites on its standard input, one per line.
pub(crate) const CHILD_MODE: &str = "recheck-alone";

const DUE: usize = 6_000;
const HANGING: usize = DUE / 10;
/// Hosts of sound listings, and of hanging ones if they are spread.
const HOSTS: usize = 60;
/// Time limit of the function, in seconds.
const MAX_SECONDS: f64 = 900.0;
const TIME_LIMIT: Duration = Duration::from_secs(1200);

/// Measures a recheck with hanging listings on many hosts, and one with all of them on one gateway.
///
/// # Errors
/// The recheck cannot be run.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    report.part(format!(
        "One weekly recheck over {DUE} due listings, {HANGING} of them hanging (separate process)"
    ));
    one(report, HOSTS, "on 60 hosts").await?;
    one(report, 1, "on one gateway").await
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
        command.arg(CHILD_MODE).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    let mut sites = String::new();
    for number in 0..DUE {
        let hosts = if number % (DUE / HANGING) == 0 { &hanging } else { &sound };
        let kind = if number % 4 < 2 { "agent" } else { "mcp" };
        sites.push_str(&format!("{kind}={}/{number}\n", hosts[number / 10 % hosts.len()]));
    }
    let mut input = child.stdin.take().ok_or("the process takes no input")?;
    input.write_all(sites.as_bytes()).await?;
    drop(input);
    let output = tokio::time::timeout(TIME_LIMIT, child.wait_with_output()).await??;
    let result: Value = serde_json::from_slice(&output.stdout)?;
    let number = |name: &str| result[name].as_f64().unwrap_or(f64::MAX);
    let ok = result["ok"] == json!(DUE - HANGING);
    report.must(format!("sound listings proven, {words}"), ok, &result["ok"], DUE - HANGING);
    let claimed = result["claimed"].as_u64().unwrap_or(0);
    if hanging_hosts == 1 {
        let probed = claimed.saturating_sub((DUE - HANGING) as u64);
        report.info(
            format!("hanging listings probed, {words}"),
            format!("{probed} of {HANGING}; the others in the next run"),
        );
    } else {
        report.must(format!("listings probed, {words}"), claimed == DUE as u64, claimed, DUE);
    }
    report.below(format!("time, {words}"), number("seconds"), MAX_SECONDS, "s");
    report.info(format!("peak memory, {words}"), crate::report::amount(number("peak_mb"), "MB"));
    Ok(())
}

/// Makes the sites Live and due, rechecks once, and prints time and memory.
///
/// # Errors
/// A site cannot be listed, or the table returns an error.
pub(crate) async fn run_child() -> Result<ExitCode, Failure> {
    let settings = Settings::from_env(Mode::Development, |_| None)?;
    let folder = Folder::new()?;
    let engine = Embedded::open(&Data::File(folder.file("recheck.db")), &Clock::System)?;
    let client = engine::client(engine.clone());
    table::ensure(&client, &settings.table_name).await?;
    let (seeding, now) = (seed::store(&engine, &settings), Clock::System.now());
    // Due and not yet overdue.
    let at = now - SignedDuration::from_hours(24 * 6 + 14);
    for (number, line) in std::io::stdin().lines().enumerate() {
        let line = line?;
        let (kind, url) = line.split_once('=').ok_or("a line is not a site")?;
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
