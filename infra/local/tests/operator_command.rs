//! Tests `registry operator` on the command line: its output, its exit codes and its changes to the data.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::process::{Command, Stdio};

use local::{Data, Local, Options};
use registry::settings::{Mode, Settings};
use serde_json::{Value, json};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

fn run(data: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    run_with(data, arguments, Stdio::null())
}

fn run_with(data: &Path, arguments: &[&str], input: Stdio) -> (Option<i32>, String, String) {
    run_as("", data, arguments, input)
}

fn run_as(token: &str, data: &Path, arguments: &[&str], input: Stdio) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_registry"));
    command.env_remove("DATA").env_remove("RUST_LOG").env("OPERATOR_TOKEN", token);
    command.arg("operator").args(arguments).arg("--data").arg(data);
    let output = command.stdin(input).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

async fn start(data: &Path) -> Local {
    let token = |name: &str| (name == "OPERATOR_TOKEN").then(|| TOKEN.to_owned());
    let settings = Settings::from_env(Mode::Public, token).unwrap();
    Local::start(Options { data: Data::File(data.to_path_buf()), ..Options::new(settings) }).await.unwrap()
}

async fn post(local: &Local, body: &Value) -> (u16, Value) {
    // Fails if another test of this process has installed it already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client.post(local.url("/api/publish")).header("content-type", "application/json");
    let answer = request.body(body.to_string()).send().await.unwrap();
    (answer.status().as_u16(), serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_require_a_stopped_registry_or_its_token() {
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
    assert!(err.contains("stop that registry") && err.contains("OPERATOR_TOKEN"), "{err}");
    registry.stop().await;

    let (code, out, err) = run(&data, &["erase-contact", &id]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");

    // With its token, a running registry runs commands itself.
    let registry = start(&data).await;
    assert_eq!(post(&registry, &card).await.0, 200);
    for (token, arguments, code, words) in [
        ("another-token-another-token-another", &["restore", &id][..], 1, "another OPERATOR_TOKEN"),
        (TOKEN, &["restore", "mcp-unknown"], 1, "listing_not_found"),
        (TOKEN, &["withdraw", &id, "--reason", "Spam."], 0, "Withdrawn"),
    ] {
        let (exit, out, err) = run_as(token, &data, arguments, Stdio::null());
        assert!(exit == Some(code) && format!("{out}{err}").contains(words), "{arguments:?}: {out}{err}");
    }
    assert_eq!(post(&registry, &card).await.0, 409, "the registry shows what it cached");
    let copy = folder.path().join("copy.db");
    for code in [0, 1] {
        let (exit, out, err) = run(&data, &["backup", &copy.to_string_lossy()]);
        assert_eq!(exit, Some(code), "an older copy stays: {out}{err}");
    }
    for file in [&data, &copy] {
        let mode = std::os::unix::fs::PermissionsExt::mode(&file.metadata().unwrap().permissions());
        assert_eq!(mode & 0o077, 0, "{} contains private keys", file.display());
    }
    assert_eq!(run(&copy, &["restore", &id]).0, Some(0), "the copy is a data file, with what is in the log");
    registry.stop().await;
    assert_eq!(run(&data, &["restore", &id]).0, Some(0));

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
    for (arguments, missing) in [(&["withdraw", id][..], "--reason"), (&["erase"], "--email")] {
        let (code, _, err) = run(&data, arguments);
        assert_eq!(code, Some(2));
        assert!(err.contains(missing), "{err}");
    }

    std::fs::write(&data, "").unwrap();
    for (arguments, expected, words) in [
        (&["restore", id][..], 1, "listing_not_found"),
        (&["restore", "x"][..], 2, "not a listing id"),
        (&["withdraw", id, "--reason", "ask jane@example.org"][..], 2, "not a public reason"),
        (&["unblock-host", "https://example.org"][..], 2, "not a host name"),
        (&["revoke-purchase", "x"][..], 2, "not a purchase id"),
    ] {
        let (code, out, err) = run(&data, arguments);
        assert_eq!((code, out.as_str()), (Some(expected), ""), "{arguments:?}");
        assert!(err.contains(words), "{arguments:?}: {err}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn export_and_import_move_the_data() {
    let folder = tempfile::tempdir().unwrap();
    let [source, target] = ["source.db", "target.db"].map(|name| folder.path().join(name));
    let registry = start(&source).await;
    let card = json!({ "url": "https://agent.example.org/agent-card.json" });
    assert_eq!(post(&registry, &card).await.0, 200);
    registry.stop().await;

    let (code, lines, err) = run(&source, &["export"]);
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(err, format!("registry: exported {} items\n", lines.lines().count()));
    let file = folder.path().join("registry.jsonl");
    std::fs::write(&file, &lines).unwrap();
    for written in [lines.lines().count(), 0] {
        let input = Stdio::from(std::fs::File::open(&file).unwrap());
        let (code, out, err) = run_with(&target, &["import"], input);
        assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
        assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["written"], written);
    }
    std::fs::write(&file, &lines[..lines.len() - 9]).unwrap();
    let (code, _, err) = run_with(&target, &["import"], Stdio::from(std::fs::File::open(&file).unwrap()));
    assert_eq!(code, Some(1));
    assert!(err.contains("cannot be imported"), "{err}");
}
