//! The discovery doors that take no words: lists, facets and catalogues hold all that is Live, each thing once, in the
//! shape that their readers' schemas want.

use serde_json::{Value, json};
use tests::peers::{Peer, agents};
use tests::world::{World, id_of};

use crate::fixtures::*;

#[tokio::test]
async fn what_is_live_is_explored_and_browsed() {
    let Filled { world, agent, server, .. } = filled().await;
    let fields = ["type", "publisher", "tags", "metadata.category", "trustManifest.attestations.type"];
    let facets: Vec<Value> = fields.iter().map(|field| json!({ "field": field })).collect();
    let explored = world.post("/api/ard/explore", &json!({ "resultType": { "facets": facets } })).await.body;
    assert_eq!(explored["resultType"], "facets");
    let counts = |field: &str| -> Vec<(String, u64)> {
        let buckets = explored["facets"][field]["buckets"].as_array().unwrap();
        let mut counts: Vec<(String, u64)> = buckets
            .iter()
            .map(|bucket| (bucket["value"].as_str().unwrap().to_owned(), bucket["count"].as_u64().unwrap()))
            .collect();
        counts.sort();
        counts
    };
    let each = |values: [&str; 2]| values.map(|value| (value.to_owned(), 1)).to_vec();
    assert_eq!(counts("type"), each([AGENT, SERVER]));
    assert_eq!(counts("publisher"), [("127.0.0.1".to_owned(), 2)]);
    assert_eq!(counts("tags"), [("weather".to_owned(), 1)]);
    assert_eq!(counts("trustManifest.attestations.type"), []);

    let schema = entry_schema();
    let everything = world.get("/api/ard/agents").await.body;
    assert_eq!((&everything["total"], everything["items"].as_array().unwrap().len()), (&json!(2), 2));
    everything["items"].as_array().unwrap().iter().for_each(|entry| schema.validate(entry).unwrap());
    let first = world.get("/api/ard/agents?pageSize=1").await.body;
    let token = first["pageToken"].as_str().unwrap();
    let second = world.get(&format!("/api/ard/agents?pageSize=1&pageToken={token}")).await.body;
    assert!(second["pageToken"].is_null());
    let mut shown =
        [&first, &second].map(|page| page["items"][0]["metadata"]["listing_id"].as_str().unwrap().to_owned());
    shown.sort_unstable();
    let mut both = [agent.to_string(), server.to_string()];
    both.sort_unstable();
    assert_eq!(shown, both);

    for (filter, found) in [
        (format!("type = '{SERVER}'"), vec!["Adder"]),
        (format!("type = '{SERVER},{AGENT}' AND displayName = 'NIMB'"), vec!["Nimbus"]),
        ("publisherId = '127.0.0.1' AND tags = 'weather'".to_owned(), vec!["Nimbus"]),
        ("createdAfter > '2026-01-01' AND displayName = 'adder'".to_owned(), vec!["Adder"]),
        ("createdAfter > '2030-01-01'".to_owned(), vec![]),
        ("updatedAfter > '2030-01-01'".to_owned(), vec![]),
    ] {
        let encoded: String = filter.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let page = world.get(&format!("/api/ard/agents?filter={encoded}")).await;
        assert_eq!(page.status, 200, "{filter}: {page:?}");
        assert_eq!(ids(&page.body["items"], "displayName"), found, "{filter}");
    }
}

