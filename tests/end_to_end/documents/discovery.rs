//! Tests the documents that link to all other documents. They are complete, and the requests in them work.

use std::collections::BTreeSet;

use registry::discovery::{GUIDES, OPENAPI};
use registry::documents::DOCUMENTS;
use registry::features::CATALOGUE;
use registry::features::operation::toolsets::FAMILIES;
use registry::pages::PAGES;
use serde_json::{Value, json};
use tests::test_registry::{TestOptions, TestRegistry};

use crate::fixtures::{LivePair, live_pair};

/// The values of a member in all rows.
fn values_of<'a>(rows: &'a Value, member: &str) -> BTreeSet<&'a str> {
    rows.as_array().unwrap().iter().map(|row| row[member].as_str().unwrap()).collect()
}

#[tokio::test]
async fn every_operation_is_in_every_list_of_operations() {
    let registry = TestRegistry::start().await;
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let tools = registry.post("/mcp?toolsets=all", &call).await.body;
    let map = registry.get("/discovery.json").await.body;
    let lists = [
        ("tools/list", values_of(&tools["result"]["tools"], "name")),
        ("/discovery.json", values_of(&map["tools"], "name")),
    ];
    let full = registry.get("/llms-full.txt").await.body;
    let full: BTreeSet<&str> = full.as_str().unwrap().lines().collect();
    let agent_card = registry.get("/.well-known/agent-card.json").await.body;
    let advertised = values_of(&agent_card["skills"], "id");
    for operation in CATALOGUE {
        for (list, names) in &lists {
            let is_for_operators = FAMILIES.iter().any(|family| {
                family.is_for_operators() && family.described().any(|other| other.name == operation.name)
            });
            if is_for_operators && *list == "tools/list" {
                continue;
            }
            assert!(names.contains(operation.name), "{list} lacks {}", operation.name);
        }
        let heading = format!("### {}", operation.name);
        assert!(full.contains(heading.as_str()), "/llms-full.txt lacks {}", operation.name);
        for skill in operation.skills {
            assert!(advertised.contains(skill.id().as_str()), "no {} of {}", skill.id(), operation.name);
        }
    }
}

#[tokio::test]
async fn texts_and_lists_name_the_tools_of_the_mcp_endpoints() {
    let registry = TestRegistry::start().await;
    let call = |method: &str| json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": { "protocolVersion": "2025-11-25" } });
    let long = registry.post("/api/protocol", &call("tools/list")).await.body;
    let core = registry.post("/mcp", &call("tools/list")).await.body;
    let [long, core] = [&long, &core].map(|list| values_of(&list["result"]["tools"], "name"));
    assert!(core.is_subset(&long), "{core:?}");
    let card = registry.get("/.well-known/mcp/server-card.json").await.body;
    assert_eq!(values_of(&card["tools_hint"], "name"), long);
    let mut tools = registry.get("/discovery.json").await.body["tools"].clone();
    tools.as_array_mut().unwrap().retain(|tool| tool["listed"] == true);
    assert_eq!(&values_of(&tools, "name") | &BTreeSet::from(["list_toolsets"]), long);
    let text = registry.get("/llms.txt").await.body;
    let count = format!("/api/protocol`, which lists {} tools", long.len());
    assert!(text.as_str().unwrap().contains(&count), "{text}");
    let instructions =
        registry.post("/mcp", &call("initialize")).await.body["result"]["instructions"].clone();
    let words = instructions.as_str().unwrap().split(|c: char| !(c.is_ascii_lowercase() || c == '_'));
    let named: BTreeSet<&str> = words.filter(|word| word.contains('_')).collect();
    assert!(named.len() > 4 && named.is_subset(&core), "{named:?}");
}

