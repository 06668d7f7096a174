//! Runs the fuzz targets over the corpus of the fuzzer in every test run. Each file must have the result that the
//! manifest contains. All ways to write a private address must be refused. `UPDATE=1` writes the manifest.

#[path = "../hostile/fuzz/src/targets/mod.rs"]
mod targets;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use registry::fetch::Target;
use registry::model::Reach;
use targets::{TARGETS, Verdict};

const FUZZ: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/hostile/fuzz");
/// Minimum number of files per target.
const MIN_FILES: usize = 20;
const MIN_SPELLINGS: usize = 150;
/// Time limit for the whole corpus, in a development build on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(60);

#[test]
fn corpus_files_give_the_results_in_the_manifest() {
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
        assert!(verdicts.len() >= MIN_FILES, "{target} has {} files", verdicts.len());
        let accepted = verdicts.iter().filter(|verdict| verdict.starts_with("accepted")).count();
        assert!(accepted > 0 && accepted < verdicts.len(), "{target}: needs both accepted and refused files");
    }
    assert!(began.elapsed() < TIME_LIMIT, "{:?}", began.elapsed());
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
    assert_eq!(written.len(), expected.len(), "the manifest names missing files");
}

#[test]
fn every_notation_of_a_private_address_is_refused() {
    let list = fs::read_to_string(Path::new(FUZZ).join("spellings.txt")).unwrap();
    let url = targets::reader("url").unwrap();
    let mut spellings = 0;
    let mut unexpected = Vec::new();
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (code, text) = line.split_once(' ').unwrap();
        let text: String = serde_json::from_str(text).unwrap();
        spellings += 1;
        match Target::parse(&text, Reach::Public) {
            Ok(target) => unexpected.push(format!("{text:?} was accepted as {target}")),
            Err(error) if error.code().as_str() != code => {
                unexpected.push(format!("{text:?}: {} instead of {code}", error.code().as_str()))
            }
            Err(_) => assert_ne!(url(text.as_bytes()), Verdict::Accepted, "{text:?}"),
        }
    }
    assert!(unexpected.is_empty(), "{} of {spellings}:\n{}", unexpected.len(), unexpected.join("\n"));
    assert!(spellings >= MIN_SPELLINGS, "{spellings}");
}
