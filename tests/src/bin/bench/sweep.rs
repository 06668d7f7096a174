//! One tick over 64 due listings of which 16 hang, half of them at the card and half at the interface. The sweep runs
//! in a process of its own, so that its peak of memory is not that of the peers.

use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use local::Embedded;
use local::engine::{self, Data};
use registry::app::App;
use registry::events::Bus;
use registry::model::{Clock, Random};
use registry::probe::run;
use registry::publish::submission::{PublishRequest, Submission};
use registry::settings::{Mode, Settings};
use registry::store::{Store, table};
use serde_json::{Value, json};
use tests::fixtures::feed_item;
use tokio::process::Command;

use crate::peers::{self, Manner};
use crate::report::Report;
use crate::{Failure, machine};

/// The argument that makes this program sweep over the targets given after it.
pub(crate) const ALONE: &str = "sweep";

/// So many targets fill one window of the contract.
const TARGETS: usize = 64;
/// So many of them hang.
const HANGING: usize = 16;
/// Seconds that the sweep may take.
const TIME: f64 = 12.0;
/// MB that its process may hold at its peak.
const MEMORY: f64 = 128.0;
/// After this a sweep is given up on.
const PATIENCE: Duration = Duration::from_secs(60);

/// Measures a sweep over ordinary peers, and one over peers that say as much as is read of them.
///
/// # Errors
/// It cannot be run.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    report.part(format!("One sweep over {TARGETS} targets of which {HANGING} hang (a process of its own)"));
    one(report, Manner::Sound, "").await?;
    one(report, Manner::Verbose, ", cards of 200 KiB and tool lists of 900 KiB").await
}

async fn one(report: &mut Report, manner: Manner, words: &str) -> Result<(), Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(ALONE);
    for number in 0..TARGETS {
        command.arg(target(number, manner).await?);
    }
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    let output = tokio::time::timeout(PATIENCE, child.wait_with_output()).await??;
    let told: Value = serde_json::from_slice(&output.stdout)?;
    let number = |name: &str| told[name].as_f64().unwrap_or(f64::MAX);
    let expected = TARGETS - HANGING;
    let (claimed, ok) = (&told["claimed"], &told["ok"]);
    let complete = *claimed == json!(TARGETS) && *ok == json!(expected);
    report.must(
        format!("verdicts{words}"),
        complete,
        format!("{claimed} listings, {ok} ok"),
        format!("{TARGETS}, {expected} ok"),
    );
    report.below(format!("time{words}"), number("seconds"), TIME, "s");
    report.below(format!("peak memory{words}"), number("peak_mb"), MEMORY, "MB");
    report.told(format!("memory before it{words}"), crate::report::amount(number("before_mb"), "MB"));
    Ok(())
}

/// Agents and MCP servers alternate. Of sixteen targets in a row four hang, in turn: an agent at its card, a server at
/// its interface, an agent at its interface, and once more at its card; so half of all hang at the card.
async fn target(number: usize, manner: Manner) -> Result<String, Failure> {
    let (agent, manner) = match number % 16 {
        0 | 4 => (true, Manner::SilentAtCard),
        8 => (true, Manner::SilentAtInterface),
        13 => (false, Manner::SilentAtInterface),
        other => (other % 2 == 0, manner),
    };
    let origin = peers::start(manner).await?;
    Ok(if agent { format!("agent={origin}{}", peers::CARD) } else { format!("mcp={origin}/mcp") })
}

/// Lists the targets in a table in memory, sweeps over them once, and prints what it took.
///
/// # Errors
/// A target cannot be listed, or the table refuses.
pub(crate) async fn alone(targets: &[String]) -> Result<ExitCode, Failure> {
    let settings = Settings::from_env(Mode::Development, |_| None)?;
    let engine = Embedded::open(&Data::Memory, &Clock::System)?;
    let client = engine::client(engine);
    table::ensure(&client, &settings.table_name).await?;
    let store = Store::new(client, &settings.table_name);
    let app = App::new(settings, store, Bus::Silent, Clock::System, Random::System);
    for target in targets {
        list(&app, target).await?;
    }
    let before = machine::memory(std::process::id()).ok_or("the memory of this process cannot be read")?;
    let began = Instant::now();
    let swept = run::tick(&app, None).await?;
    let seconds = began.elapsed().as_secs_f64();
    let after = machine::memory(std::process::id()).ok_or("the memory of this process cannot be read")?;
    let told = json!({
        "seconds": seconds, "before_mb": before.now, "peak_mb": after.peak, "claimed": swept.claimed, "ok": swept.ok,
    });
    println!("{told}");
    Ok(ExitCode::SUCCESS)
}

async fn list(app: &App, target: &str) -> Result<(), Failure> {
    let fields = match target.split_once('=') {
        Some(("agent", url)) => {
            PublishRequest { agent_card_url: Some(url.to_owned()), ..PublishRequest::default() }
        }
        Some(("mcp", url)) => PublishRequest { mcp_url: Some(url.to_owned()), ..PublishRequest::default() },
        _ => return Err(format!("{target} is no target").into()),
    };
    let submission = Submission::parse(fields, app.settings.reach())
        .map_err(|problem| format!("{target} is refused: {problem:?}"))?;
    let now = app.clock.now();
    let (id, _) = submission.ids();
    let listing = submission.listing(id, now);
    let news = feed_item("listing_queued", &listing, now);
    app.store.insert(&listing, &submission.contact, &news).await?;
    Ok(())
}
