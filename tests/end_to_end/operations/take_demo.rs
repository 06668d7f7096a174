//! Tests `take_demo`: the contents of a demo, and the ways to name the listing in a request. If a demo is
//! taken again, the order is the same.

use insta::assert_snapshot;
use registry::model::LimitedAction;
use tests::prelude::*;

use crate::fixtures::{
    LivePair, live_agent, live_agent_with, live_pair, members, queued_agent, refused_bodies, server_json,
    shown, values_of,
};

const DEMO: &str = "/api/products/demo";

#[tokio::test]
async fn demo_is_made_from_the_listing_and_links_to_feedback() {
    let (registry, _peer, id) = live_agent().await;
    let answer = registry.demo(&id).await;
    let name = registry.status(&id).await["name"].as_str().unwrap().to_owned();
    let contents = values_of(&answer["artifacts"], "content");
    assert!(contents.iter().any(|content| content.contains(&name)), "{contents:?}");
    let row = registry.first_row("agents").await;
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
    let LivePair { registry, agent, server, peers } = live_pair().await;
    let demo = async |body: Value| registry.post(DEMO, &body).await.ok();
    let first = demo(json!({ "listing_id": agent })).await["order_id"].clone();
    let of_row = registry.first_row("agents").await["take_demo"]["body"].clone();
    for body in [json!({ "agent_card_url": peers[0].card() }), of_row] {
        assert_members(&demo(body).await, &json!({ "order_id": first, "warnings": null }));
    }
    let kernel = demo(json!({ "listing_id": agent, "sku": "kernel", "goals": "a\nb" })).await;
    assert_ne!(kernel["order_id"], first);
    let counts = registry.app.store.live().await.unwrap().funnel;
    assert_eq!((counts.demos_agents, counts.demos_mcps), (2, 0));

    // Listings that were published by endpoint or by description can both be named by endpoint.
    let described = server_json("localhost.acme/adder", &peers[1].url("/other"));
    let described = id_of(&registry.publish(&described).await);
    registry.deliver_events().await;
    for (path, id) in [("/mcp", server), ("/other", described)] {
        assert_eq!(id_of(&demo(json!({ "mcp_url": peers[1].url(path) })).await), id);
    }
}

#[tokio::test]
async fn demo_requires_live_listing() {
    let (registry, _peer, id) = queued_agent(agents::only(404)).await;
    let by_query = registry.get(&format!("{DEMO}?listing_id={id}")).await;
    by_query.assert_body(409, &json!({ "code": "not_active", "lane": "queued" }));
    let invalid = [
        json!({ "listing_id": id }),
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
    refused.assert_body(429, &json!({ "allowance": "caller" }));
    assert_eq!(demo("kernel").await.status, 200, "a repeated demo was refused");
}
