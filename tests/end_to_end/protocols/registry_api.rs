//! Tests the read API of the official MCP registry with real servers on loopback. Each Live server is listed once, with
//! its evidence. All documents are valid under the official schema. Errors have the format of that API.

use std::collections::BTreeSet;

use jsonschema::Validator;
use registry::formats::server_json;
use registry::model::Reach;
use tests::prelude::*;
use tests::template::root;
use tests::test_registry::snapshot_of;

use crate::fixtures::{demote, probe_to_live, server_names as names, time};

const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";
/// The place of the cursor of the next page.
const NEXT: &str = "/metadata/nextCursor";
/// The key of the registry's own metadata for a registry without a domain.
const EVIDENCE: &str = "localhost/evidence";

/// A validator for `server.json` that checks formats.
fn schema() -> Validator {
    let path = root().join("shared/formats/src/server_json/server.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::draft7::options().should_validate_formats(true).build(&schema).unwrap()
}

/// Publishes a server by its server.json and lets it go Live.
async fn publish_live(registry: &TestRegistry, peer: &Peer, name: &str, version: &str) -> ListingId {
    let url = peer.url(&format!("/{}", name.replace('/', "-")));
    let text = format!("Serves {name}.");
    let body = crate::fixtures::server_json(name, &url);
    let body = with_members(body, &json!({ "description": text, "version": version }));
    probe_to_live(registry, id_of(&registry.publish(&body).await)).await
}

async fn get_ok(registry: &TestRegistry, path: &str) -> Value {
    let reply = registry.get(path).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "application/json"), "{path}: {reply:?}");
    reply.body
}

/// Asserts the format of an error of this API.
fn assert_refused(reply: &Reply, status: u16, what: &str) {
    assert_eq!(reply.status, status, "{what}: {reply:?}");
    assert_eq!(reply.header("content-type"), "application/json", "{what}: {reply:?}");
    let body = &reply.body;
    assert_eq!(body["status"], status, "{what}: {reply:?}");
    for member in ["title", "detail", "error"] {
        assert!(body[member].as_str().is_some_and(|text| !text.is_empty()), "{what}: {member} in {reply:?}");
    }
    assert!(body["errors"].is_array(), "{what}: {reply:?}");
    assert!(!reply.header("x-request-id").is_empty(), "{what}: {reply:?}");
}

#[tokio::test]
async fn live_server_is_listed_with_its_evidence() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    let id = publish_live(&registry, &peer, "org.example/adder", "1.0.0+build.7").await;
    let list = get_ok(&registry, "/v0.1/servers").await;
    let (base, status) = (registry.url(""), registry.status(&id).await);
    let evidence = &list["servers"][0]["_meta"][EVIDENCE];
    assert_eq!(evidence["latency_ms"], status["probe"]["latency_ms"]);
    assert_eq!(evidence["tools_hash"], status["evidence"]["tools_hash"]);
    insta::assert_snapshot!(snapshot_of(&list, &[(&base, "[base]"), (&peer.origin, "[peer]")]));
}

#[tokio::test]
async fn server_is_found_by_name_and_version() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    publish_live(&registry, &peer, "org.example/adder", "1.0.0+build.7").await;
    let one = get_ok(&registry, "/v0.1/servers/org.example%2Fadder/versions/latest").await;
    assert_members(&one["server"], &json!({ "name": "org.example/adder", "version": "1.0.0+build.7" }));
    for path in [
        "org.example%2Fadder/versions/1.0.0%2Bbuild.7",
        "org.example%2Fadder/versions/1.0.0+build.7",
        "org.example/adder/versions/latest",
        "org.example/adder/versions/latest/",
    ] {
        assert_eq!(get_ok(&registry, &format!("/v0.1/servers/{path}")).await, one, "{path}");
    }
    let versions = get_ok(&registry, "/v0.1/servers/org.example%2Fadder/versions").await;
    assert_eq!(versions, json!({ "servers": [one], "metadata": { "count": 1 } }));
    let absent = "org.example%2Fadder/versions/1.0.0 org.example%2Fadder/versions/LATEST \
                  org.example%2Fadder/versions/%00 org.example%2Fnobody/versions org.example%2Fadder/status \
                  org.example%2Fnobody/versions/latest org.example%2FADDER/versions org.example%2Fadder \
                  org.example%252Fadder/versions adder/versions/latest %2F/versions %00%0a/versions \
                  a%2Fb%2Fc/versions/latest %ff%fe/versions/latest ..%2F..%2Fetc/versions";
    for path in absent.split(' ') {
        assert_refused(&registry.get(&format!("/v0.1/servers/{path}")).await, 404, path);
    }
    let long = format!("/v0.1/servers/org.example%2F{}/versions", "a".repeat(10_000));
    assert_refused(&registry.get(&long).await, 404, "a name of 10,000 characters");
}

