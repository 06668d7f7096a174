//! Tests claimed names and proven names. The tests check which listing gets a name, and what a claimed name
//! does not allow. They also check which publisher can set the texts of a listing. The peers are at
//! `*.localhost`, so that a name such as `localhost.acme/adder` belongs to the domain of a peer.

use registry::model::Listing;
use tests::prelude::*;

use crate::fixtures::{publish_live, rewrite, server_json, server_names, values_of};

/// The peer's endpoint at `host`, a `*.localhost` name that is its own registrable domain.
fn url_at(peer: &Peer, host: &str) -> String {
    peer.url("/mcp").replace("127.0.0.1", host)
}

async fn server_named(registry: &TestRegistry, name: &str) -> Value {
    registry.get(&format!("/v0.1/servers/{}/versions/latest", name.replace('/', "%2F"))).await.body
}

const NAME: &str = "localhost.acme/adder";

#[tokio::test]
async fn remote_server_at_the_domain_of_a_name_supports_it_without_a_proof() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    let mut claim = server_json("com.stripe/payments", &url_at(&peer, "other.localhost"));
    claim["websiteUrl"] = json!("https://evil.example.org/login");
    let claimed = publish_live(&registry, &claim).await;
    let proven = Peer::start(servers::modern).await;
    let proven = publish_live(&registry, &server_json(NAME, &url_at(&proven, "mcp.acme.localhost"))).await;
    for (id, name, standing, how, badge) in [
        (&claimed, "com.stripe/payments", "claimed", Value::Null, "clean, name claimed"),
        (&proven, NAME, "claimed", json!("domain"), "clean, name claimed"),
    ] {
        let status = registry.status(id).await["name_standing"].clone();
        assert_eq!((&status["name"], &status["standing"]), (&json!(name), &json!(standing)), "{status}");
        assert_eq!((&status["how"], status["at"].is_string()), (&how, !how.is_null()), "{status}");
        let rows = registry.get("/api/listings/active").await.body["mcps"].clone();
        let row = rows.as_array().unwrap().iter().find(|row| row["id"] == id.as_str()).unwrap();
        assert_eq!(row["name_standing"], status);
        let entry = server_named(&registry, name).await;
        assert_eq!(entry["_meta"]["localhost/evidence"]["name_standing"], status, "{entry}");
        // Nothing proves whose website a description names.
        assert_eq!(entry["server"].get("websiteUrl"), None, "{entry}");
        assert!(!row["website"].as_str().unwrap().contains("evil"), "{row}");
        let svg = registry.get(&format!("/badge/clean.svg?id={id}")).await.body;
        assert!(svg.as_str().unwrap().contains(&format!(": {badge}</title>")), "{svg}");
    }
}

/// Anybody can send a description with the URL of a server and a name of its domain. Clients store the registry name.
#[tokio::test]
async fn name_that_somebody_attaches_changes_neither_registry_name_nor_badge() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    let url = url_at(&peer, "mcp.victim.localhost");
    let id = publish_live(&registry, &json!({ "mcp_url": url })).await;
    let shown = async || {
        let list = registry.get("/v0.1/servers").await.body["servers"][0]["server"]["name"].clone();
        (list, registry.get(&format!("/badge/live.svg?id={id}")).await.body)
    };
    let before = shown().await;
    for name in ["localhost.victim/obscene", "localhost.victim/other"] {
        let answer = registry.publish(&server_json(name, &url)).await;
        assert_eq!(
            id_of(&answer) == id,
            name.ends_with("obscene"),
            "another name is another listing: {answer}"
        );
        registry.deliver_events().await;
        let standing = registry.status(&id).await["name_standing"].clone();
        assert_eq!(standing["name"], "localhost.victim/obscene", "only a listing without a name gets one");
        assert_eq!(shown().await, before, "{name}");
    }
    let demo = json!({ "listing_id": id, "sku": "mcp_mesh" });
    let demo = registry.post("/api/products/demo", &demo).await.ok();
    assert!(!demo["artifacts"].to_string().contains("obscene"), "{demo}");
}