#[tokio::test]
async fn every_document_and_page_is_in_every_list_of_documents() {
    let registry = TestRegistry::start().await;
    let map = registry.get("/discovery.json").await.body;
    let rows = map["documents"].as_array().unwrap();
    let full = registry.get("/llms-full.txt").await.body;
    let short = registry.get("/llms.txt").await.body;
    let mut all: Vec<(&str, &str)> = vec![(OPENAPI.paths[0], OPENAPI.summary)];
    for document in [DOCUMENTS, GUIDES, PAGES].into_iter().flatten() {
        all.extend(document.paths.iter().map(|path| (*path, document.summary)));
    }
    for (path, summary) in all {
        let path = path.replace("{*", "{");
        let listed = rows.iter().find(|row| {
            row["path"] == path || row["also_at"].as_array().into_iter().flatten().any(|also| *also == path)
        });
        let listed = listed.unwrap_or_else(|| panic!("/discovery.json lacks {path}"));
        assert_eq!(listed["summary"], summary, "{path}");
        for (name, text) in [("/llms.txt", &short), ("/llms-full.txt", &full)] {
            assert!(text.as_str().unwrap().contains(summary), "{name} lacks {path}");
        }
    }
}

#[tokio::test]
async fn discovery_map_contains_prices_limits_and_versions() {
    let registry = TestRegistry::start_with(TestOptions::default().with_rates()).await;
    let map = registry.get("/discovery.json").await.body;
    let prices: Vec<&Value> =
        map["products"].as_array().unwrap().iter().map(|product| &product["price"]).collect();
    assert_eq!(prices, ["$14.99", "$19.99", "$29.99", "$24.99"]);
    assert_eq!((&map["payments_open"], &map["payment_gate"]["progress_pct"]), (&json!(false), &json!(0)));
    assert_eq!(map["families"]["stigmergy"]["version"], "2.9.0");
    assert_eq!(map["families"]["exonomics"]["version"], "2.8.0");
    assert_eq!(map["protocol"]["mcp"][0], "2026-07-28");
    let publish = &map["inbound"]["acts"][0];
    assert_eq!((&publish["act"], &publish["per_caller"]), (&json!("publish a listing"), &json!(60)));
    let uncounted = TestRegistry::start().await.get("/discovery.json").await.body;
    assert_eq!(uncounted["inbound"]["acts"], json!([]));
}

#[tokio::test]
async fn root_page_and_discovery_map_link_to_the_documents() {
    let registry = TestRegistry::start().await;
    for path in ["/", "/discovery.json"] {
        let reply = registry.send("HEAD", path, &[], "").await;
        assert_eq!(reply.status, 200, "{path}");
        let links = reply.headers.get_all("link").iter().map(|link| link.to_str().unwrap());
        let links = links.collect::<Vec<_>>().join(", ");
        for relation in [
            "describedby",
            "alternate",
            "agent-card",
            "ai-catalog",
            "ard",
            "api-catalog",
            "agentmap",
            "service-desc",
        ] {
            assert!(links.contains(&format!("rel=\"{relation}\"")), "{path} lacks {relation}: {links}");
        }
    }
    let catalogue = registry.send("HEAD", "/.well-known/api-catalog", &[], "").await;
    assert!(catalogue.header("link").contains("rel=\"api-catalog\""));
}

/// Sends the steps of `/skill.json` with only their placeholders and example URL replaced.
#[tokio::test(flavor = "multi_thread")]
async fn steps_of_skill_json_can_be_followed_to_the_full_product() {
    let LivePair { registry, agent, peers, .. } = live_pair().await;
    let steps = registry.get("/skill.json").await.body["steps"].clone();
    let mut token = String::new();
    for step in steps.as_array().unwrap() {
        let fill = |text: &str| {
            text.replace("{listing_id}", &agent.to_string())
                .replace("{access_token}", &token)
                .replace("{url}", &peers[0].card())
        };
        let url = fill(step["url"].as_str().unwrap());
        let path = url.strip_prefix(&registry.url("")).unwrap();
        let reply = if step["method"] == "GET" {
            registry.get(path).await
        } else {
            let body: Value = serde_json::from_str(&fill(&step["body"].to_string())).unwrap();
            assert!(!body.to_string().contains("agent.example.com"), "a place to fill in: {step}");
            registry.post(path, &body).await
        };
        assert_eq!(reply.status, 200, "{}: {reply:?}", step["id"]);
        let waits = step["until"].is_string() && step["wait_s"] == 2;
        assert!(step["id"] != "status" || waits, "{step}");
        let is_draft = &reply.body["feedback"]["is_draft"];
        assert!(step["id"] != "feedback" || is_draft == true, "an example sent unchanged: {reply:?}");
        if let Some(new_token) = reply.body["access_token"].as_str() {
            new_token.clone_into(&mut token);
        }
    }
}
