//! Tests collections: the operator and owners of domains publish them, and clients read each as an own registry.

use tests::peers::domains::{Owner, TextSite};
use tests::prelude::*;

use crate::fixtures::{probe_to_live, server_json, server_names};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

async fn publish_live(registry: &TestRegistry, peer: &Peer, name: &str, description: &str) {
    let mut server = server_json(name, &peer.url(&format!("/{}", name.replace('/', "-"))));
    server["description"] = json!(description);
    probe_to_live(registry, id_of(&registry.publish(&server).await)).await;
}

async fn as_operator(registry: &TestRegistry, body: &Value) -> Reply {
    registry.post_with_token("/api/collections", TOKEN, body).await
}

async fn names(registry: &TestRegistry, collection: &str, query: &str) -> Vec<String> {
    server_names(&registry.get(&format!("/r/{collection}/v0.1/servers?{query}")).await.ok())
}

#[tokio::test]
async fn collection_of_the_operator_is_a_registry_of_its_own() {
    let registry = TestRegistry::start_with_setting("OPERATOR_TOKEN", TOKEN).await;
    let peer = Peer::start(servers::modern).await;
    publish_live(&registry, &peer, "org.example/adder", "Adds numbers.").await;
    publish_live(&registry, &peer, "org.example/weather", "Forecasts the weather.").await;
    publish_live(&registry, &peer, "org.example/zebra", "Paints stripes.").await;

    let body = json!({ "name": "approved", "title": "Approved", "servers": ["org.example/weather", "org.example/zebra"] });
    registry.post("/api/collections", &body).await.assert_refused(401, "operator_token_required");
    let done = as_operator(&registry, &body).await;
    assert_eq!((done.status, &done.body["done"]), (200, &json!(true)), "{done:?}");
    assert_eq!(done.body["registry_url"], registry.url("/r/approved"));

    assert_eq!(names(&registry, "approved", "").await, ["org.example/weather", "org.example/zebra"]);
    assert_eq!(names(&registry, "approved", "search=weath").await, ["org.example/weather"]);
    let first = registry.get("/r/approved/v0.1/servers?limit=1").await.body;
    let next = first["metadata"]["nextCursor"].as_str().unwrap();
    assert_eq!(names(&registry, "approved", &format!("cursor={next}")).await, ["org.example/zebra"]);
    let inside = registry.get("/r/approved/v0.1/servers/org.example%2Fzebra/versions/latest").await;
    let everywhere = registry.get("/v0.1/servers/org.example%2Fzebra/versions/latest").await;
    assert_eq!((inside.status, inside.body), (200, everywhere.body));
    for path in ["servers/org.example%2Fadder/versions/latest", "servers/org.example%2Fadder/versions"] {
        assert_eq!(registry.get(&format!("/r/approved/v0.1/{path}")).await.status, 404, "{path}");
    }
    as_operator(&registry, &json!({ "name": "gated", "access": "gated" })).await;
    let latest = "/r/gated/v0.1/servers/org.example%2Fzebra/versions/latest";
    assert_eq!(registry.get(latest).await.status, 404, "it needs no sign-in");
    assert!(names(&registry, "gated", "access=all").await.is_empty(), "a caller widens the collection");
    assert_eq!(registry.get("/r/unknown/v0.1/servers").await.status, 404);
    // What GitHub documents for the registries of its clients.
    let headers = [
        ("origin", "https://github.example"),
        ("access-control-request-method", "GET"),
        ("access-control-request-headers", "authorization, content-type"),
    ];
    let preflight = registry.send("OPTIONS", "/r/approved/v0.1/servers", &headers, "").await;
    assert_eq!(preflight.header("access-control-allow-origin"), "*", "{preflight:?}");
    let allowed = preflight.header("access-control-allow-headers").to_lowercase();
    assert!(allowed.contains("authorization") && allowed.contains("content-type"), "{allowed}");

    // Other rules, and a change of them.
    as_operator(&registry, &json!({ "name": "approved", "q": "forecast the weather" })).await;
    assert_eq!(names(&registry, "approved", "").await[0], "org.example/weather");
    // What anybody can publish at the domain of its name is not proven.
    let at_domain = peer.url("/paint").replace("127.0.0.1", "acme.localhost");
    let painter = id_of(&registry.publish(&server_json("localhost.acme/paint", &at_domain)).await);
    registry.first_probe(&painter).await;
    registry.index().await;
    as_operator(&registry, &json!({ "name": "approved", "proven_names": true })).await;
    assert!(names(&registry, "approved", "").await.is_empty());
    as_operator(&registry, &json!({ "name": "approved", "max_age_hours": 1 })).await;
    assert_eq!(names(&registry, "approved", "").await.len(), 4);
    registry.advance(2 * HOUR);
    assert!(names(&registry, "approved", "").await.is_empty(), "the proofs are too old");
    let later = json!({ "name": "org.example.later", "servers": ["org.example/late"] });
    let later = as_operator(&registry, &later).await.body;
    assert_eq!(later["collection"].get("owner"), None, "no key signed it: {later}");
    registry.advance(HOUR);
    publish_live(&registry, &peer, "org.example/late", "Comes late.").await;
    assert!(names(&registry, "org.example.later", "").await.is_empty(), "a stranger took a name of it");
    for (rules, field) in [
        (json!({ "category": "nonsense" }), "category"),
        (json!({ "max_age_hours": 1000 }), "max_age_hours"),
        (json!({ "name": "Not Allowed" }), "name"),
        (json!({ "title": "<script>" }), "title"),
        (json!({ "servers": vec!["org.example/adder"; 201] }), "servers"),
        (json!({ "servers": [] }), "servers"),
    ] {
        let body = with_members(json!({ "name": "approved" }), &rules);
        as_operator(&registry, &body).await.assert_invalid(field);
    }

    let listed = registry.get("/api/collections").await.body;
    assert_eq!(listed["collections"][0]["registry_url"], registry.url("/r/approved"), "{listed}");
    assert_eq!(as_operator(&registry, &json!({ "name": "approved", "remove": true })).await.status, 200);
    assert_eq!(registry.get("/r/approved/v0.1/servers").await.status, 404);
    assert_eq!(as_operator(&registry, &json!({ "name": "approved", "remove": true })).await.status, 404);
}

