//! Tests `registry mirror` on the command line: its output, its exit codes and Ctrl-C. The end-to-end tests
//! cover the requests that it sends.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn registry(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_registry"));
    command.arg("mirror").args(arguments).env_remove("PORT").env_remove("RUST_LOG");
    command
}

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    text_of(registry(arguments).stdin(Stdio::null()).output().unwrap())
}

fn text_of(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn server(number: usize) -> String {
    format!(r#"{{"name": "org.example/server-{number}", "description": "Serves.", "version": "1.0.0"}}"#)
}

fn servers(folder: &Path) -> String {
    let path = folder.join("servers.jsonl");
    let mut text = String::new();
    for number in 0..3 {
        let _ = writeln!(text, "{}", server(number));
    }
    text.push_str("{\"name\": \"org.example/\\u001b[31mred\"}\nnot json\n");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn refusals_are_reported_with_exit_code_0() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = run(&["--dry-run", &servers(folder.path())]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.starts_with("5 documents of "), "{out}");
    assert!(out.contains("\naccepted      3  valid 3\nskipped       0\nrefused       2\n"), "{out}");
    assert!(out.contains("     1 x not_json\n         line 5: Invalid JSON (column 2: "), "{out}");
    assert!(!out.contains('\u{1b}'), "control characters of a name are printed: {out:?}");
}

#[test]
fn invalid_command_lines_have_their_exit_codes() {
    for (arguments, code, words) in [
        (&["http://registry.example.com"][..], 2, "use https for other machines"),
        (&[][..], 2, "<FILE|URL>"),
        (&["a.json", "--per-second", "0"][..], 2, "1..=1000"),
        (&["a.json", "--to", "registry.example.com"][..], 2, "--to"),
        (
            &["a.json", "--updated-since", "2026-11-01T00:00:00Z", "--dry-run"][..],
            2,
            "works only if the source is a registry",
        ),
        (&["no/such/file.json", "--dry-run"][..], 1, "cannot read no/such/file.json"),
    ] {
        let (found, out, err) = run(arguments);
        assert_eq!(found, Some(code), "{arguments:?} {err}");
        assert!(err.contains(words) && out.is_empty(), "{arguments:?} {err}");
    }
}

#[test]
fn invalid_json_is_reported_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("servers.json");
    std::fs::write(&path, format!("[\n{},\n{}\n", server(0), server(1))).unwrap();
    let (code, out, err) = run(&["--dry-run", path.to_str().unwrap()]);
    assert_eq!(code, Some(1), "{err}");
    assert_eq!(out, "", "no summary if nothing was handled");
    assert!(err.contains("line 4, column 0: EOF while parsing a list"), "{err}");
}

#[test]
fn interrupted_command_ends_with_a_summary() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("refused.jsonl");
    let mut command = registry(&["-", "--dry-run", "--report", report.to_str().unwrap()]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The pipe stays open, so only the interrupt can end the process.
    let mut pipe = child.stdin.take().unwrap();
    writeln!(pipe, "{}\n7", server(0)).unwrap();
    let start = Instant::now();
    while std::fs::read(&report).map_or(0, |text| text.len()) == 0 {
        assert!(start.elapsed() < Duration::from_secs(20), "nothing was handled");
        std::thread::sleep(Duration::from_millis(10));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let (code, out, err) = text_of(child.wait_with_output().unwrap());
    drop(pipe);
    assert_eq!(code, Some(1), "{err}");
    assert!(out.starts_with("2 documents of standard input"), "{out}");
    assert!(err.contains("registry: stopped"), "{err}");
}

#[test]
fn help_text_contains_sources_limits_and_exit_codes() {
    let (code, out, _) = run(&["--help"]);
    assert_eq!(code, Some(0));
    for words in ["FILE|URL", "--resume", "--dry-run", "Examples:", "PUBLISH_PER_HOUR", "Exit codes:"] {
        assert!(out.contains(words), "{words}: {out}");
    }
}
