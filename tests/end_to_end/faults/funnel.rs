//! Tests the funnel while the table has faults. No more founding seats are given than exist, and no reward is
//! given twice. A lost reward can be issued again.

use std::collections::BTreeSet;

use futures::future::join_all;
use proptest::prelude::*;
use registry::model::Reward;
use tests::fixtures::insert_live_listings;
use tests::prelude::*;

use crate::fixtures::live_agent;

const DEMO: &str = "/api/products/demo";
const FEEDBACK: &str = "/api/products/feedback";
/// More than the attempts of the SDK.
const ALL_ATTEMPTS: usize = 8;

/// Posts until the reply is no longer 503, as a client does that follows `retry-after`.
async fn post(registry: &TestRegistry, path: &str, body: &Value) -> Value {
    for _ in 0..60 {
        let reply = registry.post(path, body).await;
        if reply.status != 503 {
            return reply.body;
        }
    }
    panic!("{path}: still busy after 60 attempts");
}

/// Takes the demo and leaves feedback. If the reply was lost, asks for the reward again.
async fn complete_funnel(registry: &TestRegistry, id: &ListingId) -> Option<String> {
    let mut draft =
        post(registry, DEMO, &json!({ "listing_id": id })).await["next_steps"]["example_body"].clone();
    let mut answer = post(registry, FEEDBACK, &draft).await;
    if answer["code"] == "already_completed" {
        draft["reissue"] = json!(true);
        answer = post(registry, FEEDBACK, &draft).await;
    }
    let reward = answer["access_token"].as_str().or(answer["discount"]["code"].as_str());
    reward.map(str::to_owned)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn seats_are_never_oversold_under_faults(
        listings in 1_usize..8,
        seats in 1_u32..6,
        attempts in 1_usize..4,
        fault in prop::sample::select(vec![Fault::Throttle, Fault::TransactionConflict, Fault::AnswerLost, Fault::Timeout]),
        seed: u64,
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let options = TestOptions::default().with(move |settings| settings.founding_seats = seats);
            let registry = TestRegistry::start_with(options).await;
            let ids = insert_live_listings(&registry.app, Kind::Agent, listings).await;
            registry.observer.faults.arm_by_chance(&["TransactWriteItems"], fault, 150, seed);
            let all = (0..attempts).flat_map(|_| &ids);
            let rewards: Vec<Option<String>> = join_all(all.map(|id| complete_funnel(&registry, id))).await;
            registry.observer.faults.disarm();

            let counts = registry.app.store.live().await.unwrap().funnel;
            let expected = u32::try_from(listings).unwrap();
            assert_eq!((counts.seats_claimed, counts.feedback_agents), (expected.min(seats), expected));
            let mut tokens = 0;
            for id in &ids {
                let completion = registry.app.store.completion(id).await.unwrap().unwrap();
                tokens += u32::from(matches!(completion.reward, Reward::Seat(_)));
            }
            assert_eq!(tokens, counts.seats_claimed, "as many tokens as seats");
            let mut working = 0;
            for token in rewards.iter().flatten().filter(|reward| reward.starts_with("at_")) {
                working += u32::from(registry.get(&format!("/api/products/access?token={token}")).await.status == 200);
            }
            assert_eq!(working, tokens, "a caller received each token, and each token works");
            let distinct: BTreeSet<&String> = rewards.iter().flatten().collect();
            assert_eq!(distinct.len(), rewards.iter().flatten().count(), "no reward was returned twice");
        });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reward_can_be_reissued_if_the_reply_is_lost() {
    let (registry, _peer, id) = live_agent().await;
    let mut draft = registry.draft(&id).await;
    let post = registry.post(FEEDBACK, &draft);
    let lost = registry.with_fault("TransactWriteItems", Fault::AnswerLost, ALL_ATTEMPTS, post).await;
    assert_eq!(lost.status, 503, "{lost:?}");
    registry.post(FEEDBACK, &draft).await.assert_refused(409, "already_completed");

    let mut foreign = draft.clone();
    foreign["reissue"] = json!(true);
    foreign["idempotency_key"] = json!("7c9e6679-7425-40de-944b-e07fc1f90ae7");
    assert_eq!(registry.post(FEEDBACK, &foreign).await.status, 409, "the key of another demo is refused");

    draft["reissue"] = json!(true);
    let mut tokens = Vec::new();
    for _ in 0..2 {
        let answer = registry.post(FEEDBACK, &draft).await.ok();
        assert_eq!(answer["founding_free"]["granted"], true, "{answer}");
        tokens.push(answer["access_token"].as_str().unwrap().to_owned());
    }
    let status =
        async |token: &str| registry.get(&format!("/api/products/access?token={token}")).await.status;
    assert_eq!(status(&tokens[0]).await, 401, "the earlier token works");
    assert_eq!(status(&tokens[1]).await, 200);
    assert_eq!(registry.app.store.live().await.unwrap().funnel.seats_claimed, 1);
}
