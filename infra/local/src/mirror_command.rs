//! `registry mirror`: the command line of the bulk import, its summary and its exit code.
//! Refused documents are an outcome, not a failure: the exit code says whether everything was handled.

use std::fmt::Write as _;
use std::future::Future;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::RangedU64ValueParser;
use jiff::Timestamp;
use local::mirror::{
    self, End, Job, MirrorError, Origin, Progress, RequestError, SendError, StateError, Summary,
};
use url::Url;

use crate::exit;

const EXAMPLES: &str = "\
Sources:
  servers.json      a list of server.json documents, or pages of the official registry API
  servers.jsonl     one document or page a line; `-` reads standard input
  https://host      a registry with the official API (GET /v0.1/servers), page by page

Examples:
  registry mirror servers.json --dry-run
  registry mirror https://registry.modelcontextprotocol.io --resume mirror.state
  registry mirror servers.jsonl --to https://registry.example.com --report refused.jsonl

A registry counts publications by caller, by host and in all (60, 60 and 3000 an hour unless PUBLISH_PER_HOUR,
PUBLISH_PER_HOST_PER_HOUR and PUBLISH_PER_HOUR_IN_ALL say otherwise): raise them where you mirror to.

Exit codes: 0 everything was handled, refusals included; 1 stopped or failed before the end; 2 cannot be begun.";

/// What to mirror, and how.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Mirror {
    /// Where the documents are: a file, `-`, or the URL of a registry.
    #[arg(value_name = "FILE|URL")]
    from: Origin,
    /// The base URL of the registry they go to [default: http://127.0.0.1:$PORT, PORT being 8080 if unset].
    #[arg(long, value_name = "URL", value_parser = base_url, conflicts_with = "dry_run")]
    to: Option<Url>,
    /// Judge the documents by the rules of a public registry and send nothing.
    #[arg(long)]
    dry_run: bool,
    /// Write down in FILE how far this came, and go on from there if it exists; it is removed at the end.
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    resume: Option<PathBuf>,
    /// Write every refusal to FILE, as JSON Lines.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Take only what changed since TIME, such as 2026-11-01T00:00:00Z; for registries.
    #[arg(long, value_name = "TIME")]
    updated_since: Option<Timestamp>,
    /// Take deprecated servers, too; deleted ones and older versions are always passed over.
    #[arg(long)]
    deprecated: bool,
    /// Requests a second.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = RangedU64ValueParser::<u32>::new().range(1..=1000))]
    per_second: u32,
    /// Requests at a time.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = RangedU64ValueParser::<usize>::new().range(1..=64))]
    concurrency: usize,
    /// The longest wait a busy registry may ask for (Retry-After); if it asks for more, the mirror ends.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    longest_wait: u64,
    /// The port of the registry on this machine.
    #[arg(long, env = "PORT", default_value_t = 8080, hide = true)]
    port: u16,
}

pub(crate) async fn run(command: Mirror, stop: impl Future<Output = ()>) -> ExitCode {
    let job = match job(command) {
        Ok(job) => job,
        Err(why) => return exit::failure(exit::USAGE_ERROR, &why),
    };
    let (progress, start) = (Progress::on_stderr(), Instant::now());
    let summary = mirror::run(&job, stop, &progress).await;
    progress.end();
    match summary {
        Ok(summary) => print_summary(&job, &summary, start.elapsed()),
        Err(error @ MirrorError::State(StateError::OtherMirror { .. } | StateError::Unreadable(..))) => {
            exit::failure(exit::USAGE_ERROR, &error.to_string())
        }
        Err(error) => exit::failure(1, &error.to_string()),
    }
}

fn job(command: Mirror) -> Result<Job, String> {
    if command.updated_since.is_some() && !matches!(command.from, Origin::Registry(_)) {
        return Err("--updated-since is for registries: a file holds what it holds".to_owned());
    }
    let to = match command.to {
        Some(to) => to,
        None => base_url(&format!("http://127.0.0.1:{}", command.port))?,
    };
    Ok(Job {
        from: command.from,
        to,
        updated_since: command.updated_since,
        deprecated_too: command.deprecated,
        dry_run: command.dry_run,
        per_second: command.per_second,
        concurrency: command.concurrency,
        longest_wait: Duration::from_secs(command.longest_wait),
        state: command.resume,
        report: command.report,
    })
}

fn print_summary(job: &Job, summary: &Summary, took: Duration) -> ExitCode {
    let counts = &summary.counts;
    let why = match &summary.end {
        End::Finished => None,
        End::Stopped => Some("stopped".to_owned()),
        End::Failed(error) if counts.documents() == 0 => return exit::failure(1, &error.to_string()),
        End::Failed(error) => Some(format!("{error}{}", advice(error))),
    };
    let to = job.to.as_str().trim_end_matches('/');
    let went = if job.dry_run { "judged, none sent".to_owned() } else { format!("sent to {to}") };
    let (documents, seconds) = (counts.documents(), took.as_secs());
    let mut text =
        format!("{documents} documents of {}, {went}, in {seconds} s\n\n{}", job.from, counts.text());
    if let Some(path) = &job.report {
        let _ = writeln!(text, "\nEvery refusal is in {}.", path.display());
    }
    // A closed pipe (`| head`) is no failure.
    let _closed = std::io::stdout().write_all(text.as_bytes());
    let Some(why) = why else { return ExitCode::SUCCESS };
    let next = match &job.state {
        _ if job.dry_run => "Nothing was sent.".to_owned(),
        Some(path) => format!("The same command goes on from here ({}).", path.display()),
        None => {
            "Begun again it starts over, which does no harm; --resume FILE would go on from here.".to_owned()
        }
    };
    exit::failure(1, &format!("{why}\n{next}"))
}

/// What an operator can do about the error, other than trying again.
fn advice(error: &MirrorError) -> &'static str {
    match error {
        MirrorError::Send(SendError::Request(RequestError::LongWait { .. })) => {
            "\nRaise PUBLISH_PER_HOUR and its like where that registry runs (RATE_LIMITS=off in development), or wait \
             with --longest-wait 3600."
        }
        _ => "",
    }
}

fn base_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    let plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    if matches!(url.scheme(), "http" | "https") && url.has_host() && plain {
        Ok(url)
    } else {
        Err("the base URL of a registry, such as https://registry.example.com".to_owned())
    }
}
