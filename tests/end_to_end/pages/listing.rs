//! Tests `/list/{id}`: the page of a listing in each of its states.

use tests::prelude::*;

use crate::fixtures::{demote, live_agent, live_server, queued_agent};

const HTML: (&str, &str) = ("accept", "text/html");

async fn read(registry: &TestRegistry, path: &str) -> Reply {
    let reply = registry.get_with(path, HTML).await;
    assert_eq!(reply.header("content-type"), "text/html; charset=utf-8", "{path}");
    reply
}

async fn page(registry: &TestRegistry, id: &ListingId) -> String {
    read(registry, &format!("/list/{id}")).await.ok().as_str().unwrap().to_owned()
}

/// The number of cells with a class in the 90-day strip.
fn cells(page: &str, class: &str) -> usize {
    let strip = page.split(r#"<svg class="strip""#).nth(1).unwrap().split("</svg>").next().unwrap();
    strip.matches(&format!(r#"<rect class="{class}""#)).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn server_page_shows_weeks_of_probes_and_the_last_change() {
    let (registry, peer, id) = live_server(servers::modern_with(&["add", "subtract"])).await;
    for week in 0..5 {
        registry.advance(DAY * 7 - HOUR);
        if week == 3 {
            peer.answer_with(servers::modern_with(&["add", "multiply"]));
        }
        registry.recheck().await;
        registry.advance(HOUR);
    }
    let (shown, calls) = registry.counted(page(&registry, &id)).await;
    assert!(calls.total() <= 6 && calls.of("Scan") == 0, "{calls:?}");

    assert_eq!((cells(&shown, "good"), cells(&shown, "proven"), cells(&shown, "failed")), (6, 30, 0));
    assert!(shown.contains("6 probes on 6 days; all passed."), "{shown}");
    assert_contains(&shown, &["Why it is Live", "server/discover", "cap_", "rel=\"canonical\""]);
    assert_contains(&shown, &["<code dir=\"auto\">multiply</code>", "<code dir=\"auto\">subtract</code>"]);
    let live_badge = format!("/badge/live.svg?id={id}");
    assert_contains(&shown, &["claude mcp add --transport http adder ", &live_badge]);
    assert!(!shown.contains("noindex"));

    let changed = registry.status(&id).await["evidence"]["changed"].clone();
    let one = |name: &str| json!({ "count": 1, "names": [name] });
    assert_eq!([&changed["added"], &changed["removed"]], [&one("multiply"), &one("subtract")], "{changed}");
    assert_eq!(changed["redescribed"]["count"], 0, "the next recheck lost the change");
}

#[tokio::test]
async fn server_page_shows_parameters_and_effects_of_tools() {
    let tools = json!([
        {
            "name": "execute_sql", "description": "Executes a SQL query.",
            "annotations": { "readOnlyHint": false, "destructiveHint": true },
            "inputSchema": { "type": "object", "required": ["sql"], "properties": {
                "limit": { "type": "integer" }, "sql": { "type": "string" },
            } },
        },
        {
            "name": "explain_query", "description": "Explains the execution plan of a query, with its costs.",
            "annotations": { "readOnlyHint": true }, "inputSchema": { "type": "object" },
        },
        {
            "name": "sync", "description": "Synchronizes the tables.", "inputSchema": { "type": "object" },
            "annotations": { "readOnlyHint": true, "destructiveHint": true },
        },
    ]);
    let (registry, _peer, id) = live_server(servers::modern_with_tools(tools)).await;
    let shown = page(&registry, &id).await;
    let effects = [">may delete or overwrite<", ">only reads<", ">only reads, but may delete or overwrite<"];
    assert_contains(&shown, &effects);
    for (name, kind) in [("sql", "string"), ("limit", "integer, optional")] {
        let parameter = format!("<code dir=\"auto\">{name}</code> <span class=\"minor\">{kind}</span>");
        assert_contains(&shown, &[&parameter]);
    }
    let tool = registry.status(&id).await["evidence"]["tools"][0].clone();
    let sql = json!({ "name": "sql", "type": "string", "required": true });
    assert_eq!(tool["parameters"], json!([sql, { "name": "limit", "type": "integer" }]));
    assert_eq!((&tool["read_only"], &tool["destructive"]), (&json!(false), &json!(true)));
}

#[tokio::test]
async fn page_shows_outcomes_and_offers_badges_and_a_report() {
    let (registry, _peer, id) = live_agent().await;
    assert_contains(&page(&registry, &id).await, &["none reported yet"]);
    for ok in [true, false] {
        let outcome = json!({ "action": "deposit_outcome", "listing_id": id, "ok": ok });
        registry.post("/api/products/interop", &outcome).await;
        registry.advance(HOUR * 2);
    }
    let after = page(&registry, &id).await;
    assert_contains(&after, &["1 of 2 worked", "<dt>Recent use</dt><dd>low <span"]);
    assert_contains(&after, &["href=\"#report\"", "action=\"/api/report\""]);
    let badges: Vec<usize> = ["live", "clean", "verified", "listed"]
        .iter()
        .map(|name| after.find(&format!("src=\"/badge/{name}.svg?id={id}\"")).unwrap())
        .collect();
    assert!(badges.is_sorted(), "the first badge is the default: {badges:?}");
    assert_eq!(after.matches("<details open>").count(), 1);
}

#[tokio::test]
async fn changed_skills_of_an_agent_are_shown() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(crate::fixtures::forecaster).await);
    let id = registry.live_card(&peer.card()).await;
    assert!(registry.status(&id).await["evidence"].get("changed").is_none());
    peer.answer_with(agents::newest_called("Nimbus"));
    registry.recheck_after(DAY * 7).await;
    let changed = registry.status(&id).await["evidence"]["changed"].clone();
    assert_eq!(changed["removed"]["names"], json!(["Weather forecast"]), "{changed}");
    assert!(page(&registry, &id).await.contains("found changes since the probe"));
    // Also the last of many.
    let skill = |at: usize, text: &str| json!({ "id": format!("s{at}"), "name": format!("S{at}"), "description": text, "tags": ["math"] });
    for last in ["Adds.", "Subtracts."] {
        let skills: Vec<_> = (0..60).map(|at| skill(at, if at == 59 { last } else { "Adds." })).collect();
        peer.answer_with(agents::newest_with(json!({ "name": "Nimbus", "skills": skills })));
        registry.recheck_after(DAY * 7).await;
    }
    let changed = registry.status(&id).await["evidence"]["changed"].clone();
    assert_eq!(changed["redescribed"]["names"], json!(["S59"]), "{changed}");
    // Also those of a probe that fails a check.
    let (registry, peer) = (TestRegistry::start().await, Peer::start(crate::fixtures::forecaster).await);
    let id = registry.live_card(&peer.card()).await;
    peer.answer_with(agents::injecting);
    registry.recheck_after(DAY * 7).await;
    let status = registry.status(&id).await;
    assert_eq!(status["lane"], "demoted", "{status}");
    assert_eq!(status["evidence"]["changed"]["removed"]["names"], json!(["Weather forecast"]), "{status}");
}

#[tokio::test]
async fn page_of_a_listing_that_is_not_live_shows_the_fix() {
    let (registry, peer, id) = queued_agent(agents::only(404)).await;
    let queued = page(&registry, &id).await;
    assert_contains(&queued, &["Its first probe has not ended yet.", "noindex"]);
    assert!(!queued.contains("After you fix it"), "no probe has found anything to fix: {queued}");
    let site = id_of(&registry.publish(&json!({ "url": peer.url("/x") })).await);
    assert!(page(&registry, &site).await.contains("/ Unknown kind /"));
    registry.deliver_events().await;
    let failing = page(&registry, &id).await;
    assert_contains(&failing, &["Needs a fix", "card fail 404 (no card)", "How to fix:", "noindex"]);
    assert_contains(&failing, &["name=\"url\" required maxlength=\"2048\" value=\"http://127.0.0.1"]);
    assert_eq!((cells(&failing, "failed"), cells(&failing, "unknown")), (1, 89));
    assert!(!failing.contains("Use it</h2>"), "how to install a server that does not answer");

    let (registry, peer, id) = live_agent().await;
    demote(&registry, &peer, &id).await;
    let demoted = page(&registry, &id).await;
    assert!(demoted.contains("No longer Live") && !demoted.contains("noindex"), "{demoted}");
    assert!(!demoted.contains("fails for 30 days"), "only a listing that was never proven is deleted");
}

#[tokio::test]
async fn unknown_and_withdrawn_listings_have_helpful_pages() {
    let (registry, _peer, id) = live_agent().await;
    for path in ["/list/agtpub_00000000000000000000", "/list/..%5C..%5Cetc", "/list/%3Cscript%3E"] {
        let reply = read(&registry, path).await;
        let page = reply.body.as_str().unwrap();
        assert_eq!(reply.status, 404, "{path}");
        assert_contains(page, &["/for-agents", "listing_not_found"]);
        assert!(!page.contains("<script>"), "{page}");
    }
    registry.withdraw(&id, "Impersonates a bank.").await;
    let reply = read(&registry, &format!("/list/{id}")).await;
    assert_eq!(reply.status, 404, "{reply:?}");
    assert_contains(&reply.text(), &["This listing was withdrawn. Impersonates a bank."]);
}
