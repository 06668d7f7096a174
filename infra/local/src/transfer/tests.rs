//! Moves tables between data files: whole, interrupted at many places, damaged, and to a target that is in use.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::path::PathBuf;
use std::task::Poll;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use registry::model::{Clock, Random};
use registry::settings::{Mode, Settings};
use registry::store::table;
use tempfile::TempDir;

use super::file::{Head, Reader};
use super::*;
use crate::engine::{self, Data, Embedded};
use crate::lock::Lock;
use crate::{Local, Options, StartError};

const TABLE: &str = "registry";
/// Three pages.
const ITEMS: usize = 1_100;

/// With few iterations, so that tests are fast.
fn passphrase(text: &str) -> Passphrase {
    Passphrase { iterations: 10, ..Passphrase::new(text).unwrap() }
}

fn right() -> Passphrase {
    passphrase("correct horse battery staple")
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn place(&self, name: &str) -> Place {
        Place::DataFile { path: self.path(name), table: TABLE.to_owned() }
    }

    fn client(&self, name: &str) -> Client {
        engine::client(Embedded::open(&Data::File(self.path(name)), &Clock::System).unwrap())
    }

    async fn items(&self, name: &str) -> BTreeMap<String, String> {
        let client = self.client(name);
        let mut pages = client.scan().table_name(TABLE).into_paginator().items().send();
        let mut items = BTreeMap::new();
        while let Some(item) = pages.next().await {
            let item: BTreeMap<_, _> = item.unwrap().into_iter().collect();
            items.insert(format!("{:?} {:?}", item["pk"], item["sk"]), format!("{item:?}"));
        }
        items
    }

    async fn export(&self, from: &str, file: &str) -> Result<Exported, TransferError> {
        let clock = Clock::manual("2026-11-20T12:00:00Z".parse().unwrap());
        export(&self.place(from), &self.path(file), &right(), &clock, &Random::System).await
    }

    async fn import(&self, file: &str, to: &str) -> Result<Imported, TransferError> {
        import(&self.place(to), &self.path(file), &right(), false).await
    }

    /// A table with items of all types, and its export.
    async fn exported() -> (Self, Exported) {
        let folder = Self::new();
        folder.fill("source", ITEMS).await;
        let exported = folder.export("source", "export").await.unwrap();
        (folder, exported)
    }

    async fn fill(&self, name: &str, items: usize) {
        let client = self.client(name);
        table::ensure(&client, TABLE).await.unwrap();
        for number in 0..items {
            let text = AttributeValue::S(format!("line\n\"{number}\" \u{1}ü").repeat(number % 7));
            put(
                &client,
                &format!("P#{}\n", number % 50),
                &format!("{number:05}"),
                [
                    ("number", AttributeValue::N(format!("{number}.25"))),
                    ("list", AttributeValue::L(vec![text.clone(), AttributeValue::Bool(true)])),
                    ("text", text),
                    ("bytes", AttributeValue::B(Blob::new(number.to_be_bytes()))),
                ],
            )
            .await;
        }
    }
}

