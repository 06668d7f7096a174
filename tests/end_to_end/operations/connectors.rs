//! Tests `daily_connector` and `list_connectors` (connectors are listings that connect other listings). The first
//! returns the connector of the day in the format of the specification. The second returns the list of all connectors.

use axum::response::Response;
use insta::assert_snapshot;
use tests::prelude::*;

use crate::fixtures::{live_agent, members, shown};

const DAILY: &str = "/api/products/connectors/daily";

/// An agent that looks like a connector, by its name and description.
fn hub(request: &PeerRequest) -> Response {
    let mut card = agents::card(request, "Grand Agent Registry");
    card["description"] = json!("Orchestrates agents: a gateway and marketplace for A2A and MCP.");
    agents::with_card(request, &card)
}

async fn registry_with_hub() -> (TestRegistry, Peer, Value) {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(hub).await);
    let id = registry.live_card(&peer.card()).await;
    registry.index().await;
    (registry, peer, json!(id))
}

#[tokio::test]
async fn daily_pick_contains_a_partner_its_traits_and_a_draft_message() {
    let (registry, _peer, _) = registry_with_hub().await;
    let reply = registry.get(DAILY).await.ok();
    // 14 for the name, 8 for each of three roles in the description, 6 for both protocols; its category may add more.
    assert!(reply["today"]["connector_likeness"].as_u64().unwrap() >= 14 + 24 + 6, "{reply}");
    let names = ["day", "partner", "connector_likeness", "traits", "action"];
    assert_snapshot!(shown(&registry, &members(&reply["today"], &names)));
}

#[tokio::test]
async fn day_without_a_chosen_connector_is_a_research_day() {
    let (registry, _peer, _) = live_agent().await;
    registry.index().await;
    let today = registry.get(DAILY).await.body["today"].clone();
    assert_snapshot!(shown(&registry, &today));
    let report = registry.reach_out().await;
    assert_eq!((&report["connector"], &report["connector_touched"]), (&json!(null), &json!(false)));
    assert_eq!(registry.get(DAILY).await.body["history"], json!([]), "today is no earlier day");
    let peer = Peer::start(hub).await;
    let id = registry.live_card(&peer.card()).await;
    registry.index().await;
    let today = registry.get(DAILY).await.body["today"].clone();
    assert_eq!(today["partner"]["id"], json!(id), "a connector that goes Live later is picked");
    assert_eq!(registry.get(DAILY).await.body["today"], today);
}

#[tokio::test]
async fn registry_does_not_pick_itself() {
    let registry = TestRegistry::start_with_setting("LIST_ITSELF", "on").await;
    registry.deliver_events().await;
    registry.tick().await;
    assert_eq!(registry.delivered_counts().await, (1, 1), "the registry's own listings are not Live");
    assert_eq!(registry.get(DAILY).await.body["today"]["partner"], json!(null));
    assert_eq!(registry.reach_out().await["invited"], 0);
}

#[tokio::test]
async fn daily_response_has_the_specified_fields() {
    let (registry, _peer, _) = registry_with_hub().await;
    registry.reach_out().await;
    let body = registry.get(DAILY).await.body;
    let thresholds = &body["playbook"]["quality_over_quota"];
    let specified =
        json!({ "thresholds": thresholds, "automation": body["automation"], "prep": body["prep"] });
    assert_snapshot!(shown(&registry, &specified));
    let touched_at = json!(registry.now());
    assert_eq!((&body["history"], &body["updated_at"]), (&json!([]), &touched_at));
    registry.advance(DAY);
    let history = registry.get(DAILY).await.body["history"].clone();
    assert_eq!((&history[0]["status"], &history[0]["prepped_at"]), (&json!("touched"), &touched_at));
}

#[tokio::test]
async fn connectors_are_listed_with_their_scores() {
    let (registry, _peer, id) = registry_with_hub().await;
    let list = async || registry.get("/api/products/connectors").await.body;
    let before = list().await;
    let first = &before["live_candidates"][0];
    assert_eq!((&first["id"], &first["may_be_picked"]), (&id, &json!(true)), "{before}");
    assert!(first["live_score"].as_u64().unwrap() >= 5, "{first}");
    assert_eq!(before["partners"], json!([]));
    registry.get(DAILY).await;
    let picked = list().await["live_candidates"][0]["may_be_picked"].clone();
    assert_eq!(picked, false, "the pick of today may be picked again");
    registry.reach_out().await;
    let after = list().await;
    assert_eq!((&after["partners"][0]["id"], &after["partners"][0]["day"]), (&id, &json!("2026-11-20")));
    assert_eq!(after["live_candidates"][0]["may_be_picked"], false, "an invited one may be picked again");
    let pack = &after["agent_onboarding_pack"];
    for link in ["search", "match_url", "active", "discovery"] {
        let url = pack[link].as_str().unwrap();
        let path = url.strip_prefix(&registry.url("")).unwrap();
        let path = if link == "match_url" { format!("{path}?q=agents") } else { path.to_owned() };
        assert_eq!(registry.get(&path).await.status, 200, "{url}");
    }
}
