//! Tests the bulk import (`mirror`) into a whole registry. The import reads from files, or from a peer that
//! implements the official registry API and sometimes fails. After any interruption, the next run continues,
//! and no listing is created twice.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::response::IntoResponse as _;
use http::header;
use local::mirror::{Job, Mirror};
use registry::federation::imports::ImportReport;
use registry::model::{Clock, LimitedAction};
use tempfile::TempDir;
use tests::prelude::*;
use tests::test_registry::NOON;

use crate::fixtures::server_json;

fn document(number: usize) -> Value {
    let remote = format!("https://host-{number}.example.org/mcp");
    server_json(&format!("org.example/server-{number}"), &remote)
}

fn entry(document: &Value, status: &str) -> Value {
    let official = json!({ "status": status, "isLatest": true });
    json!({ "server": document, "_meta": { "io.modelcontextprotocol.registry/official": official } })
}

/// Three pages: four active documents; one broken, one active, one deleted, one deprecated; four active documents.
fn pages() -> Vec<Vec<Value>> {
    let active = |number| entry(&document(number), "active");
    let broken = json!({ "name": "org.example/broken", "description": "No version." });
    let inactive = [entry(&document(90), "deleted"), entry(&document(91), "deprecated")];
    vec![
        (0..4).map(active).collect(),
        [entry(&broken, "active"), active(4)].into_iter().chain(inactive).collect(),
        (5..9).map(active).collect(),
    ]
}

/// A peer with the official registry API. Its cursors have the format of the official registry.
struct Official {
    peer: Peer,
    /// How many requests for a page after the first it still refuses with a 429 and a wait of a second.
    refusals: Arc<AtomicUsize>,
}

impl Official {
    async fn start(pages: Vec<Vec<Value>>, refusals: usize) -> Self {
        let refusals = Arc::new(AtomicUsize::new(refusals));
        let left = Arc::clone(&refusals);
        let peer = Peer::start(move |request| {
            if request.path != "/v0.1/servers" {
                return empty(404);
            }
            let requested = query(request).remove("cursor");
            let is_requested =
                |page: &usize| requested.as_ref().is_none_or(|cursor| *cursor == cursor_of(*page));
            let page = (0..pages.len()).find(is_requested).unwrap();
            let refuse = |left: usize| left.checked_sub(1);
            if page > 0 && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, refuse).is_ok() {
                return ([(header::RETRY_AFTER, "1")], empty(429)).into_response();
            }
            let next = (page + 1 < pages.len()).then(|| cursor_of(page + 1));
            let metadata = json!({ "count": pages[page].len(), "nextCursor": next });
            json_answer(200, &json!({ "servers": pages[page], "metadata": metadata }))
        });
        Self { peer: peer.await, refusals }
    }

    /// The cursors of all requests since the last call.
    fn take_cursors(&self) -> Vec<String> {
        let requests = self.peer.requests();
        self.peer.forget_requests();
        requests.iter().map(|request| query(request).remove("cursor").unwrap_or_default()).collect()
    }
}

fn query(request: &PeerRequest) -> BTreeMap<String, String> {
    form_urlencoded::parse(request.query.as_bytes()).into_owned().collect()
}

fn cursor_of(page: usize) -> String {
    format!("org.example/page & more:{page}.0.0")
}

