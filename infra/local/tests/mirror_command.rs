//! Tests `registry mirror` on the command line: its output and its exit codes. The end-to-end tests cover the requests that
//! it sends.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::process::{Command, Stdio};

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_registry"));
    command.arg("mirror").args(arguments).env_remove("PORT").env_remove("RUST_LOG");
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn import_without_entries_ends_with_a_summary() {
    let (code, out, err) = run(&["-"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert_eq!(out, "0 published, 0 refused, 0 skipped\n");
}

#[test]
fn invalid_command_lines_have_their_exit_codes() {
    for (arguments, code, words) in [
        (&[][..], 2, "<FILE|URL>"),
        (&["a.json", "--to", "registry.example.com"][..], 2, "--to"),
        (&["-", "--to", "http://registry.example.com"][..], 2, "not begin with https://"),
        (&["no/such/file.json"][..], 2, "cannot read no/such/file.json"),
        (&["http://registry.example.com"][..], 2, "not begin with https://"),
    ] {
        let (found, _, err) = run(arguments);
        assert_eq!(found, Some(code), "{arguments:?} {err}");
        assert!(err.contains(words), "{arguments:?} {err}");
    }
}

#[test]
fn help_text_contains_sources_limits_and_exit_codes() {
    let (code, out, _) = run(&["--help"]);
    assert_eq!(code, Some(0));
    for words in ["FILE|URL", "--resume", "Examples:", "PUBLISH_PER_HOUR", "Exit codes:"] {
        assert!(out.contains(words), "{words}: {out}");
    }
}
