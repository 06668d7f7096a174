//! One endpoint has one listing, however its URL is written: publishing it again answers with the listing that is there.

use axum::response::{IntoResponse as _, Response};
use insta::assert_snapshot;
use registry::operator::takedown;
use tests::peers::domains::Owner;
use tests::prelude::*;

use crate::fixtures::{live_server, members, server_json, shown};

/// An MCP server at `/mcp`, and nothing else.
fn at_mcp(request: &PeerRequest) -> Response {
    if request.path == "/mcp" { servers::modern(request) } else { empty(404) }
}

#[tokio::test]
async fn other_spellings_and_documents_of_a_live_server_lead_to_its_listing() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(at_mcp).await);
    let site = id_of(&registry.publish(&json!({ "url": peer.url("/") })).await);
    registry.deliver_to_live(&site).await;
    for body in [
        json!({ "url": peer.url("/mcp") }),
        json!({ "mcp_url": peer.url("/mcp/") }),
        json!({ "url": peer.url("/mcp?from=readme") }),
        json!({ "url": peer.url("/MCP;a=1") }),
        server_json("org.example/adder", &peer.url("/mcp")),
    ] {
        let answer = registry.publish(&body).await;
        assert_eq!((id_of(&answer), &answer["status"]), (site.clone(), &json!("active")), "{body}: {answer}");
    }
    assert_eq!(registry.status(&site).await["name_standing"]["name"], "org.example/adder");
    let named = registry.get("/api/listings/status?name=org.example/adder").await.ok();
    assert_eq!(named["listing_id"], json!(site), "{named}");
    assert_eq!(registry.live_counts().await, (0, 1));
    let asked = json!({ "text": format!("is {} live?", peer.url("/mcp")) });
    let reply = registry.send_message(&asked).await;
    assert_eq!(reply[1]["data"]["arguments"], json!({ "id": site }), "{reply}");
}

/// `victim.localhost` publishes the key of `Owner::new(1)`, and `evil.localhost` that of `Owner::new(2)`.
async fn with_two_owners() -> (TestRegistry, Peer, Peer) {
    let keys = Peer::start(|request| match request.path.as_str() {
        "/victim.localhost/auth" => Owner::new(1).record().into_response(),
        "/evil.localhost/auth" => Owner::new(2).record().into_response(),
        _ => empty(404),
    })
    .await;
    let registry = TestRegistry::start_with(TestOptions::default().with_domain_proofs(&keys.origin)).await;
    (registry, Peer::start(at_mcp).await, keys)
}

