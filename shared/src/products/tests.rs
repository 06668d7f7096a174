//! What holds of every product: it is the listing's own, it can be read by what it is made for, strangers' words break
//! nothing, and the same listing gives the same bytes.

mod formats;
mod hostile;
mod real;

use std::collections::HashSet;

use super::*;
use crate::model::{Kind, Sku, Tool};
use real::settings;

/// The product of a profile by the role of each file: folders named after the listing count as one.
fn by_role(sku: Sku, profile: &Profile) -> Vec<(String, String)> {
    let slug = profile.slug();
    let files = tree(sku, profile, &settings());
    files.into_iter().map(|file| (file.path.replace(&slug, "<slug>"), file.content)).collect()
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// How many of the lines of one text are not in the other.
fn own_lines(text: &str, other: &str) -> (usize, usize) {
    let others: HashSet<&str> = lines(other).into_iter().collect();
    let all = lines(text);
    (all.iter().filter(|line| !others.contains(*line)).count(), all.len())
}

#[test]
fn two_thirds_of_each_file_are_the_listings_own() {
    let profiles = real::all();
    let mut compared = 0;
    for sku in Sku::ALL {
        for (at, one) in profiles.iter().enumerate() {
            for (_, other) in profiles.iter().enumerate().filter(|(other, _)| *other != at) {
                let others = by_role(sku, other);
                for (role, content) in by_role(sku, one) {
                    let Some((_, theirs)) = others.iter().find(|(path, _)| *path == role) else { continue };
                    let (own, all) = own_lines(&content, theirs);
                    compared += 1;
                    assert!(
                        own * 3 >= all * 2,
                        "{sku:?} {role} of {}: {own} of {all} lines are its own beside {}\n{content}",
                        one.name,
                        other.name
                    );
                }
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn dump() {
    for (sku, profile) in
        Sku::ALL.iter().flat_map(|sku| real::all().into_iter().map(move |profile| (*sku, profile)))
    {
        for file in tree(sku, &profile, &settings()) {
            let path = format!("../target/trees/{}/{}/{}", profile.slug(), sku.as_str(), file.path);
            let path = std::path::Path::new(&path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, file.content).unwrap();
        }
    }
}
