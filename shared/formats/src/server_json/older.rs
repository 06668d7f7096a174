//! Finds field names of earlier `server.json` schemas. Current clients ignore such fields silently. The error
//! gives the new name, which helps more than the message "`registryType` is missing".

use serde_json::{Map, Value};

use super::fields::list;
use super::violation::Violations;

/// A field of an earlier schema: its old name, its new name, and the newest schema that had it.
struct Renamed {
    was: &'static str,
    is: &'static str,
    until: &'static str,
}

/// The schema before names went from `snake_case` to `camelCase` (official changelog, 2025-09-16).
const JULY: &str = "the schema of 2025-07-09";
/// The field names that were in use before the first dated schema.
const DRAFT: &str = "a draft before the schema of 2025-07-09";

const fn renamed(was: &'static str, is: &'static str, until: &'static str) -> Renamed {
    Renamed { was, is, until }
}

const OF_SERVER: [Renamed; 2] =
    [renamed("version_detail", "version", DRAFT), renamed("website_url", "websiteUrl", JULY)];
const OF_PACKAGE: [Renamed; 9] = [
    renamed("registry_name", "registryType", DRAFT),
    renamed("name", "identifier", DRAFT),
    renamed("registry_type", "registryType", JULY),
    renamed("registry_base_url", "registryBaseUrl", JULY),
    renamed("file_sha256", "fileSha256", JULY),
    renamed("runtime_hint", "runtimeHint", JULY),
    renamed("runtime_arguments", "runtimeArguments", JULY),
    renamed("package_arguments", "packageArguments", JULY),
    renamed("environment_variables", "environmentVariables", JULY),
];
const OF_REMOTE: [Renamed; 1] = [renamed("transport_type", "type", DRAFT)];
const OF_INPUT: [Renamed; 4] = [
    renamed("is_required", "isRequired", JULY),
    renamed("is_secret", "isSecret", JULY),
    renamed("value_hint", "valueHint", JULY),
    renamed("is_repeated", "isRepeated", JULY),
];

/// Lists of inputs in a package or remote, by their new and old names.
const INPUTS: [&str; 7] = [
    "runtimeArguments",
    "packageArguments",
    "environmentVariables",
    "headers",
    "runtime_arguments",
    "package_arguments",
    "environment_variables",
];

/// Reports every old field name once, at its first place, and suppresses the errors that follow from it.
pub(super) fn check(server: &Map<String, Value>, violations: &mut Violations) {
    let mut reported: Vec<&'static str> = Vec::new();
    fields("", server, &OF_SERVER, &mut reported, violations);
    for (field, renames) in [("packages", &OF_PACKAGE[..]), ("remotes", &OF_REMOTE[..])] {
        let entries = list(server.get(field)).enumerate();
        for (index, entry) in entries.filter_map(|(index, entry)| Some((index, entry.as_object()?))) {
            let path = format!("{field}[{index}].");
            fields(&path, entry, renames, &mut reported, violations);
            for name in INPUTS {
                for (at, input) in list(entry.get(name)).enumerate() {
                    if let Some(input) = input.as_object() {
                        fields(&format!("{path}{name}[{at}]."), input, &OF_INPUT, &mut reported, violations);
                    }
                }
            }
        }
    }
}

/// Looks for old names in one object; `path` ends with a dot, or is empty.
fn fields(
    path: &str,
    object: &Map<String, Value>,
    renames: &[Renamed],
    reported: &mut Vec<&'static str>,
    violations: &mut Violations,
) {
    for Renamed { was, is, until } in renames {
        if !object.contains_key(*was) || object.contains_key(*is) {
            continue;
        }
        violations.suppress(format!("{path}{is}"));
        if !reported.contains(was) {
            reported.push(was);
            let detail =
                if *was == "version_detail" { "`version_detail.version`" } else { &format!("`{was}`") };
            violations.add(
                format!("{path}{was}"),
                "older-schema",
                format!(
                    "{detail} was renamed to `{is}` (this document follows {until}). Rename it everywhere in \
                     the document."
                ),
            );
        }
    }
}
