//! Tests the documents that link to or describe others: the maps, the sitemap, the MCP server cards and the Agent Skills.
//! They are complete, agree with each other and with what the server answers, and the requests in them work.

use std::collections::BTreeSet;

use registry::discovery::{GUIDES, OPENAPI};
use registry::documents::DOCUMENTS;
use registry::features::CATALOGUE;
use registry::features::operation::toolsets::FAMILIES;
use registry::pages::PAGES;
use sha2::{Digest as _, Sha256};
use tests::prelude::*;

use crate::fixtures::{LivePair, live_pair};
use crate::protocols::mcp_http::modern;

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
    let full = registry.text("/llms-full.txt").await;
    let full: BTreeSet<&str> = full.lines().collect();
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
    let count = format!("/api/protocol`, which lists {} tools", long.len());
    assert_contains(&registry.text("/llms.txt").await, &[&count]);
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
    let (full, short) = (registry.text("/llms-full.txt").await, registry.text("/llms.txt").await);
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
            assert!(text.contains(summary), "{name} lacks {path}");
        }
    }
}

#[tokio::test]
async fn discovery_map_contains_prices_limits_and_versions() {
    let registry = TestRegistry::start_with(TestOptions::default().with_rates()).await;
    let map = registry.get("/discovery.json").await.body;
    let expected = json!({
        "payments_open": false, "/payment_gate/progress_pct": 0, "/protocol/mcp/0": "2026-07-28",
        "/families/stigmergy/version": "2.9.0", "/families/exonomics/version": "2.8.0",
        "/inbound/acts/0/act": "publish a listing", "/inbound/acts/0/per_caller": 60,
    });
    assert_members(&map, &expected);
    let prices = crate::fixtures::values_of(&map["products"], "price");
    assert_eq!(prices, ["$14.99", "$19.99", "$29.99", "$24.99"]);
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
        let relations = "describedby alternate agent-card ai-catalog ard api-catalog agentmap service-desc";
        for relation in relations.split(' ') {
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

/// Otherwise a caller could bypass the cache with random parameters.
#[tokio::test]
async fn requests_with_unknown_query_parameters_share_the_cached_page() {
    let registry = TestRegistry::start().await;
    for path in ["/api/listings/active", "/api/catalog", "/.well-known/ai-catalog.json", "/list", "/products"]
    {
        let original = registry.get(path).await;
        let cost_of = async |path: &str| {
            let (reply, calls) = registry.counted(registry.get(path)).await;
            assert_eq!(reply.header("etag"), original.header("etag"), "{path}");
            assert_eq!(reply.body, original.body, "{path}");
            calls.total()
        };
        let cached_cost = cost_of(path).await;
        assert_eq!(cost_of(&format!("{path}?utm_source=somewhere")).await, cached_cost, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_small_and_fixed_ones_need_no_table() {
    let pair = live_pair().await;
    let registry = &pair.registry;
    let all = [DOCUMENTS, GUIDES, PAGES].into_iter().flatten().copied().chain([&OPENAPI]);
    let paths = all.filter(|document| document.is_fixed).flat_map(|document| document.paths);
    let mut fixed = 0;
    for path in paths.filter(|path| !path.contains('{')) {
        let tag = registry.get(path).await.header("etag").to_owned();
        let (again, calls) = registry.counted(registry.get_with(path, ("if-none-match", &tag))).await;
        assert_eq!((again.status, calls.total()), (304, 0), "{path}");
        fixed += 1;
    }
    assert!(fixed >= 15, "{fixed}");

    let size = |value: &Value| value.to_string().len();
    let openapi = registry.get("/openapi.json").await.body;
    let map = registry.get("/discovery.json").await.body;
    let active = registry.get("/api/listings/active").await.body;
    let help = json!({ "jsonrpc": "2.0", "id": 1, "method": "help" });
    let help = registry.post("/api/a2a", &help).await.body;
    registry.call_tool("endorse", &json!({ "listing_id": pair.server })).await;
    registry.settle();
    let pack = registry.call_tool("zero_mc_pack", &json!({})).await;
    for (name, value, most) in [
        ("/openapi.json", &openapi, 284_000),
        ("/discovery.json", &map, 51_000),
        ("a row", &active["mcps"][0], 2_900),
        ("help", &help, 20_000),
        ("a listing of zero_mc_pack", &pack["capabilities"][0], 700),
        ("the costs of zero_mc_pack", &pack["cost_model"], 2_500),
    ] {
        assert!(size(value) <= most, "{name}: {}", size(value));
    }
}

#[tokio::test]
async fn official_card_matches_its_schema() {
    let card = TestRegistry::start().await.get("/mcp/server-card").await;
    assert_eq!(card.header("content-type"), "application/mcp-server-card+json");
    let schema = include_str!("../../harness/fixtures/server-card.schema.json");
    let mut schema: Value = serde_json::from_str(schema).unwrap();
    schema["$ref"] = json!("#/$defs/ServerCard");
    let schema = jsonschema::validator_for(&schema).unwrap();
    if let Err(error) = schema.validate(&card.body) {
        panic!("{error} at {}", error.instance_path());
    }
    assert!(!schema.is_valid(&json!({ "name": "x" })), "the schema accepts an invalid card");
}

#[tokio::test]
async fn cards_match_the_answers_of_the_server() {
    let registry = TestRegistry::start().await;
    let strict = registry.get("/mcp/server-card").await.body;
    let extended = registry.get("/.well-known/mcp/server-card.json").await.body;
    let live = modern(&registry, "server/discover", json!({})).await.body["result"].clone();
    let info = &live["_meta"]["io.modelcontextprotocol/serverInfo"];
    for member in ["name", "version", "title"] {
        assert_eq!((&strict[member], &extended[member]), (&info[member], &info[member]), "{member}");
    }
    assert_eq!(strict["remotes"][0]["supportedProtocolVersions"], live["supportedVersions"]);
    assert_eq!(extended["protocol_versions"], live["supportedVersions"]);
    for url in [&strict["remotes"][0]["url"], &extended["remotes"][0]["url"], &extended["tools_endpoint"]] {
        let path = url.as_str().unwrap().strip_prefix(&registry.url("")).unwrap();
        let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        assert_eq!(registry.post(path, &ping).await.body["result"], json!({}));
    }
    let params = json!({ "protocolVersion": live["supportedVersions"][0], "capabilities": {} });
    let agreed = registry.rpc("/mcp", "initialize", params).await["result"]["protocolVersion"].clone();
    assert_eq!(extended["versions_by_method"]["initialize"][0], agreed);
    assert_eq!(extended["versions_by_method"]["ping"], extended["versions_by_method"]["initialize"]);
    assert_eq!(modern(&registry, "ping", json!({})).await.status, 404);
    for (name, url) in extended["badges"].as_object().unwrap() {
        let path = url.as_str().unwrap().strip_prefix(&registry.url("")).unwrap();
        assert_eq!(registry.get(path).await.status, 200, "{name}");
    }
}

#[tokio::test]
async fn sitemap_has_one_part_with_every_page_and_live_listing() {
    let LivePair { registry, agent, server, .. } = live_pair().await;
    let text = registry.text("/sitemap.xml").await;
    assert_contains(&text, &["<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">"]);
    let found: BTreeSet<String> =
        text.split("<loc>").skip(1).map(|rest| rest.split("</loc>").next().unwrap().to_owned()).collect();
    for path in ["/", "/list", "/for-agents", "/products", "/status", "/network", "/about"] {
        assert!(found.contains(&registry.url(path)), "{path}: {text}");
    }
    for id in [&agent, &server] {
        assert!(found.contains(&registry.url(&format!("/list/{id}"))), "{id}: {text}");
    }
    assert_eq!((text.matches("<lastmod>").count(), found.len()), (2, 9));
    for location in &found {
        let path = location.strip_prefix(&registry.url("")).unwrap();
        let page = registry.get(&format!("/{}", path.trim_start_matches('/'))).await;
        assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"), "{path}");
    }
    assert_eq!(registry.text("/sitemap.xml?part=1").await, text);
}

#[tokio::test]
async fn index_digests_match_the_skill_files() {
    let registry = TestRegistry::start().await;
    let index = registry.get("/.well-known/agent-skills/index.json").await.body;
    assert_eq!(index["$schema"], "https://schemas.agentskills.io/discovery/0.2.0/schema.json");
    let skills = index["skills"].as_array().unwrap();
    assert!(!skills.is_empty());
    for skill in skills {
        let url = skill["url"].as_str().unwrap();
        let file = registry.get(url.strip_prefix(&registry.url("")).unwrap()).await;
        assert_eq!(file.header("content-type"), "text/markdown; charset=utf-8");
        let text = file.body.as_str().unwrap();
        let digest: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(skill["digest"], format!("sha256:{digest}"), "{url}");
        let name = skill["name"].as_str().unwrap();
        assert!(text.starts_with(&format!("---\nname: {name}\n")), "{url}");
        assert!(url.ends_with(&format!("/skills/{name}.md")), "{url}");
    }
}
