//! The command line of `registry mirror`. The exit code shows whether all entries were handled, refused ones included.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use local::mirror::{Job, Mirror};
use registry::federation::imports::ImportReport;
use registry::model::Clock;
use url::Url;

use crate::exit;

const EXAMPLES: &str = "\
Sources:
  servers.json      a list of server.json documents or of card URLs, or pages of the official registry API
  servers.jsonl     one document or page per line; `-` reads standard input
  https://host      a registry with the official API (GET /v0.1/servers), page by page
  https://host/list a JSON list of card URLs
  https://host/dumps.json
                    the latest daily dump of such a registry, agents included; its checksum must be in the evidence log
  dump.jsonl.gz     a downloaded dump: its parts, concatenated (not compared with the log)

Examples:
  registry mirror https://registry.modelcontextprotocol.io --resume mirror.state
  registry mirror servers.jsonl --to https://registry.example.com --report refused.jsonl
  registry mirror https://registry.example.com/dumps.json --resume mirror.state

A registry limits publications per hour: 60 per caller (PUBLISH_PER_HOUR), 60 per host and 3000 in total. Start the target
registry with RATE_LIMITS=1000 to multiply all three by 10.

Exit codes: 0 all entries were handled (published, refused or skipped); 1 stopped or failed;
2 invalid command line, source file or state file.";

/// The longest pause that a busy registry may ask for. A longer pause ends the import.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MirrorArguments {
    /// The source of the entries: a file, `-`, or the URL of a registry, a dump or a list.
    #[arg(value_name = "FILE|URL")]
    from: String,
    /// The base URL of the target registry [default: http://127.0.0.1:$PORT; PORT defaults to 8080].
    #[arg(long, value_name = "URL")]
    to: Option<Url>,
    /// Save the progress in FILE. If FILE exists, continue from the saved progress. FILE is removed at the end.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Write all refusals to FILE, as JSON Lines. Without it, they are printed.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// The verifier key (`vkey` in /log) of the evidence log that must prove the dump. Default: the key that the source names.
    #[arg(long, value_name = "VKEY")]
    log_key: Option<String>,
    /// The port of the registry on this machine.
    #[arg(long, env = "PORT", default_value_t = 8080, hide = true)]
    port: u16,
}

pub(crate) async fn run(arguments: MirrorArguments) -> Result<(), ExitCode> {
    let MirrorArguments { from, to, resume, report, log_key, port } = arguments;
    let to = to.map_or_else(|| format!("http://127.0.0.1:{port}"), |to| to.to_string());
    let next = match &resume {
        Some(path) => format!("To continue from here, run the same command again ({}).", path.display()),
        None => "To try again, repeat the command; with --resume FILE, it can continue.".to_owned(),
    };
    let (longest_pause, clock) = (LONGEST_PAUSE, Clock::System);
    let job = Job { from, to, resume, report, log_key, longest_pause, clock };
    let mut mirror = Mirror::new(job).map_err(exit::usage_error)?;
    let end = mirror.run().await;
    let ImportReport { published, refused, skipped, .. } = mirror.report();
    println!("{published} published, {refused} refused, {skipped} skipped");
    end.map_err(|error| exit::failure(format!("{error}\n{next}")))
}