async fn put<const N: usize>(client: &Client, pk: &str, sk: &str, attributes: [(&str, AttributeValue); N]) {
    let text = |text: &str| AttributeValue::S(text.to_owned());
    let mut put = client.put_item().table_name(TABLE).item("pk", text(pk)).item("sk", text(sk));
    for (name, value) in attributes {
        put = put.item(name, value);
    }
    put.send().await.unwrap();
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

fn message<T>(result: Result<T, TransferError>) -> String {
    match result {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn all_items_reach_the_target_as_they_are() {
    let (folder, exported) = Folder::exported().await;
    assert_eq!((exported.items, exported.pages, exported.earlier_pages), (ITEMS as u64, 3, 0));
    assert!(!folder.path("export.partial").exists());
    let file = std::fs::read(folder.path("export")).unwrap();
    let text = String::from_utf8_lossy(&file);
    assert!(!text.contains("number") && !text.contains("00001"), "an item is readable in the file");
    #[cfg(unix)]
    {
        let mode = std::fs::metadata(folder.path("export")).unwrap();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode.permissions()) & 0o077, 0);
    }

    let imported = folder.import("export", "target").await.unwrap();
    assert_eq!((imported.items, imported.pages, imported.earlier_pages), (ITEMS as u64, 3, 0));
    assert_eq!(imported.source, format!("the data file {}", folder.path("source").display()));
    assert_eq!(folder.items("target").await, folder.items("source").await);

    let again = message(folder.export("source", "export").await);
    assert!(again.contains("exists already"), "{again}");
    let missing = message(folder.export("nothing", "other").await);
    assert!(missing.contains("no data file"), "{missing}");
    assert!(!folder.path("nothing").exists() && !folder.path("other.partial").exists());
}

#[tokio::test]
async fn interrupted_export_continues() {
    let (folder, _) = Folder::exported().await;
    let whole = folder.path("export");
    // Interrupted between two requests.
    for polls in 1.. {
        let name = format!("polls-{polls}");
        let is_complete = interrupted(folder.export("source", &name), polls).await.is_some();
        if is_complete {
            assert!(polls > 3, "an export of three pages waits more often");
            break;
        }
        assert!(!folder.path(&name).exists());
        assert_eq!(folder.export("source", &name).await.unwrap().items, ITEMS as u64, "{polls}");
    }
    // Interrupted while a frame was written, or before the file got its name.
    let bytes = std::fs::read(&whole).unwrap();
    let header = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let first = header + 4 + u32::from_be_bytes(bytes[header..header + 4].try_into().unwrap()) as usize;
    for cut in [first, first + 2, first + 1000, bytes.len() / 2, bytes.len() - 1, bytes.len()] {
        let name = format!("cut-{cut}");
        std::fs::write(folder.path(&format!("{name}.partial")), &bytes[..cut]).unwrap();
        let exported = folder.export("source", &name).await.unwrap();
        assert_eq!((exported.items, exported.pages), (ITEMS as u64, 3), "{cut}");
        assert_eq!(exported.earlier_pages == 0, cut < bytes.len() / 2, "{cut}: {exported:?}");
        let target = format!("target-{cut}");
        folder.import(&name, &target).await.unwrap();
        assert_eq!(folder.items(&target).await, folder.items("source").await, "{cut}");
    }
    std::fs::write(folder.path("last.partial"), &bytes).unwrap();
    assert_eq!(folder.export("source", "last").await.unwrap().earlier_pages, 3);

    // The unfinished file of another table or with another passphrase is not continued.
    folder.fill("other", 1).await;
    std::fs::write(folder.path("x.partial"), &bytes[..first]).unwrap();
    let refused = message(folder.export("other", "x").await);
    assert!(refused.contains("is an unfinished export of the data file"), "{refused}");
    let (source, file, wrong) = (folder.place("source"), folder.path("x"), passphrase("another passphrase"));
    let refused = message(export(&source, &file, &wrong, &Clock::System, &Random::System).await);
    assert!(refused.contains("the passphrase is wrong"), "{refused}");
}

#[tokio::test]
async fn interrupted_import_continues_and_no_registry_starts_before() {
    let (folder, _) = Folder::exported().await;
    let (source, mut continued) = (folder.items("source").await, 0);
    for polls in (1..).step_by(5) {
        let target = format!("polls-{polls}");
        if interrupted(folder.import("export", &target), polls).await.is_some() {
            break;
        }
        let options = Options {
            data: Data::File(folder.path(&target)),
            ..Options::new(Settings::from_env(Mode::Development, |_| None).unwrap())
        };
        if folder.path(&target).exists() && !folder.is_empty(&target).await {
            let refused = Local::start(options).await.unwrap_err();
            assert!(matches!(refused, StartError::UnfinishedImport), "{polls}: {refused}");
            let refused = message(folder.export(&target, "of-a-part").await);
            assert!(refused.contains("is not complete"), "{polls}: {refused}");
        }
        let imported = folder.import("export", &target).await.unwrap();
        assert_eq!(imported.items, ITEMS as u64);
        continued += u32::from(imported.earlier_pages > 0);
        assert_eq!(folder.items(&target).await, source, "{polls}");
    }
    assert!(continued > 3, "{continued}: no import continued after a page");
}

impl Folder {
    async fn is_empty(&self, name: &str) -> bool {
        let tables = self.client(name).list_tables().send().await.unwrap();
        tables.table_names().is_empty() || self.items(name).await.is_empty()
    }
}

#[tokio::test]
async fn damaged_files_are_refused_before_anything_is_written() {
    let (folder, _) = Folder::exported().await;
    let bytes = std::fs::read(folder.path("export")).unwrap();
    let refused = async |bytes: &[u8]| {
        std::fs::write(folder.path("bad"), bytes).unwrap();
        let message = message(folder.import("bad", "target").await);
        assert!(!folder.path("target").exists(), "{message}");
        message
    };
    let (target, file, wrong) =
        (folder.place("target"), folder.path("export"), passphrase("another passphrase"));
    let wrong = message(import(&target, &file, &wrong, false).await);
    assert!(wrong.contains("the passphrase is wrong"), "{wrong}");
    assert!(!folder.path("target").exists());

    let header = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    // The ends of all frames.
    let mut ends = vec![header];
    while let Some(length) = bytes.get(ends[ends.len() - 1]..).and_then(|rest| rest.first_chunk()) {
        ends.push(ends[ends.len() - 1] + 4 + u32::from_be_bytes(*length) as usize);
    }
    assert_eq!((ends.len(), ends.last()), (6, Some(&bytes.len())), "a start, three pages, an end");
    for cut in ends.iter().flat_map(|end| [*end, end + 3, end + 100]).filter(|cut| *cut < bytes.len()) {
        let message = refused(&bytes[..cut]).await;
        assert!(message.contains("is cut off") && message.contains("copy it again"), "{cut}: {message}");
    }
    // Every byte of the header and of the first frame, then some of each frame.
    let rest = ends.iter().flat_map(|end| [end + 4, end + 20, end + 60]).filter(|at| *at < bytes.len());
    for at in (0..ends[1]).chain(rest).chain([bytes.len() - 1]) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        let message = refused(&changed).await;
        let expected = match at {
            _ if at < header => "is not an export|decrypt|format|is damaged|cut off",
            _ if at < ends[1] => "decrypt|damaged|cut off",
            _ => "is damaged at byte",
        };
        assert!(expected.split('|').any(|words| message.contains(words)), "{at}: {message}");
    }
    // Frames that are left out, exchanged, repeated or added.
    let frame = |number: usize| &bytes[ends[number]..ends[number + 1]];
    let file = |frames: &[usize]| {
        let frames = frames.iter().map(|number| frame(*number));
        std::iter::once(&bytes[..header]).chain(frames).collect::<Vec<_>>().concat()
    };
    assert_eq!(file(&[0, 1, 2, 3, 4]), bytes);
    for frames in
        [&[0, 1, 3, 4][..], &[0, 2, 1, 3, 4], &[0, 1, 1, 2, 3, 4], &[0, 1, 2, 3, 4, 4], &[1, 2, 3, 4]]
    {
        let message = refused(&file(frames)).await;
        assert!(message.contains("damaged"), "{frames:?}: {message}");
    }
    let newer = String::from_utf8_lossy(&bytes[..header]).replace("\"version\":1", "\"version\":2");
    let message = refused(&[newer.as_bytes(), &bytes[header..]].concat()).await;
    assert!(message.contains("version 2 of the format"), "{message}");
    let slow = String::from_utf8_lossy(&bytes[..header]).replace(":10,", ":4000000000,");
    let message = refused(&[slow.as_bytes(), &bytes[header..]].concat()).await;
    assert!(message.contains("is not an export"), "{message}");
    let missing = folder.import("nowhere", "target").await.unwrap_err().to_string();
    assert!(missing.contains("nowhere"), "{missing}");
}

