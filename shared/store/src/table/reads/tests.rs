use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::*;
use crate::table::attributes::text;
use crate::table::fake_table;

/// A table that returns at most `per_answer` keys of a request, and its requests.
fn store(per_answer: usize) -> (Store, Arc<Mutex<Vec<Value>>>) {
    let requests = Arc::<Mutex<Vec<Value>>>::default();
    let answered = Arc::clone(&requests);
    let store = fake_table::store(move |request| {
        answered.lock().unwrap().push(request.clone());
        let table = &request["RequestItems"]["t"];
        let keys = table["Keys"].as_array().unwrap();
        let (read, rest) = keys.split_at(per_answer.min(keys.len()));
        let mut answer = json!({"Responses": {"t": read}, "UnprocessedKeys": {}});
        if !rest.is_empty() {
            let consistent = &table["ConsistentRead"];
            answer["UnprocessedKeys"] = json!({"t": {"Keys": rest, "ConsistentRead": consistent}});
        }
        answer
    });
    (store, requests)
}

#[tokio::test]
async fn unprocessed_keys_are_requested_again() {
    let (store, requests) = store(2);
    let keys = (0..5).map(|n| Key::new(format!("P#{n}"), "S")).collect();
    let items = store.batch_get(keys, Consistency::Strong).await.unwrap();
    let mut found: Vec<&str> = items.iter().map(|item| text(item, "pk")).collect();
    found.sort_unstable();
    assert_eq!(found, ["P#0", "P#1", "P#2", "P#3", "P#4"]);
    let requests = requests.lock().unwrap();
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[2]["RequestItems"]["t"]["ConsistentRead"], json!(true));
}

#[tokio::test]
async fn table_that_never_returns_all_keys_is_reported_as_busy() {
    let (store, requests) = store(0);
    let keys = vec![Key::new("P", "S")];
    let answer = store.batch_get(keys, Consistency::Eventual).await;
    assert!(matches!(answer, Err(StoreError::Busy(_))), "{answer:?}");
    assert!(store.batch_get(Vec::new(), Consistency::Eventual).await.unwrap().is_empty());
    assert_eq!(requests.lock().unwrap().len(), MAX_ATTEMPTS as usize, "no keys, no request");
}

#[test]
fn pauses_grow_up_to_a_maximum() {
    for retry in 1..MAX_ATTEMPTS {
        let pause = pause_before(retry);
        assert!(pause >= FIRST_PAUSE / 2 && pause <= MAX_PAUSE, "{pause:?}");
    }
    assert!(pause_before(1) <= FIRST_PAUSE && pause_before(MAX_ATTEMPTS) >= MAX_PAUSE / 2);
}

#[test]
fn place_before_the_range_is_never_sent_to_the_table() {
    let from = |place: &str| {
        let query = Query::of("INBOX#a").range(Range::From("0005".to_owned()));
        query.after(Some(Key::new("INBOX#a", place).item()))
    };
    assert!(from("0004").descending().in_range().is_none());
    assert!(from("0004").in_range().is_some_and(|query| query.start.is_none()));
    for query in [from("0006"), from("0006").descending()] {
        assert!(query.in_range().is_some_and(|query| query.start.is_some()));
    }
}