/// Servers that were published by URL or that speak an older revision have valid documents too. Agents and failed servers
/// are not listed.
#[tokio::test]
async fn only_live_servers_are_listed_and_all_are_valid() {
    let registry = TestRegistry::start().await;
    let (modern, legacy) = (Peer::start(servers::modern).await, Peer::start(servers::legacy).await);
    let (agent, silent) = (Peer::start(agents::newest).await, Peer::start(agents::only(503)).await);
    publish_live(&registry, &modern, "org.example/adder", "1.0.0").await;
    for url in [legacy.url("/"), modern.url("/Other%20one?tenant=a%7Cb")] {
        probe_to_live(&registry, registry.publish_mcp(&url).await).await;
    }
    registry.live_card(&agent.card()).await;
    registry.first_probe(&registry.publish_mcp(&silent.url("/mcp")).await).await;
    registry.index().await;

    let list = get_ok(&registry, "/v0.1/servers").await;
    assert_eq!(list["metadata"]["count"], 3, "{list}");
    let schema = schema();
    for entry in list["servers"].as_array().unwrap() {
        schema.validate(&entry["server"]).unwrap_or_else(|fault| panic!("{fault} in {entry}"));
        let read = server_json::read(entry, Reach::Development)
            .unwrap_or_else(|faults| panic!("{faults:?} in {entry}"));
        let path = read.name.replace('/', "%2F");
        let alone = get_ok(&registry, &format!("/v0.1/servers/{path}/versions/{}", read.version)).await;
        assert_eq!(alone, *entry);
    }
    let entries = list["servers"].as_array().unwrap().iter();
    let versions: BTreeSet<&str> =
        entries.map(|entry| entry["server"]["version"].as_str().unwrap()).collect();
    assert_eq!(versions, BTreeSet::from(["0.4.2", "1.0.0", "3.1.0"]), "also the version of a handshake");
}

#[tokio::test]
async fn server_list_is_filtered_by_name_and_time() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    publish_live(&registry, &peer, "org.example/Weather", "1.0.0").await;
    registry.advance(HOUR);
    let later = registry.now();
    publish_live(&registry, &peer, "org.example/adder", "2.0.0").await;
    let found = async |query: &str| names(&get_ok(&registry, &format!("/v0.1/servers?{query}")).await);
    let both = ["org.example/Weather", "org.example/adder"];
    assert_eq!(found("search=wEATH").await, both[..1]);
    assert_eq!(found("search=example/a").await, both[1..]);
    assert_eq!(found("search=Serves").await, [""; 0], "only names are searched");
    assert_eq!(found(&format!("updated_since={later}")).await, both[1..]);
    assert_eq!(found("updated_since=2000-01-01T00:00:00%2B02:00").await, both);
    assert_eq!(found("updated_since=2999-01-01T00:00:00Z").await, [""; 0]);
    assert_eq!(found("version=2.0.0").await, both[1..]);
    assert_eq!(found("version=9").await, [""; 0]);
    assert_eq!(found("q=nothing&include_deleted=true&search=&version=&cursor=").await, both);
    for limit in ["0", "-1", "1"] {
        assert_eq!(found(&format!("limit={limit}")).await.len(), 1, "{limit}");
    }
    assert_eq!(found("limit=100000000000000000000").await, both);
    let absurd =
        ["%00", "%25", "*", "(", "[a-", "%22%20OR%201=1", "%F0%9F%8C%A6", "AND%20NOT", &"x".repeat(200)];
    for text in absurd {
        assert_eq!(found(&format!("search={text}")).await, [""; 0], "{text}");
    }
}

/// Lambda answers with at most 6 MB.
#[tokio::test(flavor = "multi_thread")]
async fn page_with_large_descriptions_ends_early() {
    let (registry, peer) = (TestRegistry::start_for_fleet().await, Peer::start(servers::modern).await);
    for number in 0..60 {
        let header = json!({ "name": "x-key", "description": "word ".repeat(12_000) });
        let url = peer.url(&format!("/{number}/mcp"));
        let mut body = crate::fixtures::server_json(&format!("org.example/s{number}"), &url);
        body["remotes"][0]["headers"] = json!([header]);
        registry.publish(&body).await;
    }
    registry.deliver_events().await;
    let pages = registry.pages("/v0.1/servers?limit=100", NEXT).await;
    assert!(pages.len() > 1, "a second page is needed");
    for page in &pages {
        assert!(page.to_string().len() < 3_100_000, "{}", page.to_string().len());
    }
    let all: BTreeSet<String> = pages.iter().flat_map(names).collect();
    assert_eq!(all.len(), 60);
}