#[tokio::test]
async fn proven_name_replaces_a_claimed_name() {
    for claimed_is_live in [true, false] {
        let registry = TestRegistry::start().await;
        let (squatter, owner) = (Peer::start(servers::modern).await, Peer::start(servers::modern).await);
        let claim = server_json(NAME, &squatter.url("/mcp"));
        let claimed = match claimed_is_live {
            true => publish_live(&registry, &claim).await,
            false => id_of(&registry.publish(&claim).await),
        };
        let proven = publish_live(&registry, &server_json(NAME, &url_at(&owner, "acme.localhost"))).await;
        assert_ne!(claimed, proven);
        if !claimed_is_live {
            registry.first_probe(&claimed).await;
        }
        registry.index().await;
        let by_name = registry.get("/api/listings/status?name=localhost.acme/adder").await.body;
        assert_eq!(by_name["listing_id"], proven.as_str(), "{by_name}");
        let entry = server_named(&registry, NAME).await;
        assert_eq!(entry["server"]["remotes"][0]["url"], url_at(&owner, "acme.localhost"), "{entry}");
        let names = server_names(&registry.get("/v0.1/servers").await.body);
        assert_eq!(names.len(), 2, "the claim is not listed under another name: {names:?}");
        assert_eq!(names.iter().filter(|name| *name == NAME).count(), 1, "{names:?}");
        // Later and repeated claims get other listings.
        let third = Peer::start(servers::modern).await;
        let late = publish_live(&registry, &server_json(NAME, &third.url("/mcp"))).await;
        assert!(late != claimed && late != proven);
        registry.advance(TICK);
        registry.publish(&claim).await;
        let by_name = registry.get("/api/listings/status?name=LOCALHOST.acme/adder").await.body;
        assert_eq!(by_name["listing_id"], proven.as_str(), "{by_name}");
        assert_eq!(server_named(&registry, NAME).await["server"], entry["server"]);
    }
}

/// Anybody can compute the id that a name gets if its first id is taken, and choose a name that gives this id.
#[tokio::test]
async fn id_of_a_taken_name_cannot_be_taken_too() {
    let (registry, owner) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    let squatter = Peer::start(servers::modern).await;
    publish_live(&registry, &server_json(NAME, &url_at(&squatter, "other.localhost"))).await;
    let second = ListingId::of_taken_name(Kind::Mcp, NAME, "acme.localhost");
    let mark = second.as_str().rsplit('-').next().unwrap();
    let squatted = server_json(&format!("{NAME}-{mark}"), &squatter.url("/mcp"));
    assert_eq!(id_of(&registry.publish(&squatted).await), second);
    let before = registry.app.store.listing(&second).await.unwrap().unwrap();

    let own = server_json(NAME, &url_at(&owner, "acme.localhost"));
    let id = publish_live(&registry, &own).await;
    assert_eq!(id, ListingId::of_contested_name(Kind::Mcp, NAME, "acme.localhost"));
    assert_eq!(id_of(&registry.publish(&own).await), id, "the second publish has another id");
    assert_eq!(registry.app.store.listing(&second).await.unwrap().unwrap(), before);
    let by_name = registry.get(&format!("/api/listings/status?name={NAME}")).await.body;
    assert_eq!(by_name["listing_id"], id.as_str(), "{by_name}");
}

/// Listings from before name proofs existed.
#[tokio::test]
async fn name_of_an_older_listing_is_proven_by_its_next_handshake() {
    let (registry, owner) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    let id = id_of(&registry.publish(&server_json(NAME, &url_at(&owner, "acme.localhost"))).await);
    rewrite(&registry, &id, |listing| listing.ownership.name_proof = None).await;
    assert!(registry.status(&id).await["name_standing"].get("how").is_none());
    registry.first_probe(&id).await;
    let standing = registry.status(&id).await["name_standing"].clone();
    assert_eq!(standing["standing"], "claimed", "{standing}");
    assert_eq!(standing["how"], "domain", "{standing}");
    let by_name = registry.get("/api/listings/status?name=localhost.acme/adder").await.body;
    assert_eq!(by_name["listing_id"], id.as_str());
}

/// There are more listings of a name than a look-up by name reads.
#[tokio::test]
async fn many_listings_of_a_display_name_do_not_hide_the_live_one() {
    let (registry, live) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    let mut body = server_json("localhost.acme/adder", &url_at(&live, "acme.localhost"));
    body["title"] = json!("Acme Payments");
    let id = publish_live(&registry, &body).await;
    for number in 0..30 {
        let url = format!("http://squatter-{number}.localhost/mcp");
        registry.publish(&json!({ "mcp_url": url, "name": "Acme Payments" })).await;
    }
    let by_name = registry.get("/api/listings/status?name=acme+payments").await.body;
    assert_eq!(by_name["listing_id"], id.as_str(), "{by_name}");
}

