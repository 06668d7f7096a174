//! Tests a full disk on one machine. Writes return 503 with `retry-after`, and reads still work. No
//! acknowledged write is lost. Writes succeed again when there is free space.

use registry::model::Clock;
use tests::prelude::*;

use super::audit::audit;
use super::child_registry::{ChildRegistry, send_request};

/// The file size limit in blocks of 512 bytes: enough for some hundreds of listings.
const BLOCKS: u64 = 4096;
/// More publishes than fit into the file.
const MAX_PUBLISHES: usize = 5000;
/// After this many refusals in a row the disk counts as full.
const REFUSALS_WHEN_FULL: usize = 10;

#[tokio::test(flavor = "multi_thread")]
async fn full_disk_refuses_new_writes_and_loses_no_earlier_write() {
    let peer = Peer::start(agents::fleet).await;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("registry.db");
    let mut child = ChildRegistry::start_with_file_limit(&data, BLOCKS).await;
    let address = child.address;
    let publish = async |number: usize| {
        let body = json!({ "url": peer.url(&format!("/{number}/card.json")) });
        send_request(address, "/api/publish", Some(&body)).await.expect("a reply in spite of the full disk")
    };
    let (mut acknowledged, mut refused, mut in_a_row): (Vec<ListingId>, usize, usize) = (Vec::new(), 0, 0);
    for number in 0..MAX_PUBLISHES {
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
        if in_a_row == REFUSALS_WHEN_FULL {
            break;
        }
    }
    assert!(in_a_row == REFUSALS_WHEN_FULL && !acknowledged.is_empty(), "{refused} of {MAX_PUBLISHES}");
    for id in acknowledged.iter().rev().take(50) {
        let (status, answer) =
            send_request(address, &format!("/api/listings/status?id={id}"), None).await.unwrap();
        assert_eq!((status, &answer["lane"]), (200, &Value::from("queued")), "{answer}");
    }
    assert_eq!(send_request(address, "/api/listings/active", None).await.unwrap().0, 200);
    assert!(child.is_running());
    child.kill();

    let options = TestOptions::default().with_data(local::Data::File(data)).with_clock(Clock::System);
    let registry = TestRegistry::start_with(options).await;
    let table = registry.table().await;
    audit(&table, "after the disk was full");
    for id in &acknowledged {
        assert_eq!(table.items_under(&format!("LISTING#{id} CORE")).len(), 1, "{id} is lost");
    }
    registry.publish_fleet(&peer, MAX_PUBLISHES..MAX_PUBLISHES + 20).await;
}
