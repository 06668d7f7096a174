use std::sync::Mutex;

use serde_json::{Value, json};

use super::*;
use crate::table::fake_table;

/// The buckets have version 7; an eventual read returns an older first bucket and lacks the second.
fn answer(request: &Value, requests: &Mutex<Vec<(bool, usize)>>) -> Value {
    let table = &request["RequestItems"]["t"];
    let strong = table["ConsistentRead"] == json!(true);
    let keys = table["Keys"].as_array().unwrap();
    requests.lock().unwrap().push((strong, keys.len()));
    let items = keys.iter().filter_map(|key| {
        let version = match key["pk"]["S"].as_str().unwrap() {
            "INDEX#02-00000001" if !strong => return None,
            "INDEX#02-00000000" if !strong => "3",
            _ => "7",
        };
        let mut item = key.clone();
        item["version"] = json!({ "N": version });
        item["bucket"] = json!({ "B": "aGk=" });
        Some(item)
    });
    json!({ "Responses": { "t": items.collect::<Vec<_>>() }, "UnprocessedKeys": {} })
}

#[tokio::test]
async fn bucket_is_read_again_if_an_eventual_read_returned_an_old_version() {
    let requests = Arc::<Mutex<Vec<(bool, usize)>>>::default();
    let answered = Arc::clone(&requests);
    let store = fake_table::store(move |request| answer(request, &answered));
    let versions: BTreeMap<HashPrefix, u64> =
        (0..4).map(|bits| (format!("02-{bits:08x}").parse().unwrap(), 7)).collect();
    let buckets = store.buckets_since(&versions).await.unwrap();
    let found: BTreeMap<HashPrefix, u64> =
        buckets.iter().map(|bucket| (bucket.prefix, bucket.version)).collect();
    assert_eq!((found, buckets.len()), (versions, 4));
    assert_eq!(*requests.lock().unwrap(), [(false, 4), (true, 2)]);

    let present = BTreeMap::from([("02-00000002".parse().unwrap(), 7)]);
    assert_eq!(store.buckets_since(&present).await.unwrap().len(), 1);
    assert_eq!(requests.lock().unwrap()[2..], [(false, 1)], "no second read where nothing is missing");
}

#[test]
fn bucket_of_an_id_overlaps_no_stored_bucket() {
    let ids: Vec<ListingId> = (0..200).map(|n| format!("mcp-{n}").parse().unwrap()).collect();
    let mut manifest = Manifest::default();
    assert_eq!(manifest.bucket_of(&ids[0]), HashPrefix::default());
    // One deep bucket; all others are missing.
    let mut deep = HashPrefix::default();
    for _ in 0..12 {
        deep = deep.halves().unwrap()[1];
    }
    manifest.buckets.insert(deep, 1);
    let mut found: Vec<HashPrefix> = ids.iter().map(|id| manifest.bucket_of(id)).collect();
    assert!(ids.iter().zip(&found).all(|(id, prefix)| prefix.matches(id)));
    found.push(deep);
    found.sort_unstable();
    found.dedup();
    for (at, one) in found.iter().enumerate() {
        assert!(found[at + 1..].iter().all(|other| !one.contains(*other) && !other.contains(*one)));
    }
}
