//! Finds field names of earlier `server.json` schemas. Current clients ignore such fields silently. The error
//! gives the new name, which helps more than the message "`registryType` is missing".

use serde_json::{Map, Value};

use super::fields::items;
use super::violation::Violations;

/// A field of an earlier schema: its old name, its new name, and the newest schema that had it.
type Renamed = (&'static str, &'static str, &'static str);

/// The schema before names went from `snake_case` to `camelCase` (official changelog, 2025-09-16).
const JULY: &str = "the schema of 2025-07-09";
/// The field names that were in use before the first dated schema.
const DRAFT: &str = "a draft before the schema of 2025-07-09";

const OF_SERVER: [Renamed; 2] = [("version_detail", "version", DRAFT), ("website_url", "websiteUrl", JULY)];
const OF_PACKAGE: [Renamed; 9] = [
    ("registry_name", "registryType", DRAFT),
    ("name", "identifier", DRAFT),
    ("registry_type", "registryType", JULY),
    ("registry_base_url", "registryBaseUrl", JULY),
    ("file_sha256", "fileSha256", JULY),
    ("runtime_hint", "runtimeHint", JULY),
    ("runtime_arguments", "runtimeArguments", JULY),
    ("package_arguments", "packageArguments", JULY),
    ("environment_variables", "environmentVariables", JULY),
];
const OF_REMOTE: [Renamed; 1] = [("transport_type", "type", DRAFT)];
const OF_INPUT: [Renamed; 4] = [
    ("is_required", "isRequired", JULY),
    ("is_secret", "isSecret", JULY),
    ("value_hint", "valueHint", JULY),
    ("is_repeated", "isRepeated", JULY),
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
        let entries = items(server.get(field)).enumerate();
        for (index, entry) in entries.filter_map(|(index, entry)| Some((index, entry.as_object()?))) {
            let path = format!("{field}[{index}].");
            fields(&path, entry, renames, &mut reported, violations);
            for name in INPUTS {
                for (at, input) in items(entry.get(name)).enumerate() {
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
    for (was, is, until) in renames {
        if !object.contains_key(*was) || object.contains_key(*is) {
            continue;
        }
        violations.suppress(format!("{path}{is}"));
        if !reported.contains(was) {
            reported.push(was);
            let detail =
                if *was == "version_detail" { "`version_detail.version`" } else { &format!("`{was}`") };
            let message = format!(
                "{detail} was renamed to `{is}` (this document follows {until}). Rename it everywhere in the document."
            );
            violations.add(format!("{path}{was}"), "older-schema", message);
        }
    }
}
