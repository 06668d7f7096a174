//! Runs sweeps (probe runs) for an hour over 2,000 peers. A third of the peers are hostile. After each round,
//! the clock of the registry moves forward by an hour. The sweeps run in a separate process with a table in a
//! file, so that the measured memory does not include the peers.

use std::collections::HashSet;
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};

use ::tests::fixtures::feed_item;
use ::tests::peers::hostile::HostilePeer;
use local::Embedded;
use local::engine::{self, Data};
use registry::app::App;
use registry::events::Bus;
use registry::model::{Clock, HashPrefix, Kind, ListingId, Random};
use registry::probe::run;
use registry::publish::submission::{PublishRequest, Submission};
use registry::settings::{Mode, Settings};
use registry::store::{Store, table};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use crate::folder::Folder;
use crate::peers::{self, Manner};
use crate::report::{Report, amount};
use crate::{Failure, machine};

/// The argument that makes this program sweep over the peers on its standard input, one per line. The next argument is the
/// number of minutes.
pub(crate) const CHILD_MODE: &str = "soak-alone";

const PEERS: usize = 2_000;
/// One in this many peers is hostile.
const ONE_IN: usize = 3;
/// Default of `SOAK_MINUTES`.
const MINUTES: f64 = 60.0;
/// Limit for the peak memory of the sweeping process, in MB.
const MAX_PEAK_MB: f64 = 128.0;
/// Limit for the peak memory of the second half, relative to the first.
const MAX_GROWTH: f64 = 1.1;
/// Rounds after which hostile peers are listed again, because a listing that fails for thirty days is deleted.
const RELIST_INTERVAL: u32 = 20 * 24;
const ROUND: Duration = Duration::from_secs(3600);
/// A round has one tick, which may do what ten ticks of six minutes may do by default.
const PROBES_PER_TICK: &str = "640";
/// Limit for the age of the oldest proof of a Live listing.
const MAX_HOURS: f64 = 24.0;

