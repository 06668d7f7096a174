//! Tests the replies of the funnel. Each reply contains the complete next call, for every protocol. A secret
//! that is shown only once is not stored.

use registry::operations;
use serde_json::{Value, json};
use tests::peers::{Peer, agents};
use tests::test_registry::TestRegistry;

use crate::fixtures::live_agent;

/// The arguments of a step: the body of a POST, or the arguments that match the query of a GET.
fn arguments(step: &Value) -> Value {
    step.get("body").unwrap_or(&step["arguments"]).clone()
}

async fn over_http(registry: &TestRegistry, step: &Value) -> Value {
    let path = step["url"].as_str().unwrap().strip_prefix(&registry.url("")).unwrap().to_owned();
    let reply = match step["method"].as_str().unwrap() {
        "POST" => registry.post(&path, &step["body"]).await,
        _ => registry.get(&path).await,
    };
    assert_eq!(reply.status, 200, "{step}: {reply:?}");
    reply.body
}

/// Sends a message with this part over A2A and returns the parts of the reply.
async fn over_a2a(registry: &TestRegistry, part: Value) -> Value {
    let message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [part] });
    let params = json!({ "message": message });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params });
    let result = registry.post("/api/a2a", &call).await.body["result"].clone();
    let parts = result["message"].get("parts").unwrap_or(&result["task"]["artifacts"][0]["parts"]).clone();
    assert_eq!(parts[1]["data"]["ok"], true, "{result}");
    parts
}

#[tokio::test]
async fn client_that_follows_next_gets_its_product_over_http_and_mcp() {
    for by_tool in [false, true] {
        let (registry, _peer, id) = live_agent().await;
        let mut step = registry.status(&id).await["next"].clone();
        let mut steps = Vec::new();
        while step.is_object() {
            let tool = step["tool"].as_str().unwrap().to_owned();
            assert!(operations::named(&tool).is_some(), "{step}");
            let answer = if by_tool {
                registry.call_tool(&tool, &arguments(&step)).await
            } else {
                over_http(&registry, &step).await
            };
            steps.push(tool);
            step = answer["next"].clone();
        }
        assert_eq!(steps, ["take_demo", "leave_feedback", "get_access", "export_product"]);
        assert_eq!(registry.status(&id).await["next"]["action"], "talk_inbox");
    }
}

#[tokio::test]
async fn demo_after_an_invitation_leads_to_the_token_that_confirms_it() {
    let (registry, _peer, id) = live_agent().await;
    let demo =
        registry.post("/api/products/demo", &json!({ "listing_id": id, "source": "invitation" })).await.body;
    assert_eq!(demo["next"]["action"], "leave_feedback");
    assert!(over_http(&registry, &demo["next"]).await["access_token"].is_string());
}

#[tokio::test]
async fn client_that_follows_next_in_a2a_data_or_text_gets_its_product() {
    for as_text in [false, true] {
        let (registry, _peer, id) = live_agent().await;
        let mut part = json!({ "text": format!("is {id} live?") });
        let mut token = None;
        let mut steps = Vec::new();
        loop {
            let parts = over_a2a(&registry, part).await;
            let data = &parts[1]["data"];
            steps.push(data["operation"].as_str().unwrap().to_owned());
            token = data["result"]["access_token"].as_str().map(str::to_owned).or(token);
            if data.get("next").is_none() {
                break;
            }
            let text = parts[0]["text"].as_str().unwrap();
            let reply = text.rsplit_once(" Say: ").map(|(_, reply)| reply.trim_matches('"'));
            let reply = reply.or_else(|| text.rsplit_once(" Send: ").map(|(_, reply)| reply));
            part = if as_text { json!({ "text": reply.unwrap() }) } else { json!({ "data": data["next"] }) };
        }
        assert_eq!(steps, ["check_status", "take_demo", "leave_feedback", "get_access", "export_product"]);

        let stored = registry.table().await;
        let tasks = stored.items_under("TASK");
        assert!(!tasks.is_empty());
        let text = tasks.iter().map(|task| task.to_string()).collect::<String>();
        assert!(!text.contains(&token.unwrap()), "a token must not be stored");
        assert!(text.contains("(not stored)"));
    }
}

#[tokio::test]
async fn next_call_of_a_failed_listing_publishes_it_again() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::only(404)).await);
    let answer = registry.publish(&json!({ "url": peer.card() })).await;
    assert_eq!((&answer["next"]["tool"], &answer["next"]["wait_s"]), (&json!("check_status"), &json!(2)));
    let queued = over_http(&registry, &answer["next"]).await;
    assert_eq!((&queued["next"]["action"], &queued["next"]["wait_s"]), (&json!("poll"), &json!(2)));
    registry.deliver_events().await;
    let failed = over_http(&registry, &queued["next"]).await;
    assert_eq!(failed["next"]["action"], "fix_and_publish_again");
    let again = over_http(&registry, &failed["next"]).await;
    assert_eq!(again["listing_id"], answer["listing_id"]);
}
