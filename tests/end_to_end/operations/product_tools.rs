//! Tests the product tools: export, product agent, preview, verification, the routine of the product `alive`,
//! statistics of the funnel, and improvement log.

use std::collections::HashMap;

use insta::assert_snapshot;
use registry::model::LimitedAction;
use tests::prelude::*;

use crate::fixtures::{live_agent, live_server, members, refused_bodies, shown, values_of};

async fn product_agent(registry: &TestRegistry, body: &Value) -> Value {
    registry.post("/api/products/agent", body).await.ok()
}

async fn access_token(registry: &TestRegistry, id: &ListingId) -> String {
    registry.complete(id).await["access_token"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn product_is_exported_in_three_formats_by_rest_and_mcp() {
    let (registry, _peer, id) = live_agent().await;
    let token = access_token(&registry, &id).await;
    let export = |format: &str| format!("/api/products/export?token={token}&format={format}");

    let skills = registry.get(&export("skills")).await;
    assert_eq!((skills.status, skills.header("cache-control")), (200, "no-store"));
    let files = skills.body["files"].as_array().unwrap();
    assert!(files.iter().all(|file| file["path"].as_str().unwrap().starts_with("skills/")), "{skills:?}");
    assert!(files.iter().any(|file| !file["content"].as_str().unwrap().is_empty()));
    assert_members(&skills.body, &json!({ "format": "skills", "archive": null }));
    let bare = registry.get(&format!("/api/products/export?token={token}")).await;
    assert_eq!(bare.body, skills.body, "the default format is not `skills`");

    let names = ["content-type", "cache-control", "content-encoding", "content-disposition"];
    let mut archives = Vec::new();
    for (format, magic) in [("zip", "PK"), ("tar.gz", "\u{1f}")] {
        let reply = registry.get(&export(format)).await;
        assert!(reply.status == 200 && reply.text().starts_with(magic), "{format}: {}", reply.status);
        let tool = registry.call_tool("export_product", &json!({ "token": token, "format": format })).await;
        let (archive, mut start) = (&tool["archive"], tool["archive"]["base64"].as_str().unwrap().to_owned());
        start.truncate(4);
        let headers = names.map(|name| reply.header(name));
        archives.push(json!({ "headers": headers, "type": archive["media_type"], "start": start, "files": tool["files"] }));
    }
    assert_snapshot!(shown(&registry, &json!(archives)));
    assert_eq!(registry.access(&json!(token)).await.header("cache-control"), "no-store");
}

#[tokio::test]
async fn token_is_checked_before_the_format() {
    let (registry, _peer, id) = live_agent().await;
    let token = access_token(&registry, &id).await;
    let export = async |query: &str| registry.get(&format!("/api/products/export?{query}")).await;
    for format in ["skills", "rar"] {
        export(&format!("token=nonsense&format={format}")).await.assert_refused(401, "bad_token");
    }
    let unknown = export(&format!("token={token}&format=rar")).await;
    unknown.assert_invalid("format");
    assert!(!unknown.body.to_string().contains(&token));
    export("format=zip").await.assert_invalid("token");
}

#[tokio::test]
async fn product_agent_tools_make_files_and_store_nothing() {
    let registry = TestRegistry::start().await;
    // The first counted call makes the secret for the digests of callers.
    product_agent(&registry, &json!({ "tool": "demo_alive", "sku": "alive" })).await;
    let before = registry.observer.tally.snapshot();
    let by_preset =
        |sku: &str| json!({ "tool": "one_click_demo", "agent_name": "Ada", "preset": "ops", "sku": sku });
    let adder =
        json!({ "tool": "demo_mcp", "agent_name": "Adder", "description": "Adds.", "tools": ["add"] });
    for (body, sku, name) in [
        (json!({ "tool": "preview_kernel", "goals": ["answer mail"] }), "kernel", "Your agent"),
        (json!({ "tool": "preview_kernel", "goals": "researcher" }), "kernel", "Your agent"),
        (json!({ "tool": "one_click_demo", "agent_name": "Ada", "goals": ["answer mail"] }), "alive", "Ada"),
        (by_preset("recursive"), "recursive", "Ada"),
        (by_preset("alive"), "alive", "Ada"),
        (json!({ "tool": "demo_alive", "sku": "alive", "demo": true }), "alive", "Your agent"),
        (adder, "mcp_mesh", "Adder"),
    ] {
        let answer = product_agent(&registry, &body).await;
        assert_members(&answer, &json!({ "/product/sku": sku, "/made_for/name": name }));
        let artifacts = answer["artifacts"].to_string();
        assert!(artifacts.contains(name), "{body}: {artifacts}");
        if sku == "alive" {
            let goals = answer["made_for"]["goals"].as_array().unwrap();
            let has_none = body["preset"].is_null() && body["goals"].is_null();
            assert_eq!(goals.is_empty(), has_none, "{body}: {goals:?}");
            for goal in goals {
                assert!(artifacts.contains(goal.as_str().unwrap()), "{body}: {goal}");
            }
        }
    }
    let calls = registry.observer.tally.since(&before);
    assert_eq!((calls.of("TransactWriteItems"), calls.of("PutItem"), calls.of("UpdateItem")), (0, 0, 0));
    let learning = registry.get("/api/products/learning").await.body;
    assert_eq!(learning["funnel"][1]["total"], 0, "a demo was counted");
}

#[tokio::test]
async fn demo_of_the_alive_product_uses_the_given_listing() {
    let (registry, _peer, id) = live_agent().await;
    let name = registry.status(&id).await["name"].clone();
    let body = json!({ "tool": "demo_alive", "listing_id": id, "goals": ["watch prices"] });
    let answer = product_agent(&registry, &body).await;
    let expected = json!({ "name": name, "listing_id": id, "goals": ["watch prices"] });
    assert_members(&answer["made_for"], &expected);
    let row = registry.first_row("agents").await;
    assert_eq!(row["demoed"], false, "a call of the product agent was counted as a demo");
}

#[tokio::test]
async fn error_for_an_invalid_product_agent_call_contains_the_field() {
    let registry = TestRegistry::start().await;
    let invalid = [
        json!({}),
        json!({ "tool": "no_such_tool" }),
        json!({ "tool": "preview_kernel" }),
        json!({ "tool": "one_click_demo" }),
        json!({ "tool": "one_click_demo", "agent_name": "x".repeat(201) }),
        json!({ "tool": "one_click_demo", "agent_name": "Ada", "preset": "poet" }),
        json!({ "tool": "demo_mcp", "agent_name": "Ada", "description": "d".repeat(2001) }),
        json!({ "tool": "demo_alive", "goals": vec!["x"; 13] }),
        json!({ "tool": "buy_product" }),
        json!({ "tool": "buy_product", "sku": "alive", "goals": vec!["x"; 12], "preset": "ops" }),
        json!({ "tool": "demo_alive", "sku": "kernel" }),
        json!({ "tool": "demo_alive", "listing_id": "agtpub_00000000000000000000" }),
    ];
    assert_snapshot!(refused_bodies(&registry, "/api/products/agent", &json!({}), invalid).await);
}

#[tokio::test]
async fn preview_contains_the_list_of_files_and_does_not_count_as_a_demo() {
    let (registry, _peer, id) = live_agent().await;
    let catalogue = registry.get("/api/products/preview").await.ok();
    let prices: Value = catalogue["skus"]
        .as_array()
        .unwrap()
        .iter()
        .map(|sku| json!([sku["sku"], sku["price_cents"]]))
        .collect();
    assert_eq!(prices, json!([["kernel", 1499], ["recursive", 1999], ["alive", 2999], ["mcp_mesh", 2499]]));
    assert_eq!(catalogue["preview"], Value::Null);

    let reply = registry.get(&format!("/api/products/preview?listing_id={id}&goals=ops")).await.ok();
    let preview = &reply["preview"];
    assert_members(preview, &json!({ "sku": "alive", "listing_id": id }));
    assert_ne!(preview["goals"], json!([]), "the goals of the preset are missing: {preview}");
    assert_eq!(registry.get("/api/products/preview?sku=alive&listing_id=unlisted").await.status, 404);
    registry.get("/api/products/preview?sku=gold").await.assert_invalid("sku");
    assert_eq!(registry.first_row("agents").await["demoed"], false);

    let demo = registry.follow(&reply["next"]).await.ok();
    let in_demo = values_of(&demo["artifacts"], "path");
    for file in preview["files"].as_array().unwrap() {
        let (bytes, first_line) = (file["bytes"].as_u64().unwrap(), file["first_line"].as_str().unwrap());
        assert!(bytes > 0 && first_line.len() > 1 && file["content"].is_null(), "{file}");
        let is_in_demo = in_demo.contains(&file["path"].as_str().unwrap().to_owned());
        assert_eq!(file["in_demo"], is_in_demo, "the demo in `next` is another one: {file}");
    }
    let order = json!({ "tool": "buy_product", "sku": "alive", "listing_id": id, "preset": "ops" });
    let order = product_agent(&registry, &order).await["order"].clone();
    assert_eq!(order["goals"], preview["goals"], "the goals of the purchase are others");
}

#[tokio::test]
async fn saved_files_are_compared_with_the_current_files() {
    let (registry, _peer, id) = live_agent().await;
    let verify = async |body: Value| registry.post("/api/products/verify", &body).await;
    assert_eq!(registry.get("/api/products/verify").await.ok()["ok"], true);
    assert!(verify(json!({})).await.ok()["usage"].is_string());
    let saved_files = |artifacts: &Value| -> Vec<Value> {
        artifacts.as_array().unwrap().iter().map(|file| members(file, &["path", "content"])).collect()
    };
    let mut files = saved_files(&registry.demo(&id).await["artifacts"]);
    let same = verify(json!({ "listing_id": id, "files": files })).await.ok();
    let current = json!({ "is_current": true, "counts": { "same": files.len() } });
    assert_members(&same["comparison"], &current);

    files[0]["content"] = json!("tampered with");
    files.push(json!({ "path": "stranger.md", "content": "" }));
    let changed = verify(json!({ "listing_id": id, "files": files })).await.body;
    let comparison = members(&changed["comparison"], &["is_current", "counts"]);
    assert_snapshot!(shown(&registry, &json!({ "comparison": comparison, "next": changed["next"] })));
    assert!(!changed.to_string().contains("content\""), "{changed}");
    let with_goals = verify(json!({ "listing_id": id, "goals": "sleep", "files": files })).await.body;
    let goals = &with_goals["next"]["body"]["goals"];
    assert_eq!(goals, &json!(["sleep"]), "`next` leads to the files of another demo");

    let token = json!(access_token(&registry, &id).await);
    let full = registry.access(&token).await.body["files"].clone();
    let current = verify(json!({ "token": token, "files": saved_files(&full) })).await;
    current.assert_body(200, &json!({ "/comparison/is_current": true }));
    assert_eq!(current.header("cache-control"), "no-store");
    let listed = verify(json!({ "token": token })).await.body;
    assert_eq!(listed["comparison"]["counts"]["missing"], full.as_array().unwrap().len());

    let files = json!({ "files": [{ "path": "AGENTS.md", "content": "" }] });
    verify(files).await.assert_refused(422, "which_product");
    assert_eq!(verify(json!({ "token": "nonsense" })).await.status, 401);
    assert_eq!(verify(json!({ "listing_id": "unlisted" })).await.status, 404);
}

#[tokio::test]
async fn routine_of_the_alive_product_returns_the_next_steps() {
    let (registry, _peer, id) = live_agent().await;
    registry.get("/api/products/run").await.assert_body(200, &json!({ "steps": [] }));
    let run = async || registry.get(&format!("/api/products/run?listing_id={id}")).await.ok();
    let first = run().await;
    assert_snapshot!(shown(&registry, &members(&first, &["to_do", "steps"])));
    registry.get(&format!("/api/talk?listing_id={id}")).await.ok();
    registry.demo(&id).await;
    assert_eq!(run().await["steps"][3]["data"]["stage"], "demo");
    registry.complete(&id).await;
    assert_members(&run().await, &json!({ "/steps/3/data/stage": "feedback", "to_do": 0 }));
    assert_eq!(registry.get("/api/products/run?listing_id=unlisted").await.status, 404);
}

#[tokio::test]
async fn routine_of_a_listing_that_is_no_longer_live_leads_to_its_missing_feedback() {
    let (registry, _peer, id) = live_agent().await;
    let draft = registry.draft(&id).await;
    registry.advance(8 * DAY);
    let run = registry.get(&format!("/api/products/run?listing_id={id}")).await.ok();
    let feedback = json!({ "/steps/0/data/live": false, "/steps/3/data/stage": "demo",
        "/steps/3/call/action": "leave_feedback" });
    assert_members(&run, &feedback);
    registry.feedback(&draft).await.ok();
}

#[tokio::test]
async fn average_ratings_ignore_drafts_and_feedback_texts_are_not_returned() {
    let options = TestOptions::default().with(|settings| settings.founding_seats = 1);
    let (registry, agents) = (TestRegistry::start_with(options).await, Peer::start(agents::fleet).await);
    let ids = registry.live_agents(&agents, 0..3).await;
    let none = registry.get("/api/products/learning").await.body;
    assert_members(&none["feedback"], &json!({ "average": null, "ratings": 0 }));

    // Another rating makes no answers of one's own.
    for (id, rating, own_words) in [(&ids[0], 5, true), (&ids[1], 2, true), (&ids[2], 5, false)] {
        let mut body = with_members(registry.draft(id).await, &json!({ "rating": rating }));
        if own_words {
            body["answers"]["overall"] = json!("Halcyon words of our own.");
        }
        let reply = registry.feedback(&body).await;
        reply.assert_body(200, &json!({ "/feedback/is_draft": !own_words }));
        assert_eq!(reply.header("cache-control"), "no-store");
    }
    let learning = registry.call_tool("get_learning", &json!({})).await;
    let parts = members(&learning, &["feedback", "products", "funnel", "seats"]);
    assert_snapshot!(shown(&registry, &parts));

    let log = registry.get("/api/products/improvement-log").await.body;
    assert_eq!(values_of(&log["entries"], "id"), ["ratings: alive"], "each demo was followed by feedback");
    for shown in [&learning, &log] {
        assert!(!shown.to_string().contains("Halcyon"), "the text of a feedback was returned");
    }
}

#[tokio::test]
async fn improvement_log_contains_failure_reasons_of_today_with_fixes() {
    let registry = TestRegistry::start().await;
    let empty = registry.get("/api/products/improvement-log").await.body;
    assert_eq!((&empty["ok"], &empty["entries"]), (&json!(true), &json!([])));
    registry.publish(&json!({ "url": registry.url("/discovery.json") })).await;
    registry.deliver_events().await;
    let log = registry.call_tool("improvement_log", &json!({})).await;
    let gaps = registry.get("/api/products/learning").await.body["top_gaps"].clone();
    assert_snapshot!(shown(&registry, &json!({ "entries": log["entries"], "top_gaps": gaps })));
}

/// Each of them makes a whole product, so a script could keep all instances busy.
#[tokio::test]
async fn making_the_files_of_products_is_limited_per_caller() {
    let options = TestOptions::default().with_rate(LimitedAction::Product, |rate| rate.caller = 1);
    let registry = TestRegistry::start_with(options).await;
    let token = "at_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let preview = "/api/products/preview?sku=kernel&agent_name=Adder";
    // The list of products is not limited.
    for (path, status) in [
        (preview, 200),
        (preview, 429),
        ("/api/products/preview", 200),
        (&format!("/api/products/export?token={token}"), 429),
    ] {
        assert_eq!(registry.get(path).await.status, status, "{path}");
    }
    let demo = json!({ "tool": "one_click_demo", "agent_name": "Adder" });
    assert_eq!(registry.post("/api/products/agent", &demo).await.status, 429);
    let verify = json!({ "token": token, "files": [] });
    assert_eq!(registry.post("/api/products/verify", &verify).await.status, 429);
}

/// The files of the product of a demo with this SKU, by their paths.
async fn product(registry: &TestRegistry, id: &ListingId, sku: &str) -> HashMap<String, String> {
    let demo = registry.post("/api/products/demo", &json!({ "listing_id": id, "sku": sku })).await.body;
    let answer = registry.feedback(&demo["next_steps"]["example_body"]).await.body;
    let files = registry.access(&answer["access_token"]).await.body["files"].clone();
    values_of(&files, "path").into_iter().zip(values_of(&files, "content")).collect()
}

/// Schemas and annotations of the tools reach the files.
#[tokio::test]
async fn charter_and_skill_of_a_server_come_from_its_tool_definitions() {
    let tools = json!([
        { "name": "search", "description": "Finds notes.", "annotations": { "readOnlyHint": true },
          "inputSchema": { "type": "object", "required": ["words"], "properties": { "words": { "type": "string" } } } },
        { "name": "browser_evaluate", "description": "Evaluates an expression.", "inputSchema": { "type": "object" } },
    ]);
    let (registry, _peer, id) = live_server(servers::modern_with_tools(tools)).await;
    let files = product(&registry, &id, "kernel").await;
    let confirmations = ["- No confirmation: `search`.", "- Ask first: `browser_evaluate` "];
    assert_contains(&files["CHARTER.md"], &confirmations);
    let cases = &files["evaluation.jsonl"];
    assert_contains(cases, &["\"name\":\"search\""]);
    assert!(!cases.contains("\"name\":\"browser_evaluate\""), "{cases}");
    let skill = files.iter().find(|(path, _)| path.ends_with("SKILL.md")).unwrap().1;
    assert_contains(skill, &["| `words` | string | yes |"]);
}
