//! An hour of sweeps over 2,000 peers of which a third are hostile, on a clock that moves an hour with each round. The
//! sweeps run in a process of their own with its table in a file, so that its memory is not that of the peers.

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

/// The argument that makes this program sweep over the peers given by line on its standard input, for so many minutes.
pub(crate) const ALONE: &str = "soak-alone";

const PEERS: usize = 2_000;
/// Every third is hostile.
const ONE_IN: usize = 3;
/// How long, unless `SOAK_MINUTES` says otherwise.
const MINUTES: f64 = 60.0;
/// MB that the sweeping process may hold at its peak.
const MEMORY: f64 = 128.0;
/// How much more the second half may hold at its peak than the first, once all were asked.
const GROWTH: f64 = 1.1;
/// So many rounds pass before the hostile are listed again: what fails for thirty days is deleted.
const RELISTED_EACH: u32 = 20 * 24;
const ROUND: Duration = Duration::from_secs(3600);

/// Measures it.
///
/// # Errors
/// It cannot be run.
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
        .args([ALONE, &minutes.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut input = child.stdin.take().ok_or("the process takes no input")?;
    input.write_all(lines.as_bytes()).await?;
    drop(input);
    let patience = Duration::from_secs_f64(minutes * 60.0 + 600.0);
    let output = tokio::time::timeout(patience, child.wait_with_output()).await??;
    let told: Value = serde_json::from_slice(&output.stdout)?;
    let number = |name: &str| told[name].as_f64().unwrap_or(f64::MAX);
    let honest = PEERS - hostile;
    report.told("rounds of an hour by its clock", &told["rounds"]);
    report.told("probes", &told["probes"]);
    report.must(
        "honest peers that are Live in every round",
        told["fewest_live"] == json!(honest),
        &told["fewest_live"],
        honest,
    );
    report.must(
        "hostile peers that ever went Live",
        told["hostile_live"] == json!(0),
        &told["hostile_live"],
        0,
    );
    report.at_most(
        "oldest proof of a Live listing",
        number("oldest_hours"),
        168.0,
        amount(number("oldest_hours"), "h"),
    );
    report.below("peak memory", number("peak_mb"), MEMORY, "MB");
    report.below(
        "peak of the second half, of the first's",
        number("second_mb") / number("first_mb"),
        GROWTH,
        "x",
    );
    Ok(())
}

/// What the rounds came to so far.
#[derive(Debug, Default)]
struct Soak {
    rounds: u32,
    probes: u32,
    /// Memory after each round since all were asked, in MB.
    memory: Vec<f64>,
    fewest_live: Option<usize>,
    hostile_live: usize,
    oldest_hours: f64,
}

/// Sweeps for so many minutes over the peers on standard input, and prints what it came to.
///
/// # Errors
/// A peer cannot be listed, or the table refuses.
pub(crate) async fn alone(minutes: &str) -> Result<ExitCode, Failure> {
    let time = Duration::from_secs_f64(minutes.parse::<f64>()? * 60.0);
    let settings = Settings::from_env(Mode::Development, |_| None)?;
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
        let (sort, url) = line.split_once('=').ok_or("a line is no peer")?;
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
        if soak.rounds % RELISTED_EACH == RELISTED_EACH - 1 {
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
    let told = json!({
        "rounds": soak.rounds, "probes": soak.probes, "fewest_live": soak.fewest_live,
        "hostile_live": soak.hostile_live, "oldest_hours": soak.oldest_hours,
        "peak_mb": all.peak, "first_mb": peak(first), "second_mb": peak(second),
    });
    println!("{told}");
    Ok(ExitCode::SUCCESS)
}

/// One hour by the clock: a tick, a recheck, the index; then what is Live is held against who is honest.
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
    // The budget lets so many be asked for the first time in an hour; from then on all who are honest are Live.
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
    app.store.insert(&listing, &submission.contact, &news, None).await?;
    Ok(id)
}
