//! Tests peers whose texts are larger than one item of the table. The results of their probes can still be
//! written. Such listings can go Live and can be demoted.

use axum::response::Response;
use serde_json::{Value, json};
use tests::peers::{PeerRequest, result, servers};

use crate::fixtures::{demote, live_server, recheck_due};

/// A server of 2026-07-28 with the largest stored number of tools and lengths, in characters of four bytes.
fn verbose(request: &PeerRequest) -> Response {
    let tool = |n: usize| {
        json!({
            "name": format!("{n:03}{}", "😀".repeat(125)), "description": "😀".repeat(500),
            "inputSchema": { "type": "object" },
        })
    };
    // In pages, because an answer has at most 1 MiB.
    let page = request.body["params"]["cursor"].as_str().map_or(0, |cursor| cursor.parse::<usize>().unwrap());
    let tools: Vec<Value> = (page * 100..(page + 1) * 100).map(tool).collect();
    let mut listed = json!({ "resultType": "complete", "tools": tools, "ttlMs": 1, "cacheScope": "public" });
    if page == 0 {
        listed["nextCursor"] = json!("1");
    }
    if request.method() == Some("tools/list") {
        return result(request, listed);
    }
    let info = json!({ "name": "verbose", "version": "1", "description": "😀".repeat(3000) });
    let stated = json!({ "_meta": { "io.modelcontextprotocol/serverInfo": info } });
    servers::modern_offering(json!([]), json!({}), stated)(request)
}

#[tokio::test]
async fn server_with_oversized_texts_goes_live_and_is_demoted() {
    let (registry, peer, id) = live_server(verbose).await;
    let status = registry.status(&id).await;
    let tools = status["evidence"]["tools"].as_array().unwrap();
    assert!(tools.len() > 40 && tools[0]["description"].as_str().unwrap().chars().count() == 500);

    // The recheck reads the same texts; then the server fails.
    recheck_due(&registry, &id).await;
    assert_eq!(registry.status(&id).await["lane"], "active");
    demote(&registry, &peer, &id).await;
}