#[tokio::test]
async fn public_agents_are_listed_and_searched_by_skill() {
    let Filled { world, agent, peers, .. } = filled().await;
    let fleet = Peer::start(agents::fleet).await;
    for number in 0..4 {
        world.live_card(&fleet.url(&format!("/{number}/card.json"))).await;
    }
    world.index().await;
    for path in ["/agents/public", "/.well-known/agents", "/.well-known/agents/public", "/agents/search"] {
        let body = world.get(path).await.body;
        assert_eq!(
            (&body["total"], &body["count"], &body["agents"]),
            (&json!(5), &json!(5), &body["items"]),
            "{path}"
        );
        let page = world.get(&format!("{path}?limit=2&offset=4")).await.body;
        assert_eq!((&page["count"], &page["next_offset"]), (&json!(1), &Value::Null), "{path}");
        assert_eq!(page["agents"][0], body["agents"][4]);
    }
    for query in ["skill=forecast", "capability=Weather%20Forecast", "q=weather", "skill=weather&q=nimbus"] {
        let body = world.get(&format!("/agents/search?{query}")).await.body;
        assert_eq!((&body["count"], &body["agents"][0]["listing_id"]), (&json!(1), &json!(agent)), "{query}");
    }
    let shown = world.get("/agents/search?skill=forecast").await.body["agents"][0].clone();
    assert_eq!(
        (&shown["url"], &shown["agent_card_url"]),
        (&json!(peers[0].url("/rpc")), &json!(peers[0].card()))
    );
    assert_eq!((&shown["skills"][0]["id"], &shown["probe"]["ok"]), (&json!("forecast"), &json!(true)));
    let filters = json!({ "query": "", "filters": { "skills": ["add"] }, "limit": 3 });
    let body = world.post("/agents/search", &filters).await.body;
    assert_eq!((&body["count"], &body["next_offset"].is_number()), (&json!(3), &true));
    assert_eq!(world.get("/agents/search?limit=0").await.status, 422);
    assert_eq!(world.get("/agents/search?offset=9999999").await.status, 422);
}

