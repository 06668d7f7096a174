//! Measures one tick (scheduled probe run) with 64 due listings. The peers of 16 listings never answer: half
//! of them at the card, half at the interface. The tick runs in a separate process, so that its peak memory
//! does not include the peers.

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

/// The argument that makes this program sweep over the targets in the next arguments.
pub(crate) const CHILD_MODE: &str = "sweep";

/// Number of targets: one window of the probe budget.
const TARGETS: usize = 64;
/// Hanging targets.
const HANGING: usize = 16;
/// Limit for the time of the sweep, in seconds.
const MAX_SECONDS: f64 = 12.0;
/// Limit for the peak memory of its process, in MB.
const MAX_PEAK_MB: f64 = 128.0;
/// Time limit of the process.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Measures a sweep over ordinary peers, and one over peers with replies of nearly the maximum length.
///
/// # Errors
/// The sweep cannot be run.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    report.part(format!("One sweep over {TARGETS} targets, {HANGING} of them hanging (separate process)"));
    one(report, Manner::Sound, "").await?;
    one(report, Manner::Verbose, ", cards of 200 KiB and tool lists of 900 KiB").await
}

async fn one(report: &mut Report, manner: Manner, words: &str) -> Result<(), Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(CHILD_MODE);
    for number in 0..TARGETS {
        command.arg(target(number, manner).await?);
    }
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    let output = tokio::time::timeout(TIME_LIMIT, child.wait_with_output()).await??;
    let result: Value = serde_json::from_slice(&output.stdout)?;
    let number = |name: &str| result[name].as_f64().unwrap_or(f64::MAX);
    let expected = TARGETS - HANGING;
    let (claimed, ok) = (&result["claimed"], &result["ok"]);
    let complete = *claimed == json!(TARGETS) && *ok == json!(expected);
    report.must(
        format!("verdicts{words}"),
        complete,
        format!("{claimed} listings, {ok} ok"),
        format!("{TARGETS}, {expected} ok"),
    );
    report.below(format!("time{words}"), number("seconds"), MAX_SECONDS, "s");
    report.below(format!("peak memory{words}"), number("peak_mb"), MAX_PEAK_MB, "MB");
    report.info(format!("memory before the sweep{words}"), crate::report::amount(number("before_mb"), "MB"));
    Ok(())
}

/// Agents and MCP servers alternate. Of sixteen consecutive targets four hang: two agents at the card, one agent at the
/// interface and one server at its endpoint. So half of the hanging targets hang at the card.
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

/// Lists the targets in a table in memory, sweeps once, and prints time and memory.
///
/// # Errors
/// A target cannot be listed, or the table returns an error.
pub(crate) async fn run_child(targets: &[String]) -> Result<ExitCode, Failure> {
    // The targets are unproven listings, which get half of the budget.
    let caps = |name: &str| (name == "PROBE_WINDOW_CAP").then(|| "1000".to_owned());
    let settings = Settings::from_env(Mode::Development, caps)?;
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
    let result = json!({
        "seconds": seconds, "before_mb": before.now, "peak_mb": after.peak, "claimed": swept.claimed, "ok": swept.ok,
    });
    println!("{result}");
    Ok(ExitCode::SUCCESS)
}

async fn list(app: &App, target: &str) -> Result<(), Failure> {
    let fields = match target.split_once('=') {
        Some(("agent", url)) => {
            PublishRequest { agent_card_url: Some(url.to_owned()), ..PublishRequest::default() }
        }
        Some(("mcp", url)) => PublishRequest { mcp_url: Some(url.to_owned()), ..PublishRequest::default() },
        _ => return Err(format!("{target} is not a target").into()),
    };
    let submission = Submission::parse(fields, app.settings.reach())
        .map_err(|problem| format!("{target} is refused: {problem:?}"))?;
    let now = app.clock.now();
    let (id, _) = submission.ids();
    let listing = submission.listing(id, now);
    let news = feed_item("listing_queued", &listing, now);
    app.store.insert(&listing, None, &submission.contact, &news, None).await?;
    Ok(())
}
