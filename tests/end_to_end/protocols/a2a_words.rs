//! Tests the texts of A2A replies to messages in plain words: each contains the fact that the message asks for, and each reply
//! is short.

use registry::features::CATALOGUE;
use tests::prelude::*;

use crate::fixtures::live_agent;

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
    for (text, operation, fact) in [
        ("how many seats are left?", "get_founding_deal", "Founding seats left: 100 of 100; taken: 0."),
        ("who can help me add two numbers?", "match_capability", "\"Adder\""),
        ("which agents are live?", "search_active", "1 agent and 0 MCP servers are Live"),
        (
            "is {id} alive?",
            "check_liveness",
            "is active (Live). It last passed a probe less than 10 minutes ago, at 2026",
        ),
        ("what is the status of {id}?", "check_status", "is active (Live)"),
        ("which protocol version does {id} speak?", "check_status", "with protocol version 1.0"),
        ("¿hay algún agente que pueda sumar números?", "match_capability", "\"Adder\""),
        ("is {id} clean?", "probe_clean", "https"),
        ("is \"Adder\" clean?", "probe_clean", "https"),
        ("is \"Blue Heron\" clean?", "probe_clean", "Which listing?"),
        ("how do I call {id}?", "interop_resolve", "/rpc"),
        ("reciprocity of {id}", "get_reciprocity", "reciprocity score of"),
        ("any mail for {id}?", "talk_inbox", "has "),
        ("I endorse {id}, it answers fast", "endorse", "is stored and counts"),
        ("unsubscribe {id}", "outreach_opt_out", "gets no more invitations"),
        ("note that {id} worked and took 120 ms", "deposit_outcome", "a quality of 0.7 and 120 ms"),
        ("warn others about {id}: it is slow", "leave_trace", "is stored and counts"),
        ("what do others say about {id}?", "sense_traces", "has attraction"),
        ("attest {id}", "attest", "The registry signed the liveness statement att_"),
        ("which attestations does {id} have?", "attestations", "unexpired signed statements"),
        ("capability hash of {id}", "capability_hash", "cap_"),
        ("which peers work well with {id}?", "compose_peers", "used with it 0, "),
        ("take the demo for {id}", "take_demo", "Files: "),
        ("take demo", "product_agent", "call take_demo with its listing_id"),
        ("what do the products cost?", "preview_product", "$"),
        ("what does a call cost?", "cost_model", "US dollars"),
        ("what is the network value?", "network_value", "The network value is "),
        ("what is the acceleration index?", "get_acceleration", "The acceleration index is 1"),
        ("which other registries do you read?", "federation", "that this registry reads: 0."),
        ("report {id} to the operator: it is spam", "report_listing", "The report rep_"),
        ("show me the hottest listings", "follow_trail", "\"Adder\""),
        ("who owns {id}?", "check_status", "Proven domain of its owner: none, so who owns it is not known."),
        ("since when is {id} live?", "check_status", "Last decision: `live` at 20"),
        (
            "how fast does {id} answer, is it still alive?",
            "check_liveness",
            "Half of its last handshakes took at most ",
        ),
        ("what is the address of your A2A endpoint?", "agentfinder", "/api/a2a ."),
        ("I'd like to buy Alive", "checkout", "Payments open when 250 agents"),
        ("how many servers are live?", "search_active", "other states are not counted"),
    ] {
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
        let (answer, data) = reply(&registry, text).await;
        assert_eq!(
            (&data["operation"], &data["executed"]),
            (&json!(operation), &json!(executed)),
            "{answer}"
        );
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
