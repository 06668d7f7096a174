//! The extension families (contract "Versioning"): their versions and where each is reached, as cards and the map tell
//! them.

use serde_json::Value;

use crate::settings::Settings;

/// The families and their versions.
pub const FAMILIES: [(&str, &str); 5] = [
    ("stigmergy", crate::trails::VERSION),
    ("autocatalysis", crate::economy::AUTOCATALYSIS_VERSION),
    ("interop", crate::interop::VERSION),
    ("first_principles", crate::trust::VERSION),
    ("exonomics", crate::economy::EXONOMICS_VERSION),
];

/// Where a family is reached.
#[must_use]
pub fn path(family: &str) -> String {
    format!("/api/products/{}", family.replace('_', "-"))
}

/// Says in a card that each family is there, in which version, and where.
pub(super) fn add_to(card: &mut Value, settings: &Settings) {
    for (family, version) in FAMILIES {
        card[family] = true.into();
        card[format!("{family}_version")] = version.into();
        card[format!("{family}_api")] = settings.url(&path(family)).into();
    }
}
