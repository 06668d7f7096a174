//! Tests `registry operator` on the command line: its output, its exit codes and its changes to the data.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::process::{Command, Stdio};

use local::{Data, Local, Options};
use registry::settings::{Mode, Settings};
use serde_json::{Value, json};

fn run(data: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_registry"));
    for variable in ["DATA", "RUST_LOG", "EXPORT_PASSPHRASE", "AWS_ACCESS_KEY_ID"] {
        command.env_remove(variable);
    }
    command.arg("operator").args(arguments).arg("--data").arg(data);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

async fn start(data: &Path) -> Local {
    let settings = Settings::from_env(Mode::Public, |_| None).unwrap();
    Local::start(Options { data: Data::File(data.to_path_buf()), ..Options::new(settings) }).await.unwrap()
}

async fn post(local: &Local, body: &Value) -> (u16, Value) {
    // Fails if another test of this process has installed it already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client.post(local.url("/api/publish")).header("content-type", "application/json");
    let answer = request.body(body.to_string()).send().await.unwrap();
    let status = answer.status().as_u16();
    (status, serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_require_a_stopped_registry() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("registry.db");
    let card =
        json!({ "url": "https://agent.example.org/agent-card.json", "contact_email": "jane@example.org" });
    let registry = start(&data).await;
    let (status, published) = post(&registry, &card).await;
    assert_eq!(status, 200, "{published}");
    let id = published["listing_id"].as_str().unwrap().to_owned();

    let (code, out, err) = run(&data, &["erase-contact", &id]);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    assert!(err.contains("stop that registry"), "{err}");
    registry.stop().await;

    let backup = folder.path().join("backup.db");
    std::fs::copy(&data, &backup).unwrap();
    for (named, listings) in [(None, 0), (Some(id.as_str()), 1)] {
        let arguments = ["recover", "--backup", backup.to_str().unwrap()].into_iter().chain(named);
        let (code, out, err) = run(&data, &arguments.collect::<Vec<_>>());
        assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
        assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["listings"], listings, "{out}");
    }
    let (code, out, err) = run(&data, &["recover", "--backup", "nowhere.db"]);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");

    let (code, out, err) = run(&data, &["erase-contact", &id]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    let (code, out, err) = run(&data, &["block-host", "example.org", "--reason", "Spam."]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    let outcome: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&outcome["listings"], &outcome["left"]), (&json!(1), &json!(0)));

    let registry = start(&data).await;
    let (status, refused) = post(&registry, &card).await;
    assert_eq!((status, &refused["code"]), (403, &json!("host_blocked")), "{refused}");
    registry.stop().await;
}

#[test]
fn commands_that_cannot_run_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("registry.db");
    let id = "agtpub_0123456789abcdef0123";
    let (code, _, err) = run(&data, &["restore", id]);
    assert_eq!(code, Some(1));
    assert!(err.contains("no data file at "), "{err}");
    assert!(!data.exists(), "a command creates no data file");
    let (code, _, err) = run(&data, &["withdraw", id]);
    assert_eq!(code, Some(2));
    assert!(err.contains("--reason"), "{err}");

    std::fs::write(&data, "").unwrap();
    for (arguments, words) in [
        (&["restore", id][..], "listing_not_found"),
        (&["restore", "x y"][..], "not a listing id"),
        (&["block-host", "org", "--reason", "Spam."][..], "not a host"),
        (&["withdraw", id, "--reason", "ask jane@example.org"][..], "not a public reason"),
    ] {
        let (code, out, err) = run(&data, arguments);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{arguments:?}");
        assert!(err.contains(words), "{arguments:?}: {err}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn export_and_import_move_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let registry = start(&path("source.db")).await;
    let card = json!({ "url": "https://agent.example.org/agent-card.json" });
    let (_, published) = post(&registry, &card).await;
    let file = path("registry.export");
    let file = file.to_str().unwrap();
    std::fs::write(path("passphrase"), "correct horse battery staple\n").unwrap();
    std::fs::write(path("other"), "another passphrase\n").unwrap();
    let with = |command: &'static str, passphrase: &str| {
        vec![
            command.to_owned(),
            file.to_owned(),
            "--passphrase-file".to_owned(),
            path(passphrase).to_str().unwrap().to_owned(),
        ]
    };
    let run = |data: &str, arguments: &[String]| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        run(&path(data), &arguments)
    };

    let (code, _, err) = run("source.db", &with("export", "passphrase"));
    assert_eq!(code, Some(1));
    assert!(err.contains("stop that registry"), "{err}");
    registry.stop().await;
    let (code, _, err) = run("source.db", &["export".to_owned(), file.to_owned()]);
    assert_eq!(code, Some(2));
    assert!(err.contains("EXPORT_PASSPHRASE"), "{err}");
    let aws = [with("export", "passphrase"), vec!["--aws-table".to_owned(), "registry".to_owned()]].concat();
    let (code, _, err) = run("source.db", &aws);
    assert_eq!(code, Some(2));
    assert!(err.contains("AWS_ACCESS_KEY_ID"), "{err}");

    let (code, out, err) = run("source.db", &with("export", "passphrase"));
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    let exported: Value = serde_json::from_str(&out).unwrap();
    let (code, out, err) = run("target.db", &with("import", "other"));
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    assert!(err.contains("the passphrase is wrong"), "{err}");
    let (code, out, err) = run("target.db", &with("import", "passphrase"));
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    let imported: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(imported["items"], exported["items"]);

    let registry = start(&path("target.db")).await;
    let (_, again) = post(&registry, &card).await;
    assert_eq!(again["listing_id"], published["listing_id"], "{again}");
    assert_eq!(again["status"], "duplicate", "{again}");
    registry.stop().await;
}
