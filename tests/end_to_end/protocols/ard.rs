//! Tests the ARD API: search, explore and browse, and errors in the format of ARD.

use tests::prelude::*;

use crate::fixtures::{AGENT, LivePair, SERVER, entry_schema, live_pair, values_of};

#[tokio::test]
async fn ard_search_returns_only_fields_that_ard_defines() {
    let LivePair { registry, agent, peers, .. } = live_pair().await;
    let search = |filter: Value| json!({ "query": { "text": "weather", "filter": filter }, "pageSize": 2 });
    let reply = registry.post("/api/ard/search", &search(json!({}))).await;
    let (base, peer) = (registry.url(""), peers[0].origin.as_str());
    let names = [(agent.as_str(), "[id]"), (base.as_str(), "[base]"), (peer, "[peer]")];
    insta::assert_snapshot!(reply.snapshot(&names));
    entry_schema().validate(&reply.body["results"][0]).unwrap();

    for (filter, found) in [
        (json!({ "type": [AGENT] }), 1),
        (json!({ "type": [SERVER] }), 0),
        (json!({ "publisher": ["127.0.0.1"], "tags": ["weather", "news"] }), 1),
        (json!({ "capabilities": "weather forecast", "metadata.kind": "agent" }), 1),
        (json!({ "trustManifest.attestations.type": ["SOC2-Type2"] }), 0),
    ] {
        let reply = registry.post("/api/ard/search", &search(filter.clone())).await;
        assert_eq!(reply.body["results"].as_array().unwrap().len(), found, "{filter}");
    }

    let mut referrals = search(json!({}));
    referrals["federation"] = json!("referrals");
    assert_eq!(registry.post("/api/ard/search", &referrals).await.body["referrals"], json!([]));
}

#[tokio::test]
async fn ard_errors_have_the_ard_format() {
    let registry = TestRegistry::start().await;
    let facets = |query: Value| json!({ "query": query, "resultType": { "facets": [{ "field": "type" }] } });
    let mut replies = vec![
        registry.post("/api/ard/search", &json!({ "query": {} })).await,
        registry.post_raw("/api/ard/explore", Some("application/json"), "{").await,
    ];
    for body in
        [json!({}), json!([]), facets(json!("weather")), facets(json!({ "filter": { "tags": ["x"] } }))]
    {
        replies.push(registry.post("/api/ard/explore", &body).await);
    }
    for query in "pageSize=many pageSize=0 orderBy=displayName filter=nonsense pageToken=nonsense".split(' ')
    {
        replies.push(registry.get(&format!("/api/ard/agents?{query}")).await);
    }
    for reply in replies {
        assert_eq!((reply.status, reply.header("content-type")), (400, "application/json"), "{reply:?}");
        assert_eq!(reply.body["errorCode"], "INVALID_ARGUMENT");
        assert!(!reply.body["message"].as_str().unwrap().is_empty());
        assert_eq!(reply.body.as_object().unwrap().len(), 2);
    }
    assert_eq!(registry.post_raw("/api/ard/explore", Some("text/xml"), "<a/>").await.status, 415);
    assert_eq!(registry.get("/api/ard/explore").await.status, 405);
}

#[tokio::test]
async fn live_listings_can_be_explored_and_browsed() {
    let registry = live_pair().await.registry;
    let fields = ["type", "publisher", "tags", "metadata.category", "trustManifest.attestations.type"];
    let facets: Vec<Value> = fields.iter().map(|field| json!({ "field": field })).collect();
    let explored =
        registry.post("/api/ard/explore", &json!({ "resultType": { "facets": facets } })).await.body;
    assert_eq!(explored["resultType"], "facets");
    let bucket = |value: &str, count: u64| json!({ "value": value, "count": count });
    for (field, buckets) in [
        ("type", json!([bucket(AGENT, 1), bucket(SERVER, 1)])),
        ("publisher", json!([bucket("127.0.0.1", 2)])),
        ("tags", json!([bucket("weather", 1)])),
        ("trustManifest.attestations.type", json!([])),
    ] {
        assert_eq!(explored["facets"][field]["buckets"], buckets, "{explored}");
    }

    let schema = entry_schema();
    let everything = registry.get("/api/ard/agents").await.body;
    assert_eq!((&everything["total"], everything["items"].as_array().unwrap().len()), (&json!(2), 2));
    everything["items"].as_array().unwrap().iter().for_each(|entry| schema.validate(entry).unwrap());

    for (filter, found) in [
        (format!("type = '{SERVER}'"), vec!["Adder"]),
        (format!("type = '{SERVER},{AGENT}' AND displayName = 'NIMB'"), vec!["Nimbus"]),
        ("publisherId = '127.0.0.1' AND tags = 'weather'".to_owned(), vec!["Nimbus"]),
        ("createdAfter > '2026-01-01' AND displayName = 'adder'".to_owned(), vec!["Adder"]),
        ("createdAfter > '2030-01-01'".to_owned(), vec![]),
        ("updatedAfter > '2030-01-01'".to_owned(), vec![]),
    ] {
        let encoded: String = filter.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let page = registry.get(&format!("/api/ard/agents?filter={encoded}")).await.ok();
        assert_eq!(values_of(&page["items"], "displayName"), found, "{filter}");
    }
}

/// The evidence of a listing can have 96 KB, which is 24 read units.
#[tokio::test]
async fn lists_read_no_evidence() {
    let wordy = |request: &PeerRequest| match request.path.strip_suffix("/card.json") {
        Some(folder) => {
            let mut card = agents::card_at("Wordy", &format!("{}{folder}/rpc", request.origin()));
            let text = "It adds words. ".repeat(60);
            let skill = |number| {
                let (id, name) = (format!("skill-{number}"), format!("Skill {number}"));
                json!({ "id": id, "name": name, "tags": ["words"], "description": text })
            };
            card["skills"] = (0..90).map(skill).collect();
            json_answer(200, &card)
        }
        None => agents::speaks_newest(request),
    };
    let registry = TestRegistry::start().await;
    let peer = Peer::start(wordy).await;
    registry.publish_fleet(&peer, 0..6).await;
    registry.deliver_events().await;
    let search = json!({ "query": { "text": "words", "filter": { "tags": ["words"] } } });
    let skills = json!({ "filters": { "skills": ["skill 7"] } });
    for (path, body, rows) in [
        ("/api/ard/agents", None, "/items"),
        ("/api/ard/agents?filter=tags%20%3D%20%22words%22", None, "/items"),
        ("/api/ard/search", Some(&search), "/results"),
        ("/agents/search", Some(&skills), "/agents"),
        ("/agents/search?skill=words&limit=9", None, "/agents"),
    ] {
        registry.observer.meter.start();
        let reply = match body {
            Some(body) => registry.post(path, body).await,
            None => registry.get(path).await,
        };
        let units = registry.observer.meter.stop();
        let rows = reply.body.pointer(rows).and_then(Value::as_array).map(Vec::len);
        assert_eq!(rows, Some(6), "{path}: {reply:?}");
        assert!(units.read < 20.0, "{path}: {units:?}");
    }
}
