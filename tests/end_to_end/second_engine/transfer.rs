//! Moves a table from a data file to the second engine and back, over the connection that a table in AWS uses. Without a
//! second engine, both are data files.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::task::Poll;

use aws_sdk_dynamodb::Client;
use local::engine::{self, Data, Embedded};
use local::transfer::{self, AwsAccess, Passphrase, Place};
use registry::app::App;
use registry::events::Bus;
use registry::evidence_log::{of_index, sequence};
use registry::model::{Clock, FeedItem, Kind, Random};
use registry::settings::{Mode, Settings};
use registry::store::{Store, table};
use tests::fixtures;

use super::now;

/// More than a page.
const LISTINGS: usize = 260;
const TABLE: &str = "registry";

async fn items(client: &Client) -> BTreeMap<String, String> {
    let mut pages = client.scan().table_name(TABLE).consistent_read(true).into_paginator().items().send();
    let mut items = BTreeMap::new();
    while let Some(item) = pages.next().await {
        let item: BTreeMap<_, _> = item.unwrap().into_iter().collect();
        items.insert(format!("{:?} {:?}", item["pk"], item["sk"]), format!("{item:?}"));
    }
    items
}

/// Drops a future after some polls, as if the process were killed there.
async fn interrupted<F: Future>(future: F, polls: usize) -> Option<F::Output> {
    let (mut future, mut left) = (Box::pin(future), polls);
    poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        future.as_mut().poll(context).map(Some)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn table_moves_to_another_engine_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let data = |name: &str| folder.path().join(name);
    let open = |name: &str| engine::client(Embedded::open(&Data::File(data(name)), &Clock::System).unwrap());
    let app_over = |client: Client| {
        let settings = Settings::from_env(Mode::Development, |_| None).unwrap();
        let store = Store::new(client, TABLE);
        App::new(settings, store, Bus::Silent, Clock::manual(now()), Random::seeded(7))
    };
    table::ensure(&open("source.db"), TABLE).await.unwrap();
    let source = app_over(open("source.db"));
    let ids = fixtures::insert_live_listings(&source, Kind::Mcp, LISTINGS).await;
    let overdue = ids[..5].iter().map(|id| FeedItem {
        what: "listing_overdue".to_owned(),
        at: now(),
        listing_id: Some(id.clone()),
        kind: Some(Kind::Mcp),
        name: id.to_string(),
        text: String::new(),
        severity: None,
    });
    source.store.record_overdue(&overdue.collect::<Vec<_>>()).await.unwrap();
    assert_eq!(sequence(&source).await.unwrap().leaves, 5);
    let tree = source.store.log_tree().await.unwrap().unwrap();

    let file_of = |name: &str| Place::DataFile { path: data(name), table: TABLE.to_owned() };
    let second = match std::env::var("SECOND_ENGINE") {
        Ok(endpoint) => {
            let variable = |name: &str| match name {
                "AWS_REGION" => Some("us-east-1".to_owned()),
                "AWS_ENDPOINT_URL_DYNAMODB" => Some(endpoint.clone()),
                "AWS_ACCESS_KEY_ID" | "AWS_SECRET_ACCESS_KEY" => Some("test".to_owned()),
                _ => None,
            };
            Place::Aws {
                access: AwsAccess::from_env(variable).unwrap(),
                table: format!("moved-{}", std::process::id()),
            }
        }
        Err(_) => file_of("second.db"),
    };
    let passphrase = Passphrase::new("correct horse battery staple").unwrap();
    let export = async |place: &Place, file: &str| {
        for polls in [6, 1_000_000] {
            let file = data(file);
            let export = transfer::export(place, &file, &passphrase, &Clock::System, &Random::System);
            if let Some(exported) = interrupted(export, polls).await {
                return exported.unwrap();
            }
        }
        panic!("the second run was interrupted, too");
    };
    let import = async |place: &Place, file: &str| {
        for polls in [60, 1_000_000] {
            let file = data(file);
            let import = transfer::import(place, &file, &passphrase, false);
            if let Some(imported) = interrupted(import, polls).await {
                return imported.unwrap();
            }
        }
        panic!("the second run was interrupted, too");
    };
    let expected = items(&open("source.db")).await;
    let exported = export(&file_of("source.db"), "one.export").await;
    assert_eq!(exported.items, expected.len() as u64);
    assert!(exported.pages > 1, "{exported:?}");
    let imported = import(&second, "one.export").await;
    assert_eq!(imported.items, expected.len() as u64);
    let again = transfer::import(&second, &data("one.export"), &passphrase, false).await.unwrap_err();
    assert!(again.to_string().contains("contains items already"), "{again}");

    let exported = export(&second, "two.export").await;
    assert_eq!(exported.items, expected.len() as u64);
    import(&file_of("back.db"), "two.export").await;
    let back = open("back.db");
    assert_eq!(items(&back).await, expected);

    let moved = app_over(back);
    assert_eq!(moved.store.log_tree().await.unwrap(), Some(tree.clone()));
    for index in 0..tree.size {
        // `of_index` checks the proof against the signed root.
        assert_eq!(of_index(&moved, index).await.unwrap().unwrap().tree, tree);
    }
}
