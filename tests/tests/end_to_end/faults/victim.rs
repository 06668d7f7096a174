//! A registry in a process of its own, to be killed or starved. It is this test binary itself, started once more as a
//! server over a file, so that what ends is a process and not a task.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use local::{Data, Local};
use serde_json::Value;
use tests::test_registry::TestOptions;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Says to the victim where its data is; without it the victim is no test.
const DATA: &str = "FAULT_TEST_DATA";

/// Not a test by itself: the server that other tests start as another process.
#[tokio::test(flavor = "multi_thread")]
async fn victim() {
    let Some(data) = std::env::var_os(DATA) else { return };
    let data = PathBuf::from(data);
    let options = TestOptions::default().with_data(Data::File(data.clone())).with_real_time();
    let local = Local::start(options.into_local()).await.unwrap();
    // Under another name first: nobody reads half an address.
    let told = data.with_extension("telling");
    std::fs::write(&told, local.address.to_string()).unwrap();
    std::fs::rename(told, address_file(&data)).unwrap();
    std::future::pending::<()>().await;
}

fn address_file(data: &Path) -> PathBuf {
    data.with_extension("address")
}

/// The process; it ends with this.
pub(super) struct Victim {
    process: Child,
    pub(super) address: SocketAddr,
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _gone = self.process.kill();
        let _reaped = self.process.wait();
    }
}

impl Victim {
    /// Starts it over a file.
    pub(super) async fn start(data: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "faults::victim::victim", "--nocapture"]);
        Self::run(command, data).await
    }

    /// The same where no file may grow beyond so many blocks of 512 bytes. The signal that says so is ignored, so that
    /// the write fails as on a full disk.
    pub(super) async fn start_starved(data: &Path, blocks: u64) -> Self {
        let mut command = Command::new("sh");
        let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        command.arg("-c").arg(limited).arg(std::env::current_exe().unwrap());
        command.args(["--exact", "faults::victim::victim", "--nocapture"]);
        Self::run(command, data).await
    }

    async fn run(mut command: Command, data: &Path) -> Self {
        let _old = std::fs::remove_file(address_file(data));
        command.env(DATA, data).stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        for _ in 0..1200 {
            let told = std::fs::read_to_string(address_file(data)).ok();
            if let Some(address) = told.and_then(|text| text.parse().ok()) {
                return Self { process, address };
            }
            assert!(process.try_wait().unwrap().is_none(), "the victim ended before it was to");
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("the victim did not start");
    }

    /// The KILL signal: no chance to tidy up.
    pub(super) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Whether it still runs.
    pub(super) fn runs(&mut self) -> bool {
        self.process.try_wait().unwrap().is_none()
    }
}

/// Asks by a bare request, which may break off at any byte; status and body, if the whole answer came.
pub(super) async fn ask(address: SocketAddr, path: &str, body: Option<&Value>) -> Option<(u16, Value)> {
    let mut stream = TcpStream::connect(address).await.ok()?;
    let (method, body) = body.map_or(("GET", String::new()), |body| ("POST", body.to_string()));
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.get(9..12)?.parse().ok()?;
    Some((status, serde_json::from_str(body).ok()?))
}
