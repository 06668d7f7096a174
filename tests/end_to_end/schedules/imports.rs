//! Tests the import of other directories: each entry is published once, and an import continues where it stopped.

use std::sync::{Arc, Mutex};
use tests::prelude::*;

/// A registry with seven pages of one server each, the last of which is faulty, and a directory of two agents.
async fn sources(server: &Peer, agent: &Peer, queries: &Arc<Mutex<Vec<String>>>) -> Peer {
    let (server, agent, queries) = (server.url("/mcp"), agent.card(), Arc::clone(queries));
    Peer::start(move |request| {
        if request.path == "/agents.json" {
            return json_answer(200, &json!({ "agents": [{ "agentCardUrl": agent }, { "url": "no url" }] }));
        }
        if !request.path.ends_with("/v0.1/servers") {
            return empty(404);
        }
        let query = request.query.clone();
        let page: usize =
            query.split("cursor=p").nth(1).map_or(0, |page| page.split('&').next().unwrap().parse().unwrap());
        queries.lock().unwrap().push(query);
        let mut document = json!({ "name": format!("org.example/server-{page}"), "description": "Adds.",
            "version": "1.0.0", "remotes": [{ "type": "streamable-http", "url": format!("{server}/{page}") }] });
        if page == 6 {
            document["version"] = json!("latest");
        }
        let next = if page < 6 { json!(format!("p{}", page + 1)) } else { Value::Null };
        json_answer(200, &json!({ "servers": [{ "server": document }], "metadata": { "nextCursor": next } }))
    })
    .await
}

#[tokio::test]
async fn entries_of_other_directories_are_published_once() {
    let (server, agent) = (Peer::start(servers::modern).await, Peer::start(agents::newest).await);
    let queries = Arc::default();
    let source = sources(&server, &agent, &queries).await;
    let setting = format!("{0}/v0.1/servers, {0}/agents.json", source.origin);
    let options = TestOptions::default().with_setting("IMPORT_SOURCES", setting).delivered_once();
    let registry = TestRegistry::start_with(options).await;
    let import = async || registry.run("daily-connector", json!({})).await["imported"].clone();

    // One run reads five pages; the next one reads the rest.
    assert_eq!(import().await, json!({ "published": 6, "refused": 1, "skipped": 0, "failed": 0 }));
    registry.advance(HOUR);
    assert_eq!(import().await, json!({ "published": 1, "refused": 1, "skipped": 0, "failed": 0 }));
    registry.advance(HOUR);
    assert_eq!(import().await["published"], 0, "imported again on the same day");
    assert_eq!(queries.lock().unwrap().len(), 7);

    registry.deliver_events().await;
    registry.tick().await;
    assert_eq!(registry.live_counts().await, (1, 6));

    // The next day, only what changed is read, and what is listed already is left alone.
    registry.advance(DAY);
    let next = import().await;
    assert_eq!((&next["published"], &next["skipped"]), (&json!(0), &json!(6)), "{next}");
    assert!(queries.lock().unwrap()[7].contains("updated_since="), "{queries:?}");
}

#[tokio::test]
async fn import_starts_again_if_its_cursor_is_refused() {
    // The source forgets its cursors after the first run.
    for (status, restarts) in [(400, true), (410, true), (429, false), (503, false)] {
        let queries: Arc<Mutex<Vec<String>>> = Arc::default();
        let asked = Arc::clone(&queries);
        let source = Peer::start(move |request| {
            let mut asked = asked.lock().unwrap();
            asked.push(request.query.clone());
            if asked.len() > 5 && request.query.contains("cursor=") {
                return empty(status);
            }
            let next = format!("p{}", asked.len());
            json_answer(200, &json!({ "servers": [], "metadata": { "nextCursor": next } }))
        })
        .await;
        let setting = source.url("/v0.1/servers");
        let options = TestOptions::default().with_setting("IMPORT_SOURCES", setting).delivered_once();
        let registry = TestRegistry::start_with(options).await;
        for failed in [0, 1, 1] {
            let report = registry.run("daily-connector", json!({})).await;
            assert_eq!(report["imported"]["failed"], failed, "{status}: {report}");
            registry.advance(HOUR);
        }
        let third = queries.lock().unwrap()[6].clone();
        assert_eq!(!third.contains("cursor="), restarts, "{status}: {third}");
    }
}
