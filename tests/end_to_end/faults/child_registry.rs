//! A registry in its own process. A test can kill the process or let it run out of disk space. The process is
//! this test program, started again as a server that uses a file.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use local::{Data, Local, Options};
use registry::model::Clock;
use tests::instrumented::Observer;
use tests::prelude::*;
use tests::test_registry::client;

/// The environment variable that names the database file of the child process.
const DATA_VARIABLE: &str = "FAULT_TEST_DATA";

/// The environment variable with which the child process also runs its schedules.
const SCHEDULES_VARIABLE: &str = "FAULT_TEST_SCHEDULES";

/// Not a test: the server that other tests start as another process.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "started by other tests as a child process"]
async fn serve_until_killed() {
    let Some(data) = std::env::var_os(DATA_VARIABLE).map(PathBuf::from) else {
        println!("{DATA_VARIABLE} is not set: only other tests start this server");
        return;
    };
    let options = TestOptions::default().with_data(Data::File(data.clone())).with_clock(Clock::System);
    let options = options.with_setting("PROBE_WINDOW_CAP", 100_000).with_setting("PROBE_HOURLY_CAP", 100_000);
    let schedules = std::env::var_os(SCHEDULES_VARIABLE).is_some();
    let local = Local::start(Options { schedules, ..options.into_local(Observer::default()) }).await.unwrap();
    // Renamed when complete, so that the parent process never reads half an address.
    let partial = data.with_extension("partial");
    std::fs::write(&partial, local.address.to_string()).unwrap();
    std::fs::rename(partial, address_file(&data)).unwrap();
    std::future::pending::<()>().await;
}

/// Arguments of the test binary that run only the server.
const TEST_ARGUMENTS: [&str; 4] =
    ["--exact", "faults::child_registry::serve_until_killed", "--ignored", "--nocapture"];

fn address_file(data: &Path) -> PathBuf {
    data.with_extension("address")
}

/// The child process. It is killed on drop.
pub(super) struct ChildRegistry {
    process: Child,
    pub(super) address: SocketAddr,
}

impl Drop for ChildRegistry {
    fn drop(&mut self) {
        let _killed = self.process.kill();
        let _waited = self.process.wait();
    }
}

impl ChildRegistry {
    /// Starts the process with its schedules: it probes what is published, and numbers the changes.
    pub(super) async fn start(data: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.env(SCHEDULES_VARIABLE, "on");
        Self::run(command, data).await
    }

    /// Starts the process without its schedules, and with a limit on file size, in blocks of 512 bytes. It ignores SIGXFSZ, so
    /// that writes fail.
    pub(super) async fn start_with_file_limit(data: &Path, blocks: u64) -> Self {
        let mut command = Command::new("sh");
        let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        command.arg("-c").arg(limited).arg(std::env::current_exe().unwrap());
        Self::run(command, data).await
    }

    async fn run(mut command: Command, data: &Path) -> Self {
        let _old = std::fs::remove_file(address_file(data));
        command.args(TEST_ARGUMENTS).env(DATA_VARIABLE, data).stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        for _ in 0..1200 {
            let written = std::fs::read_to_string(address_file(data)).ok();
            if let Some(address) = written.and_then(|text| text.parse().ok()) {
                return Self { process, address };
            }
            assert!(process.try_wait().unwrap().is_none(), "the child process ended early");
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("the child process did not start");
    }

    /// Sends SIGKILL, so that the process cannot clean up.
    pub(super) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub(super) fn is_running(&mut self) -> bool {
        self.process.try_wait().unwrap().is_none()
    }
}

/// Sends a request over a connection of its own, which may break at any byte. Returns status and body of a complete reply.
pub(super) async fn send_request(
    address: SocketAddr,
    path: &str,
    body: Option<&Value>,
) -> Option<(u16, Value)> {
    let (client, url) = (client(), format!("http://{address}{path}"));
    let request = body.map_or_else(|| client.get(&url), |body| client.post(&url).json(body));
    let response = request.send().await.ok()?;
    Some((response.status().as_u16(), response.json().await.ok()?))
}
