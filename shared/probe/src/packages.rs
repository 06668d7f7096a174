//! Checks the packages of a server that runs on its user's machine. Nothing is installed or run. A package registry only
//! says whether the package exists and its metadata contains the name of the server, as the official registry requires.

use futures::future::join_all;
use http::StatusCode;
use serde_json::Value;
use url::Url;

use crate::handshake::Findings;
use crate::reasons::ProbeFault;
use registry_app::App;
use registry_fetch::{Answer, Request, Target};
use registry_model::{CheckedPackage, Listing, Package, PackageState, Verdict};
use registry_store::StoreError;

/// Packages of a server that are checked. If there are more, the next one counts as unchecked.
const MAX_CHECKED: usize = 8;
/// Arguments of `npx` and `uvx` that do not change what runs. Others can name another registry or another package.
const HARMLESS_ARGUMENTS: [&str; 4] = ["-y", "--yes", "-q", "--quiet"];
/// How the names of variables begin that runners, runtimes and loaders read themselves.
const OF_RUNNERS: &str =
    "npm_config node_ pip_ uv_ python http_proxy https_proxy all_proxy ld_ dyld_ ssl_ requests_";
/// How URLs on the machine of a user begin.
const LOCAL: [&str; 3] = ["http://localhost", "http://127.0.0.1", "http://[::1]"];
/// JSON values and bytes of the metadata of one version. A README is a part of it.
const MAX_VALUES: usize = 50_000;
const MAX_BYTES: usize = 2 * 1024 * 1024;
/// The media type of a simple index in JSON (PEP 691).
const SIMPLE_JSON: &str = "application/vnd.pypi.simple.v1+json";

/// The verdict on a server whose description has packages and no remote.
pub(super) async fn check(app: &App, listing: &Listing) -> Result<Verdict, StoreError> {
    let document = app.store.server_document(&listing.id).await?;
    let packages = document.map(|document| document.packages()).unwrap_or_default();
    let name = listing.ownership.server_name.as_deref().unwrap_or_default();
    let checked = packages.into_iter().take(MAX_CHECKED + 1).enumerate();
    let checked = checked.map(|(index, (package, description))| async move {
        let is_checked = index < MAX_CHECKED && runs_itself(app, &package, &description);
        let state =
            if is_checked { state(app, listing, &package, name).await } else { PackageState::Unchecked };
        CheckedPackage { package, state }
    });
    let mut findings = Findings::without_requests(listing.kind);
    findings.facts.packages = join_all(checked).await;
    let packages = findings.facts.packages.clone();
    for CheckedPackage { package, state } in &packages {
        let fault = match state {
            PackageState::Missing => ProbeFault::PackageMissing,
            PackageState::Unnamed => ProbeFault::PackageUnnamed,
            PackageState::Unreached => ProbeFault::PackageUnreached,
            PackageState::Named | PackageState::Unchecked => continue,
        };
        findings.fault(&fault, &format!("{} {}", package.registry_type, package.identifier));
    }
    let (declared, types) = match &packages[..] {
        [] => (ProbeFault::NothingDeclared, "no packages and no remotes".to_owned()),
        all if findings.facts.has_unchecked_packages() => {
            let unchecked = all.iter().filter(|checked| checked.state == PackageState::Unchecked);
            let types: Vec<&str> = unchecked.map(|checked| checked.package.registry_type.as_str()).collect();
            (ProbeFault::PackageUnchecked, types.join(", "))
        }
        _ => (ProbeFault::StdioOnly, String::new()),
    };
    findings.fault(&declared, &types);
    Ok(findings.into_verdict())
}

/// The state of a package, also if a step fails.
async fn state(app: &App, listing: &Listing, package: &Package, name: &str) -> PackageState {
    let is_named = async {
        let base = app.settings.package_registries.get(&package.registry_type);
        let url = base.and_then(|base| metadata_url(base, package)).ok_or(PackageState::Unchecked)?;
        let target = Target::parse(&url, app.settings.reach()).map_err(|_| PackageState::Unchecked)?;
        if package.registry_type == "pypi" && base.is_some_and(|base| is_simple_index(base)) {
            return Ok(contains_name(&core_metadata(app, listing, package, target).await?, name));
        }
        let metadata = fetch(app, listing, Request::get(target)).await?.json(&mut { MAX_VALUES });
        Ok(names(package, &metadata.map_err(|_| PackageState::Unreached)?, name))
    };
    match is_named.await {
        Ok(true) => PackageState::Named,
        Ok(false) => PackageState::Unnamed,
        Err(state) => state,
    }
}

/// Whether a client that follows the description gets the package that the registry checks, and runs nothing else.
fn runs_itself(app: &App, package: &Package, description: &Value) -> bool {
    let member = |name: &str| description.get(name).and_then(Value::as_str);
    let members = |name: &str| description.get(name).and_then(Value::as_array).into_iter().flatten();
    let (public, runner) = match package.registry_type.as_str() {
        "npm" => ("registry.npmjs.org", "npx"),
        "pypi" => ("pypi.org", "uvx"),
        // No registry checks these.
        _ => return true,
    };
    let host = |url: &str| Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let checked = app.settings.package_registries.get(&package.registry_type).and_then(|base| host(base));
    let is_known = |base: &str| host(base).is_some_and(|base| base == public || Some(base) == checked);
    let is_harmless = |argument: &Value| {
        let mut words = ["name", "value", "default", "choices"].iter().filter_map(|name| argument.get(*name));
        let word = words.next().and_then(Value::as_str);
        word.is_some_and(|word| HARMLESS_ARGUMENTS.contains(&word)) && words.next().is_none()
    };
    let changes_runner = |variable: &Value| {
        let name = variable.get("name").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
        name == "path" || OF_RUNNERS.split(' ').any(|own| name.starts_with(own))
    };
    let leads_away = |argument: &Value| {
        let mut fixed = ["value", "default"].iter().filter_map(|name| argument.get(*name)?.as_str());
        fixed.any(|text| text.contains("://") && !is_local(text))
    };
    let transport = description.get("transport").and_then(|transport| transport.get("url")?.as_str());
    member("registryBaseUrl").is_none_or(is_known)
        && member("runtimeHint").is_none_or(|hint| hint == runner)
        && members("runtimeArguments").all(is_harmless)
        && !members("environmentVariables").any(changes_runner)
        && !members("environmentVariables").chain(members("packageArguments")).any(leads_away)
        && transport.is_none_or(is_local)
}