/// Runs and reports the soak.
///
/// # Errors
/// The process cannot be run.
pub(crate) async fn measure(report: &mut Report) -> Result<(), Failure> {
    let minutes = std::env::var("SOAK_MINUTES").ok().and_then(|text| text.parse().ok()).unwrap_or(MINUTES);
    report.part(format!("{minutes} minutes of sweeps over {PEERS} peers, one in {ONE_IN} hostile"));
    let (mut lines, mut hostile) = (String::new(), 0);
    for number in 0..PEERS {
        if number % ONE_IN == 0 {
            let manner = HostilePeer::ALL[hostile % HostilePeer::ALL.len()];
            lines.push_str(&format!("hostile={}\n", manner.start().await));
            hostile += 1;
        } else {
            let origin = peers::start(Manner::Sound).await?;
            let line = if number % 2 == 0 {
                format!("agent={origin}{}\n", peers::CARD)
            } else {
                format!("mcp={origin}/mcp\n")
            };
            lines.push_str(&line);
        }
    }
    let mut child = Command::new(std::env::current_exe()?)
        .args([CHILD_MODE, &minutes.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut input = child.stdin.take().ok_or("the process takes no input")?;
    input.write_all(lines.as_bytes()).await?;
    drop(input);
    let time_limit = Duration::from_secs_f64(minutes * 60.0 + 600.0);
    let output = tokio::time::timeout(time_limit, child.wait_with_output()).await??;
    let result: Value = serde_json::from_slice(&output.stdout)?;
    let number = |name: &str| result[name].as_f64().unwrap_or(f64::MAX);
    let honest = PEERS - hostile;
    report.info("rounds of one hour on its clock", &result["rounds"]);
    report.info("probes", &result["probes"]);
    report.must(
        "honest peers Live in every round",
        result["fewest_live"] == json!(honest),
        &result["fewest_live"],
        honest,
    );
    report.must(
        "hostile peers Live in any round",
        result["hostile_live"] == json!(0),
        &result["hostile_live"],
        0,
    );
    report.at_most(
        "oldest proof of a Live listing",
        number("oldest_hours"),
        MAX_HOURS,
        amount(number("oldest_hours"), "h"),
    );
    report.below("peak memory", number("peak_mb"), MAX_PEAK_MB, "MB");
    report.below(
        "peak of the second half relative to the first",
        number("second_mb") / number("first_mb"),
        MAX_GROWTH,
        "x",
    );
    Ok(())
}

/// The results of the rounds so far.
#[derive(Debug, Default)]
struct Soak {
    rounds: u32,
    probes: u32,
    /// Memory after each round in MB, from the first round in which all honest peers were Live.
    memory: Vec<f64>,
    fewest_live: Option<usize>,
    hostile_live: usize,
    oldest_hours: f64,
}

/// Sweeps over the peers on standard input, and prints the results.
///
/// # Errors
/// A peer cannot be listed, or the table returns an error.
pub(crate) async fn run_child(minutes: &str) -> Result<ExitCode, Failure> {
    let time = Duration::from_secs_f64(minutes.parse::<f64>()? * 60.0);
    let settings = Settings::from_env(Mode::Development, |name| {
        (name == "PROBE_WINDOW_CAP").then(|| PROBES_PER_TICK.to_owned())
    })?;
    let clock = Clock::manual(Clock::System.now());
    let folder = Folder::new()?;
    let engine = Embedded::open(&Data::File(folder.file("soak.db")), &clock)?;
    let client = engine::client(engine);
    table::ensure(&client, &settings.table_name).await?;
    let store = Store::new(client, &settings.table_name);
    let app = App::new(settings, store, Bus::Silent, clock, Random::System);
    let (mut hostile, mut hostile_urls) = (HashSet::new(), Vec::new());
    let mut listed = 0_usize;
    for line in std::io::stdin().lines() {
        let line = line?;
        let (sort, url) = line.split_once('=').ok_or("a line is not a peer")?;
        let id = list(&app, sort, url).await?;
        listed += 1;
        if sort == "hostile" {
            hostile.insert(id);
            hostile_urls.push(url.to_owned());
        }
    }
    let honest = listed - hostile.len();
    let (began, mut soak) = (Instant::now(), Soak::default());
    while began.elapsed() < time {
        if soak.rounds % RELIST_INTERVAL == RELIST_INTERVAL - 1 {
            for url in &hostile_urls {
                list(&app, "hostile", url).await?;
            }
        }
        round(&app, &hostile, honest, &mut soak).await?;
        if soak.rounds % 20 == 0 {
            eprintln!("{:.0} s: {soak:?}", began.elapsed().as_secs_f64());
        }
    }
    let peak = |some: &[f64]| some.iter().copied().fold(0.0, f64::max);
    let (first, second) = soak.memory.split_at(soak.memory.len() / 2);
    let all = machine::memory(std::process::id()).ok_or("the memory of this process cannot be read")?;
    let result = json!({
        "rounds": soak.rounds, "probes": soak.probes, "fewest_live": soak.fewest_live,
        "hostile_live": soak.hostile_live, "oldest_hours": soak.oldest_hours,
        "peak_mb": all.peak, "first_mb": peak(first), "second_mb": peak(second),
    });
    println!("{result}");
    Ok(ExitCode::SUCCESS)
}

/// One hour on the clock: a tick, a recheck and the index. Then compares the Live listings with the honest peers.
async fn round(
    app: &App,
    hostile: &HashSet<ListingId>,
    honest: usize,
    soak: &mut Soak,
) -> Result<(), Failure> {
    app.clock.advance(ROUND);
    let ticked = run::tick(app, None).await?;
    let rechecked = run::recheck(app, HashPrefix::default()).await?;
    app.search.build().await?;
    soak.rounds += 1;
    soak.probes += ticked.claimed + rechecked.claimed;
    let now = app.clock.now();
    let (mut live, mut after) = (0, None);
    for kind in [Kind::Agent, Kind::Mcp] {
        loop {
            let (page, more) = app.store.active(kind, after.as_deref(), 100).await?;
            for listing in page {
                soak.hostile_live += usize::from(hostile.contains(&listing.id));
                live += usize::from(!hostile.contains(&listing.id));
                let age =
                    listing.last_ok_at.map_or(f64::MAX, |at| now.duration_since(at).as_secs_f64() / 3600.0);
                soak.oldest_hours = soak.oldest_hours.max(age);
            }
            after = more;
            if after.is_none() {
                break;
            }
        }
    }
    // The budget limits first probes per hour. When all honest peers are Live, they must stay Live.
    if live == honest || soak.fewest_live.is_some() {
        soak.fewest_live = Some(soak.fewest_live.unwrap_or(live).min(live));
        soak.memory.push(machine::memory(std::process::id()).ok_or("the memory cannot be read")?.now);
    }
    Ok(())
}

async fn list(app: &App, sort: &str, url: &str) -> Result<ListingId, Failure> {
    let mut fields = PublishRequest::default();
    *(if sort == "mcp" { &mut fields.mcp_url } else { &mut fields.agent_card_url }) = Some(url.to_owned());
    let submission = Submission::parse(fields, app.settings.reach())
        .map_err(|problem| format!("{url} is refused: {problem:?}"))?;
    let (now, (id, _)) = (app.clock.now(), submission.ids());
    let listing = submission.listing(id.clone(), now);
    let news = feed_item("listing_queued", &listing, now);
    app.store.insert(&listing, None, &submission.contact, &news, None).await?;
    Ok(id)
}
