//! The rules for one package of a server: identifier, version, arguments and local transport. The registry
//! does not run packages, but it passes their descriptions on to clients that do.

use serde_json::Value;

use super::fields::{list, text};
use super::violation::Violations;
use super::{template, version};
use registry_model::error::shorten;

/// The package registries that clients can fetch from.
const REGISTRIES: [&str; 6] = ["npm", "pypi", "nuget", "oci", "mcpb", "cargo"];

pub(super) fn check(path: &str, package: &Value, violations: &mut Violations) {
    let identifier = text(package.get("identifier")).unwrap_or_default();
    if identifier.contains(' ') {
        violations.add(
            format!("{path}.identifier"),
            "package-name-has-spaces",
            format!("\"{}\" contains a space; remove it from the package name.", shorten(identifier, 80)),
        );
    }
    registry(path, package, identifier, violations);
    version::check(&format!("{path}.version"), package.get("version"), violations);
    for field in ["runtimeArguments", "packageArguments"] {
        for (index, argument) in list(package.get(field)).enumerate() {
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
        violations.add(
            format!("{path}.registryType"),
            "unsupported-registry-type",
            format!("\"{}\" is unknown; use {}.", shorten(registry, 40), REGISTRIES.join(", ")),
        );
    }
    if registry == "mcpb" {
        if package.get("fileSha256").is_none() {
            violations.add(
                format!("{path}.fileSha256"),
                "mcpb-file-sha256-required",
                "A package of type mcpb needs the SHA-256 of its file, so that clients can verify the download.",
            );
        }
        if !identifier.to_ascii_lowercase().contains("mcp") {
            violations.add(
                format!("{path}.identifier"),
                "mcpb-url-without-mcp",
                "The URL of an mcpb file must contain \"mcp\", in the repository or the file name.",
            );
        }
    }
}

/// A named argument has a plain name, and its value does not repeat the name.
fn named_argument(path: &str, argument: &Value, violations: &mut Violations) {
    let name = text(argument.get("name")).unwrap_or_default();
    if name.is_empty() {
        violations.add(
            format!("{path}.name"),
            "named-argument-name-required",
            "A named argument needs its `name`, such as \"--port\".",
        );
        return;
    }
    if name.contains(['<', '>', ' ', '$']) {
        violations.add(
            format!("{path}.name"),
            "invalid-named-argument-name",
            format!(
                "\"{}\" is not a plain name. Write only the flag here, and write the rest as its `value`.",
                shorten(name, 80)
            ),
        );
    }
    let repeats = |field: &str| text(argument.get(field)).is_some_and(|value| value.starts_with(name));
    for (field, rule) in
        [("value", "argument-value-starts-with-name"), ("default", "argument-default-starts-with-name")]
    {
        if repeats(field) {
            violations.add(
                format!("{path}.{field}"),
                rule,
                format!(
                    "It begins with the name of the argument, \"{}\". Write only the value.",
                    shorten(name, 80)
                ),
            );
        }
    }
}

/// stdio has no URL; the HTTP transports have one whose variables the package must declare.
fn local_transport(path: &str, transport: &Value, package: &Value, violations: &mut Violations) {
    let url = text(transport.get("url"));
    let at = format!("{path}.url");
    match (text(transport.get("type")), url) {
        (Some("stdio"), Some(url)) => violations.add(
            at,
            "stdio-transport-url-not-empty",
            format!(
                "stdio has no URL, but `url` is \"{}\". Remove `url`, or use another type.",
                shorten(url, 120)
            ),
        ),
        (Some("streamable-http" | "sse"), None) => violations.add(
            at,
            "streamable-transport-url-required",
            "Add the URL at which the package listens, such as http://localhost:8080/mcp.",
        ),
        (Some("streamable-http" | "sse"), Some(url)) => {
            let declared = declared(package);
            let unknown: Vec<&str> =
                template::variables(url).into_iter().filter(|name| !declared.contains(name)).collect();
            if !unknown.is_empty() {
                violations.add(
                    at,
                    "invalid-templated-url",
                    format!(
                        "The package declares no argument or environment variable {}. Declare it, or fix the \
                         URL.",
                        shorten(&unknown.join(", "), 120)
                    ),
                );
            } else if template::parsed(url).is_none() {
                violations.add(
                    at,
                    "invalid-templated-url",
                    format!("\"{}\" is not an http or https URL.", shorten(url, 120)),
                );
            }
        }
        (Some("stdio"), None) | (None, _) => {}
        (Some(other), _) => violations.add(
            format!("{path}.type"),
            "unsupported-transport-type",
            format!("\"{}\" is unknown; use stdio, streamable-http or sse.", shorten(other, 40)),
        ),
    }
}

/// The names that the URL of a package's transport may use.
fn declared(package: &Value) -> Vec<&str> {
    let environment =
        list(package.get("environmentVariables")).filter_map(|variable| text(variable.get("name")));
    let arguments =
        ["runtimeArguments", "packageArguments"].into_iter().flat_map(|field| list(package.get(field)));
    let of_arguments = arguments
        .flat_map(|argument| ["name", "valueHint"].into_iter().filter_map(|field| text(argument.get(field))));
    environment.chain(of_arguments).collect()
}