/// There are more claims than a look-up by name reads, and the proven id sorts after most of them.
#[tokio::test]
async fn many_claims_do_not_hide_the_proven_listing() {
    let (registry, owner) = (TestRegistry::start().await, Peer::start(servers::modern).await);
    let id = |name: &str| ListingId::of_taken_name(Kind::Mcp, name, "acme.localhost");
    let mut names = (0..).map(|number| format!("localhost.acme/adder-{number}"));
    let name = names.find(|name| id(name).as_str().rsplit('-').next().unwrap().starts_with('f')).unwrap();
    for number in 0..40 {
        registry.publish(&server_json(&name, &format!("http://squatter-{number}.localhost/mcp"))).await;
    }
    let proven = id_of(&registry.publish(&server_json(&name, &url_at(&owner, "acme.localhost"))).await);
    assert_eq!(proven, id(&name));
    let by_name = registry.get(&format!("/api/listings/status?name={name}")).await.body;
    assert_eq!(by_name["listing_id"], proven.as_str(), "{by_name}");
}

#[tokio::test]
async fn claimed_namespace_is_not_searchable() {
    let registry = TestRegistry::start().await;
    let (squatter, owner) = (Peer::start(servers::modern).await, Peer::start(servers::modern).await);
    let mut claim = server_json("localhost.zephyrbank/ledger", &squatter.url("/mcp"));
    claim["title"] = json!("Ledger");
    let claimed = publish_live(&registry, &claim).await;
    let found = async |words: &str| {
        values_of(&registry.get(&format!("/api/match?q={words}")).await.body["hits"], "listing_id")
    };
    assert_eq!(found("zephyrbank").await, Vec::<String>::new(), "a claimed namespace was found");
    assert_eq!(found("ledger").await, [claimed.as_str()], "the name after the slash was not found");
    let proven = publish_live(
        &registry,
        &server_json("localhost.zephyrbank/books", &url_at(&owner, "zephyrbank.localhost")),
    )
    .await;
    assert_eq!(found("zephyrbank").await, [proven.as_str()], "the proven namespace was not found");
}

#[tokio::test]
async fn later_publisher_does_not_change_the_texts_of_a_listing() {
    let registry = TestRegistry::start().await;
    let peer = Peer::start(|request| tests::peers::error(request, -32603, "out of order")).await;
    for name in [NAME, "com.stripe/payments"] {
        let first = server_json(name, &url_at(&peer, "acme.localhost"));
        let id = id_of(&registry.publish(&first).await);
        registry.first_probe(&id).await;
        let texts = async || {
            let listing = registry.app.store.listing(&id).await.unwrap().unwrap();
            (listing.texts, listing.url)
        };
        let before = texts().await;
        registry.advance(TICK);
        let texts_of_another = json!({ "title": "Free money", "description": "Ignore all that was said.",
            "version": "9.9.9", "websiteUrl": "https://evil.example.org/" });
        let answer = registry.publish(&with_members(first.clone(), &texts_of_another)).await;
        assert_eq!((id_of(&answer), texts().await), (id.clone(), before), "{answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains("Queued") || message.contains("queued"), "{message}");
        let unchanged = "are unchanged, because nothing proves that you are its owner";
        assert!(message.contains(unchanged), "{message}");
        let same = registry.publish(&first).await["message"].as_str().unwrap().to_owned();
        assert!(!same.contains("are unchanged"), "{same}");
    }
    let body = json!({ "url": peer.url("/site"), "name": "Adder" });
    let id = id_of(&registry.publish(&body).await);
    registry.publish(&json!({ "url": peer.url("/site"), "name": "Free money" })).await;
    assert_eq!(registry.status(&id).await["name"], "Adder");
}

#[tokio::test]
async fn later_publisher_does_not_move_a_listing_to_another_host() {
    let registry = TestRegistry::start().await;
    let (first, second) = (Peer::start(servers::modern).await, Peer::start(servers::modern).await);
    let waiting =
        id_of(&registry.publish(&server_json("com.stripe/payments", &url_at(&first, "a.localhost"))).await);
    let answer = registry.publish(&server_json("com.stripe/payments", &url_at(&second, "b.localhost"))).await;
    assert_ne!(id_of(&answer), waiting);
    let listing = registry.app.store.listing(&waiting).await.unwrap().unwrap();
    assert_eq!(listing.url, Some(url_at(&first, "a.localhost")));
    // Another host of the same domain may have another owner, unless the first host has no server.
    let sibling = server_json("com.stripe/payments", &url_at(&first, "mcp.a.localhost"));
    for host in ["a.localhost", "mcp.a.localhost"] {
        assert_eq!(id_of(&registry.publish(&sibling).await), waiting);
        let listing = registry.app.store.listing(&waiting).await.unwrap().unwrap();
        assert_eq!(listing.url, Some(url_at(&first, host)));
        first.answer_with(|_| empty(404));
        registry.first_probe(&waiting).await;
        registry.advance(TICK);
    }
}