/// A document and a proof of its name are what any sender can bring along for the endpoint of another.
#[tokio::test]
async fn only_the_owner_of_the_host_describes_a_listing_of_its_url() {
    let (victim, evil) = (Owner::new(1), Owner::new(2));
    let (registry, peer, _keys) = with_two_owners().await;
    let url = |path: &str| peer.url(path).replace("127.0.0.1", "victim.localhost");
    let id = id_of(&registry.publish(&json!({ "url": url("/") })).await);
    registry.deliver_events().await;
    let facts = async || {
        registry.advance(TICK);
        registry.index().await;
        let status = registry.status(&id).await;
        let row = registry.get("/api/listings/active").await.body["mcps"][0].clone();
        let mut entry = registry.get("/v0.1/servers").await.body["servers"][0].clone();
        let meta = entry["_meta"]["io.modelcontextprotocol.registry/official"]["status"].clone();
        entry["server"].as_object_mut().unwrap().remove("_meta");
        (status["lane"].clone(), row["name"].clone(), row["website"].clone(), entry["server"].clone(), meta)
    };
    let before = facts().await;
    assert_eq!((&before.0, &before.4), (&json!("active"), &json!("active")));

    let with = json!({ "title": "Mail", "websiteUrl": "https://evil.example.org/login",
        "packages": [{ "registryType": "npm", "identifier": "evil", "version": "1.0.0", "transport": { "type": "stdio" } }] });
    let mut document = with_members(server_json("localhost.evil/mail", &url("/mcp")), &with);
    let elsewhere = json!({ "type": "sse", "url": "https://evil.example.org/sse" });
    document["remotes"].as_array_mut().unwrap().insert(0, elsewhere);
    let official = json!({ "io.modelcontextprotocol.registry/official": { "status": "deprecated" } });
    let answer = registry.publish(&json!({ "server": document, "_meta": official })).await;
    let message = answer["message"].as_str().unwrap();
    assert!(message.contains("It now claims the name that you sent. Its URL and texts"), "{message}");
    assert_eq!(facts().await, before, "a stranger's document");
    let proof = evil.proof(&registry, &document).await;
    let signed = json!({ "server_json": document, "proof": proof, "contact_email": "evil@example.org" });
    assert_eq!(id_of(&registry.publish(&signed).await), id);
    assert_eq!(facts().await, before, "a proof of the stranger's own name");
    let claimed = json!({ "name": "localhost.evil/mail", "standing": "claimed" });
    assert_eq!(registry.status(&id).await["name_standing"], claimed);
    let signals = registry.call_tool("get_reciprocity", &json!({ "id": id })).await["signals"].clone();
    assert_eq!((&signals[3]["id"], &signals[3]["holds"]), (&json!("card"), &json!(false)), "{signals}");
    let contacts = registry.items("CONTACT#").await;
    assert!(contacts.iter().all(|contact| contact["sk"].as_s().unwrap() != "CONTACT#OWNER"), "{contacts:?}");

    document["name"] = json!("localhost.victim/mail");
    assert_eq!(id_of(&victim.publish(&registry, &document).await.ok()), id);
    let (lane, name, website, server, _) = facts().await;
    // Without the remote at another domain.
    let described = json!([lane, name, website, server["name"], server["packages"], server["remotes"]]);
    assert_snapshot!(shown(&registry, &described));
    assert_eq!(registry.status(&id).await["name_standing"]["standing"], "proven");
}

/// A stranger published the endpoint first, under a name of its own.
#[tokio::test]
async fn key_of_the_host_takes_a_listing_back() {
    let (owner, stranger) = (Owner::new(1), Owner::new(2));
    let (registry, peer, _keys) = with_two_owners().await;
    let url = peer.url("/mcp").replace("127.0.0.1", "victim.localhost");
    let foreign = server_json("localhost.evil/mail", &url);
    let id = id_of(&stranger.publish(&registry, &foreign).await.body);
    registry.deliver_to_live(&id).await;
    let standing = async || registry.status(&id).await["name_standing"].clone();
    assert_eq!(standing().await["standing"], "proven");

    let own = with_members(server_json("org.example/mail", &url), &json!({ "version": "2.0.0" }));
    assert_ne!(id_of(&registry.publish(&own).await), id, "a stranger took it");
    assert_eq!(id_of(&owner.publish(&registry, &own).await.ok()), id);
    assert_eq!(standing().await, json!({ "name": "org.example/mail", "standing": "claimed" }));
    assert_eq!(registry.app.store.server_versions(&id).await.unwrap().len(), 1, "versions of another name");
    // The name that its id comes from is as good as any other.
    for document in [&foreign, &own] {
        assert_eq!(id_of(&owner.publish(&registry, document).await.body), id, "{document}");
    }
    assert_ne!(id_of(&stranger.publish(&registry, &foreign).await.body), id);
    assert_eq!((registry.lane(&id).await.as_str(), &standing().await["name"]), ("active", &own["name"]));
}

