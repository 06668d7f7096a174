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
async fn daily_response_contains_a_partner_and_a_draft_message_in_the_specified_fields() {
    let (registry, _peer, _) = registry_with_hub().await;
    let daily = async || registry.get(DAILY).await.ok();
    let picked = daily().await["today"].clone();
    // 14 for the name, 8 for each of three roles in the description, 6 for both protocols; its category may add more.
    assert!(picked["connector_likeness"].as_u64().unwrap() >= 14 + 24 + 6, "{picked}");
    registry.reach_out().await;
    let body = daily().await;
    let today = members(&picked, &["day", "partner", "connector_likeness", "traits", "action"]);
    let specified = members(&body, &["/playbook/quality_over_quota", "automation", "prep", "history"]);
    assert_snapshot!(shown(&registry, &json!({ "today": today, "specified": specified })));
    let touched_at = json!(registry.now());
    assert_eq!(body["updated_at"], touched_at);
    registry.advance(DAY);
    let touched = json!({ "/history/0/status": "touched", "/history/0/prepped_at": touched_at });
    assert_members(&daily().await, &touched);
}

#[tokio::test]
async fn day_without_a_chosen_connector_is_a_research_day() {
    let (registry, _peer, _) = live_agent().await;
    registry.index().await;
    let daily = async || registry.get(DAILY).await.ok();
    assert_snapshot!(shown(&registry, &daily().await["today"]));
    let report = registry.reach_out().await;
    assert_eq!((&report["connector"], &report["connector_touched"]), (&json!(null), &json!(false)));
    assert_eq!(daily().await["history"], json!([]), "today is no earlier day");
    let peer = Peer::start(hub).await;
    let id = registry.live_card(&peer.card()).await;
    registry.index().await;
    let today = daily().await["today"].clone();
    assert_eq!(today["partner"]["id"], json!(id), "a connector that goes Live later is picked");
    assert_eq!(daily().await["today"], today);
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
async fn connectors_are_listed_with_their_scores() {
    let (registry, _peer, id) = registry_with_hub().await;
    let list = async || registry.get("/api/products/connectors").await.ok();
    let before = list().await;
    assert!(before["live_candidates"][0]["live_score"].as_u64().unwrap() >= 5, "{before}");
    let candidate = |may_be_picked: bool| json!({ "/live_candidates/0/id": id, "/live_candidates/0/may_be_picked": may_be_picked });
    assert_members(&before, &with_members(candidate(true), &json!({ "partners": [] })));
    // Neither the pick of today nor an invited listing is picked again.
    registry.get(DAILY).await;
    assert_members(&list().await, &candidate(false));
    registry.reach_out().await;
    let partner = json!({ "/partners/0/id": id, "/partners/0/day": "2026-11-20" });
    let after = list().await;
    assert_members(&after, &with_members(candidate(false), &partner));
    for link in ["search", "match_url", "active", "discovery"] {
        let path = registry.path_of(&after["agent_onboarding_pack"][link]);
        let path = if link == "match_url" { format!("{path}?q=agents") } else { path };
        assert_eq!(registry.get(&path).await.status, 200, "{path}");
    }
}
