//! Tests a search backend that fails, restarts, loses its data, or is chosen for an existing registry. Each test starts its
//! own Chroma server. `make proxies` runs them; it also runs the end-to-end tests of search with a backend.

use std::time::Duration;

use registry::app::App;
use registry::events::Bus;
use registry::model::Random;
use registry::settings::{Mode, Settings};
use tests::chroma::{ChromaServer, database, records};
use tests::prelude::*;

use crate::fixtures::{another_process, query};

struct Searched {
    registry: TestRegistry,
    agents: Peer,
    server: ChromaServer,
    database: String,
    _data: tempfile::TempDir,
}

impl Searched {
    async fn start() -> Self {
        let data = tempfile::tempdir().unwrap();
        let server = ChromaServer::start(data.path()).await;
        let database = database(&server.url()).await;
        let options = TestOptions::default()
            .with_setting("PROBE_WINDOW_CAP", 1000)
            .with_setting("SEARCH_BACKEND_URL", &database);
        let registry = TestRegistry::start_with(options).await;
        Self { registry, agents: Peer::start(agents::fleet).await, server, database, _data: data }
    }

    /// Makes agents Live that are not yet in the index. Their names are `Agent <number>`.
    async fn go_live(&self, numbers: std::ops::Range<u32>) -> Vec<ListingId> {
        self.registry.live_agents(&self.agents, numbers).await
    }

    async fn index_and_count(&self) -> (usize, u64) {
        self.registry.index().await;
        assert!(self.registry.app.store.dirty_marks(None, 1).await.unwrap().is_empty());
        (count(&another_process(&self.registry.app)).await, records(&self.database).await)
    }
}

/// Another process over the same table, with a search backend or without one.
fn process_with(app: &App, backend: Option<String>) -> App {
    let mut settings = app.settings.clone();
    settings.search_backend_url = backend;
    App::new(settings, app.store.clone(), Bus::Silent, app.clock.clone(), Random::seeded(1))
}

/// Listings that a search by words finds; all agents of the fleet add numbers.
async fn count(app: &App) -> usize {
    let query = query("agents that add numbers", 90);
    let hits = app.search.find(&query, app.clock.now()).await.unwrap().hits;
    hits.iter().filter(|hit| !hit.words.is_empty()).count()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chroma; tests/proxies/search_backend/run runs it"]
async fn server_that_is_killed_in_a_build_loses_no_listing() {
    let mut searched = Searched::start().await;
    let mut live = 0;
    // Polled so many times before the server is killed.
    for polls in [1, 4, 8, 12, 20, 40] {
        live += searched.go_live(live..live + 8).await.len() as u32;
        let app = another_process(&searched.registry.app);
        let mut build = app.search.build();
        for _ in 0..polls {
            if futures::poll!(&mut build).is_ready() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        searched.server.kill().await;
        drop(build);
        // A build without the server fails, and leaves the marks.
        searched.go_live(live..live + 1).await;
        live += 1;
        assert!(searched.registry.app.search.build().await.is_err());
        assert!(!searched.registry.app.store.dirty_marks(None, 1).await.unwrap().is_empty());
        searched.server.start_again().await;
        assert_eq!(searched.index_and_count().await, (live as usize, u64::from(live)), "{polls} polls");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chroma; tests/proxies/search_backend/run runs it"]
async fn search_without_the_server_is_refused_and_the_rest_works() {
    let mut searched = Searched::start().await;
    let ids = searched.go_live(0..2).await;
    searched.index_and_count().await;
    searched.server.kill().await;
    let registry = &searched.registry;
    for path in ["/api/ard/search?q=add+numbers", "/api/match?q=add+numbers"] {
        let reply = registry.get(path).await;
        assert_eq!((reply.status, &reply.body["code"]), (503, &json!("busy")), "{path}: {reply:?}");
        assert!(reply.body["detail"].as_str().unwrap().contains("search"), "{reply:?}");
    }
    assert_eq!(registry.get("/list?q=add+numbers").await.status, 503);
    for path in ["/api/listings/active", "/list", "/v0.1/servers", "/api/ard/search"] {
        assert_eq!(registry.get(path).await.status, 200, "{path}");
    }
    assert_eq!(registry.lane(&ids[0]).await, "active");
    searched.go_live(2..3).await;
    searched.server.start_again().await;
    assert_eq!(searched.index_and_count().await, (3, 3));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chroma; tests/proxies/search_backend/run runs it"]
async fn withdrawn_listing_disappears_from_searches_and_from_the_server() {
    let searched = Searched::start().await;
    let ids = searched.go_live(0..3).await;
    assert_eq!(searched.index_and_count().await, (3, 3));
    searched.registry.withdraw(&ids[1], "Test.").await;
    assert_eq!(count(&searched.registry.app).await, 2, "at once, because each hit is read from the table");
    assert_eq!(searched.index_and_count().await, (2, 2));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chroma; tests/proxies/search_backend/run runs it"]
async fn backend_can_be_chosen_lost_and_left() {
    let mut searched = Searched::start().await;
    let app = searched.registry.app.clone();
    let live = 12;
    searched.go_live(0..live).await;
    let embedded = process_with(&app, None);
    assert_eq!(embedded.search.build().await.unwrap().come, live as usize);
    assert_eq!(count(&embedded).await, live as usize);

    // The first build with a backend sends everything that the embedded index contains.
    assert_eq!(searched.index_and_count().await, (live as usize, u64::from(live)));

    // A new and empty server gets everything after the hourly check.
    searched.server.kill().await;
    let data = tempfile::tempdir().unwrap();
    searched.server = ChromaServer::start(data.path()).await;
    searched.database = database(&searched.server.url()).await;
    let moved = process_with(&app, Some(searched.database.clone()));
    assert_eq!(moved.search.build().await.unwrap().come, live as usize);
    assert_eq!((count(&moved).await, records(&searched.database).await), (live as usize, u64::from(live)));
    searched.registry.advance(HOUR);
    assert_eq!(moved.search.build().await.unwrap().come, 0, "nothing is missing");

    let embedded = process_with(&app, None);
    embedded.search.build().await.unwrap();
    assert_eq!(count(&embedded).await, live as usize);
}

#[test]
fn token_is_not_sent_in_plain_text() {
    let settings = |mode, url: &str| {
        Settings::from_env(mode, |name| match name {
            "SEARCH_BACKEND_URL" => Some(url.to_owned()),
            "SEARCH_BACKEND_TOKEN" => Some("0123456789abcdef".to_owned()),
            _ => None,
        })
    };
    assert!(settings(Mode::Public, "http://chroma.example.com").is_err());
    assert!(settings(Mode::Public, "https://user:password@chroma.example.com").is_err());
    let url = settings(Mode::Public, "https://chroma.example.com/").unwrap().search_backend_url;
    assert_eq!(url.as_deref(), Some("https://chroma.example.com"));
    assert!(settings(Mode::Development, "http://127.0.0.1:8000").is_ok());
}