#[tokio::test]
async fn invalid_queries_get_errors_of_the_official_api() {
    let registry = TestRegistry::start().await;
    for (query, status, field) in [
        ("limit=abc", 422, "limit"),
        ("limit=1.5", 422, "limit"),
        ("limit=", 422, "limit"),
        ("updated_since=", 400, "updated_since"),
        ("updated_since=garbage", 400, "updated_since"),
        ("updated_since=2026-11-20", 400, "updated_since"),
        ("cursor=garbage", 400, "cursor"),
        ("cursor=%00", 400, "cursor"),
        ("cursor=org.example/adder:1.0.0", 400, "cursor"),
        (&format!("search={}", "x".repeat(201)), 400, "search"),
    ] {
        for path in ["/v0.1/servers", "/v0/servers", "/v0.1/x/localhost/health"] {
            let reply = registry.get(&format!("{path}?{query}")).await;
            assert_refused(&reply, status, query);
            assert_eq!(reply.body["errors"][0]["location"], format!("query.{field}"), "{reply:?}");
        }
    }
    let long = format!("/v0.1/x/localhost/search?q={}", "a".repeat(20_001));
    assert_refused(&registry.get(&long).await, 422, "a question of 20,001 characters");
    for path in
        ["auth/dns", "servers/a/b/c", "x/com.example/search", "x/localhost/other", "x/localhost", "nothing"]
    {
        assert_refused(&registry.get(&format!("/v0.1/{path}")).await, 404, path);
    }
}

#[tokio::test]
async fn v0_paths_return_the_same_as_v0_1() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    publish_live(&registry, &peer, "org.example/adder", "1.0.0").await;
    let paths = "servers?limit=1 servers/org.example%2Fadder/versions health ping version x/localhost/facets";
    for path in paths.split(' ') {
        let newer = get_ok(&registry, &format!("/v0.1/{path}")).await;
        assert_eq!(get_ok(&registry, &format!("/v0/{path}")).await, newer, "{path}");
    }
    assert_eq!(get_ok(&registry, "/v0.1/health").await, json!({ "status": "ok" }));
    assert_eq!(get_ok(&registry, "/v0.1/ping").await, json!({ "pong": true }));
    assert_eq!(get_ok(&registry, "/v0.1/version").await, json!({ "version": registry::VERSION }));
}

