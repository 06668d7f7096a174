//! What is measured runs in a process of its own, so that its memory and processor time are its own: the built
//! `registry`, and beside it the same gateway before functions that answer an empty 200.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::serve::ListenerExt as _;
use local::{Template, Transport, gateway};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

use crate::Failure;

/// The rates that one caller of a measurement uses up; they are counted as ever.
const RATES: [&str; 15] = [
    "PUBLISH_PER_HOUR",
    "PUBLISH_PER_HOST_PER_HOUR",
    "PUBLISH_PER_HOUR_IN_ALL",
    "DEMOS_PER_HOUR",
    "DEMOS_PER_HOUR_IN_ALL",
    "FEEDBACK_PER_HOUR",
    "FEEDBACK_PER_HOUR_IN_ALL",
    "TALK_PER_HOUR",
    "TALK_PER_LISTING_PER_HOUR",
    "TALK_PER_HOUR_IN_ALL",
    "TRACES_PER_HOUR",
    "TRACES_PER_LISTING_PER_HOUR",
    "TRACES_PER_HOUR_IN_ALL",
    "TASKS_PER_HOUR",
    "TASKS_PER_HOUR_IN_ALL",
];
/// Never used up.
const MANY: &str = "1000000000";

/// The argument that makes this program serve empty answers.
pub(crate) const EMPTY_GATEWAY: &str = "empty-gateway";

/// How long a process may take until it says where it listens.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server in a process of its own, which ends with this.
#[derive(Debug)]
pub(crate) struct Server {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// Its process.
    pub(crate) process: u32,
    _child: Child,
}

/// The folder into which cargo builds.
///
/// # Errors
/// This program does not stand where cargo puts it.
pub(crate) fn target_folder() -> Result<PathBuf, Failure> {
    let own = std::env::current_exe()?;
    let folder = own.parent().and_then(Path::parent).ok_or("this program stands in no target folder")?;
    Ok(folder.to_path_buf())
}

/// Builds the registry as `make run` does, and gives the binary.
///
/// # Errors
/// It does not build.
pub(crate) async fn build_registry() -> Result<PathBuf, Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // As `make run` does: other features would be another build.
    let arguments =
        ["build", "--release", "--quiet", "-p", "local", "--no-default-features", "--bin", "registry"];
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let built = Command::new(cargo).args(arguments).current_dir(root).status().await?;
    if !built.success() {
        return Err("the registry does not build".into());
    }
    Ok(target_folder()?.join("release").join("registry"))
}

/// Starts the registry over a table in `data`, with its log on and thrown away, and rates that count but never
/// refuse.
///
/// # Errors
/// It does not start.
pub(crate) async fn start_registry(binary: &Path, data: &Path) -> Result<Server, Failure> {
    start_registry_with(binary, data, &[]).await
}

/// The same with further settings.
///
/// # Errors
/// It does not start.
pub(crate) async fn start_registry_with(
    binary: &Path,
    data: &Path,
    settings: &[(&str, &str)],
) -> Result<Server, Failure> {
    let mut command = Command::new(binary);
    command.env_clear().env("PORT", "0").env("DATA", data).env("RUST_LOG", "info").stderr(Stdio::null());
    command.envs(unlimited_rates()).envs(settings.iter().copied());
    start(command).await
}

/// The settings of rates that are never used up.
pub(crate) fn unlimited_rates() -> impl Iterator<Item = (&'static str, &'static str)> {
    RATES.into_iter().map(|rate| (rate, MANY))
}

/// Starts the gateway before functions that answer an empty 200.
///
/// # Errors
/// It does not start.
pub(crate) async fn start_empty_gateway() -> Result<Server, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(EMPTY_GATEWAY);
    start(command).await
}

async fn start(mut command: Command) -> Result<Server, Failure> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    let process = child.id().ok_or("the process ended at once")?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("no standard output")?).lines();
    let told = async {
        while let Some(line) = lines.next_line().await? {
            if let Some(address) = line.trim().strip_prefix("http://").and_then(|rest| rest.parse().ok()) {
                return Ok(address);
            }
        }
        Err(Failure::from("the process ended without saying where it listens"))
    };
    let address = tokio::time::timeout(PATIENCE, told).await??;
    Ok(Server { address, process, _child: child })
}

/// Serves the template's routes with functions that do nothing, until it is killed.
///
/// # Errors
/// The template cannot be served.
pub(crate) async fn serve_nothing() -> Result<ExitCode, Failure> {
    let template = Template::own()?;
    let nothing = Router::new().fallback(async || StatusCode::OK);
    let names = template.routes.iter().map(|route| &*route.function.clone().leak());
    let functions: BTreeMap<&'static str, Router> = names.map(|name| (name, nothing.clone())).collect();
    let router = gateway::router(&template, &functions, Transport::Direct)?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    axum::serve(listener, router.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(ExitCode::SUCCESS)
}
