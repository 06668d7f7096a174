//! Tests how much memory the registry uses for hostile answers. This test starts itself again as a separate
//! process, because the peak memory of this process includes other tests.

use std::env;
use std::fs;
use std::io::Write as _;
use std::process::Command;

use axum::response::{IntoResponse as _, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header;
use tests::prelude::*;

/// Set in the child process.
const CHILD_VARIABLE: &str = "REGISTRY_TEST_ALONE";
const PAGES: u64 = 5;
/// Just under the size limit of an answer; one kilobyte in gzip.
const ZEROS: usize = 520_000;
/// Servers in the sweep.
const SERVERS: usize = 4;
/// Limit for the growth of peak memory in the sweep, in KiB. Parsed into values, the zeros would need over 600 MB.
const MAX_GROWTH_KIB: u64 = 128 * 1024;

/// A server whose five pages of tools contain 2.6 million zeros.
fn pages_of_zeros(request: &PeerRequest) -> Response {
    if request.method() != Some("tools/list") {
        return servers::modern(request);
    }
    let page = request.body["params"]["cursor"].as_str().map_or(1, |cursor| cursor.parse().unwrap());
    let next = if page < PAGES { format!(",\"nextCursor\":\"{}\"", page + 1) } else { String::new() };
    let mut zipped = GzEncoder::new(Vec::new(), Compression::fast());
    write!(
        zipped,
        "{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"public\",\
         \"tools\":[0{}]{next}}}}}",
        request.body["id"],
        ",0".repeat(ZEROS - 1)
    )
    .unwrap();
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CONTENT_ENCODING, "gzip")];
    (headers, zipped.finish().unwrap()).into_response()
}

/// Peak memory of this process, in KiB.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn pages_of_zeros_use_bounded_memory() {
    if env::var_os(CHILD_VARIABLE).is_none() {
        let name = "faults::memory::pages_of_zeros_use_bounded_memory";
        let child = Command::new(env::current_exe().unwrap())
            .args(["--exact", name, "--nocapture"])
            .env(CHILD_VARIABLE, "1")
            .output()
            .unwrap();
        assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
        return;
    }
    let registry = TestRegistry::start().await;
    let (mut peers, mut ids) = (Vec::new(), Vec::new());
    for _ in 0..SERVERS {
        let peer = Peer::start(pages_of_zeros).await;
        ids.push(registry.publish_mcp(&peer.url("/mcp")).await);
        peers.push(peer);
    }
    let before = peak_kib();
    let report = registry.tick().await;
    let growth = peak_kib() - before;
    for id in &ids {
        assert_eq!(registry.lane(id).await, "needs_fix", "the sweep wrote a verdict: {report}");
        assert_eq!(registry.reason_codes(id).await[0], "too_many_tools");
    }
    registry.advance(TICK);
    assert_eq!(registry.tick().await["claimed"], 0, "a listing with a verdict is not due again at once");
    assert!(growth < MAX_GROWTH_KIB, "peak memory grew by {growth} KiB");
}
