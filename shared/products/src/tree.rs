//! The files of each product, and which of them a demo shows. A demo contains a few of the real files,
//! unchanged. It lists the other files with their sizes.

use super::{charter, evaluation, improvement, mesh, repository, routine, skill};
use crate::prelude::*;
use registry_model::{Sku, counted};

pub fn tree(sku: Sku, profile: &Profile, settings: &Settings) -> Vec<File> {
    let mut files = match sku {
        Sku::McpMesh => mesh::files(profile, settings),
        Sku::Kernel | Sku::Recursive | Sku::Alive => charter_tree(sku, profile, settings),
    };
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

pub fn sample(sku: Sku, profile: &Profile, settings: &Settings) -> Vec<File> {
    let skill = |slug: String| format!("skills/{slug}/SKILL.md");
    let included: &[&str] = match sku {
        Sku::Kernel => &[charter::PATH],
        Sku::Recursive => &[charter::PATH, "regression.md"],
        // The charter contains the goals.
        Sku::Alive if profile.goals.is_empty() && profile.preset.is_none() => {
            &[routine::SCRIPT, routine::SETTINGS, &skill(routine::slug(profile))]
        }
        Sku::Alive => &[charter::PATH, routine::SCRIPT, routine::SETTINGS, &skill(routine::slug(profile))],
        Sku::McpMesh => {
            &["bridge.md", "descriptions.md", "install.md", "server.json", &skill(profile.slug())]
        }
    };
    let (mut files, rest): (Vec<File>, Vec<File>) =
        tree(sku, profile, settings).into_iter().partition(|file| included.contains(&file.path.as_str()));
    files.push(others(sku, profile, &rest));
    files
}

fn others(sku: Sku, profile: &Profile, rest: &[File]) -> File {
    let name = about::name(profile);
    let mut page = Page::new(&format!("{} of {name}: {}", sku.title(), counted(rest.len(), "more file")));
    let lines = rest.iter().map(|file| format!("{}: {} bytes", code(&file.path, 200), file.content.len()));
    page.block(items(lines));
    page.into_file("more.md")
}

fn charter_tree(sku: Sku, profile: &Profile, settings: &Settings) -> Vec<File> {
    let abilities = ability::from_profile(profile);
    let mut files = vec![
        charter::file(profile, &abilities),
        repository::file(profile, settings, &abilities),
        skill::file(profile, settings, &abilities, false),
        evaluation::file(profile, &abilities),
    ];
    if matches!(sku, Sku::Recursive | Sku::Alive) {
        files.extend(improvement::files(profile, settings, &abilities));
    }
    if sku == Sku::Alive {
        files.extend(routine::files(profile, settings));
    }
    files
}
