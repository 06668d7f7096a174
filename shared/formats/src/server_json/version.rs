//! The official registry's rule for the version of a server or package: exactly one version, never a range.
//! Clients install exactly this version.

use std::sync::LazyLock;

use regex::RegexSet;
use serde_json::Value;

use super::fields::text;
use super::violation::Violations;
use registry_model::error::shorten;

/// Whether this is one version: not empty, not `latest`, not a range.
pub fn is_version(version: &str) -> bool {
    let fits = (1..=255).contains(&version.chars().count());
    fits && version != "latest" && !is_range(version)
}

pub(super) fn check(path: &str, version: Option<&Value>, violations: &mut Violations) {
    let Some(version) = text(version) else { return };
    if version == "latest" {
        let message = "\"latest\" is reserved: write one version, such as \"1.0.2\".";
        violations.add(path, "reserved-version-string", message);
    } else if is_range(version) {
        let version = shorten(version, 60);
        let message = format!("\"{version}\" is a range of versions: write one, such as \"1.0.2\".");
        violations.add(path, "version-looks-like-range", message);
    }
}

/// Comparators, hyphen ranges, alternatives and wildcards, as in the official registry. The only difference: an `x` in
/// a pre-release (`1.0.0-next`) is not a wildcard here.
#[expect(clippy::expect_used, reason = "the patterns are literals, compiled by every test of a version")]
fn is_range(version: &str) -> bool {
    static RANGES: LazyLock<RegexSet> = LazyLock::new(|| {
        const ONE: &str = r"v?\d+(?:\.\d+){0,3}(?:-[0-9A-Za-z.-]+)?";
        RegexSet::new([
            format!(r"^(?:\^|~|>=|<=|>|<|=)\s*{ONE}$"),
            format!(r"^{ONE}\s-\s*{ONE}$"),
            format!(r"^{ONE}\s*(?:\|\|\s*{ONE}\s*)+$"),
            r"^(?:v?\d+|[xX*])(?:\.(?:\d+|[xX*])){0,1}\.[xX*](?:-[0-9A-Za-z.-]+)?$".to_owned(),
            r"^(?:[xX*]\.(?:\d+|[xX*])|(?:v?\d+|[xX*])\.[xX*]\.\d+|[xX*]\.\d+\.\d+)(?:-[0-9A-Za-z.-]+)?$"
                .to_owned(),
        ])
        .expect("literal patterns")
    });
    version.len() <= 255 && RANGES.is_match(version.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_is_not_accepted_as_a_version() {
        let ranges = "^1.2.3, ~1.2, >=1.0.0, <= 2, > v1, <1.0.0-beta.1, =1.0.0, 1.2.3 - 2.0.0, 1 - 2, 1.2 || 1.3, 1.2.*, \
                      1.2.x, 1.2.X, 1.x, v1.x, *.*, x.1, 1.x.0, x.2.3, 1.*-beta";
        for version in ranges.split(", ").chain([" 1.x "]) {
            assert!(is_range(version), "{version}");
        }
        let versions = "1.2.3, v1.0, 1.0.0-beta.x, 1.0.0-next, 2025.10.1, 1.0.0+build.5, a1b2c3, 1, x, latest-1, 1.2.3-4 5, \
                        1.0.0-x.7.z.92, experimental, 1.2.3.4";
        for version in versions.split(", ") {
            assert!(!is_range(version), "{version}");
        }
    }

    #[test]
    fn one_exact_version_is_accepted() {
        assert!(is_version("1.0.0+build") && is_version("x"));
        assert!(!["latest", "^1", "", &"1".repeat(256)].into_iter().any(is_version));
    }
}
