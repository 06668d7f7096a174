//! Tests the texts of A2A replies to messages in plain words: each contains the fact that the message asks for, and each reply
//! is short.

use registry::features::CATALOGUE;
use tests::prelude::*;

use crate::fixtures::live_agent;

/// Messages in plain words, each with the operation that answers it and a fact that the answer contains.
const FACTS: &str = include_str!("../../harness/fixtures/a2a-facts.tsv");

/// The largest reply to plain words, text and data together.
const MAX_REPLY: usize = 8 * 1024;

/// The text and the data of the reply to a message.
async fn reply(registry: &TestRegistry, text: &str) -> (String, Value) {
    let parts = registry.send_message(&json!({ "text": text })).await;
    let text_of_reply = parts[0]["text"].as_str().unwrap_or_else(|| panic!("{text}: {parts}")).to_owned();
    let size = parts.to_string().len();
    assert!(size <= MAX_REPLY, "{size} bytes for {text}: {parts}");
    (text_of_reply, parts[1]["data"].clone())
}

#[tokio::test]
async fn text_of_a_reply_contains_the_fact_that_was_asked_for() {
    let (registry, _peer, id) = live_agent().await;
    registry.index().await;
    for line in FACTS.lines() {
        let [text, operation, fact] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let (answer, data) = reply(&registry, &text.replace("{id}", id.as_str())).await;
        assert_eq!(data["operation"], operation, "{text}: {answer}");
        assert!(answer.contains(fact), "{text}: {answer}");
    }
}

#[tokio::test]
async fn words_about_calling_an_agent_contain_a_request_over_rest() {
    let registry = TestRegistry::start().await;
    let peer = Peer::start(|request: &PeerRequest| match request.path.as_str() {
        "/rpc/message:send" => {
            let message =
                json!({ "messageId": "m-1", "role": "ROLE_AGENT", "parts": [{ "text": "I add." }] });
            json_answer(200, &json!({ "message": message }))
        }
        CARD => {
            let url = format!("{}/rpc", request.origin());
            let rest = json!([{ "url": url, "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0" }]);
            agents::newest_with(json!({ "supportedInterfaces": rest }))(request)
        }
        _ => json_answer(404, &json!({})),
    })
    .await;
    let id = registry.live_card(&peer.card()).await;
    let (text, _) = reply(&registry, &format!("how do I call {id}?")).await;
    assert!(text.contains(&peer.url("/rpc/message:send")), "{text}");
}

/// Anybody can give a listing any name.
#[tokio::test]
async fn name_of_a_listing_leads_to_reading_and_changes_no_text() {
    let registry = TestRegistry::start().await;
    let peer = Peer::start(agents::newest_called("Kestrel Zapquar")).await;
    let other = Peer::start(agents::newest_called("Morning Weather")).await;
    let id = registry.publish_card(&peer.card()).await;
    let other_id = registry.publish_card(&other.card()).await;
    registry.deliver_events().await;
    for (text, operation, executed) in [
        ("Is Kestrel Zapquar up at the moment?", "check_liveness", true),
        ("what do others say about Kestrel Zapquar? any warnings?", "sense_traces", true),
        ("I endorse Kestrel Zapquar, it answers fast", "endorse", false),
        ("Kestrel Zapquar failed three times today with a timeout", "deposit_outcome", false),
        ("recommend an agent for Kestrel Zapquar", "match_capability", true),
        ("score https://agent.example.com/Zapquar/card.json", "score", true),
        ("list my agent Kestrel Zapquar: https://agent.example.com/card.json", "list_yourself", true),
    ] {
        let (answer, data) = reply(&registry, text).await;
        assert_eq!(data["operation"], operation, "{text}: {answer}");
        assert_eq!(data["executed"], executed, "{text}: {answer}");
        let names = !["match_capability", "score", "list_yourself"].contains(&operation);
        assert!(!names || answer.contains(id.as_str()), "{text}: {answer}");
        assert!(operation != "score" || !data.to_string().contains(id.as_str()), "{data}");
    }
    // Ordinary words are a name where the message lacks one, and the URL of an endpoint is as certain as an id.
    let withdraw = format!("please take my listing {} down", other.card());
    for (text, operation, executed) in [
        ("is morning weather up now? when did it last answer you", "check_liveness", true),
        (&withdraw, "manage_listing", false),
    ] {
        let (_, data) = reply(&registry, text).await;
        assert_members(&data, &json!({ "operation": operation, "executed": executed }));
        assert!(data.to_string().contains(other_id.as_str()), "{text}: {data}");
    }
}

#[tokio::test]
async fn replies_to_all_phrases_are_short_and_say_more_than_done() {
    let (registry, _peer, id) = live_agent().await;
    for entry in CATALOGUE.iter().filter(|entry| entry.effect.read_only && !entry.effect.open_world) {
        let phrase = entry.phrases().next().unwrap().replacen("{id}", id.as_str(), 1);
        let (text, data) = reply(&registry, &registry::a2a::intent::filled(&phrase)).await;
        assert_eq!(data["operation"], entry.name, "{phrase}: {text}");
        assert!(!text.ends_with(": done."), "{phrase}: {text}");
    }
    for text in ["hello", "thanks!", "https://agent.example.com"] {
        let (text, data) = reply(&registry, text).await;
        assert_eq!(data["executed"], false, "{text}");
    }
}

/// A name that several listings have is told with their ids, and the id completes the request.
#[tokio::test]
async fn name_of_several_listings_is_a_question() {
    let registry = TestRegistry::start().await;
    let peers = [
        Peer::start(agents::newest_called("Twin Zapquar")).await,
        Peer::start(agents::newest_called("Twin Zapquar")).await,
    ];
    let ids = [registry.publish_card(&peers[0].card()).await, registry.publish_card(&peers[1].card()).await];
    registry.deliver_events().await;
    for text in ["Twin Zapquar: is it still up?", "endorse Twin Zapquar", "is \"Twin Zapquar\" clean?"] {
        let parts = registry.send_message(&json!({ "text": text })).await.to_string();
        assert!(parts.contains("Several listings have this name"), "{text}: {parts}");
        assert!(ids.iter().all(|id| parts.contains(id.as_str())), "{text}: {parts}");
    }
}

/// The text states the fault of a listing that is not Live, also if the message names it at the beginning of a sentence.
#[tokio::test]
async fn text_states_the_fault_and_the_next_probe_of_a_named_listing() {
    let registry = TestRegistry::start().await;
    let body = json!({ "url": "http://127.0.0.1:9/.well-known/agent-card.json", "name": "Broken Zapquar" });
    let answer = registry.publish(&body).await;
    let id = answer["listing_id"].as_str().unwrap();
    registry.deliver_events().await;
    for text in ["Broken Zapquar is not live, why?", "What's the matter with Broken Zapquar's card?"] {
        let (answer, data) = reply(&registry, text).await;
        assert_eq!(data["operation"], "check_status", "{text}: {answer}");
        assert!(answer.contains(id), "{text}: {answer}");
        for fact in ["(found: \"", "The next probe is due at ", "Points: handshake 0 of 40", "Uptime"] {
            assert!(answer.contains(fact), "{fact}: {answer}");
        }
    }
}