#[tokio::test]
async fn status_of_a_repeated_endpoint_leads_to_its_listing() {
    let (registry, peer, first) = live_server(at_mcp).await;
    // A score says what publishing would answer: the id of the listing, whether it would be Live, and why not.
    let score = async |path: &str| {
        let score = registry.call_tool("score", &json!({ "url": peer.url(path) })).await;
        (score["listing_id"].clone(), score["would_go_live"] == true, score["reasons"][0]["code"].clone())
    };
    let withdraw = async || takedown::withdraw_by_owner(&registry.app, &first).await.unwrap();
    assert_eq!(score("/").await, (json!(null), false, json!("endpoint_unique")));
    assert_eq!(score("/mcp").await, (json!(first), true, json!(null)));
    let site = id_of(&registry.publish(&json!({ "url": peer.url("/") })).await);
    let status = registry.probed_status(&site).await;
    let leads = json!({ "/reasons/0/code": "endpoint_unique", "/next/arguments/id": first });
    assert_members(&status, &leads);
    // The owner of a withdrawn listing keeps its endpoint from strangers; what the operator withdraws has none.
    assert!(withdraw().await);
    assert_eq!(score("/mcp").await, (json!(first), false, json!("withdrawn")));
    registry.advance(TICK);
    registry.publish(&json!({ "url": peer.url("/") })).await;
    let status = registry.probed_status(&site).await;
    assert_members(&status, &json!({ "lane": "needs_fix", "/next/arguments/id": first }));
    let note = status["next"]["note"].as_str().unwrap();
    assert!(note.ends_with("If it was withdrawn, its status says who can restore it."), "{note}");
    assert!(takedown::restore_by_owner(&registry.app, &first, true).await.unwrap());
    registry.deliver_to_live(&first).await;
    assert!(withdraw().await);
    registry.withdraw(&first, "Spam.").await;
    let next = registry.status(&site).await["next"].clone();
    assert!(next["note"].as_str().unwrap().starts_with("No other listing has this endpoint now."), "{next}");
}

#[tokio::test]
async fn card_of_an_agent_is_forgotten_when_its_site_becomes_a_server() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let id = id_of(&registry.publish(&json!({ "url": peer.url("/") })).await);
    registry.deliver_to_live(&id).await;
    assert_eq!(registry.publish_card(&peer.card()).await, id, "its card leads to another listing");
    peer.answer_with(at_mcp);
    registry.withdraw(&id, "Moved.").await;
    registry.restore_to_live(&id).await;
    let listing = registry.stored(&id).await;
    assert_eq!((listing.kind, listing.card_url), (Some(Kind::Mcp), None));
    let checks = registry.status(&id).await["checks"].to_string();
    assert!(checks.contains("https") && !checks.contains("agent-card"), "{checks}");
}

#[tokio::test]
async fn next_step_of_a_server_does_not_lead_to_the_agent_of_its_site() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::newest).await);
    let body = json!({ "mcp_url": peer.url("/api/v1") });
    let id = id_of(&registry.publish(&body).await);
    for _ in 0..2 {
        let status = registry.probed_status(&id).await;
        assert_members(&status, &json!({ "lane": "needs_fix", "kind": "mcp", "/next/body": body }));
        registry.advance(TICK);
        registry.publish(&status["next"]["body"]).await;
    }
}

#[tokio::test]
async fn mistyped_path_gets_the_url_that_works() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(at_mcp).await);
    for body in [json!({ "url": peer.url("/mpc") }), json!({ "mcp_url": peer.url("/api/mcp") })] {
        let id = id_of(&registry.publish(&body).await);
        let status = registry.probed_status(&id).await;
        // Nothing can be fixed at that path.
        let found = members(&status, &["lane", "reasons", "next"]);
        assert_snapshot!("endpoint_of_a_mistyped_path", shown(&registry, &found));
        assert!(peer.requests().len() <= 12, "two more for the advice: {:?}", peer.request_names());
        peer.forget_requests();
    }
    peer.answer_with(
        |request| if request.path == "/a/b/mcp" { servers::modern(request) } else { empty(404) },
    );
    let id = id_of(&registry.publish(&json!({ "url": peer.url("/a/b/mpc") })).await);
    let status = registry.probed_status(&id).await;
    assert_contains(&status["reasons"][0]["fix"].to_string(), &[&peer.url("/a/b/mcp")]);
    assert_eq!(status["next"]["body"], json!({ "url": peer.url("/a/b/mcp") }));
}
