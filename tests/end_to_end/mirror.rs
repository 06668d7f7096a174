//! Tests the bulk import (`mirror`) into a whole registry. The import reads from files, or from a peer that
//! implements the official registry API and sometimes fails. After any interruption, the next run continues,
//! and no listing is created twice.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Query, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use http::header;
use local::mirror::{Job, Mirror};
use registry::federation::imports::ImportReport;
use registry::model::{Clock, LimitedAction};
use tests::prelude::*;
use tests::test_registry::NOON;
use tokio::sync::Notify;

use crate::fixtures::server_json;

const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";

fn document(number: usize) -> Value {
    let remote = format!("https://host-{number}.example.org/mcp");
    server_json(&format!("org.example/server-{number}"), &remote)
}

fn entry(document: &Value, status: &str) -> Value {
    json!({ "server": document, "_meta": { OFFICIAL: { "status": status, "isLatest": true } } })
}

/// Three pages: four active documents; one broken, one active, one deleted, one deprecated; four active documents.
fn pages() -> Vec<Vec<Value>> {
    let active = |number| entry(&document(number), "active");
    let broken = json!({ "name": "org.example/broken", "description": "No version." });
    vec![
        (0..4).map(active).collect(),
        vec![
            entry(&broken, "active"),
            active(4),
            entry(&document(90), "deleted"),
            entry(&document(91), "deprecated"),
        ],
        (5..9).map(active).collect(),
    ]
}

/// A peer with the official registry API. Its cursors have the format of the official registry.
#[derive(Clone, Default)]
struct Official {
    pages: Arc<Vec<Vec<Value>>>,
    requests: Arc<Mutex<Vec<BTreeMap<String, String>>>>,
    /// What happens to the next request for any page after the first.
    fault: Arc<Mutex<PageFault>>,
    fault_reached: Arc<Notify>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum PageFault {
    #[default]
    None,
    /// One 429 with a wait of a second.
    RateLimited,
    NoAnswer,
}

impl Official {
    fn new(pages: Vec<Vec<Value>>) -> Self {
        Self { pages: Arc::new(pages), ..Self::default() }
    }

    fn set_fault(&self, fault: PageFault) {
        *self.fault.lock().unwrap() = fault;
    }

    /// Starts to serve and returns the base URL.
    async fn start(&self) -> String {
        let listener = tests::ports::listen("127.0.0.1").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().route("/v0.1/servers", get(list)).with_state(self.clone());
        tokio::spawn(async move { drop(axum::serve(listener, router).await) });
        base
    }

