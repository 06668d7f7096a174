//! Tests several sequencers of one evidence log at once: every leaf is added once, and the tree only grows.

use std::collections::BTreeSet;

use futures::future::join_all;
use registry::log::{of_index, sequence};
use registry::model::{FeedItem, Kind, ListingId};

use super::{apps, now};

/// More than one tile of 256, so that a second tile and the next level begin.
const LEAVES: usize = 290;
/// Leaves on the second engine: moto copies its whole table for every transaction.
const LEAVES_ON_SECOND: usize = 70;
const SEQUENCERS: usize = 4;

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_sequencers_add_every_leaf_once() {
    for (engine, app) in apps().await {
        let leaves = if engine == "embedded" { LEAVES } else { LEAVES_ON_SECOND };
        let ids: Vec<ListingId> = (0..leaves)
            .map(|number| ListingId::of_name(Kind::Mcp, &format!("org.example/s{number}")))
            .collect();
        let item = |id: &ListingId| FeedItem {
            what: "listing_overdue".to_owned(),
            at: now(),
            listing_id: Some(id.clone()),
            kind: Some(Kind::Mcp),
            name: id.to_string(),
            text: String::new(),
            severity: None,
        };
        let items: Vec<FeedItem> = ids.iter().map(item).collect();
        // Leaves arrive while others are added. A sequencer that loses a race may return `busy`.
        for chunk in items.chunks(leaves.div_ceil(3)) {
            let written = app.store.record_overdue(chunk);
            let (written, _) = tokio::join!(written, join_all((0..SEQUENCERS).map(|_| sequence(&app))));
            written.unwrap();
        }
        for _ in 0..50 {
            let reports = join_all((0..SEQUENCERS).map(|_| sequence(&app))).await;
            if reports.iter().all(|report| report.as_ref().is_ok_and(|report| report.leaves == 0)) {
                break;
            }
        }
        assert_eq!(app.store.pending_leaves().await.unwrap().leaves.len(), 0, "{engine}");
        let tree = app.store.log_tree().await.unwrap().unwrap();
        assert_eq!(tree.size, leaves as u64, "{engine}");

        let mut seen = BTreeSet::new();
        for index in 0..tree.size {
            // `of_index` checks the proof against the signed root.
            let inclusion = of_index(&app, index).await.unwrap().unwrap();
            assert_eq!((inclusion.index, &inclusion.tree), (index, &tree), "{engine}");
            assert!(seen.insert(inclusion.leaf), "{engine}: {index} is a duplicate");
        }
        for id in &ids {
            let index = app.store.decision_index(id, Some(now())).await.unwrap().unwrap();
            let inclusion = of_index(&app, index).await.unwrap().unwrap();
            assert!(inclusion.leaf.contains(&format!("\"{id}\"")), "{engine}: {}", inclusion.leaf);
        }
        // The sequencer recognizes a repeated decision.
        app.store.record_overdue(&items[..5]).await.unwrap();
        assert_eq!(app.store.pending_leaves().await.unwrap().leaves.len(), 5, "{engine}");
        assert_eq!(sequence(&app).await.unwrap().leaves, 0, "{engine}");
        assert_eq!(app.store.pending_leaves().await.unwrap().leaves.len(), 0, "{engine}");
        assert_eq!(app.store.log_tree().await.unwrap(), Some(tree.clone()), "{engine}");
        assert!(of_index(&app, tree.size).await.unwrap().is_none(), "{engine}");
    }
}
