//! The corpus of the fuzzer, read by the same readers in every test run: each file has the verdict that stands in its
//! manifest, and each spelling of an address that leads inside is refused. `UPDATE=1` writes the manifest anew.

#[path = "../../fuzz/src/targets/mod.rs"]
mod targets;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use registry::fetch::Target;
use registry::model::Reach;
use targets::{TARGETS, Verdict};

const FUZZ: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz");
/// The least files of one target.
const LEAST_FILES: usize = 20;
/// The least spellings of addresses.
const LEAST_SPELLINGS: usize = 150;
/// The longest that all of the corpus may take, in a development build on a busy machine.
const LONGEST: Duration = Duration::from_secs(60);

#[test]
fn every_file_of_the_corpus_has_its_verdict() {
    let began = Instant::now();
    let mut found = BTreeMap::new();
    for (target, reader) in TARGETS {
        let folder = Path::new(FUZZ).join("corpus").join(target);
        for file in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let file = file.unwrap();
            let name = format!("{target}/{}", file.file_name().to_str().unwrap());
            found.insert(name, reader(&fs::read(file.path()).unwrap()).to_string());
        }
        let of_target = |name: &String| name.starts_with(&format!("{target}/"));
        let verdicts: Vec<&String> =
            found.iter().filter(|(name, _)| of_target(name)).map(|(_, v)| v).collect();
        assert!(verdicts.len() >= LEAST_FILES, "{target} has {} files", verdicts.len());
        let taken = verdicts.iter().filter(|verdict| verdict.starts_with("accepted")).count();
        assert!(
            taken > 0 && taken < verdicts.len(),
            "{target}: files of which all or none are taken prove little"
        );
    }
    assert!(began.elapsed() < LONGEST, "{:?}", began.elapsed());
    let manifest = Path::new(FUZZ).join("verdicts.txt");
    let written: String = found.iter().map(|(name, verdict)| format!("{name} {verdict}\n")).collect();
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&manifest, &written).unwrap();
    }
    let expected = fs::read_to_string(&manifest).unwrap();
    let (expected, written): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), written.lines().collect());
    for line in &written {
        assert!(expected.contains(line), "not in {}, where UPDATE=1 writes it: {line}", manifest.display());
    }
    assert_eq!(written.len(), expected.len(), "the manifest names files that are gone");
}

#[test]
fn every_spelling_of_an_address_inside_is_refused() {
    let list = fs::read_to_string(Path::new(FUZZ).join("spellings.txt")).unwrap();
    let url = targets::reader("url").unwrap();
    let mut spellings = 0;
    let mut others = Vec::new();
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (code, text) = line.split_once(' ').unwrap();
        let text: String = serde_json::from_str(text).unwrap();
        spellings += 1;
        match Target::parse(&text, Reach::Public) {
            Ok(target) => others.push(format!("{text:?} was taken as {target}")),
            Err(error) if error.code() != code => {
                others.push(format!("{text:?}: {} and not {code}", error.code()))
            }
            Err(_) => assert_ne!(url(text.as_bytes()), Verdict::Accepted, "{text:?}"),
        }
    }
    assert!(others.is_empty(), "{} of {spellings}:\n{}", others.len(), others.join("\n"));
    assert!(spellings >= LEAST_SPELLINGS, "{spellings}");
}
