//! Tests 2,000 concurrent completions of 500 listings, with duplicates and retries. They give exactly 100
//! founding seats and one reward per listing, and the counters match the records.

use std::collections::{BTreeMap, BTreeSet};

use futures::stream::{self, StreamExt as _};
use registry::app::App;
use registry::error::Problem;
use registry::model::{Caller, Kind, ListingId, Random, Reward};
use registry::operations::{self, RawArguments};
use serde_json::{Value, json};
use tests::fixtures;

use super::apps;

/// Listings of each kind.
const LISTINGS_PER_KIND: usize = 250;
/// Listings of each kind on the second engine: moto copies its whole table for every transaction, so all completions take
/// ten minutes and about ten GB. `COMPLETIONS=all` runs all of them.
const LISTINGS_PER_KIND_ON_SECOND: usize = 60;
const SEATS: usize = 100;
const ATTEMPTS: usize = 4;
/// Concurrent completions.
const CONCURRENT: usize = 64;

/// The result of one attempt.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Token(String),
    Code(String),
    Completed,
}

/// Calls an operation until the reply is no longer `busy`, as a client does that follows `retry-after`.
async fn call(app: &App, operation: &str, arguments: &Value) -> Result<Value, Problem> {
    let operation = operations::named(operation).unwrap();
    for _ in 0..50 {
        match operation.run(app.clone(), Caller::default(), RawArguments::Json(arguments.clone())).await {
            Err(problem) if problem.code == "busy" => tokio::task::yield_now().await,
            other => return other,
        }
    }
    panic!("{} {arguments}: the table stays busy", operation.name);
}

async fn complete(app: &App, id: &ListingId) -> Outcome {
    let demo = call(app, "take_demo", &json!({ "listing_id": id })).await.unwrap();
    match call(app, "leave_feedback", &demo["next_steps"]["example_body"]).await {
        Ok(answer) => match answer["access_token"].as_str() {
            Some(token) => Outcome::Token(token.to_owned()),
            None => Outcome::Code(answer["discount"]["code"].as_str().unwrap().to_owned()),
        },
        Err(problem) => {
            assert_eq!(problem.code, "already_completed", "{problem:?}");
            Outcome::Completed
        }
    }
}

/// Every listing several times, in a random order from a seed.
fn shuffled(ids: &[ListingId], seed: u64) -> Vec<ListingId> {
    let random = Random::seeded(seed);
    let mut all: Vec<(u64, ListingId)> = ids
        .iter()
        .flat_map(|id| std::iter::repeat_n(id, ATTEMPTS))
        .map(|id| (random.number(), id.clone()))
        .collect();
    all.sort();
    all.into_iter().map(|(_, id)| id).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_completions_give_100_seats_and_one_reward_each() {
    for (engine, app) in apps().await {
        let is_full_size =
            engine == "embedded" || std::env::var("COMPLETIONS").is_ok_and(|size| size == "all");
        let each = if is_full_size { LISTINGS_PER_KIND } else { LISTINGS_PER_KIND_ON_SECOND };
        let mut ids = fixtures::insert_live_listings(&app, Kind::Agent, each).await;
        ids.extend(fixtures::insert_live_listings(&app, Kind::Mcp, each).await);
        let order = shuffled(&ids, 11);
        assert_eq!(order.len(), 2 * each * ATTEMPTS);
        let outcomes: Vec<(ListingId, Outcome)> = stream::iter(order)
            .map(|id| {
                let app = app.clone();
                async move {
                    let outcome = complete(&app, &id).await;
                    (id, outcome)
                }
            })
            .buffer_unordered(CONCURRENT)
            .collect()
            .await;

        let mut rewards: BTreeMap<&ListingId, Vec<&Outcome>> = BTreeMap::new();
        for (id, outcome) in outcomes.iter().filter(|(_, outcome)| *outcome != Outcome::Completed) {
            rewards.entry(id).or_default().push(outcome);
        }
        assert_eq!(rewards.len(), ids.len(), "{engine}: every listing has a reward");
        assert!(rewards.values().all(|all| all.len() == 1), "{engine}: no listing has two rewards");
        let tokens: BTreeSet<&str> = outcomes
            .iter()
            .filter_map(|(_, outcome)| match outcome {
                Outcome::Token(token) => Some(token.as_str()),
                _ => None,
            })
            .collect();
        let codes: BTreeSet<&Outcome> =
            outcomes.iter().map(|(_, outcome)| outcome).filter(|o| matches!(o, Outcome::Code(_))).collect();
        assert_eq!((tokens.len(), codes.len()), (SEATS, 2 * each - SEATS), "{engine}");

        let counts = app.store.live().await.unwrap().funnel;
        let demos = (counts.demos_agents, counts.demos_mcps);
        let feedback = (counts.feedback_agents, counts.feedback_mcps);
        let expected = u32::try_from(each).unwrap();
        assert_eq!(counts.seats_claimed, 100, "{engine}");
        assert_eq!((demos, feedback), ((expected, expected), (expected, expected)), "{engine}");
        let mut stored = [0, 0];
        for id in &ids {
            let completion = app.store.completion(id).await.unwrap().unwrap();
            stored[usize::from(matches!(completion.reward, Reward::Code(_)))] += 1;
        }
        assert_eq!(stored, [SEATS, 2 * each - SEATS], "{engine}: the records match");
        for token in tokens {
            let token = json!({ "token": token });
            assert!(call(&app, "get_access", &token).await.is_ok(), "{engine}: every token works");
        }
        assert_eq!((counts.drafts_agents, counts.drafts_mcps), feedback, "{engine}: all were drafts");
    }
}
