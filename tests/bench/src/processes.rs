//! Starts each measured server in its own process, so that its memory and processor time do not include the benchmark.
//! There are two servers: the built `registry`, and the same gateway with functions that return an empty 200.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::serve::ListenerExt as _;
use local::functions::{DEFAULT, HttpFunction};
use local::gateway::{self, BodyLimits};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

use crate::Failure;

/// Rate limits that no measurement reaches. They are still counted.
pub(crate) const HIGH_RATE_LIMITS: (&str, &str) = ("RATE_LIMITS", "1000000");

/// The argument that makes this program serve empty replies.
pub(crate) const EMPTY_GATEWAY: &str = "empty-gateway";

/// Time limit until a process prints its address.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// A server in a process of its own. It is killed on drop.
#[derive(Debug)]
pub(crate) struct Server {
    /// Its address.
    pub(crate) address: SocketAddr,
    /// Its process id.
    pub(crate) process: u32,
    _child: Child,
}

/// The target folder of cargo.
///
/// # Errors
/// This program is not in a target folder.
pub(crate) fn target_folder() -> Result<PathBuf, Failure> {
    let own = std::env::current_exe()?;
    let folder = own.parent().and_then(Path::parent).ok_or("this program is not in a target folder")?;
    Ok(folder.to_path_buf())
}

/// A temporary folder for tables. It is in the target folder, so that the tables are on a real disk.
///
/// # Errors
/// It cannot be created.
pub(crate) fn temporary_folder() -> Result<tempfile::TempDir, Failure> {
    Ok(tempfile::tempdir_in(target_folder()?)?)
}

/// Builds the registry as `make run` does; returns the path of the binary.
///
/// # Errors
/// The build fails.
pub(crate) async fn build_registry() -> Result<PathBuf, Failure> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["build", "--release", "--quiet", "-p", "local", "--bin", "registry"];
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let built = Command::new(cargo).args(arguments).current_dir(root).status().await?;
    if !built.success() {
        return Err("the registry does not build".into());
    }
    Ok(target_folder()?.join("release").join("registry"))
}

/// Starts the registry with a table in `data`. Its log is on and discarded; rates are counted and never refuse.
///
/// # Errors
/// The process does not start.
pub(crate) async fn start_registry(binary: &Path, data: &Path) -> Result<Server, Failure> {
    start_registry_with(binary, data, &[]).await
}

/// Starts the registry with additional settings.
///
/// # Errors
/// The process does not start.
pub(crate) async fn start_registry_with(
    binary: &Path,
    data: &Path,
    settings: &[(&str, &str)],
) -> Result<Server, Failure> {
    let mut command = Command::new(binary);
    command.env_clear().env("PORT", "0").env("DATA", data).env("RUST_LOG", "info").stderr(Stdio::null());
    command.envs([HIGH_RATE_LIMITS]).envs(settings.iter().copied());
    start(command).await
}

/// Starts the gateway with functions that return an empty 200.
///
/// # Errors
/// The process does not start.
pub(crate) async fn start_empty_gateway() -> Result<Server, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(EMPTY_GATEWAY);
    start(command).await
}

async fn start(mut command: Command) -> Result<Server, Failure> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    let process = child.id().ok_or("the process ended at once")?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("no standard output")?).lines();
    let printed = async {
        while let Some(line) = lines.next_line().await? {
            if let Some(address) = line.trim().strip_prefix("http://").and_then(|rest| rest.parse().ok()) {
                return Ok(address);
            }
        }
        Err(Failure::from("the process ended without printing its address"))
    };
    let address = tokio::time::timeout(TIME_LIMIT, printed).await??;
    Ok(Server { address, process, _child: child })
}

/// Serves every path with a function that returns an empty 200, until it is killed.
///
/// # Errors
/// No port is free.
pub(crate) async fn serve_empty_responses() -> Result<ExitCode, Failure> {
    let empty = HttpFunction {
        router: Router::new().fallback(async || StatusCode::OK),
        timeout: TIME_LIMIT,
        paths: Vec::new(),
    };
    let router = gateway::router([(DEFAULT, empty)].into(), &BodyLimits::default());
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    axum::serve(listener, router.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(ExitCode::SUCCESS)
}
