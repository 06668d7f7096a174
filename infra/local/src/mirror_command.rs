//! `registry mirror`: the command line of the bulk import, its summary and its exit code. Refused documents
//! are not a failure. The exit code only shows whether all documents were handled.

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
  servers.jsonl     one document or page per line; `-` reads standard input
  https://host      a registry with the official API (GET /v0.1/servers), page by page
  https://host/dumps.json
                    the latest daily dump of such a registry, agents included; its checksum must be in the evidence log
  dump.jsonl.gz     a downloaded dump: its parts, concatenated (not compared with the log)

Examples:
  registry mirror servers.json --dry-run
  registry mirror https://registry.modelcontextprotocol.io --resume mirror.state
  registry mirror servers.jsonl --to https://registry.example.com --report refused.jsonl
  registry mirror https://registry.example.com/dumps.json --resume mirror.state

A registry limits publications per hour: 60 per caller (PUBLISH_PER_HOUR), 60 per host (PUBLISH_PER_HOST_PER_HOUR) and
3000 in total (PUBLISH_PER_HOUR_IN_ALL). Raise these settings in the target registry.

Exit codes: 0 all documents were handled (accepted, refused or skipped); 1 stopped or failed;
2 invalid command line or state file.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Mirror {
    /// The source of the documents: a file, `-`, or the URL of a registry.
    #[arg(value_name = "FILE|URL")]
    from: Origin,
    /// The base URL of the target registry [default: http://127.0.0.1:$PORT; PORT defaults to 8080].
    #[arg(long, value_name = "URL", value_parser = base_url, conflicts_with = "dry_run")]
    to: Option<Url>,
    /// Check the documents with the rules of a public registry, but send nothing.
    #[arg(long)]
    dry_run: bool,
    /// Save the progress in FILE. If FILE exists, continue from the saved progress. FILE is removed at the end.
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    resume: Option<PathBuf>,
    /// Write all refusals to FILE, as JSON Lines.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Import only servers that changed since TIME, such as 2026-11-01T00:00:00Z. The source must be a registry.
    #[arg(long, value_name = "TIME")]
    updated_since: Option<Timestamp>,
    /// Import deprecated servers, too. Deleted servers and older versions are always skipped.
    #[arg(long)]
    deprecated: bool,
    /// The verifier key (`vkey` in /log) of the evidence log that must prove the dump. Default: the key that the source names.
    #[arg(long, value_name = "VKEY")]
    log_key: Option<String>,
    /// Requests per second.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = RangedU64ValueParser::<u32>::new().range(1..=1000))]
    per_second: u32,
    /// Concurrent requests.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = RangedU64ValueParser::<usize>::new().range(1..=64))]
    concurrency: usize,
    /// The longest accepted Retry-After of a busy registry. A longer Retry-After ends the import.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    longest_wait: u64,
    /// The port of the registry on this machine.
    #[arg(long, env = "PORT", default_value_t = 8080, hide = true)]
    port: u16,
}

pub(crate) async fn run(command: Mirror, stop: impl Future<Output = ()>) -> ExitCode {
    let job = match job(command) {
        Ok(job) => job,
        Err(error) => return exit::failure(exit::USAGE_ERROR, &error),
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
        return Err("--updated-since works only if the source is a registry, not a file".to_owned());
    }
    let to = match command.to {
        Some(to) => to,
        None => base_url(&format!("http://127.0.0.1:{}", command.port))?,
    };
    Ok(Job {
        from: command.from,
        to,
        updated_since: command.updated_since,
        include_deprecated: command.deprecated,
        log_key: command.log_key,
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
    let error = match &summary.end {
        End::Finished => None,
        End::Stopped => Some("stopped".to_owned()),
        End::Failed(error) if counts.documents() == 0 => return exit::failure(1, &error.to_string()),
        End::Failed(error) => Some(format!("{error}{}", advice(error))),
    };
    let to = job.to.as_str().trim_end_matches('/');
    let action = if job.dry_run { "checked, not sent".to_owned() } else { format!("sent to {to}") };
    let (documents, seconds) = (counts.documents(), took.as_secs());
    let mut text =
        format!("{documents} documents of {}, {action}, in {seconds} s\n\n{}", job.from, counts.text());
    if let Some(path) = &job.report {
        let _ = writeln!(text, "\nAll refusals are in {}.", path.display());
    }
    // A closed pipe (`| head`) is not an error.
    let _closed = std::io::stdout().write_all(text.as_bytes());
    let Some(error) = error else { return ExitCode::SUCCESS };
    let next = match &job.state {
        _ if job.dry_run => "Nothing was sent.".to_owned(),
        Some(path) => format!("To continue from here, run the same command again ({}).", path.display()),
        None => {
            "To start again from the beginning, run the command again (this does no harm). With --resume \
             FILE, the next import can continue."
                .to_owned()
        }
    };
    exit::failure(1, &format!("{error}\n{next}"))
}

fn advice(error: &MirrorError) -> &'static str {
    match error {
        MirrorError::Send(SendError::Request(RequestError::LongWait { .. })) => {
            "\nRaise PUBLISH_PER_HOUR and the other limits in the target registry (in development: \
             RATE_LIMITS=off). Or allow longer waits with --longest-wait 3600."
        }
        _ => "",
    }
}

fn base_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    let is_plain = url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    if matches!(url.scheme(), "http" | "https") && url.has_host() && is_plain {
        Ok(url)
    } else {
        Err("expected the base URL of a registry, such as https://registry.example.com".to_owned())
    }
}
