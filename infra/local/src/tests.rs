//! The whole registry over a real socket: it starts, answers through its functions, and stops.
//! What the functions answer is tested where they are; here it only matters that they are reached.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use registry::settings::{Mode, Settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Data, Local, LockError, Observer, Options, StartError, Transport};

fn options() -> Options {
    Options::still(Settings::from_env(Mode::Development, |_| None).unwrap())
}

/// One request over a connection of its own: the status line, headers and body as they came.
async fn ask(address: SocketAddr, method: &str, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

const CARD: &str = r#"{"url": "https://agent.example.com/.well-known/agent-card.json"}"#;

#[tokio::test(flavor = "multi_thread")]
async fn it_starts_at_once_and_answers_both_ways() {
    for transport in [Transport::Direct, Transport::Events] {
        let start = Instant::now();
        let local = Local::start(Options { transport, ..options() }).await.unwrap();
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
        assert_eq!(local.app.settings.base_url, format!("http://{}", local.address));
        assert_eq!(local.url("/x"), format!("http://{}/x", local.address));
        let found = ask(local.address, "GET", "/discovery.json", "").await;
        assert!(found.starts_with("HTTP/1.1 200 OK\r\n"), "{transport:?} {found}");
        assert!(found.contains(&local.url("/api/publish")), "{transport:?} {found}");
        let missing = ask(local.address, "GET", "/no/such/page", "").await;
        assert!(missing.starts_with("HTTP/1.1 404 "), "{transport:?} {missing}");
        local.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_still_registry_keeps_its_events_and_counts_its_calls() {
    let observer = Observer::default();
    let mut local = Local::start(Options { observer: Some(observer.clone()), ..options() }).await.unwrap();
    let before = observer.tally.snapshot();
    let answer = ask(local.address, "POST", "/api/publish", CARD).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(observer.tally.since(&before).total() > 0);
    let event = local.events.as_mut().unwrap().try_recv().unwrap();
    assert_eq!(event["detail-type"], "listing.queued");
    local.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_finds_what_was_published() {
    let folder = tempfile::tempdir().unwrap();
    let data = Data::File(folder.path().join("registry.db"));
    let mut statuses = Vec::new();
    for _ in 0..2 {
        let local = Local::start(Options { data: data.clone(), ..options() }).await.unwrap();
        let answer = ask(local.address, "POST", "/api/publish", CARD).await;
        statuses.push(answer.contains(r#""duplicate""#));
        local.stop().await;
    }
    assert_eq!(statuses, [false, true]);
}

#[tokio::test(flavor = "multi_thread")]
async fn data_is_one_registry_s_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("registry.db");
    let start = || Local::start(Options { data: Data::File(path.clone()), ..options() });
    let first = start().await.unwrap();
    let refused = start().await.unwrap_err();
    assert!(matches!(&refused, StartError::Lock(LockError::InUse(used)) if *used == path), "{refused}");
    assert!(refused.to_string().contains("a DATA of its own"), "{refused}");
    first.stop().await;
    start().await.unwrap().stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_taken_address_is_named_and_a_stopped_registry_gives_its_address_back() {
    let local = Local::start(Options { schedules: true, ..options() }).await.unwrap();
    let listen = local.address;
    let error = Local::start(Options { listen, ..options() }).await.unwrap_err();
    assert!(matches!(error, StartError::Listen(address, _) if address == listen), "{error}");
    local.stop().await;
    assert!(TcpStream::connect(listen).await.is_err());
}
