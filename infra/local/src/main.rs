//! `registry`: the whole registry on this machine, for development and for small private ones.
//! Everything it does is in the library; here are only the command line, the log and the banner.

mod banner;
mod exit;
mod mirror_command;
mod operator_command;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::FalseyValueParser;
use clap::{Args, Parser, Subcommand};
use local::{Data, Local, Options};
use registry::settings::{Mode, Settings};
use tracing_subscriber::EnvFilter;

/// The Agent and MCP Registry on this machine.
///
/// Every limit is a setting in the environment; the README has the table.
#[derive(Debug, Parser)]
#[command(name = "registry", version = registry::VERSION, args_conflicts_with_subcommands = true)]
#[command(after_help = "Settings come from the environment: PROBE_TICK_SECONDS=30 registry --port 9000")]
struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: Serve,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the registry; what happens without a command, too.
    Serve(Serve),
    /// Publish server descriptions in bulk, from a file or from another registry.
    Mirror(Box<mirror_command::Mirror>),
    /// Withdraw or restore a listing, block a host, erase a contact.
    Operator(operator_command::Operator),
}

#[derive(Debug, Args)]
struct Serve {
    /// The address to listen on; 0.0.0.0 lets other machines in.
    #[arg(long, env = "LISTEN_HOST", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// The port to listen on; 0 takes a free one.
    #[arg(long, env = "PORT", default_value_t = 8080)]
    port: u16,
    /// The file that holds the data, or `:memory:` for none.
    #[arg(long, env = "DATA", default_value = "./data/registry.db")]
    data: PathBuf,
    /// The rules of a public registry: only https, only public addresses are probed, rates are counted.
    #[arg(long, env = "PUBLIC", value_parser = FalseyValueParser::new())]
    public: bool,
    /// Hand every request on as an API Gateway event, as on Lambda.
    #[cfg(feature = "as-events")]
    #[arg(long, env = "AS_EVENTS", value_parser = FalseyValueParser::new())]
    as_events: bool,
}

fn main() -> ExitCode {
    let line = CommandLine::parse();
    if let Err(error) = start_log() {
        return exit::failure(exit::USAGE_ERROR, &error);
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return exit::failure(1, &error.to_string()),
    };
    match line.command {
        Some(Command::Mirror(mirror)) => runtime.block_on(mirror_command::run(*mirror, shutdown_signal())),
        Some(Command::Operator(operator)) => runtime.block_on(operator_command::run(operator)),
        Some(Command::Serve(serve)) => runtime.block_on(run(&serve)),
        None => runtime.block_on(run(&line.serve)),
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The log goes to standard error, at the level of `RUST_LOG`; `LOG_FORMAT=json` makes each line an object.
fn start_log() -> Result<(), String> {
    let filter = match variable("RUST_LOG").filter(|text| !text.is_empty()) {
        None => EnvFilter::new("warn"),
        Some(text) => EnvFilter::try_new(&text).map_err(|error| {
            format!(
                "RUST_LOG={text:?} cannot be used: a level such as `info`, or `registry=debug,info` ({error})"
            )
        })?,
    };
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match variable("LOG_FORMAT").as_deref() {
        None | Some("" | "plain") => log.init(),
        Some("json") => log.json().init(),
        Some(other) => return Err(format!("LOG_FORMAT={other:?} cannot be used: `plain` or `json`")),
    }
    Ok(())
}

async fn run(serve: &Serve) -> ExitCode {
    let mode = if serve.public { Mode::Public } else { Mode::Development };
    let settings = match Settings::from_env(mode, variable) {
        Ok(settings) => settings,
        Err(error) => return exit::failure(exit::USAGE_ERROR, &error.to_string()),
    };
    let options = Options {
        listen: SocketAddr::new(serve.host, serve.port),
        data: match serve.data.to_str() {
            Some(":memory:") => Data::Memory,
            _ => Data::File(serve.data.clone()),
        },
        own_base_url: variable("BASE_URL").is_none_or(|url| url.trim().is_empty()),
        #[cfg(feature = "as-events")]
        transport: if serve.as_events { local::Transport::Events } else { local::Transport::Direct },
        schedules: true,
        ..Options::still(settings)
    };
    let data = options.data.clone();
    let local = match Local::start(options).await {
        Ok(local) => local,
        Err(error) => return exit::failure(1, &error.to_string()),
    };
    banner::print(&local, &data);
    shutdown_signal().await;
    tracing::info!("stopping");
    local.stop().await;
    ExitCode::SUCCESS
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