#[tokio::test]
async fn the_catalogues_are_as_their_schema_wants() {
    let (world, _peers, [agents, _]) = full(8, 6).await;
    let strict = world.get("/.well-known/ai-catalog.json").await;
    let linked = world.get("/.well-known/ard.json").await;
    let schema = jsonschema::validator_for(&catalog_schema()).unwrap();
    if let Err(error) = schema.validate(&strict.body) {
        panic!("{error} at {}", error.instance_path());
    }
    assert!(!schema.is_valid(&linked.body), "the schema is in force");
    assert_eq!(linked.body["@context"], "https://agenticresourcediscovery.org/context/v1");
    assert_eq!(strict.body["entries"], linked.body["entries"]);

    let entries = strict.body["entries"].as_array().unwrap();
    let own: Vec<&str> = entries[..3].iter().map(|entry| entry["url"].as_str().unwrap()).collect();
    assert_eq!(
        own,
        [world.url("/.well-known/agent-card.json"), world.url("/mcp/server-card"), world.url("/api/ard/")]
    );
    for path in ["/.well-known/agent-card.json", "/mcp/server-card", "/api/ard/"] {
        assert_eq!(world.get(path).await.status, 200, "{path}");
    }
    assert_eq!(entries.len(), 3 + 14);
    assert!(entries.iter().any(|entry| entry["metadata"]["listing_id"] == json!(agents[0])));
    let mut urns = ids(&strict.body["entries"], "identifier");
    urns.sort_unstable();
    urns.dedup();
    assert_eq!(urns.len(), entries.len(), "each has its own URN");

    for reply in [strict, linked] {
        assert_eq!(reply.header("content-type"), "application/ai-catalog+json");
        assert_eq!(reply.header("cache-control"), "public, max-age=60");
        let links: Vec<&str> =
            reply.headers.get_all("link").iter().map(|link| link.to_str().unwrap()).collect();
        assert_eq!(
            links,
            [r#"</.well-known/ai-catalog.json>; rel="ai-catalog""#, r#"</.well-known/ard.json>; rel="ard""#]
        );
    }
}

#[tokio::test]
async fn an_unchanged_catalogue_is_not_sent_again() {
    let Filled { world, .. } = filled().await;
    let fleet = Peer::start(agents::fleet).await;
    for path in ["/.well-known/ai-catalog.json", "/.well-known/ard.json", "/api/catalog"] {
        let tag = world.get(path).await.header("etag").to_owned();
        let again = world.get_with(path, ("if-none-match", &tag)).await;
        assert_eq!((again.status, again.body), (304, json!("")), "{path}");
        let other = world.live_card(&fleet.url(&format!("/{}/card.json", path.len()))).await;
        let changed = world.get_with(path, ("if-none-match", &tag)).await;
        assert_eq!(changed.status, 200, "{path}");
        assert!(changed.body.to_string().contains(other.as_str()), "{path}");
    }
}

/// What stands at the registry's own doors is one thing, whether it lists itself or not.
#[tokio::test]
async fn the_registrys_own_listings_are_its_own_entries() {
    let world = World::start().await;
    let mut own = vec![id_of(
        &world.publish(&json!({ "agent_card_url": world.url("/.well-known/agent-card.json") })).await,
    )];
    own.push(id_of(&world.publish(&json!({ "mcp_url": world.url("/api/protocol") })).await));
    world.deliver().await;
    assert_eq!(world.counts().await, (1, 1));
    let entries = world.get("/.well-known/ai-catalog.json").await.body["entries"].clone();
    let urns = ids(&entries, "identifier");
    assert_eq!(urns.len(), 3, "{urns:?}");
    for (urn, id) in urns.iter().zip(own) {
        assert!(urn.ends_with(id.as_str()), "{urn}");
    }
}

#[tokio::test]
async fn another_registry_can_take_over_the_whole_catalogue() {
    let (world, _peers, [agents, servers]) = full(7, 4).await;
    let (mut taken, mut cursor) = (Vec::new(), String::new());
    for _ in 0..10 {
        let page = world.get(&format!("/api/catalog?limit=3{cursor}")).await.body;
        assert_eq!(page["counts"], json!({ "agents_active": 7, "mcp_active": 4 }));
        assert_eq!((&page["role"], &page["origin"]), (&json!("sub-registry"), &json!(world.url(""))));
        for kind in ["agents", "mcp"] {
            taken.extend(ids(&page[kind], "listing_id"));
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    taken.sort_unstable();
    assert_eq!(taken, texts(agents.into_iter().chain(servers)));
    for wrong in ["limit=0", "limit=x", "cursor=nonsense"] {
        assert_eq!(world.get(&format!("/api/catalog?{wrong}")).await.status, 422, "{wrong}");
    }
}

/// Every endpoint that the catalogue and the map name stands open.
#[tokio::test]
async fn what_is_announced_stands_open() {
    let Filled { world, .. } = filled().await;
    let endpoints = world.get("/api/catalog").await.body["endpoints"].clone();
    let surfaces = world.get("/discovery.json").await.body["surfaces"].clone();
    for (name, url) in endpoints.as_object().unwrap().iter().chain(surfaces.as_object().unwrap()) {
        let url = url.as_str().unwrap().replace("{words}", "weather");
        let path = url.strip_prefix(&world.url("")).unwrap();
        let status = world.get(path).await.status;
        assert!(
            status == 200 || matches!(status, 404 | 405 | 406 | 422) && !path.starts_with("/.well-known"),
            "{name} {path}: {status}"
        );
        if path.contains("search") || path.contains("catalog") || path.contains("agents") {
            assert_eq!(status, 200, "{name} {path}");
        }
    }
}

#[tokio::test]
async fn pages_of_the_list_show_each_entry_once() {
    let (world, _peers, [agents, servers]) = full(14, 9).await;
    let (agents, all) = (texts(agents.clone()), texts(agents.into_iter().chain(servers)));
    for (filter, wanted) in [
        ("", &all),
        ("type = 'application/a2a-agent-card%2Bjson'", &agents),
        ("tags = 'math'", &agents),
        ("publisherId = '127.0.0.1'", &all),
    ] {
        let (mut shown, mut token) = (Vec::new(), String::new());
        for _ in 0..30 {
            let page = world
                .get(&format!("/api/ard/agents?pageSize=3&filter={filter}&pageToken={token}"))
                .await
                .body;
            let items = page["items"].as_array().unwrap();
            assert!(items.len() <= 3);
            shown
                .extend(items.iter().map(|item| item["metadata"]["listing_id"].as_str().unwrap().to_owned()));
            match page["pageToken"].as_str() {
                Some(next) => token = next.to_owned(),
                None => break,
            }
        }
        shown.sort_unstable();
        assert_eq!(&shown, wanted, "{filter}");
    }
}
