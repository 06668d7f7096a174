//! What an operator sees of a running registry: one id for everything that a request causes, and the log lines.

use std::sync::Arc;
use std::time::Duration;

use tests::prelude::*;
use tracing::subscriber::DefaultGuard;

/// The JSON lines that this thread logs.
struct Log {
    file: tempfile::NamedTempFile,
    _guard: DefaultGuard,
    _second: tracing::Dispatch,
}

impl Log {
    /// All tasks of a test must run on its thread.
    fn start() -> Self {
        let file = tempfile::NamedTempFile::new().unwrap();
        let layer = tracing_subscriber::fmt().json().with_span_list(false);
        let subscriber = layer.with_writer(Arc::new(file.reopen().unwrap())).finish();
        // With a single subscriber, `tracing` asks only the thread that first reaches an event whether anybody reads it.
        let second = tracing::Dispatch::new(tracing_subscriber::fmt().finish());
        Self { file, _guard: tracing::subscriber::set_default(subscriber), _second: second }
    }

    fn lines(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.file.path()).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn messages_of(&self, request_id: &str) -> Vec<String> {
        let lines = self.lines().into_iter().filter(|line| line["span"]["request_id"] == request_id);
        lines.map(|line| line["fields"]["message"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test]
async fn one_id_connects_a_request_with_its_events_and_all_log_lines() {
    let log = Log::start();
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let body = json!({ "agent_card_url": peer.card() }).to_string();
    let headers = [("content-type", "application/json"), ("x-request-id", "chosen-by-the-caller")];
    let reply = registry.send("POST", "/api/publish", &headers, &body).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let id = reply.header("x-request-id").to_owned();
    assert_eq!(log.messages_of(&id), ["request"]);

    let events = registry.events();
    assert_eq!(events[0]["detail"]["cause"], id);
    registry.app.clock.advance(Duration::from_secs(1));
    registry.run("probe-tick", events[0].clone()).await;
    assert!(log.messages_of(&id).contains(&"probe recorded".to_owned()), "{:?}", log.lines());
    let live = registry.events();
    assert_eq!((&live[0]["detail-type"], &live[0]["detail"]["cause"]), (&"listing.live".into(), &id.into()));

    // No request caused a tick of the schedule.
    registry.recheck_after(DAY * 7).await;
    let of_schedule = |line: &Value| {
        let id = line["span"]["request_id"].as_str().unwrap_or_default();
        line["fields"]["message"] == "probe recorded" && id.starts_with("weekly-recheck-")
    };
    assert!(log.lines().iter().any(of_schedule), "{:?}", log.lines());
    assert!(!log.lines().iter().any(|line| line.to_string().contains("chosen-by-the-caller")));
}

#[tokio::test]
async fn sampling_omits_lines_of_successful_requests_only() {
    let log = Log::start();
    let options = TestOptions::default().with(|settings| settings.request_log_sample = 10);
    let registry = TestRegistry::start_with(options).await;
    for _ in 0..200 {
        assert_eq!(registry.get("/discovery.json").await.status, 200);
    }
    for _ in 0..3 {
        assert_eq!(registry.get("/no/such/path").await.status, 404);
    }
    let stands_for = |status: u16| -> Vec<u64> {
        let lines = log.lines().into_iter().filter(|line| line["fields"]["status"] == status);
        lines.map(|line| line["fields"]["stands_for"].as_u64().unwrap()).collect()
    };
    let sampled = stands_for(200);
    assert!((5..60).contains(&sampled.len()) && sampled.iter().all(|number| *number == 10), "{sampled:?}");
    assert_eq!(stands_for(404), [1, 1, 1]);
}

#[tokio::test]
async fn log_contains_no_query_and_no_address() {
    let log = Log::start();
    let registry = TestRegistry::start().await;
    let token = format!("at_{}", "x".repeat(43));
    let refused = registry.get(&format!("/api/products/access?token={token}")).await;
    assert!(refused.status == 401 && !refused.text().contains(&token), "{refused:?}");
    let lines = format!("{:?}", log.lines());
    assert!(lines.contains("/api/products/access"), "{lines}");
    assert!(!lines.contains(&token) && !lines.contains("127.0.0.1"), "{lines}");
}

#[tokio::test]
async fn monitoring_shows_requests_and_readiness() {
    let registry = TestRegistry::start().await;
    assert_eq!(registry.get("/healthz").await.body, "ok\n");
    assert_eq!(registry.get("/readyz").await.body, "ok\n");
    assert_eq!(registry.get("/api/feed").await.status, 200);
    registry.get("/no/such/path/of/a/caller").await;
    let metrics = registry.get("/metrics").await;
    assert_eq!(metrics.header("content-type"), "text/plain; version=0.0.4");
    let text = metrics.body.as_str().unwrap();
    for line in [
        "registry_http_request_duration_seconds_count{function=\"listings\",status=\"2xx\"} 1",
        "registry_http_request_duration_seconds_bucket{function=\"listings\",status=\"2xx\",le=\"+Inf\"} 1",
        "registry_http_request_duration_seconds_count{function=\"well-known\",status=\"4xx\"} 1",
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line} is not in\n{text}");
    }
    assert!(!text.contains("such"), "a caller chose a label:\n{text}");

    registry.observer.faults.arm_by_chance(&["Query"], Fault::ServiceError, 1000, 1);
    let refused = registry.get("/readyz").await;
    assert_eq!((refused.status, refused.body), (503, "the table does not answer\n".into()));
    assert_eq!(registry.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn public_registry_shows_its_metrics_only_to_the_operator() {
    let token = "t".repeat(32);
    let with_token = TestOptions::public().with_setting("OPERATOR_TOKEN", &token);
    for (options, status) in [(TestOptions::public(), 404), (with_token, 200)] {
        let registry = TestRegistry::start_with(options).await;
        // An orchestrator has no token.
        assert_eq!(registry.get("/healthz").await.status, 200);
        for path in ["/metrics", "/readyz"] {
            assert_eq!(registry.get(path).await.status, 404, "{path}");
            let wrong = format!("Bearer {}", "w".repeat(32));
            assert_eq!(registry.get_with(path, ("authorization", &wrong)).await.status, 404, "{path}");
            let right = format!("Bearer {token}");
            assert_eq!(registry.get_with(path, ("authorization", &right)).await.status, status, "{path}");
        }
    }
}

#[tokio::test]
async fn canary_uses_the_registry_and_leaves_no_trace() {
    let options =
        TestOptions::default().with_setting("LIST_ITSELF", "on").with(|settings| settings.canary = true);
    let registry = TestRegistry::start_with(options).await;
    registry.tick().await;
    registry.deliver_events().await;
    // The leaf of a repeated delivery may wait for the next tick.
    for _ in 0..2 {
        registry.tick_after(TICK).await;
    }
    registry.advance(TICK);
    let (feed, counts) = (registry.feed_types().await, registry.live_counts().await);
    let trails = registry.items("TRAIL#").await;
    let log = registry.get("/log").await.body;
    assert_eq!(registry.tick().await["metrics"]["CanaryFailures"], 0);
    assert_eq!((registry.feed_types().await, registry.live_counts().await), (feed, counts));
    assert_eq!(registry.items("TRAIL#").await, trails);
    assert_eq!(registry.get("/log").await.body["tree_size"], log["tree_size"]);

    let id = ListingId::of_url(&registry.url("/.well-known/agent-card.json").parse().unwrap());
    registry.withdraw(&id, "Test.").await;
    assert_eq!(registry.tick_after(TICK).await["metrics"]["CanaryFailures"], 1);
}

#[tokio::test]
async fn first_proof_reports_the_time_since_publishing() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    registry.publish_card(&peer.card()).await;
    let event = registry.events().remove(0);
    registry.advance(Duration::from_secs(9));
    assert_eq!(registry.run("probe-tick", event.clone()).await["metrics"]["PublishToProof"], 9);
    let again = registry.run("probe-tick", event).await;
    assert!(again["metrics"].get("PublishToProof").is_none(), "{again}");
}
