//! Tests the whole registry over a real socket: the registry starts, its functions answer, and it stops.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use aws_sdk_dynamodb::types::AttributeValue::S;
use registry::settings::{Mode, Settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Data, Local, LockError, Options, StartError};

fn options() -> Options {
    Options::new(Settings::from_env(Mode::Development, |_| None).unwrap())
}

/// Sends one GET over a new connection and returns the raw response.
async fn get(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn second_registry_on_the_same_data_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/registry.db");
    let start = || Local::start(Options { data: Data::File(path.clone()), ..options() });
    let first = start().await.unwrap();
    let refused = start().await.unwrap_err();
    assert!(matches!(&refused, StartError::Lock(LockError::InUse(locked)) if *locked == path), "{refused}");
    assert!(refused.to_string().contains("set DATA to another file"), "{refused}");
    first.stop().await;
    start().await.unwrap().stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn used_address_is_reported_and_is_free_after_a_stop() {
    let local = Local::start(Options { schedules: true, ..options() }).await.unwrap();
    let listen = local.address;
    let error = Local::start(Options { listen, ..options() }).await.unwrap_err();
    assert!(matches!(error, StartError::Listen(address, _) if address == listen), "{error}");
    local.stop().await;
    assert!(TcpStream::connect(listen).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_contain_what_the_jobs_report() {
    let local = Local::start(Options { schedules: true, ..options() }).await.unwrap();
    let began = Instant::now();
    // The registry probes its own two listings in its first tick.
    let reported =
        ["registry_scheduled_ticks_total 1", "registry_probes_total{result=\"ok\"} ", "registry_live{"];
    loop {
        let metrics = get(local.address, "/metrics").await;
        if reported.iter().all(|line| metrics.contains(line)) {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{metrics}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    local.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn items_of_removed_features_are_deleted_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let data = Data::File(folder.path().join("registry.db"));
    let partitions = ["SUBSCRIPTIONS", "SUBSCRIPTIONS#TOLD", "CREDENTIAL#mcp-x", "KEY#CREDENTIAL", "KEPT"];
    let first = Local::start(Options { data: data.clone(), ..options() }).await.unwrap();
    for partition in partitions {
        let put = super::engine::client(first.engine.clone()).put_item().table_name("registry");
        put.item("pk", S(partition.to_owned())).item("sk", S("0".to_owned())).send().await.unwrap();
    }
    first.stop().await;
    let second = Local::start(Options { data, ..options() }).await.unwrap();
    for partition in partitions {
        let get = super::engine::client(second.engine.clone()).get_item().table_name("registry");
        let get = get.key("pk", S(partition.to_owned())).key("sk", S("0".to_owned()));
        assert_eq!(get.send().await.unwrap().item.is_some(), partition == "KEPT", "{partition}");
    }
    second.stop().await;
}