#[tokio::test]
async fn import_requires_an_empty_table() {
    let (folder, _) = Folder::exported().await;
    folder.fill("used", 1).await;
    let before = folder.items("used").await;
    for target in ["used", "source"] {
        let refused = message(folder.import("export", target).await);
        assert!(refused.contains("contains items already"), "{refused}");
    }
    assert_eq!(folder.items("used").await, before);
    // A finished import is not repeated, because the registry may have run since.
    folder.import("export", "target").await.unwrap();
    let refused = message(folder.import("export", "target").await);
    assert!(refused.contains("contains items already"), "{refused}");
    // A part of another export is not continued.
    folder.export("used", "small").await.unwrap();
    assert!(interrupted(folder.import("export", "part"), 30).await.is_none());
    let refused = message(folder.import("small", "part").await);
    assert!(refused.contains("a part of another file"), "{refused}");
    folder.import("export", "part").await.unwrap();

    let _lock = Lock::on(&folder.path("new")).unwrap();
    let refused = message(folder.import("export", "new").await);
    assert!(refused.contains("stop that registry"), "{refused}");
}

#[tokio::test]
async fn keys_of_a_key_service_are_named_and_not_taken_for_keys() {
    let folder = Folder::new();
    folder.fill("source", 3).await;
    let (client, text) = (folder.client("source"), |text: &str| AttributeValue::S(text.to_owned()));
    put(&client, "KEY#ES256", "FIRST", [("secret", text("service:arn:1"))]).await;
    put(&client, "KEY#MESSAGE", "FIRST", [("secret", text("service:arn:2"))]).await;
    put(&client, "KEY#LOG", "FIRST", [("secret", text("PRIVATE+KEY+x"))]).await;
    let exported = folder.export("source", "export").await.unwrap();
    assert_eq!(exported.keys_in_service, ["KEY#ES256", "KEY#MESSAGE"]);

    let imported = folder.import("export", "target").await.unwrap();
    assert_eq!(imported.keys_left_behind, ["KEY#ES256", "KEY#MESSAGE"]);
    let mut expected = folder.items("source").await;
    expected.retain(|key, _| !key.contains("KEY#MESSAGE"));
    for (_, item) in expected.iter_mut().filter(|(key, _)| key.contains("KEY#ES256")) {
        *item = item.replace("service:", "left:service:");
    }
    assert_eq!(folder.items("target").await, expected, "only these two keys change");
    let exported = folder.export("target", "again").await.unwrap();
    assert_eq!(exported.keys_in_service, [""; 0], "the target has its own keys");

    put(&client, "KEY#LOG", "FIRST", [("secret", text("service:arn:3"))]).await;
    folder.export("source", "log").await.unwrap();
    let refused = message(folder.import("log", "other").await);
    assert!(refused.contains("--keep-service-keys"), "{refused}");
    assert!(!folder.path("other").exists());
    let kept = import(&folder.place("other"), &folder.path("log"), &right(), true).await.unwrap();
    assert_eq!(kept.keys_left_behind.len(), 0);
    assert_eq!(folder.items("other").await, folder.items("source").await);
}

/// A page has a limited size, whatever the size of the table.
#[tokio::test]
async fn pages_are_small() {
    let folder = Folder::new();
    let client = folder.client("source");
    table::ensure(&client, TABLE).await.unwrap();
    let large = "\u{1}".repeat(390_000);
    for number in 0..6 {
        put(&client, "P", &number.to_string(), [("text", AttributeValue::S(large.clone()))]).await;
    }
    folder.export("source", "export").await.unwrap();
    let mut reader = Reader::open(&folder.path("export"), &right()).unwrap();
    reader.start().unwrap();
    let mut pages = 0;
    while let Head::Page { contents, .. } = reader.frame().unwrap().head {
        assert!(contents.items <= 3, "{contents:?}");
        pages += 1;
    }
    assert!(pages >= 3, "{pages}");
    folder.import("export", "target").await.unwrap();
    assert_eq!(folder.items("target").await, folder.items("source").await);
}

#[tokio::test]
async fn missing_table_in_aws_is_named() {
    let error = registry::store::StoreError::Fault("ResourceNotFoundException: x".to_owned());
    let message = Folder::new().place("a").failure(error).to_string();
    assert!(message.contains("there is no table registry"), "{message}");
}
