//! The memory that hostile answers take: it is measured in a process of its own, which this test starts from itself,
//! because the tests beside it would be measured as well.

use std::env;
use std::fs;
use std::io::Write as _;
use std::process::Command;

use axum::response::{IntoResponse as _, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header;
use serde_json::json;
use tests::peers::{Peer, PeerRequest, servers};
use tests::test_registry::{TICK, TestRegistry};

const ALONE: &str = "REGISTRY_TEST_ALONE";
const PAGES: u64 = 5;
/// Just under the longest answer that is read; in gzip it is a kilobyte.
const ZEROS: usize = 520_000;
/// How many such servers a sweep meets at once.
const SERVERS: usize = 4;
/// What the sweep may take on top of what the process has, in KiB: as values the zeros are over 600 MB.
const MOST_KIB: u64 = 128 * 1024;

/// A server whose five pages of tools hold 2.6 million zeros.
fn pages_of_zeros(asked: &PeerRequest) -> Response {
    if asked.method() != Some("tools/list") {
        return servers::modern(asked);
    }
    let page = asked.body["params"]["cursor"].as_str().map_or(1, |cursor| cursor.parse().unwrap());
    let next = if page < PAGES { format!(",\"nextCursor\":\"{}\"", page + 1) } else { String::new() };
    let mut zipped = GzEncoder::new(Vec::new(), Compression::fast());
    write!(
        zipped,
        "{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"public\",\
         \"tools\":[0{}]{next}}}}}",
        asked.body["id"],
        ",0".repeat(ZEROS - 1)
    )
    .unwrap();
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CONTENT_ENCODING, "gzip")];
    (headers, zipped.finish().unwrap()).into_response()
}

/// The most memory that this process ever had, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn pages_of_zeros_take_no_memory_and_get_a_verdict() {
    if env::var_os(ALONE).is_none() {
        let name = "faults::memory::pages_of_zeros_take_no_memory_and_get_a_verdict";
        let alone = Command::new(env::current_exe().unwrap())
            .args(["--exact", name, "--nocapture"])
            .env(ALONE, "1")
            .output()
            .unwrap();
        assert!(alone.status.success(), "{}", String::from_utf8_lossy(&alone.stderr));
        return;
    }
    let registry = TestRegistry::start().await;
    let (mut peers, mut ids) = (Vec::new(), Vec::new());
    for _ in 0..SERVERS {
        let peer = Peer::start(pages_of_zeros).await;
        ids.push(registry.publish_mcp(&peer.url("/mcp")).await);
        peers.push(peer);
    }
    let before = peak();
    let report = registry.tick().await;
    let taken = peak() - before;
    for id in &ids {
        assert_eq!(registry.lane(id).await, "needs_fix", "a verdict was written: {report}");
        assert_eq!(registry.reason_codes(id).await[0], "answers_too_large");
    }
    registry.advance(TICK);
    assert_eq!(registry.tick().await["claimed"], json!(0), "what has a verdict is not due again at once");
    assert!(taken < MOST_KIB, "{taken} KiB");
}