#[tokio::test]
async fn owner_of_a_domain_publishes_collections_below_it() {
    let owner = Owner::new(1);
    let domain = TextSite::with_key("acme.localhost", &owner).await;
    let options = TestOptions::default().with_domain_proofs(&domain.peer.origin);
    let registry = TestRegistry::start_with(options).await;
    let (tool, list) = ("publish_collection", "/r/localhost.acme.approved/v0.1/servers");
    let signed = async |owner: &Owner, rules: Value| owner.with_signature(&registry, tool, &rules).await;
    let publish = async |rules: Value| registry.call_tool(tool, &signed(&owner, rules).await).await;
    let rules = json!({ "name": "localhost.acme.approved", "servers": ["org.example/adder"] });
    let first = registry.call_tool(tool, &rules).await;
    assert_members(&first, &json!({ "done": false, "collection": null }));
    assert_eq!(registry.get(list).await.status, 404);
    let stranger = signed(&Owner::new(2), rules.clone()).await;
    assert_eq!(registry.refused_code(tool, &stranger).await, "signature_mismatch");
    // The signature is for these rules only.
    let mut other = signed(&owner, rules.clone()).await;
    other["servers"] = json!(["org.example/malware"]);
    assert_eq!(registry.refused_code(tool, &other).await, "challenge_of_another_act");
    let done = json!({ "done": true, "/collection/owner": "acme.localhost" });
    assert_members(&publish(rules.clone()).await, &done);
    assert!(names(&registry, "localhost.acme.approved", "").await.is_empty());
    let removal = json!({ "name": "localhost.acme.approved", "remove": true });
    assert_eq!(publish(removal).await["done"], true);
    assert_eq!(registry.get(list).await.status, 404);

    for n in 0..9 {
        let one = publish(json!({ "name": format!("localhost.acme.list-{n}") })).await;
        assert_eq!(one["done"], true, "{one}");
    }
    // Calls at once do not get over the limit.
    let mut last = Vec::new();
    for n in 9..12 {
        last.push(signed(&owner, json!({ "name": format!("localhost.acme.list-{n}") })).await);
    }
    let calls = last.iter().map(|one| registry.post("/api/collections", one));
    let statuses = futures::future::join_all(calls).await.into_iter().map(|reply| reply.status);
    assert_eq!(statuses.filter(|status| *status == 200).count(), 1);
    let eleventh = signed(&owner, rules).await;
    assert_eq!(
        registry.refused_code(tool, &eleventh).await,
        "too_many_collections",
        "one owner fills the list"
    );
    let again = publish(json!({ "name": "localhost.acme.list-3", "q": "adder" })).await;
    assert_eq!(again["done"], true);
}
