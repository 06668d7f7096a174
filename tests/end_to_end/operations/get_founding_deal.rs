//! Tests `get_founding_deal`: the founding offer, its seats, and the steps to get a seat.

use tests::prelude::*;

use crate::fixtures::live_agent;

#[tokio::test]
async fn settings_define_the_number_of_seats() {
    let options = TestOptions::default()
        .with(|settings| settings.founding_seats = 7)
        .with(|settings| settings.payments_open_after = 9);
    let registry = TestRegistry::start_with(options).await;
    let answer = registry.call_tool("get_founding_deal", &json!({})).await;
    assert_eq!((&answer["deal"]["seats"], &answer["deal"]["remaining"]), (&json!(7), &json!(7)));
    assert_eq!(answer["deal"]["short"], "7 of 7 founding seats left");
    let buy = answer["stages"][5]["agent_action"].as_str().unwrap();
    assert!(buy.contains("when 9 agents") && buy.contains("/api/products/checkout"), "{buy}");
}

#[tokio::test]
async fn founding_deal_is_the_same_as_in_the_active_list() {
    let (registry, _peer, _) = live_agent().await;
    let answer = registry.call_tool("get_founding_deal", &json!({})).await;
    let list = registry.get("/api/listings/active").await.body;
    assert_eq!((&answer["deal"], &answer["stages"]), (&list["deal"], &list["stages"]));
    assert_eq!(answer["deal"]["short"], list["agents"][0]["take_demo"]["deal"]["short"]);
}
