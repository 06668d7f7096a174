//! A registry that is killed in the middle of its work: what it acknowledged is there when it starts again, and is
//! probed. The victim is this test binary itself, started once more as a server over a file.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::join_all;
use local::{Data, Local};
use registry::model::ListingId;
use serde_json::json;
use tests::peers::{Peer, agents};
use tests::test_registry::{TestOptions, TestRegistry};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Says to the victim where its data is; without it the victim is no test.
const VICTIM: &str = "RESTART_TEST_DATA";

/// Not a test by itself: the server that `killed` starts as another process.
#[tokio::test(flavor = "multi_thread")]
async fn victim() {
    let Some(data) = std::env::var_os(VICTIM) else { return };
    let data = PathBuf::from(data);
    let options = TestOptions::default().with_data(Data::File(data.clone())).with_real_time();
    let local = Local::start(options.into_local()).await.unwrap();
    std::fs::write(address_file(&data), local.address.to_string()).unwrap();
    std::future::pending::<()>().await;
}

fn address_file(data: &Path) -> PathBuf {
    data.with_extension("address")
}

struct Victim(Child);

impl Drop for Victim {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _reaped = self.0.wait();
    }
}

impl Victim {
    async fn start(data: &Path) -> (Self, SocketAddr) {
        let this = std::env::current_exe().unwrap();
        let mut command = Command::new(this);
        command.args(["--exact", "faults::restart::victim", "--nocapture"]).env(VICTIM, data);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let victim = Self(child);
        for _ in 0..400 {
            if let Some(address) =
                std::fs::read_to_string(address_file(data)).ok().and_then(|text| text.parse().ok())
            {
                return (victim, address);
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("the victim did not start");
    }

    /// The KILL signal: no chance to tidy up.
    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Publishes by a bare request, which may break off at any byte; the id, if the whole answer came.
async fn publish(address: SocketAddr, url: &str) -> Option<ListingId> {
    let body = json!({ "url": url, "contact_email": "a@example.org" }).to_string();
    let mut stream = TcpStream::connect(address).await.ok()?;
    let head = format!(
        "POST /api/publish HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    head.starts_with("HTTP/1.1 200").then_some(())?;
    let body: serde_json::Value = serde_json::from_str(body).ok()?;
    body["listing_id"].as_str()?.parse().ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_acknowledged_publish_outlives_a_kill_and_is_probed() {
    let peer = Peer::start(agents::fleet).await;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("registry.db");
    let mut acknowledged: Vec<ListingId> = Vec::new();
    let mut number = 0;
    for run in 0..2 {
        let _old = std::fs::remove_file(address_file(&data));
        let (victim, address) = Victim::start(&data).await;
        let stop = Arc::new(AtomicBool::new(false));
        let publishers = (0..4).map(|lane| {
            let (stop, peer, from) = (Arc::clone(&stop), &peer, number);
            async move {
                let mut taken = Vec::new();
                for step in 0.. {
                    if stop.load(Ordering::SeqCst) {
                        break;
                    }
                    let url = peer.url(&format!("/{}/card.json", from + step * 4 + lane));
                    match publish(address, &url).await {
                        Some(id) => taken.push(id),
                        None => break,
                    }
                }
                taken
            }
        });
        let killing = async {
            tokio::time::sleep(Duration::from_millis(150 + 60 * run)).await;
            victim.kill();
            stop.store(true, Ordering::SeqCst);
        };
        let (taken, ()) = futures::join!(join_all(publishers), killing);
        let taken: Vec<ListingId> = taken.into_iter().flatten().collect();
        assert!(!taken.is_empty(), "run {run}: it was killed before it answered anybody");
        number += 4 * taken.len() + 100;
        acknowledged.extend(taken);
    }

    let options = TestOptions::default().with_data(Data::File(data)).with_real_time();
    let options = options.with_setting("PROBE_WINDOW_CAP", 100_000).with_setting("PROBE_HOURLY_CAP", 100_000);
    let registry = TestRegistry::start_with(options).await;
    let table = registry.table().await;
    for id in &acknowledged {
        assert_eq!(table.items_under(&format!("LISTING#{id} ")).len(), 1, "{id} is gone");
        assert_eq!(table.items_under(&format!("CONTACT#{id} ")).len(), 1, "{id} is half written");
    }
    let listed = table.items_under("LISTING#").len();
    let (names, news) = (table.items_under("NAME#").len(), table.items_under("FEED").len());
    assert_eq!((names, news), (listed, listed), "each is whole, the unacknowledged ones too");
    // A hundred are enough to see that they are probed.
    for id in acknowledged.iter().take(100) {
        registry.first_probe(id).await;
        assert_eq!(registry.lane(id).await, "active");
    }
}
