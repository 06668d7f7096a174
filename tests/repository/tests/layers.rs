//! Cargo forbids cycles between crates. These tests forbid three more things:
//!
//! - a dependency on a higher layer;
//! - a library for DynamoDB, HTTP or DNS in a crate that may not use this library;
//! - a source file that no module declares.

#![expect(clippy::unwrap_used, reason = "a test that cannot read the sources has to fail")]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use registry::error::Code;

/// The layers, lowest first, each with the layers that it may use. `shared/docs/architecture.md` draws the same graph.
const LAYERS: [(&str, &[&str]); 13] = [
    ("model", &[]),
    ("encoder", &[]),
    ("settings", &["model"]),
    ("formats", &["model"]),
    ("fetch", &["model"]),
    ("store", &["model", "settings"]),
    ("search", &["encoder", "fetch", "formats", "model", "store"]),
    ("app", &["fetch", "formats", "model", "search", "settings", "store"]),
    ("lambda", &["app", "model", "settings", "store"]),
    ("probe", &["app", "fetch", "formats", "model", "search", "settings", "store"]),
    ("products", &["formats", "model", "settings"]),
    ("features", &["app", "fetch", "formats", "model", "probe", "products", "search", "settings", "store"]),
    (
        "surfaces",
        &["app", "features", "fetch", "formats", "model", "probe", "products", "search", "settings", "store"],
    ),
];

/// Libraries that only some crates may use, with those crates.
const GUARDED: [(&str, &[&str]); 3] = [
    ("aws-sdk-dynamodb", &["shared/store", "shared/lambda", "infra/local", "tests"]),
    ("reqwest", &["shared/fetch", "shared/search", "infra/local", "tests"]),
    ("hickory-resolver", &["shared/fetch"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folders of all crates of the workspace, as paths from the root.
fn crates() -> Vec<String> {
    let manifest: toml::Table = fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let mut found = Vec::new();
    for member in manifest["workspace"]["members"].as_array().unwrap() {
        let member = member.as_str().unwrap();
        match member.strip_suffix("/*") {
            None => found.push(member.to_owned()),
            Some(folder) => {
                let entries = fs::read_dir(root().join(folder)).unwrap();
                let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
                found.extend(names.map(|name| format!("{folder}/{name}")));
            }
        }
    }
    found
}

/// The names under `[dependencies]` of a crate.
fn dependencies(folder: &str) -> BTreeSet<String> {
    let path = root().join(folder).join("Cargo.toml");
    let manifest: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
    let table = manifest.get("dependencies").and_then(toml::Value::as_table);
    table.into_iter().flat_map(|table| table.keys().cloned()).collect()
}

#[test]
fn layers_depend_only_on_lower_layers() {
    let mut wrong = Vec::new();
    for (layer, allowed) in LAYERS {
        for name in dependencies(&format!("shared/{layer}")) {
            if let Some(used) = name.strip_prefix("registry-")
                && !allowed.contains(&used)
            {
                wrong.push(format!("{layer} uses {used}"));
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
    let of_cli = dependencies("infra/cli").into_iter().filter(|name| name.starts_with("registry-"));
    assert!(of_cli.eq(["registry-formats", "registry-model"]), "the command line uses the HTTP API");
    let on_disk = crates().iter().filter(|path| path.starts_with("shared/")).count();
    assert_eq!(on_disk, LAYERS.len(), "every crate of shared/ is in the table");
}

#[test]
fn restricted_libraries_are_used_only_in_allowed_crates() {
    for (library, allowed) in GUARDED {
        for folder in crates() {
            let uses = dependencies(&folder).contains(library);
            assert!(!uses || allowed.contains(&&*folder), "{folder} uses {library}");
        }
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn bodies_of_strangers_are_read_by_the_guarded_parser() {
    let mut files = Vec::new();
    for folder in ["shared/surfaces/src", "shared/fetch/src", "shared/probe/src/handshake"] {
        sources(&root().join(folder), &mut files);
    }
    // The transcript reads what the registry itself sends.
    let is_test = |file: &Path| {
        file.components()
            .rev()
            .take(4)
            .any(|part| ["tests", "tests.rs"].map(OsStr::new).contains(&part.as_os_str()))
    };
    files.retain(|file| !is_test(file) && !file.ends_with("transcript.rs"));
    assert!(files.len() > 100, "{}", files.len());
    let reads = |file: &&PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        text.split("#[cfg(test)]").next().unwrap().contains("serde_json::from_slice")
    };
    assert_eq!(files.iter().find(reads), None, "use registry_model::json");
}

/// With a word boundary of Unicode, `regex` leaves its fast engine on any text that is not ASCII: 0.01 s become 3.6 s for 4 MiB.
#[test]
fn patterns_have_word_boundaries_of_ascii() {
    let mut files = vec![root().join("shared/formats/src/injection/unspaced.txt")];
    sources(&root().join("shared"), &mut files);
    let has_boundary = |file: &&PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        text.replace(r"(?-u:\b)", "").replace(r"\\", "").contains(r"\b")
    };
    assert_eq!(files.iter().find(has_boundary), None, r"use (?-u:\b)");
}

#[test]
fn every_code_of_an_error_is_used() {
    let mut files = Vec::new();
    sources(&root().join("shared"), &mut files);
    files.retain(|file| !file.ends_with("error/code.rs"));
    let text: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let names = text.split("Code::").map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next().unwrap());
    let used: BTreeSet<&str> = names.collect();
    let unused: Vec<&Code> = Code::ALL.iter().filter(|code| !used.contains(&*format!("{code:?}"))).collect();
    assert!(unused.is_empty(), "delete from the list: {unused:?}");
}

#[test]
fn every_source_file_is_declared_as_a_module() {
    let folders = crates().into_iter().flat_map(|folder| match folder.as_str() {
        "tests" => vec![folder.clone() + "/harness/src", folder + "/end_to_end"],
        _ => vec![folder + "/src"],
    });
    let mut checked = 0;
    for folder in folders {
        let src = root().join(&folder);
        let mut files = Vec::new();
        sources(&src, &mut files);
        for file in files {
            let name = file.file_stem().unwrap().to_str().unwrap();
            let folder = file.parent().unwrap();
            if folder == src && ["lib", "main"].contains(&name) || folder.ends_with("bin") {
                continue;
            }
            let parents = if folder == src {
                vec![src.join("lib.rs"), src.join("main.rs")]
            } else if name == "main" {
                continue;
            } else {
                vec![folder.with_extension("rs"), folder.join("main.rs")]
            };
            let declaration = format!("mod {name};");
            let text = |path: &PathBuf| fs::read_to_string(path).unwrap_or_default();
            let is_declared = parents.iter().any(|parent| text(parent).contains(&declaration));
            assert!(is_declared, "no module declares {}", file.display());
            checked += 1;
        }
    }
    assert!(checked > 300, "{checked} files were checked");
}
