//! Tests `match_capability`: it finds listings for a request in plain words. For each hit, it returns the
//! reasons why the listing matches.

use tests::prelude::*;

use crate::fixtures::{LivePair, live_pair, live_pair_with};

/// The searches are of strangers, for whom no listing here is of use; and the registry's own listings are no hits of them.
#[tokio::test]
async fn search_without_a_match_says_so_everywhere() {
    let options = TestOptions::default().with_setting("LIST_ITSELF", "on");
    let LivePair { registry, agent, server, .. } = &live_pair_with(options).await;
    registry.tick().await;
    assert_eq!(registry.delivered_counts().await, (2, 2));
    let says_so = |text: &str| {
        ["No sure match", "No Live listing matches", "No results."].iter().any(|words| text.contains(words))
    };
    let mut shown = 0;
    for words in [
        "youtube transcript",
        "insurance agency agent",
        "who owns this phone number",
        "check whether a drug interacts with another one",
        "an agent that reviews my code",
        "manage Docker containers",
        "turn the lights off in my living room",
        "odds for the football match on Saturday",
        "what do the planets say about my birthday",
        "send a message to a Slack channel",
        "cheapest way to get to Tokyo by plane",
    ] {
        let query = words.replace(' ', "+");
        let rest = registry.get(&format!("/api/match?q={query}")).await.body;
        let is_empty = rest["hits"] == json!([]);
        let one = registry.get(&format!("/api/match?q={query}&limit=1")).await.body;
        assert_eq!((&one["total"], one["hits"] == json!([])), (&rest["total"], is_empty), "{words}: {one}");
        let others = [agent, server].map(|id| json!(id));
        let is_other = |hit: &Value| others.contains(&hit["listing_id"]);
        assert!(rest["hits"].as_array().unwrap().iter().all(is_other), "{words}: {rest}");
        for answer in [
            &rest,
            &registry.get(&format!("/api/ard/search?q={query}")).await.body,
            &registry.call_tool("match_capability", &json!({ "q": words })).await,
            &registry.call_tool("interop_resolve", &json!({ "q": words })).await,
        ] {
            assert_eq!(answer["nearest_only"] == true, !is_empty, "{words}: {answer}");
            assert!(is_empty || says_so(answer["note"].as_str().unwrap()), "{words}: {answer}");
        }
        let agents = registry.get(&format!("/api/match?q={query}&kind=agent")).await.body;
        let directory = registry.get(&format!("/agents/search?q={query}")).await.body;
        let is_sure = agents["hits"] != json!([]) && agents["nearest_only"] != true;
        assert_eq!(directory["note"].is_null(), is_sure, "{words}: {directory}");
        let call = json!({ "data": { "operation": "match_capability", "arguments": { "q": words } } });
        let reply = registry.send_message(&call).await;
        assert!(says_so(reply[0]["text"].as_str().unwrap()), "{words}: {reply}");
        let page = registry.get(&format!("/list?q={query}")).await.body;
        assert!(says_so(page.as_str().unwrap()), "{words}: {page}");
        shown += usize::from(!is_empty);
    }
    assert!(shown > 0, "no search has nearest listings");
    for (words, id) in [("weather forecast for tomorrow", agent), ("add two numbers", server)] {
        let found = registry.get(&format!("/api/match?q={}", words.replace(' ', "+"))).await.body;
        assert_eq!((&found["hits"][0]["listing_id"], &found["nearest_only"]), (&json!(id), &Value::Null));
    }
    let own = registry.get("/api/match?q=registry+of+MCP+servers").await.body;
    assert_eq!(own["hits"][0]["name"], registry.app.settings.brand, "{own}");
    let strange = registry.get("/api/match?q=MCP+server+for+weather+forecasts&kind=mcp").await.body;
    let hits = strange["hits"].as_array().unwrap();
    assert!(hits.iter().all(|hit| hit["name"] != registry.app.settings.brand), "{strange}");
    let named = registry.call_tool("interop_resolve", &json!({ "skill": "score-free" })).await;
    assert_eq!(named["invocations"][0]["name"], registry.app.settings.brand, "{named}");
}

#[tokio::test]
async fn hit_contains_reasons_for_the_match_and_an_endpoint() {
    let LivePair { registry, agent, peers, .. } = live_pair().await;
    let first =
        async |query: &str| registry.get(&format!("/api/match?q={query}")).await.ok()["hits"][0].clone();
    let hit = first("weather&kind=agent").await;
    let demo = registry.url(&format!("/api/products/demo?listing_id={agent}"));
    let place = json!({ "url": peers[0].card(), "endpoint": peers[0].url("/rpc"), "take_demo_get": demo });
    assert_members(&hit, &place);
    let mut reasons = hit["match_reasons"].as_array().unwrap().iter();
    assert!(reasons.all(|reason| !reason.as_str().unwrap().is_empty()));
    assert_eq!(first("weather&kind=mcp").await, Value::Null);

    let everyday = first("do+i+need+an+umbrella+tomorrow").await;
    assert_eq!(everyday["listing_id"], json!(agent), "a request without words of the listing");
    assert_contains(&everyday["match_reasons"].to_string(), &["mentions “weather”, “forecast”"]);
    let polite = first("to+get+the+weather").await["match_reasons"].to_string();
    let names = |word: &str| polite.contains(word);
    assert!(names("“weather”") && !names("“to”") && !names("“the”"), "{polite}");
}

#[tokio::test]
async fn first_of_equal_hits_does_not_depend_on_the_limit() {
    let LivePair { registry, .. } = live_pair().await;
    let fleet = Peer::start(agents::fleet).await;
    registry.live_agents(&fleet, 0..4).await;
    registry.index().await;
    let find = async |limit: usize| {
        let found =
            registry.get(&format!("/api/match?q=add+two+numbers&kind=agent&limit={limit}")).await.ok();
        found["hits"].as_array().unwrap().clone()
    };
    let hits = find(12).await;
    let equal: Vec<&Value> = hits.iter().filter(|hit| hit["score"] == hits[0]["score"]).collect();
    assert!(equal.len() > 1, "no equal scores: {hits:?}");
    let last = &equal[equal.len() - 1]["listing_id"];
    registry.call_tool("endorse", &json!({ "listing_id": last })).await;
    registry.settle();
    for limit in [1, 2, 12] {
        let hits = find(limit).await;
        assert!(&hits[0]["listing_id"] == last && hits.len() <= limit, "limit {limit}: {hits:?}");
    }
}

#[tokio::test]
async fn empty_or_invalid_query_is_refused() {
    let LivePair { registry, .. } = live_pair().await;
    for path in ["/api/match", "/api/match?q=", "/api/match?q=%20%07"] {
        registry.get(path).await.assert_invalid("q");
    }
}
