//! Tests `match_capability`: it finds listings for a request in plain words. For each hit, it returns the
//! reasons why the listing matches.

use serde_json::json;

use crate::fixtures::{LivePair, live_pair};

#[tokio::test]
async fn random_letters_find_nothing() {
    let LivePair { registry, .. } = live_pair().await;
    for words in ["asdfqwerzxcv", "qwertzuiop+xkcdzzqj"] {
        let reply = registry.get(&format!("/api/match?q={words}")).await;
        assert_eq!(reply.body["hits"], json!([]), "{words}: {reply:?}");
    }
}

#[tokio::test]
async fn hit_contains_reasons_for_the_match_and_an_endpoint() {
    let LivePair { registry, agent, peers, .. } = live_pair().await;
    let hit = registry.get("/api/match?q=weather&kind=agent").await.body["hits"][0].clone();
    assert_eq!((&hit["url"], &hit["endpoint"]), (&json!(peers[0].card()), &json!(peers[0].url("/rpc"))));
    assert!(
        hit["match_reasons"].as_array().unwrap().iter().all(|reason| !reason.as_str().unwrap().is_empty())
    );
    assert_eq!(hit["take_demo_get"], registry.url(&format!("/api/products/demo?listing_id={agent}")));
    assert_eq!(registry.get("/api/match?q=weather&kind=mcp").await.body["hits"], json!([]));

    let everyday = registry.get("/api/match?q=do+i+need+an+umbrella+tomorrow").await.body["hits"][0].clone();
    assert_eq!(
        everyday["listing_id"],
        json!(agent),
        "a request without words of the listing did not find it"
    );
    let reasons = everyday["match_reasons"].to_string();
    assert!(reasons.contains("mentions “weather”, “forecast”"), "{reasons}");
}

#[tokio::test]
async fn empty_or_invalid_query_is_refused() {
    let LivePair { registry, .. } = live_pair().await;
    for path in ["/api/match", "/api/match?q=", "/api/match?q=%20%07"] {
        let refused = registry.get(path).await;
        refused.assert_problem();
        assert_eq!((refused.status, &refused.body["field"]), (422, &json!("q")), "{path}");
    }
    for query in ["limit=0", "limit=101", "limit=many", "kind=robot", "category=nonsense"] {
        let refused = registry.get(&format!("/api/match?q=x&{query}")).await;
        refused.assert_problem();
        assert_eq!(refused.status, 422, "{query}");
    }
}
