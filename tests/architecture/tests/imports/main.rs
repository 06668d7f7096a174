//! Which module uses which, read from the sources: every crate is free of circles between files, and the rooms of the
//! domain stand in floors of which each uses only those below it.

#![expect(clippy::unwrap_used, reason = "a test that cannot read the sources has to fail")]

mod graph;
mod sources;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use graph::{circle, upward};
use sources::{Crate, Use};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every crate of the workspace that is not a test.
fn crates() -> Vec<PathBuf> {
    let mut found = vec![root().join("shared"), root().join("infra/local")];
    let functions = std::fs::read_dir(root().join("functions")).unwrap();
    found.extend(functions.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()));
    found.sort();
    found
}

#[test]
fn no_two_files_use_each_other() {
    let mut found = Vec::new();
    for path in crates() {
        let sources = Crate::read(&path.join("src"));
        assert!(!sources.files.is_empty(), "{}: nothing was read", path.display());
        found.extend(circle(&sources.uses).into_iter().map(|one| format!("{}: {one}", path.display())));
    }
    assert!(found.is_empty(), "imports in a circle:\n{}", found.join("\n"));
}

#[test]
fn every_file_is_declared_as_a_module() {
    let mut found = Vec::new();
    for path in crates() {
        let sources = Crate::read(&path.join("src"));
        found.extend(sources.undeclared().into_iter().map(|one| format!("{}: {one}", path.display())));
    }
    assert!(found.is_empty(), "files that no module declares:\n{}", found.join("\n"));
}

#[test]
fn a_room_uses_only_those_of_the_floors_below_it() {
    let sources = Crate::read(&root().join("shared/src"));
    let floors = sources.floors();
    assert!(floors.len() > 8, "the floors were read: {floors:?}");
    let found = upward(&floors, &sources.uses);
    assert!(found.is_empty(), "imports that run upwards or sideways:\n{}", found.join("\n"));
}

fn uses(pairs: &[(&str, &str)]) -> Vec<Use> {
    let one = |(from, to): &(&str, &str)| Use {
        from: (*from).to_owned(),
        to: (*to).to_owned(),
        name: "X".to_owned(),
    };
    pairs.iter().map(one).collect()
}

#[test]
fn an_import_upwards_or_sideways_is_found() {
    let floors = BTreeMap::from([("model", 0), ("store", 1), ("views", 2), ("trust", 2)]);
    let floors = floors.into_iter().map(|(room, floor)| (room.to_owned(), floor)).collect();
    assert_eq!(upward(&floors, &uses(&[("views::row", "store"), ("store::keys", "model")])), [""; 0]);
    assert_eq!(upward(&floors, &uses(&[("store::keys", "views::row")])).len(), 1, "upwards");
    assert_eq!(upward(&floors, &uses(&[("views::row", "trust")])).len(), 1, "sideways");
    assert_eq!(upward(&floors, &uses(&[("views::row", "attic")])).len(), 1, "to a room on no floor");
}

#[test]
fn a_circle_is_found() {
    assert_eq!(circle(&uses(&[("a", "b"), ("b", "c"), ("a", "c")])), [""; 0]);
    assert_eq!(circle(&uses(&[("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")])).len(), 3);
}

#[test]
fn every_way_of_naming_another_module_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/imports/sample");
    let sources = Crate::read(&folder);
    let found: Vec<String> = sources.uses.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "a -> b: by_path",
            "a -> b: in_a_macro",
            "a -> b::inner: Inner",
            "a -> c: Renamed",
            "b::inner -> c: glob",
        ]
    );
    assert_eq!(sources.floors(), BTreeMap::from([("a".into(), 1), ("b".into(), 0), ("c".into(), 0)]));
}
