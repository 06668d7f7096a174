//! Tests a change of the log's key. Clients that know only the old key verify the log until the operator retires it.

use registry::model::LogEvent;
use signed_note::{Note, StandardVerifier, Verifier, VerifierList};
use tests::prelude::*;

use super::evidence_log::{checkpoint, leaves};

pub(super) fn verifies(checkpoint: &str, vkey: &str) -> bool {
    let verifier: Box<dyn Verifier> = Box::new(StandardVerifier::new(vkey).unwrap());
    Note::from_bytes(checkpoint.as_bytes()).unwrap().verify(&VerifierList::new(vec![verifier])).is_ok()
}

async fn request(registry: &TestRegistry, step: &str) -> Result<Value, String> {
    let command = json!({ "command": "change_log_key", "step": step });
    ::operator::handle(&registry.app, command).await.map_err(|failure| failure.to_string())
}

async fn change(registry: &TestRegistry, step: &str) -> Value {
    request(registry, step).await.unwrap();
    registry.tick_after(TICK).await;
    registry.get("/log").await.body
}

#[tokio::test]
async fn log_key_can_be_replaced_while_old_clients_verify() {
    let (registry, peer) = (TestRegistry::start().await, Peer::start(agents::fleet).await);
    registry.live_card(&peer.url("/1/card.json")).await;
    let mut old = registry.get("/log").await.body["vkey"].as_str().unwrap().to_owned();
    let verified_by = async |keys: [&str; 2]| {
        let signed = checkpoint(&registry).await;
        keys.map(|key| verifies(&signed, key))
    };
    for round in 2..4 {
        for early in ["promote", "retire"] {
            let refused = request(&registry, early).await.unwrap_err();
            assert!(refused.contains("key_step_out_of_order"), "{early}: {refused}");
        }
        let about = change(&registry, "announce").await;
        let next = about["second_key"]["vkey"].as_str().unwrap().to_owned();
        assert_eq!((&about["vkey"], &about["second_key"]["is_previous"]), (&json!(old), &json!(false)));
        assert_ne!(next, old);
        let last = leaves(&registry).await.pop().unwrap();
        let expected = json!(LogEvent::NextKey);
        assert_eq!((&last["event"], &last["vkey"]), (&expected, &json!(next)), "{last}");
        assert_eq!(verified_by([&old, &next]).await, [true, true]);
        // A repeated announcement changes nothing.
        assert_eq!(change(&registry, "announce").await["second_key"]["vkey"], next);

        // New leaves, before and after the next key becomes the first one.
        registry.live_card(&peer.url(&format!("/{round}/card.json"))).await;
        assert_eq!(verified_by([&old, &next]).await, [true, true]);
        let about = change(&registry, "promote").await;
        assert_eq!((&about["vkey"], &about["second_key"]["vkey"]), (&json!(next), &json!(old)));
        assert_eq!(verified_by([&old, &next]).await, [true, true]);
        let refused = request(&registry, "announce").await.unwrap_err();
        assert!(refused.contains("Retire it"), "{refused}");

        let about = change(&registry, "retire").await;
        assert_eq!((&about["vkey"], about.get("second_key")), (&json!(next), None));
        assert_eq!(verified_by([&old, &next]).await, [false, true]);
        let stored = json!(registry.table().await.items_under("KEY#LOG")).to_string();
        assert!(!stored.contains(&old), "the retired key is still stored");
        let announced = leaves(&registry).await;
        let announced = announced.iter().filter(|leaf| leaf["event"] == expected).count();
        assert_eq!(announced, round - 1, "each key is announced once");
        old = next;
    }
}