/// Whether a URL, which may have variables, is on the machine of its user.
fn is_local(url: &str) -> bool {
    let rest = LOCAL.iter().find_map(|own| url.strip_prefix(own));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']) && !rest.contains('@'))
}

async fn fetch(app: &App, listing: &Listing, request: Request) -> Result<Answer, PackageState> {
    let sent = app.fetcher_for(&listing.id).send(request.with_max_bytes(MAX_BYTES)).await;
    let answer = sent.map_err(|_| PackageState::Unreached)?;
    match answer.status {
        StatusCode::NOT_FOUND | StatusCode::GONE => Err(PackageState::Missing),
        StatusCode::OK if answer.truncated => Err(PackageState::Unchecked),
        StatusCode::OK => Ok(answer),
        _ => Err(PackageState::Unreached),
    }
}

/// The core metadata of a version, which contain the README (PEP 691 and 714). Private indexes have no other API for it.
async fn core_metadata(
    app: &App,
    listing: &Listing,
    package: &Package,
    index: Target,
) -> Result<String, PackageState> {
    let page = fetch(app, listing, Request::get(index).with_header("accept", SIMPLE_JSON)).await?;
    if !page.content_type().ends_with("json") {
        // This index answers only in HTML.
        return Err(PackageState::Unchecked);
    }
    let document = page.json(&mut { MAX_VALUES }).map_err(|_| PackageState::Unreached)?;
    let files = files(&document, package.version.as_deref());
    if files.is_empty() {
        return Err(PackageState::Missing);
    }
    let has_metadata = |file: &&Value| {
        ["core-metadata", "dist-info-metadata"]
            .iter()
            .any(|name| file[*name] == true || file[*name].is_object())
    };
    let url = files.into_iter().find(has_metadata).and_then(|file| file["url"].as_str());
    let path = url.and_then(|url| url.split(['?', '#']).next()).ok_or(PackageState::Unchecked)?;
    let target = page.target.join(&format!("{path}.metadata"), app.settings.reach());
    let request = Request::get(target.map_err(|_| PackageState::Unchecked)?).with_header("accept", "*/*");
    let metadata = fetch(app, listing, request).await.map_err(|state| match state {
        PackageState::Missing => PackageState::Unchecked,
        state => state,
    })?;
    Ok(String::from_utf8_lossy(&metadata.body).into_owned())
}

/// The wheels and archives of a version on the page of a project.
fn files<'a>(page: &'a Value, version: Option<&str>) -> Vec<&'a Value> {
    let is_of_version = |file: &&Value| {
        let Some(filename) = file["filename"].as_str() else { return false };
        let archive = [".tar.gz", ".zip"].iter().find_map(|end| filename.strip_suffix(end));
        let found = match archive {
            Some(archive) => archive.rsplit('-').next(),
            None => filename.strip_suffix(".whl").and_then(|wheel| wheel.split('-').nth(1)),
        };
        found.is_some() && version.is_none_or(|version| found == Some(version))
    };
    page["files"].as_array().into_iter().flatten().filter(is_of_version).collect()
}

fn is_simple_index(base: &str) -> bool {
    base.trim_end_matches('/').ends_with("simple")
}

/// Where a package registry serves the metadata of a version, or an index its files; `None` for an unknown type.
fn metadata_url(base: &str, package: &Package) -> Option<String> {
    let (identifier, version) = (package.identifier.as_str(), package.version.as_deref());
    let project = normalized(identifier);
    let segments = match package.registry_type.as_str() {
        "npm" => vec![identifier, version.unwrap_or("latest")],
        "pypi" if is_simple_index(base) => vec![&project, ""],
        "pypi" => ["pypi", identifier].into_iter().chain(version).chain(["json"]).collect(),
        _ => return None,
    };
    let mut url = Url::parse(base).ok()?;
    url.path_segments_mut().ok()?.pop_if_empty().extend(segments);
    Some(url.into())
}

/// The name of a project in a simple index (PEP 503).
fn normalized(identifier: &str) -> String {
    let parts = identifier.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_lowercase()
}

/// Whether the metadata of a package contains the name of the server (official registry, `internal/validators/registries`).
fn names(package: &Package, metadata: &Value, name: &str) -> bool {
    match package.registry_type.as_str() {
        "npm" => metadata["mcpName"] == name,
        "pypi" => metadata["info"]["description"].as_str().is_some_and(|readme| contains_name(readme, name)),
        _ => false,
    }
}

fn contains_name(readme: &str, name: &str) -> bool {
    readme.match_indices("mcp-name:").any(|(at, mark)| {
        let rest = readme[at + mark.len()..].trim_start().strip_prefix(name);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || "._-/".contains(c)))
    })
}

#[cfg(test)]
mod tests;