    /// The cursors of all requests since the last call.
    fn take_cursors(&self) -> Vec<String> {
        let requests = std::mem::take(&mut *self.requests.lock().unwrap());
        requests.into_iter().map(|query| query.get("cursor").cloned().unwrap_or_default()).collect()
    }
}

fn cursor(page: usize) -> String {
    format!("org.example/page & more:{page}.0.0")
}

async fn list(State(official): State<Official>, Query(query): Query<BTreeMap<String, String>>) -> Response {
    official.requests.lock().unwrap().push(query.clone());
    let requested = query.get("cursor");
    let page = (0..official.pages.len())
        .find(|page| requested.is_none_or(|requested| *requested == cursor(*page)))
        .unwrap();
    let fault = *official.fault.lock().unwrap();
    if page > 0 && fault != PageFault::None {
        official.fault_reached.notify_one();
        if fault == PageFault::NoAnswer {
            std::future::pending::<()>().await;
        }
        official.set_fault(PageFault::None);
        return ([(header::RETRY_AFTER, "1")], empty(429)).into_response();
    }
    let next = (page + 1 < official.pages.len()).then(|| cursor(page + 1));
    let servers = &official.pages[page];
    json_answer(
        200,
        &json!({ "servers": servers, "metadata": { "count": servers.len(), "nextCursor": next } }),
    )
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

fn file(folder: &Path, documents: impl IntoIterator<Item = Value>) -> String {
    let lines: String = documents.into_iter().map(|document| format!("{document}\n")).collect();
    let path = folder.join("servers.jsonl");
    std::fs::write(&path, lines).unwrap();
    path.to_str().unwrap().to_owned()
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
    let (registry, official) = (TestRegistry::start().await, Official::new(pages()));
    let base = official.start().await;
    official.set_fault(PageFault::RateLimited);
    let folder = tempfile::tempdir().unwrap();
    let (state, report) = (folder.path().join("state.json"), folder.path().join("refused.jsonl"));
    let from = format!("{base}/v0.1/servers?updated_since=2026-11-01T00:00:00Z");
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

    let requests = official.requests.lock().unwrap().clone();
    assert_eq!(requests.len(), 4, "the second page was not requested twice: {requests:?}");
    for query in &requests {
        assert_eq!((query["limit"].as_str(), query["version"].as_str()), ("100", "latest"));
        assert_eq!(query["updated_since"], "2026-11-01T00:00:00Z");
    }
    assert_eq!(official.take_cursors(), [String::new(), cursor(1), cursor(1), cursor(2)]);
}

#[tokio::test]
async fn interrupted_mirror_resumes_at_its_page() {
    let (registry, official) = (TestRegistry::start().await, Official::new(pages()));
    let base = official.start().await;
    official.set_fault(PageFault::NoAnswer);
    let folder = tempfile::tempdir().unwrap();
    let job = Job { resume: Some(folder.path().join("state.json")), ..job(&base, &registry.url("")) };
    tokio::select! {
        end = mirror(&job) => panic!("the second page was answered: {end:?}"),
        () = official.fault_reached.notified() => {}
    }
    assert_eq!((listing_count(&registry).await, official.take_cursors().len()), (4, 2));
    let other = Job { to: "http://127.0.0.1:1".to_owned(), ..job.clone() };
    assert!(Mirror::new(other).unwrap_err().contains("belongs to another import"));

    official.set_fault(PageFault::None);
    let (counted, end) = mirror(&job).await;
    assert_eq!((counts(counted), end), ([9, 1, 2], Ok(())), "the counts do not include both runs");
    assert_eq!(official.take_cursors(), [cursor(1), cursor(2)], "the first page was requested again");
    assert_eq!(listing_count(&registry).await, 9);

    let (again, _) = mirror(&job).await;
    assert_eq!(counts(again), [0, 1, 11], "mirroring again is harmless");
    assert_eq!(listing_count(&registry).await, 9, "mirroring again created listings twice");
}

#[tokio::test]
async fn mirror_resumes_after_the_hourly_rate_limit() {
    let registry =
        TestRegistry::start_with(TestOptions::default().with_rates().with_setting("PUBLISH_PER_HOUR", 5))
            .await;
    let folder = tempfile::tempdir().unwrap();
    let from_file = file(folder.path(), (0..12).map(document));
    let official = Official::new(vec![(0..12).map(|number| entry(&document(number), "active")).collect()]);
    let from_registry = official.start().await;
    let state = folder.path().join("state.json");
    for (from, is_new) in [(from_file, true), (from_registry, false)] {
        let job = Job { resume: Some(state.clone()), ..job(&from, &registry.url("")) };
        let sent = |report: ImportReport| if is_new { report.published } else { report.skipped };
        for expected in [5, 10] {
            let (counted, end) = mirror(&job).await;
            assert!(end.unwrap_err().contains("PUBLISH_PER_HOUR"));
            assert_eq!(sent(counted), expected);
            registry.advance(HOUR);
        }
        let (counted, end) = mirror(&job).await;
        assert_eq!((sent(counted), end), (12, Ok(())), "not every document was sent once");
        registry.advance(HOUR);
    }
    assert_eq!(listing_count(&registry).await, 12);
}

#[tokio::test]
async fn rate_limited_host_does_not_block_other_hosts() {
    let options = TestOptions::default().with_rate(LimitedAction::Publish, |rate| rate.target = 6);
    let registry = TestRegistry::start_with(options).await;
    let folder = tempfile::tempdir().unwrap();
    let at_one_host = |number| {
        let mut document = document(number);
        document["remotes"][0]["url"] = json!(format!("https://crowded.example.org/{number}/mcp"));
        document
    };
    let from = file(folder.path(), (0..8).map(at_one_host).chain((8..11).map(document)));
    let report = folder.path().join("refused.jsonl");
    let job = Job { report: Some(report.clone()), ..job(&from, &registry.url("")) };
    let (counted, end) = mirror(&job).await;
    assert_eq!((counts(counted), end), ([9, 2, 0], Ok(())));
    let refusals: Vec<(Value, bool)> = lines(&report)
        .into_iter()
        .map(|mut line| (line["code"].take(), line["detail"].as_str().unwrap().contains("for this host")))
        .collect();
    assert_eq!(refusals, [(json!("rate_limited"), true), (json!("rate_limited"), true)]);
}

#[tokio::test]
async fn refused_host_does_not_stop_the_import() {
    let folder = tempfile::tempdir().unwrap();
    let from = file(folder.path(), (0..2).map(document));
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
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), [document(0), document(1)]);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text + "{\"name\": \n").unwrap();
    let error = Mirror::new(job(&path, "http://127.0.0.1:1")).unwrap_err();
    assert!(error.contains("at line 4") && error.contains("JSON Lines"), "{error}");
}

#[tokio::test]
async fn mirror_waits_for_a_busy_registry() {
    let peer = Peer::start(|_| ([(header::RETRY_AFTER, "1")], empty(503)).into_response()).await;
    let folder = tempfile::tempdir().unwrap();
    let from = file(folder.path(), (0..3).map(document));
    let recovering = async {
        while peer.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        peer.answer_with(|_| json_answer(200, &json!({ "ok": true, "status": "queued" })));
    };
    let job = job(&from, &peer.url("/base/"));
    let ((counted, end), ()) = tokio::join!(mirror(&job), recovering);
    assert_eq!((counts(counted), end), ([3, 0, 0], Ok(())));
    let requests = peer.requests();
    assert!(requests.len() > 3, "a refused document was not sent again");
    assert!(requests.iter().all(|request| request.name() == "POST /base/api/publish"));
    assert!(
        requests.iter().all(|request| (0..3).any(|number| request.body["server_json"] == document(number)))
    );
}

#[tokio::test]
async fn mirror_stops_if_the_target_is_not_a_registry() {
    let folder = tempfile::tempdir().unwrap();
    let from = file(folder.path(), (0..3).map(document));
    let elsewhere = Peer::start(|_| empty(500)).await;
    let there = elsewhere.url("/api/publish");
    let moved = move |_: &_| ([(header::LOCATION, there.clone())], empty(307)).into_response();
    for peer in [Peer::start(|_| empty(404)).await, Peer::start(moved).await] {
        let (_, end) = mirror(&job(&from, &peer.origin)).await;
        let error = end.unwrap_err();
        assert!(error.contains("this is the base URL of a registry"), "{error}");
    }
    assert!(elsewhere.requests().is_empty(), "a redirect to another host was followed");
    let (_, end) = mirror(&job(&elsewhere.origin, &elsewhere.origin)).await;
    assert!(end.unwrap_err().contains("answers 500"), "the source is no registry");
    let (_, end) = mirror(&job(&from, "http://127.0.0.1:1")).await;
    let error = end.unwrap_err();
    assert!(error.contains("Nothing accepts connections"), "{error}");
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
