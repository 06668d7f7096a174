//! Checks the packages of a server that runs on the machine of its user. Nothing is installed or run. The registry of a
//! package only says whether the package exists, and whether its metadata contains the name of the server, as the official
//! registry requires.

use futures::future::join_all;
use http::StatusCode;
use serde_json::Value;
use url::Url;

use crate::handshake::Findings;
use crate::reasons::ProbeFault;
use registry_app::App;
use registry_fetch::{Request, Target};
use registry_model::{CheckedPackage, Listing, Package, PackageState, Verdict};
use registry_store::StoreError;

/// Packages of a server that are checked; the others count as unchecked.
const MAX_CHECKED: usize = 8;
/// JSON values and bytes of the metadata of one version. A README is a part of it.
const MAX_VALUES: usize = 50_000;
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// The verdict on a server whose description has packages and no remote.
pub(super) async fn check(app: &App, listing: &Listing) -> Result<Verdict, StoreError> {
    let document = app.store.server_document(&listing.id).await?;
    let packages = document.map(|document| document.packages()).unwrap_or_default();
    let name = listing.server_name.as_deref().unwrap_or_default();
    let checked = packages.into_iter().take(MAX_CHECKED).map(|package| async move {
        let state = state(app, listing, &package, name).await;
        CheckedPackage { package, state }
    });
    let mut findings = Findings::default();
    findings.facts.kind = listing.kind;
    findings.signal("not_asked");
    findings.facts.packages = join_all(checked).await;
    for CheckedPackage { package, state } in findings.facts.packages.clone() {
        let fault = match state {
            PackageState::Missing => ProbeFault::PackageMissing,
            PackageState::Unnamed => ProbeFault::PackageUnnamed,
            PackageState::Unreached => ProbeFault::PackageUnreached,
            PackageState::Named | PackageState::Unchecked => continue,
        };
        findings.fault(&fault, &format!("{} {}", package.registry_type, package.identifier));
    }
    findings.fault(&ProbeFault::StdioOnly, "");
    Ok(findings.into_verdict())
}

async fn state(app: &App, listing: &Listing, package: &Package, name: &str) -> PackageState {
    let Some(base) = app.settings.package_registries.get(&package.registry_type) else {
        return PackageState::Unchecked;
    };
    let Some(target) = metadata_url(base, package) else { return PackageState::Unchecked };
    let Ok(target) = Target::parse(&target, app.settings.reach()) else { return PackageState::Unchecked };
    let request = Request::get(target).with_max_bytes(MAX_BYTES);
    let Ok(answer) = app.fetcher_for(&listing.id).send(request).await else { return PackageState::Unreached };
    let mut left = MAX_VALUES;
    match answer.status {
        StatusCode::NOT_FOUND | StatusCode::GONE => PackageState::Missing,
        StatusCode::OK if answer.truncated => PackageState::Unchecked,
        StatusCode::OK => match answer.json(&mut left) {
            Ok(metadata) if names(package, &metadata, name) => PackageState::Named,
            Ok(_) => PackageState::Unnamed,
            Err(_) => PackageState::Unreached,
        },
        _ => PackageState::Unreached,
    }
}

/// Where a package registry serves the metadata of one version; `None` for a type that this module does not know.
fn metadata_url(base: &str, package: &Package) -> Option<String> {
    let (identifier, version) = (package.identifier.as_str(), package.version.as_deref());
    let segments = match package.registry_type.as_str() {
        "npm" => vec![identifier, version.unwrap_or("latest")],
        "pypi" => ["pypi", identifier].into_iter().chain(version).chain(["json"]).collect(),
        _ => return None,
    };
    let mut url = Url::parse(base).ok()?;
    url.path_segments_mut().ok()?.pop_if_empty().extend(segments);
    Some(url.into())
}

/// Whether the metadata of a package contains the name of the server (official registry, `internal/validators/registries`).
fn names(package: &Package, metadata: &Value, name: &str) -> bool {
    match package.registry_type.as_str() {
        "npm" => metadata["mcpName"] == name,
        "pypi" => metadata["info"]["description"].as_str().is_some_and(|readme| {
            readme.match_indices("mcp-name:").any(|(at, mark)| {
                let after = readme[at + mark.len()..].trim_start();
                let rest = after.strip_prefix(name);
                rest.is_some_and(|rest| {
                    !rest.starts_with(|c: char| c.is_alphanumeric() || "._-/".contains(c))
                })
            })
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn package(registry_type: &str, identifier: &str, version: Option<&str>) -> Package {
        Package {
            registry_type: registry_type.to_owned(),
            identifier: identifier.to_owned(),
            version: version.map(str::to_owned),
        }
    }

    #[test]
    fn metadata_is_read_at_the_address_of_the_version() {
        let at = |package: &Package| metadata_url("https://packages.example", package);
        for (package, url) in [
            (package("npm", "@acme/notes", Some("1.0.0")), Some("/@acme%2Fnotes/1.0.0")),
            (package("npm", "notes", None), Some("/notes/latest")),
            (package("pypi", "acme-notes", Some("1.0.0")), Some("/pypi/acme-notes/1.0.0/json")),
            (package("pypi", "../admin?x#y", None), Some("/pypi/..%2Fadmin%3Fx%23y/json")),
            (package("oci", "acme/notes:1.0.0", None), None),
        ] {
            assert_eq!(at(&package), url.map(|url| format!("https://packages.example{url}")), "{package:?}");
        }
    }

    #[test]
    fn metadata_must_contain_the_exact_name() {
        let npm = package("npm", "notes", None);
        assert!(names(&npm, &json!({ "mcpName": "org.example/notes" }), "org.example/notes"));
        assert!(!names(&npm, &json!({ "name": "org.example/notes" }), "org.example/notes"));
        let pypi = package("pypi", "notes", None);
        let readme = |text: &str| json!({ "info": { "description": text } });
        for text in ["<!-- mcp-name: org.example/notes -->", "mcp-name:org.example/notes"] {
            assert!(names(&pypi, &readme(text), "org.example/notes"), "{text}");
        }
        for text in ["mcp-name: org.example/notes-2", "org.example/notes", ""] {
            assert!(!names(&pypi, &readme(text), "org.example/notes"), "{text}");
        }
    }
}
