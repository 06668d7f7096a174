//! Many sequencers at once over one log: every leaf is taken up once, in one tree that only grew.

use std::collections::BTreeSet;

use futures::future::join_all;
use registry::evidence_log::{of_index, of_listing, sequence};
use registry::model::{FeedItem, Kind, ListingId};

use super::{apps, now};

/// More than fill a tile of 256, so that a second one and one of the next level begin.
const LEAVES: usize = 290;
/// The same on another engine: moto copies its whole table for every transaction.
const LEAVES_ELSEWHERE: usize = 70;
const AT_ONCE: usize = 4;

#[tokio::test(flavor = "multi_thread")]
async fn sequencers_at_once_take_up_every_leaf_once() {
    for (engine, app) in apps().await {
        let leaves = if engine == "embedded" { LEAVES } else { LEAVES_ELSEWHERE };
        let ids: Vec<ListingId> = (0..leaves)
            .map(|number| ListingId::of_name(Kind::Mcp, &format!("org.example/s{number}")))
            .collect();
        let news = |id: &ListingId| FeedItem {
            what: "listing_overdue".to_owned(),
            at: now(),
            listing_id: Some(id.clone()),
            kind: Some(Kind::Mcp),
            name: id.to_string(),
            text: String::new(),
        };
        let news: Vec<FeedItem> = ids.iter().map(news).collect();
        // Leaves come while others are taken up; a sequencer that lost a race may say that the table is busy.
        for some in news.chunks(leaves.div_ceil(3)) {
            let told = app.store.tell_overdue(some);
            let (told, _) = tokio::join!(told, join_all((0..AT_ONCE).map(|_| sequence(&app))));
            told.unwrap();
        }
        for _ in 0..50 {
            let reports = join_all((0..AT_ONCE).map(|_| sequence(&app))).await;
            if reports.iter().all(|report| report.as_ref().is_ok_and(|report| report.leaves == 0)) {
                break;
            }
        }
        assert_eq!(app.store.pending_leaves().await.unwrap().leaves.len(), 0, "{engine}");
        let tree = app.store.log_tree().await.unwrap().unwrap();
        assert_eq!(tree.size, leaves as u64, "{engine}");

        let mut seen = BTreeSet::new();
        for index in 0..tree.size {
            // A proof is checked against the signed root before it is given.
            let inclusion = of_index(&app, index).await.unwrap().unwrap();
            assert_eq!((inclusion.index, &inclusion.tree), (index, &tree), "{engine}");
            assert!(seen.insert(inclusion.leaf), "{engine}: {index} stands twice");
        }
        for id in &ids {
            let inclusion = of_listing(&app, id, now()).await.unwrap().unwrap();
            assert!(inclusion.leaf.contains(&format!("\"{id}\"")), "{engine}: {}", inclusion.leaf);
            let listing = app.store.leaf_index_at(id, now()).await.unwrap();
            assert_eq!(listing, Some(inclusion.index), "{engine}");
        }
        // A decision that is written once more is known.
        app.store.tell_overdue(&news[..5]).await.unwrap();
        assert_eq!(app.store.pending_leaves().await.unwrap().leaves.len(), 5, "{engine}");
        assert_eq!(sequence(&app).await.unwrap().leaves, 0, "{engine}");
        assert_eq!(app.store.pending_leaves().await.unwrap().leaves.len(), 0, "{engine}");
        assert_eq!(app.store.log_tree().await.unwrap(), Some(tree.clone()), "{engine}");
        assert!(of_index(&app, tree.size).await.unwrap().is_none(), "{engine}");
    }
}
