//! The rules for one package of a server: identifier, version, arguments and local transport. The registry
//! does not run packages, but it passes their descriptions on to clients that do.

use serde_json::Value;

use super::fields::{items, text};
use super::violation::Violations;
use super::{template, version};
use registry_model::error::shorten;

/// The package registries that clients can fetch from.
const REGISTRIES: [&str; 6] = ["npm", "pypi", "nuget", "oci", "mcpb", "cargo"];

pub(super) fn check(path: &str, package: &Value, violations: &mut Violations) {
    let identifier = text(package.get("identifier")).unwrap_or_default();
    if identifier.contains(' ') {
        let message =
            format!("\"{}\" contains a space; remove it from the package name.", shorten(identifier, 80));
        violations.add(format!("{path}.identifier"), "package-name-has-spaces", message);
    }
    registry(path, package, identifier, violations);
    version::check(&format!("{path}.version"), package.get("version"), violations);
    for field in ["runtimeArguments", "packageArguments"] {
        for (index, argument) in items(package.get(field)).enumerate() {
            if text(argument.get("type")) == Some("named") {
                named_argument(&format!("{path}.{field}[{index}]"), argument, violations);
            }
        }
    }
    if let Some(transport) = package.get("transport") {
        local_transport(&format!("{path}.transport"), transport, package, violations);
    }
}

fn registry(path: &str, package: &Value, identifier: &str, violations: &mut Violations) {
    let Some(registry) = text(package.get("registryType")) else { return };
    if !REGISTRIES.contains(&registry) {
        let message = format!("\"{}\" is unknown; use {}.", shorten(registry, 40), REGISTRIES.join(", "));
        violations.add(format!("{path}.registryType"), "unsupported-registry-type", message);
    }
    if registry == "mcpb" {
        if package.get("fileSha256").is_none() {
            let message = "A package of type mcpb needs the SHA-256 of its file, so that clients can verify the download.";
            violations.add(format!("{path}.fileSha256"), "mcpb-file-sha256-required", message);
        }
        if !identifier.to_ascii_lowercase().contains("mcp") {
            let message = "The URL of an mcpb file must contain \"mcp\", in the repository or the file name.";
            violations.add(format!("{path}.identifier"), "mcpb-url-without-mcp", message);
        }
    }
}

/// A named argument has a plain name, and its value does not repeat the name.
fn named_argument(path: &str, argument: &Value, violations: &mut Violations) {
    let name = text(argument.get("name")).unwrap_or_default();
    let short = shorten(name, 80);
    if name.is_empty() {
        let message = "A named argument needs its `name`, such as \"--port\".";
        return violations.add(format!("{path}.name"), "named-argument-name-required", message);
    }
    if name.contains(['<', '>', ' ', '$']) {
        let message = format!(
            "\"{short}\" is not a plain name. Write only the flag here, and write the rest as its `value`."
        );
        violations.add(format!("{path}.name"), "invalid-named-argument-name", message);
    }
    for (field, rule) in
        [("value", "argument-value-starts-with-name"), ("default", "argument-default-starts-with-name")]
    {
        if text(argument.get(field)).is_some_and(|value| value.starts_with(name)) {
            let message =
                format!("It begins with the name of the argument, \"{short}\". Write only the value.");
            violations.add(format!("{path}.{field}"), rule, message);
        }
    }
}

/// stdio has no URL; the HTTP transports have one whose variables the package must declare.
fn local_transport(path: &str, transport: &Value, package: &Value, violations: &mut Violations) {
    let at = format!("{path}.url");
    match (text(transport.get("type")), text(transport.get("url"))) {
        (Some("stdio"), Some(url)) => {
            let url = shorten(url, 120);
            let message =
                format!("stdio has no URL, but `url` is \"{url}\". Remove `url`, or use another type.");
            violations.add(at, "stdio-transport-url-not-empty", message);
        }
        (Some("streamable-http" | "sse"), None) => {
            let message = "Add the URL at which the package listens, such as http://localhost:8080/mcp.";
            violations.add(at, "streamable-transport-url-required", message);
        }
        (Some("streamable-http" | "sse"), Some(url)) => {
            let declared = declared(package);
            let mut unknown = template::variables(url);
            unknown.retain(|name| !declared.contains(name));
            let unknown = shorten(&unknown.join(", "), 120);
            let message = if !unknown.is_empty() {
                format!(
                    "The package declares no argument or environment variable {unknown}. Declare it, or fix the URL."
                )
            } else if template::parsed(url).is_none() {
                format!("\"{}\" is not an http or https URL.", shorten(url, 120))
            } else {
                return;
            };
            violations.add(at, "invalid-templated-url", message);
        }
        (Some("stdio"), None) | (None, _) => {}
        (Some(other), _) => {
            let message =
                format!("\"{}\" is unknown; use stdio, streamable-http or sse.", shorten(other, 40));
            violations.add(format!("{path}.type"), "unsupported-transport-type", message);
        }
    }
}

/// The names that the URL of a package's transport may use.
fn declared(package: &Value) -> Vec<&str> {
    let environment =
        items(package.get("environmentVariables")).filter_map(|variable| text(variable.get("name")));
    let arguments =
        ["runtimeArguments", "packageArguments"].into_iter().flat_map(|field| items(package.get(field)));
    let of_arguments = arguments
        .flat_map(|argument| ["name", "valueHint"].into_iter().filter_map(|field| text(argument.get(field))));
    environment.chain(of_arguments).collect()
}
