//! Tests agent cards and `server.json` documents from public repositories. A small sample is in `tests/harness/fixtures/real`.

mod published;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Outcomes, and how often each occurred.
type Tally = BTreeMap<String, usize>;

/// The documents of one folder of the sample, by file name.
fn documents(folder: &str) -> BTreeMap<String, Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("harness/fixtures/real").join(folder);
    let entries = fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let files = entries.map(|entry| entry.unwrap()).filter(|entry| entry.file_name() != "INDEX.json");
    let documents: BTreeMap<String, Vec<u8>> = files
        .map(|file| (file.file_name().to_string_lossy().into_owned(), fs::read(file.path()).unwrap()))
        .collect();
    assert!(!documents.is_empty(), "{} contains no documents", path.display());
    documents
}

/// One line per outcome. Also prints them.
fn tally_text(title: &str, tally: &Tally) -> String {
    let mut lines = String::new();
    for (outcome, times) in tally {
        let _ = writeln!(lines, "{outcome}: {times}");
    }
    println!("{title}\n{lines}");
    lines
}