/// Waits until a peer has received requests.
async fn requested(peer: &Peer, count: usize) {
    while peer.requests().len() < count {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

pub(crate) fn job(from: &str, to: &str) -> Job {
    Job {
        from: from.to_owned(),
        to: to.to_owned(),
        resume: None,
        report: None,
        log_key: None,
        longest_pause: Duration::from_secs(5),
        clock: Clock::manual(NOON.parse().unwrap()),
    }
}

pub(crate) async fn mirror(job: &Job) -> (ImportReport, Result<(), String>) {
    let mut mirror = Mirror::new(job.clone()).unwrap();
    let end = mirror.run().await;
    (mirror.report(), end)
}

/// Entries that were published, refused and skipped.
pub(crate) fn counts(report: ImportReport) -> [usize; 3] {
    [report.published, report.refused, report.skipped]
}

/// A folder with a file of these documents, and the path of the file.
fn file(documents: impl IntoIterator<Item = Value>) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let lines: String = documents.into_iter().map(|document| format!("{document}\n")).collect();
    let path = folder.path().join("servers.jsonl");
    std::fs::write(&path, lines).unwrap();
    (folder, path.to_str().unwrap().to_owned())
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

async fn listing_count(registry: &TestRegistry) -> usize {
    let table = registry.table().await;
    table.keys().iter().filter(|key| key.starts_with("LISTING#") && key.ends_with("CORE")).count()
}

#[tokio::test]
async fn mirror_reads_a_registry_page_by_page() {
    let (registry, official) = (TestRegistry::start().await, Official::start(pages(), 1).await);
    let folder = tempfile::tempdir().unwrap();
    let (state, report) = (folder.path().join("state.json"), folder.path().join("refused.jsonl"));
    let from = official.peer.url("/v0.1/servers?updated_since=2026-11-01T00:00:00Z");
    let job =
        Job { resume: Some(state.clone()), report: Some(report.clone()), ..job(&from, &registry.url("")) };
    let start = Instant::now();
    let (counted, end) = mirror(&job).await;
    assert_eq!((counts(counted), end), ([9, 1, 2], Ok(())));
    assert!(start.elapsed() >= Duration::from_secs(1), "no wait for `retry-after`: {:?}", start.elapsed());
    assert_eq!(listing_count(&registry).await, 9);
    let refusals = lines(&report);
    assert_eq!(refusals.len(), 1);
    assert_members(&refusals[0], &json!({ "name": "org.example/broken", "field": "version" }));
    assert!(!refusals[0]["violations"].as_array().unwrap().is_empty());
    assert!(!state.exists(), "a finished mirror keeps no state");

    for request in official.peer.requests() {
        let expected = [("limit", "100"), ("version", "latest"), ("updated_since", "2026-11-01T00:00:00Z")];
        for (name, value) in expected {
            assert_eq!(query(&request)[name], value);
        }
    }
    // The second page was requested twice.
    assert_eq!(official.take_cursors(), [String::new(), cursor_of(1), cursor_of(1), cursor_of(2)]);
}

#[tokio::test]
async fn interrupted_mirror_resumes_at_its_page() {
    let registry = TestRegistry::start().await;
    let official = Official::start(pages(), usize::MAX).await;
    let folder = tempfile::tempdir().unwrap();
    let resume = Some(folder.path().join("state.json"));
    let job = Job { resume, ..job(&official.peer.origin, &registry.url("")) };
    tokio::select! {
        end = mirror(&job) => panic!("the second page was answered: {end:?}"),
        () = requested(&official.peer, 2) => {}
    }
    assert_eq!((listing_count(&registry).await, official.take_cursors().len()), (4, 2));
    let other = Job { to: "http://127.0.0.1:1".to_owned(), ..job.clone() };
    assert!(Mirror::new(other).unwrap_err().contains("belongs to another import"));

    official.refusals.store(0, Ordering::SeqCst);
    // The counts include both runs, and the first page is not requested again. Mirroring again is harmless.
    for (expected, cursors) in [
        ([9, 1, 2], vec![cursor_of(1), cursor_of(2)]),
        ([0, 1, 11], vec![String::new(), cursor_of(1), cursor_of(2)]),
    ] {
        let (counted, end) = mirror(&job).await;
        assert_eq!((counts(counted), end), (expected, Ok(())));
        assert_eq!(official.take_cursors(), cursors);
        assert_eq!(listing_count(&registry).await, 9);
    }
}

#[tokio::test]
async fn mirror_resumes_after_the_hourly_rate_limit() {
    let options = TestOptions::default().with_rates().with_setting("PUBLISH_PER_HOUR", 5);
    let registry = TestRegistry::start_with(options).await;
    let (folder, from_file) = file((0..12).map(document));
    let entries = (0..12).map(|number| entry(&document(number), "active")).collect();
    let official = Official::start(vec![entries], 0).await;
    let state = folder.path().join("state.json");
    for (from, is_new) in [(from_file, true), (official.peer.origin.clone(), false)] {
        let job = Job { resume: Some(state.clone()), ..job(&from, &registry.url("")) };
        for expected in [5, 10, 12] {
            let (counted, end) = mirror(&job).await;
            let sent = if is_new { counted.published } else { counted.skipped };
            assert_eq!(sent, expected, "not every document was sent once");
            let is_limited = end.is_err_and(|error| error.contains("PUBLISH_PER_HOUR"));
            assert_eq!(is_limited, expected < 12);
            registry.advance(HOUR);
        }
    }
    assert_eq!(listing_count(&registry).await, 12);
}

#[tokio::test]
async fn rate_limited_host_does_not_block_other_hosts() {
    let options = TestOptions::default().with_rate(LimitedAction::Publish, |rate| rate.target = 6);
    let registry = TestRegistry::start_with(options).await;
    let at_one_host = |number| {
        let mut document = document(number);
        document["remotes"][0]["url"] = json!(format!("https://crowded.example.org/{number}/mcp"));
        document
    };
    let (folder, from) = file((0..8).map(at_one_host).chain((8..11).map(document)));
    let report = folder.path().join("refused.jsonl");
    let job = Job { report: Some(report.clone()), ..job(&from, &registry.url("")) };
    let (counted, end) = mirror(&job).await;
    assert_eq!((counts(counted), end), ([9, 2, 0], Ok(())));
    for line in lines(&report) {
        assert_eq!(line["code"], "rate_limited");
        assert_contains(&line["detail"].to_string(), &["for this host"]);
    }
}

#[tokio::test]
async fn refused_host_does_not_stop_the_import() {
    let (folder, from) = file((0..2).map(document));
    let problem = json!({ "ok": false, "code": "host_blocked", "detail": "Reason: ##[error]Spam." });
    let peer = Peer::start(move |_| json_answer(403, &problem)).await;
    let report = folder.path().join("refused.jsonl");
    let job = Job { report: Some(report.clone()), ..job(&from, &peer.origin) };
    let (counted, end) = mirror(&job).await;
    assert_eq!((counts(counted), end), ([0, 2, 0], Ok(())));
    let text = std::fs::read_to_string(&report).unwrap();
    assert!(!text.contains("##["), "a command for a CI runner: {text}");
    assert_eq!(lines(&report)[0]["detail"], "Reason: ##[error]Spam.");
}

#[tokio::test]
async fn file_with_invalid_json_is_refused_as_a_whole() {
    let (_folder, path) = file([document(0), document(1)]);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text + "{\"name\": \n").unwrap();
    let error = Mirror::new(job(&path, "http://127.0.0.1:1")).unwrap_err();
    assert_contains(&error, &["at line 4", "JSON Lines"]);
}

#[tokio::test]
async fn mirror_waits_for_a_busy_registry() {
    let peer = Peer::start(|_| ([(header::RETRY_AFTER, "1")], empty(503)).into_response()).await;
    let (_folder, from) = file((0..3).map(document));
    let recovering = async {
        requested(&peer, 1).await;
        peer.answer_with(|_| json_answer(200, &json!({ "ok": true, "status": "queued" })));
    };
    let job = job(&from, &peer.url("/base/"));
    let ((counted, end), ()) = tokio::join!(mirror(&job), recovering);
    assert_eq!((counts(counted), end), ([3, 0, 0], Ok(())));
    let requests = peer.requests();
    assert!(requests.len() > 3, "a refused document was not sent again");
    for request in requests {
        assert_eq!(request.name(), "POST /base/api/publish");
        assert!((0..3).any(|number| request.body["server_json"] == document(number)));
    }
}

#[tokio::test]
async fn mirror_stops_if_the_target_is_not_a_registry() {
    let (_folder, from) = file((0..3).map(document));
    let elsewhere = Peer::start(|_| empty(500)).await;
    let there = elsewhere.url("/api/publish");
    let moved = move |_: &_| ([(header::LOCATION, there.clone())], empty(307)).into_response();
    let (nothing, moved) = (Peer::start(|_| empty(404)).await, Peer::start(moved).await);
    // A redirect to another host is not followed.
    for (from, to, words) in [
        (&from, nothing.origin.as_str(), "this is the base URL of a registry"),
        (&from, &moved.origin, "this is the base URL of a registry"),
        (&from, "http://127.0.0.1:1", "Nothing accepts connections"),
    ] {
        assert_contains(&mirror(&job(from, to)).await.1.unwrap_err(), &[words]);
    }
    assert!(elsewhere.requests().is_empty(), "a redirect to another host was followed");
    let (_, end) = mirror(&job(&elsewhere.origin, &elsewhere.origin)).await;
    assert_contains(&end.unwrap_err(), &["answers 500"]);
}

#[tokio::test]
async fn collection_is_mirrored_like_a_registry() {
    const TOKEN: &str = "0123456789abcdef0123456789abcdef";
    let source = TestRegistry::start_with_setting("OPERATOR_TOKEN", TOKEN).await;
    let (target, peer) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    for name in ["adder", "weather"] {
        let document = server_json(&format!("org.example/{name}"), &peer.url(&format!("/{name}/mcp")));
        source.first_probe(&id_of(&source.publish(&document).await)).await;
    }
    source.index().await;
    let collection = json!({ "name": "approved", "servers": ["org.example/weather"] });
    source.post_with_token("/api/collections", TOKEN, &collection).await.ok();
    let (counted, end) = mirror(&job(&source.url("/r/approved"), &target.url(""))).await;
    assert_eq!((counts(counted), end), ([1, 0, 0], Ok(())));
    target.get("/api/listings/status?name=org.example/weather").await.ok();
}
