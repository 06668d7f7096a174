//! The versions and paths of the extension families (`specification.md#versioning`), for cards and the discovery map.

use crate::prelude::*;

pub const FAMILIES: [(&str, &str); 5] = [
    ("stigmergy", registry_features::trails::VERSION),
    ("autocatalysis", registry_features::economy::AUTOCATALYSIS_VERSION),
    ("interop", registry_features::interop::VERSION),
    ("first_principles", registry_features::trust::VERSION),
    ("exonomics", registry_features::economy::EXONOMICS_VERSION),
];

pub fn path(family: &str) -> String {
    format!("/api/products/{}", family.replace('_', "-"))
}

pub(super) fn add_to(card: &mut Value, settings: &Settings) {
    for (family, version) in FAMILIES {
        card[family] = true.into();
        card[format!("{family}_version")] = version.into();
        card[format!("{family}_api")] = settings.url(&path(family)).into();
    }
}