#[tokio::test]
async fn extensions_provide_search_health_and_facets() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    let empty = get_ok(&registry, "/v0.1/x/localhost/search?q=add").await;
    assert_eq!(empty["servers"], json!([]));
    let note = empty["metadata"]["note"].as_str().unwrap();
    assert!(note.contains("No server is Live") && note.contains("/api/publish"), "{note}");

    publish_live(&registry, &peer, "org.example/adder", "1.0.0").await;
    publish_live(&registry, &peer, "org.example/weather", "1.0.0").await;
    let found = get_ok(&registry, "/v0.1/x/localhost/search?q=weather&limit=1").await;
    assert_eq!(names(&found), ["org.example/weather"], "{found}");
    let entry = &found["servers"][0];
    assert!(entry["_meta"]["localhost/match"]["score"].as_u64().is_some_and(|score| score <= 100), "{entry}");
    assert_eq!(entry["_meta"][EVIDENCE]["class"], "ok");
    assert!(schema().is_valid(&entry["server"]), "{entry}");
    let nothing = get_ok(&registry, "/v0.1/x/localhost/search?q=zzzzqqqq").await;
    assert_eq!((&nothing["servers"], &nothing["metadata"]["count"]), (&json!([]), &json!(0)));
    assert!(nothing["metadata"]["note"].as_str().unwrap().contains("other words"), "{nothing}");
    for odd in ["", "%00%07", "name:x%20AND%20(", "%22", "*", "%F0%9F%8C%A6"] {
        get_ok(&registry, &format!("/v0.1/x/localhost/search?q={odd}")).await;
        get_ok(&registry, &format!("/v0.1/x/localhost/facets?q={odd}")).await;
    }

    let one = get_ok(&registry, "/v0.1/x/localhost/health?name=org.example/adder").await;
    assert_eq!(one["servers"]["org.example/adder"]["class"], "ok", "{one}");
    assert_eq!(one["metadata"], json!({ "count": 1 }));
    let pages = registry.pages("/v0.1/x/localhost/health?limit=1", NEXT).await;
    let servers: Vec<&String> =
        pages.iter().flat_map(|page| page["servers"].as_object().unwrap().keys()).collect();
    assert_eq!(servers, ["org.example/adder", "org.example/weather"]);
    let unknown = registry.get("/v0.1/x/localhost/health?name=org.example/nobody").await;
    assert_refused(&unknown, 404, "health of an unknown server");

    let facets = get_ok(&registry, "/v0.1/x/localhost/facets").await;
    assert_eq!(facets["facets"]["publisher"], json!([{ "value": "127.0.0.1", "count": 2 }]), "{facets}");
    let categories = facets["facets"]["category"].as_array().unwrap();
    assert_eq!(categories.iter().map(|category| category["count"].as_u64().unwrap()).sum::<u64>(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn table_failure_gets_an_error_of_the_official_api() {
    let registry = TestRegistry::start().await;
    for operation in ["GetItem", "BatchGetItem", "Query"] {
        registry.observer.faults.arm(operation, Fault::Throttle, 100);
    }
    for path in ["servers", "servers/org.example%2Fadder/versions", "health", "x/localhost/health"] {
        let reply = registry.get(&format!("/v0.1/{path}")).await;
        assert_refused(&reply, 503, path);
        assert!(reply.header("retry-after").parse::<u32>().is_ok_and(|seconds| seconds > 0), "{reply:?}");
    }
}

#[tokio::test]
async fn demoted_server_is_listed_as_deleted_for_some_days() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    let failing = Peer::start(servers::modern).await;
    let (live, demoted) = (["org.example/adder", "org.example/weather"], "org.example/clock");
    publish_live(&registry, &peer, "org.example/adder", "1.0.0").await;
    let texts = json!({ "title": "Clock", "description": "Tells the time.", "version": "2.0.0",
        "websiteUrl": "https://clock.example.org/" });
    let clock = with_members(crate::fixtures::server_json(demoted, &failing.url("/clock")), &texts);
    let id = probe_to_live(&registry, id_of(&registry.publish(&clock).await)).await;
    publish_live(&registry, &peer, "org.example/weather", "1.0.0").await;
    let visit = registry.now();
    let found = async |query: &str| get_ok(&registry, &format!("/v0.1/servers?{query}")).await;
    let since = format!("updated_since={visit}");
    assert_eq!(names(&found(&since).await).len(), 3);

    demote(&registry, &failing, &id).await;
    registry.index().await;
    let all = [live[0], live[1], demoted];
    let changed = found(&since).await;
    assert_eq!(names(&changed), all, "demoted servers come after Live ones");
    let entry = &changed["servers"][2];
    let demoted_at = time(&entry["_meta"][OFFICIAL]["updatedAt"]);
    assert!(demoted_at > visit && demoted_at <= registry.now(), "{entry}");
    let demotion = demoted_at.to_string();
    insta::assert_snapshot!(snapshot_of(entry, &[(&demotion, "[time of the demotion]")]));
    assert!(schema().is_valid(&entry["server"]), "{entry}");
    let others = &changed["servers"].as_array().unwrap()[..2];
    assert!(others.iter().all(|entry| entry["_meta"][OFFICIAL]["status"] == "active"));

    for (query, expected) in [
        (String::new(), &live[..]),
        (format!("{since}&include_deleted=false"), &live[..]),
        ("include_deleted=true".to_owned(), &all[..]),
        (format!("{since}&search=CLOCK"), &all[2..]),
        (format!("{since}&version=2.0.0"), &all[2..]),
        (format!("{since}&version=1.0.0"), &live[..]),
        (format!("updated_since={demoted_at}"), &all[2..]),
        (format!("updated_since={}", registry.now()), &[][..]),
    ] {
        assert_eq!(names(&found(&query).await), expected, "{query}");
    }
    for limit in 1..=3 {
        let pages = registry.pages(&format!("/v0.1/servers?{since}&limit={limit}"), NEXT).await;
        let listed: Vec<String> = pages.iter().flat_map(names).collect();
        assert_eq!(listed, all, "limit {limit}");
    }

    // When it is Live again, it is listed only as active.
    let second_demotion = registry.now();
    failing.answer_with(servers::modern);
    registry.advance(HOUR);
    let url = failing.url("/org.example-clock");
    let again = with_members(crate::fixtures::server_json(demoted, &url), &json!({ "version": "2.0.0" }));
    registry.publish(&again).await;
    probe_to_live(&registry, id.clone()).await;
    let back = found(&since).await;
    assert_eq!(names(&back), [live[0], demoted, live[1]]);
    let mut entries = back["servers"].as_array().unwrap().iter();
    assert!(entries.all(|entry| entry["_meta"][OFFICIAL]["status"] == "active"));

    demote(&registry, &failing, &id).await;
    registry.index().await;
    assert_eq!(names(&found(&format!("updated_since={second_demotion}")).await).last().unwrap(), demoted);
    assert_eq!(names(&found(&since).await).iter().filter(|name| *name == demoted).count(), 1, "listed once");
    registry.advance(7 * DAY + HOUR);
    assert!(!names(&found(&since).await).contains(&demoted.to_owned()), "an old demotion is listed");
}
