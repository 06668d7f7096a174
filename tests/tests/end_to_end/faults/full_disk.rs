//! A disk that takes no more, below a registry on one machine: writes are told to come back, reads go on, nothing that was
//! acknowledged is lost, and when there is room again writes succeed.

use registry::model::ListingId;
use serde_json::{Value, json};
use tests::peers::{Peer, agents};
use tests::test_registry::{TestOptions, TestRegistry, id_of};

use super::books::audit;
use super::told;
use super::victim::{Victim, ask};

/// Blocks of 512 bytes to which a file may grow: room for some hundreds of listings.
const BLOCKS: u64 = 4096;
/// More publishes than there is room for.
const MOST: usize = 5000;
/// Refusals in a row after which the disk counts as full.
const FULL: usize = 10;

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_refuses_writes_clearly_and_loses_none() {
    let peer = Peer::start(agents::fleet).await;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("registry.db");
    let mut victim = Victim::start_starved(&data, BLOCKS).await;
    let address = victim.address;
    let publish = async |number: usize| {
        let body = json!({ "url": peer.url(&format!("/{number}/card.json")) });
        ask(address, "/api/publish", Some(&body)).await.expect("it answers with a full disk, too")
    };
    let (mut acknowledged, mut refused, mut in_a_row): (Vec<ListingId>, usize, usize) = (Vec::new(), 0, 0);
    for number in 0..MOST {
        match publish(number).await {
            (200, answer) => {
                acknowledged.push(id_of(&answer));
                in_a_row = 0;
            }
            (status, answer) => {
                assert_eq!((status, &answer["code"]), (503, &json!("busy")), "{answer}");
                assert!(answer["retry_after_s"].as_u64().is_some_and(|seconds| seconds > 0), "{answer}");
                (refused, in_a_row) = (refused + 1, in_a_row + 1);
            }
        }
        if in_a_row == FULL {
            break;
        }
    }
    assert!(in_a_row == FULL && !acknowledged.is_empty(), "{refused} of {MOST} refused");
    let mut read = 0;
    for id in acknowledged.iter().rev().take(50) {
        let (status, answer) = ask(address, &format!("/api/listings/status?id={id}"), None).await.unwrap();
        assert_eq!((status, &answer["lane"]), (200, &Value::from("queued")), "{answer}");
        read += 1;
    }
    assert_eq!(ask(address, "/api/listings/active", None).await.unwrap().0, 200);
    assert!(victim.runs());
    victim.kill();

    let options = TestOptions::default().with_data(local::Data::File(data)).with_real_time();
    let registry = TestRegistry::start_with(options).await;
    let table = registry.table().await;
    let books = audit(&table, "after the disk was full");
    for id in &acknowledged {
        assert_eq!(table.items_under(&format!("LISTING#{id} CORE")).len(), 1, "{id} is gone");
    }
    for number in MOST..MOST + 20 {
        registry.publish_card(&peer.url(&format!("/{number}/card.json"))).await;
    }
    told(
        "a full disk below the local registry",
        &format!(
            "{} publishes acknowledged, {refused} told to come back, {read} reads answered meanwhile; with room again \
             {} listings there, 0 lost, 0 half written, 20 of 20 new ones taken",
            acknowledged.len(),
            books.listings
        ),
    );
}
