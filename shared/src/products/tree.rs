//! Which files make up a product, and which of them a demo shows.

use super::file::File;
use super::profile::Profile;
use crate::model::Sku;
use crate::settings::Settings;

/// The whole product.
#[must_use]
pub fn tree(sku: Sku, profile: &Profile, settings: &Settings) -> Vec<File> {
    let content = format!("# {}: {}\n\n{}\n", sku.title(), profile.name, settings.base_url);
    vec![File { path: "AGENTS.md".to_owned(), media_type: "text/markdown", content }]
}

/// The part of a product that a demo shows.
#[must_use]
pub fn sample(sku: Sku, profile: &Profile, settings: &Settings) -> Vec<File> {
    tree(sku, profile, settings)
}
