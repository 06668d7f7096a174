//! Tests `take_demo`: the contents of a demo, and the ways to name the listing in a request. If a demo is
//! taken again, the order is the same.

use insta::assert_snapshot;
use registry::model::LimitedAction;
use tests::prelude::*;

use crate::fixtures::{
    live_agent, live_agent_with, live_pair, members, queued_agent, refused_bodies, server_json, shown,
};

const DEMO: &str = "/api/products/demo";

fn order(answer: &Value) -> &str {
    answer["order_id"].as_str().unwrap()
}

#[tokio::test]
async fn demo_is_made_from_the_listing_and_links_to_feedback() {
    let (registry, _peer, id) = live_agent().await;
    let reply = registry.post(DEMO, &json!({ "listing_id": id })).await;
    let name = registry.status(&id).await["name"].as_str().unwrap().to_owned();
    let artifacts = reply.body["artifacts"].as_array().unwrap();
    assert!(artifacts.iter().any(|file| file["content"].as_str().unwrap().contains(&name)), "{artifacts:?}");

    registry.settle();
    let row = registry.get("/api/listings/active").await.body["agents"][0].clone();
    let answer = reply.ok();
    let names = ["order_id", "listing_id", "kind", "sku", "counted_as_real", "next_steps"];
    let offer = json!([answer["unlock"]["targets"], answer["deal"]["remaining"], answer["next"]["url"]]);
    // The draft must not mention `AGENTS.md`, which the demo may not have.
    let row = members(&row, &["demoed", "feedbacked"]);
    let taken = json!({ "answer": members(&answer, &names), "offer": offer, "row": row });
    assert_snapshot!(shown(&registry, &taken));
    assert!(registry.feed_types().await.contains(&"demo_taken".to_owned()));
}

#[tokio::test]
async fn repeated_demo_of_a_product_is_the_same_order() {
    let pair = live_pair().await;
    let body = json!({ "listing_id": pair.agent });
    let first = pair.registry.post(DEMO, &body).await.body;
    let by_card = pair.registry.post(DEMO, &json!({ "agent_card_url": pair.peers[0].card() })).await.body;
    let by_tool = pair.registry.call_tool("take_demo", &body).await;
    pair.registry.settle();
    let row = pair.registry.get("/api/listings/active").await.body["agents"][0].clone();
    let by_row = pair.registry.post(DEMO, &row["take_demo"]["body"]).await.body;
    assert_eq!((order(&by_row), by_row.get("warnings")), (order(&first), None), "{by_row}");
    assert_eq!((order(&by_card), order(&by_tool)), (order(&first), order(&first)));
    let body = json!({ "listing_id": pair.agent, "sku": "kernel", "goals": "a\nb" });
    let kernel = pair.registry.post(DEMO, &body).await.body;
    assert_ne!(order(&kernel), order(&first));
    let counts = pair.registry.app.store.live().await.unwrap().funnel;
    assert_eq!((counts.demos_agents, counts.demos_mcps), (2, 0));

    // Listings that were published by endpoint or by description can both be named by endpoint.
    let by_url = pair.registry.post(DEMO, &json!({ "mcp_url": pair.peers[1].url("/mcp") })).await;
    assert_eq!((by_url.status, &by_url.body["listing_id"]), (200, &json!(pair.server)));
    let described = server_json("localhost.acme/adder", &pair.peers[1].url("/other"));
    let described = pair.registry.publish(&described).await["listing_id"].clone();
    pair.registry.deliver_events().await;
    let by_url = pair.registry.post(DEMO, &json!({ "mcp_url": pair.peers[1].url("/other") })).await;
    assert_eq!((by_url.status, &by_url.body["listing_id"]), (200, &described), "{by_url:?}");
}

#[tokio::test]
async fn demo_requires_live_listing() {
    let (registry, _peer, id) = queued_agent(agents::only(404)).await;
    for reply in [
        registry.post(DEMO, &json!({ "listing_id": id })).await,
        registry.get(&format!("{DEMO}?listing_id={id}")).await,
    ] {
        reply.assert_problem();
        reply.assert_body(409, &json!({ "code": "not_active", "lane": "queued" }));
    }
    let invalid = [
        json!({ "listing_id": id, "sku": "gold" }),
        json!({}),
        json!({ "agent_card_url": "https://unlisted.example.org/card.json" }),
        json!({ "listing_id": id, "goals": vec!["g"; 13] }),
    ];
    assert_snapshot!(refused_bodies(&registry, DEMO, &json!({}), invalid).await);
}

#[tokio::test]
async fn repeated_demos_do_not_count_for_the_rate_limit() {
    let options = TestOptions::default().with_rate(LimitedAction::Demo, |rate| rate.caller = 2);
    let (registry, _peer, id) = live_agent_with(options).await;
    let demo = async |sku| registry.post(DEMO, &json!({ "listing_id": id, "sku": sku })).await;
    assert_eq!((demo("kernel").await.status, demo("alive").await.status), (200, 200));
    let refused = demo("recursive").await;
    assert_eq!((refused.status, &refused.body["allowance"]), (429, &json!("caller")), "{refused:?}");
    assert_eq!(demo("kernel").await.status, 200, "a repeated demo was refused");
}
