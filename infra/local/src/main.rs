//! `registry`: the whole registry on one machine, for development and small private installations. This file
//! contains the command line and sets up the log. Everything else is in the library.

mod banner;
mod exit;
mod mirror_command;
mod operator_command;

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::FalseyValueParser;
use clap::{Args, Parser, Subcommand};
use local::{Data, Local, Options};
use registry::settings::{self, Mode, Settings};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Runs the Agent and MCP Registry on this machine.
///
/// Environment variables change its settings. The documentation lists these variables.
#[derive(Debug, Parser)]
#[command(name = "registry", version = registry::VERSION, args_conflicts_with_subcommands = true)]
#[command(after_help = "Example of a setting: PROBE_TICK_SECONDS=30 registry --port 9000")]
struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: Serve,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the registry (default).
    Serve(Serve),
    /// Publish what a file, a dump or another registry lists.
    Mirror(mirror_command::MirrorArguments),
    /// Withdraw or restore a listing, block a host, erase personal data, revoke an access token, list reports.
    Operator(operator_command::Operator),
}

#[derive(Debug, Args)]
struct Serve {
    /// The address to listen on; 0.0.0.0 accepts connections from other machines.
    #[arg(long, env = settings::LISTEN_HOST, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// The port to listen on; 0 picks a free port.
    #[arg(long, env = settings::PORT, default_value_t = 8080)]
    port: u16,
    /// The data file. With `:memory:`, the data is only in memory.
    #[arg(long, env = settings::DATA, default_value = "./data/registry.db")]
    data: PathBuf,
    /// Apply the rules of a public registry: probe only https at public addresses, and limit requests per second.
    #[arg(long, env = settings::PUBLIC, value_parser = FalseyValueParser::new())]
    public: bool,
}

fn main() -> ExitCode {
    execute(CommandLine::parse()).err().unwrap_or(ExitCode::SUCCESS)
}

fn execute(line: CommandLine) -> Result<(), ExitCode> {
    start_log().map_err(exit::usage_error)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(exit::failure)?;
    match line.command {
        Some(Command::Mirror(mirror)) => runtime.block_on(mirror_command::run(mirror)),
        Some(Command::Operator(operator)) => runtime.block_on(operator_command::run(operator)),
        Some(Command::Serve(serve)) => runtime.block_on(run(&serve)),
        None => runtime.block_on(run(&line.serve)),
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn start_log() -> Result<(), String> {
    let filter = match variable(settings::RUST_LOG).filter(|text| !text.is_empty()) {
        None => Targets::new().with_default(LevelFilter::WARN),
        Some(text) => text.parse::<Targets>().map_err(|error| {
            format!("invalid RUST_LOG={text:?}; use for example `info` or `registry=debug,info` ({error})")
        })?,
    };
    let lines = layer().with_writer(std::io::stderr);
    let lines = match variable(settings::LOG_FORMAT).as_deref() {
        None | Some("" | "plain") => lines.boxed(),
        Some("json") => lines.json().with_span_list(false).boxed(),
        Some(other) => return Err(format!("invalid LOG_FORMAT={other:?}; use `plain` or `json`")),
    };
    tracing_subscriber::registry().with(lines.with_filter(filter)).init();
    Ok(())
}

async fn run(serve: &Serve) -> Result<(), ExitCode> {
    let mode = if serve.public { Mode::Public } else { Mode::Development };
    let settings = Settings::from_env(mode, variable).map_err(exit::usage_error)?;
    let options = Options {
        listen: SocketAddr::new(serve.host, serve.port),
        data: match serve.data.to_str() {
            Some(":memory:") => Data::Memory,
            _ => Data::File(serve.data.clone()),
        },
        own_base_url: variable(settings::BASE_URL).is_none_or(|url| url.trim().is_empty()),
        schedules: true,
        ..Options::new(settings)
    };
    let data = options.data.clone();
    let local = Local::start(options).await.map_err(exit::failure)?;
    banner::print(&local, &data);
    shutdown_signal().await;
    tracing::info!("stopping");
    local.stop().await;
    // A closed pipe is not an error.
    let _closed = writeln!(std::io::stdout(), "Stopped.");
    Ok(())
}

/// Ctrl-C, or the TERM signal of a process manager.
async fn shutdown_signal() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}
