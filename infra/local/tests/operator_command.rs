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
    command.arg("operator").args(arguments).arg("--data").arg(data).env_remove("DATA").env_remove("RUST_LOG");
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
