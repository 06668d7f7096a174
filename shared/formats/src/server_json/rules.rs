//! The official registry's rules for the whole description: name, version, repository, and links. The JSON
//! schema does not contain these rules; they are in `internal/validators/validators.go` of the official
//! registry. The error codes are also those of the official registry.

use serde_json::{Map, Value, json};
use url::Url;

use super::fields::{items, text};
use super::violation::Violations;
use super::{packages, remotes, template, version};
use crate::injection;
use crate::json_texts::{Role, Segment, visit};
use crate::plain_text::{self, TextKind};
use registry_model::Reach;
use registry_model::error::shorten;
use registry_model::protocol::MAX_URL_BYTES;

/// Bytes of a publisher-provided extension as compact JSON.
const MAX_EXTENSION_BYTES: usize = 4096;
/// The key of the publisher's own extension.
const EXTENSION: &str = "io.modelcontextprotocol.registry/publisher-provided";

/// Checks every rule beyond the schema; values of a wrong type are left to the schema check.
pub(super) fn check(server: &Map<String, Value>, reach: Reach, violations: &mut Violations) {
    name(server, violations);
    version::check("version", server.get("version"), violations);
    repository(server, violations);
    website(server, reach, violations);
    texts(server, violations);
    let title = server.get("title").and_then(Value::as_str);
    if title.is_some_and(|title| !title.is_empty() && title.trim().is_empty()) {
        let message = "Write a title that is not empty, or leave the title out.";
        violations.add("title", "title-whitespace-only", message);
    }
    for (index, icon) in items(server.get("icons")).enumerate() {
        let Some(url) = icon.get("src").and_then(Value::as_str) else { continue };
        let rules = ["icon-src-invalid-url", "icon-src-not-absolute", "icon-src-invalid-scheme"];
        link(&format!("icons[{index}].src"), url, rules, violations);
    }
    for (index, package) in items(server.get("packages")).enumerate() {
        packages::check(&format!("packages[{index}]"), package, violations);
    }
    for (index, remote) in items(server.get("remotes")).enumerate() {
        remotes::check(&format!("remotes[{index}]"), remote, reach, violations);
    }
    addresses(server, violations);
    extension(server, violations);
}

/// URLs and the path in a repository are stored with the listing, whose item has a limit; the schema sets none.
fn addresses(server: &Map<String, Value>, violations: &mut Violations) {
    let remotes = items(server.get("remotes")).enumerate();
    let remotes = remotes.map(|(index, remote)| (format!("remotes[{index}].url"), remote.get("url")));
    let pages = [
        ("websiteUrl", server.get("websiteUrl")),
        ("repository.url", server.get("repository").and_then(|of| of.get("url"))),
        ("repository.subfolder", server.get("repository").and_then(|of| of.get("subfolder"))),
    ];
    for (path, url) in pages.map(|(path, url)| (path.to_owned(), url)).into_iter().chain(remotes) {
        let Some(bytes) = text(url).map(str::len).filter(|bytes| *bytes > MAX_URL_BYTES) else { continue };
        let message =
            format!("It has {bytes} bytes, but at most {MAX_URL_BYTES} are allowed. Use a shorter URL.");
        violations.add(path, "url_too_long", message);
    }
}

/// The shown texts pass the checks of card texts. This is the registry's own rule: the texts are shown before the first
/// probe.
fn texts(server: &Map<String, Value>, violations: &mut Violations) {
    use TextKind::{Description, Label, Name};
    for (path, kind) in [("name", Label), ("title", Name), ("description", Description), ("version", Label)] {
        let Some(text) = text(server.get(path)) else { continue };
        one_text(|| path.to_owned(), text, kind, violations);
    }
    for (name, value) in server {
        if !matches!(name.as_str(), "name" | "title" | "description" | "version" | "_meta") {
            one_text(|| name.clone(), name, TextKind::ForModels, violations);
            inner_texts(name, value, violations);
        }
    }
    let extension = server.get("_meta").and_then(|meta| meta.get(EXTENSION));
    if let Some(extension) = extension {
        inner_texts(&format!("_meta.{EXTENSION}"), extension, violations);
    }
    let title = text(server.get("title"));
    if title.is_some_and(|title| is_name_of_another(title, text(server.get("name")))) {
        let message = "It has the form of another server name. Write another title, or leave the title out.";
        violations.add("title", "name_of_another", message);
    }
}

fn one_text(place: impl Fn() -> String, text: &str, kind: TextKind, violations: &mut Violations) {
    if let Some(fault) = plain_text::fault(text, kind) {
        violations.add(place(), "not_plain_text", fault);
    } else if let Some(fault) = injection::fault(text) {
        violations.add(place(), "instruction_to_models", fault);
    }
}

/// The registry does not show these texts on its pages, but passes them on to clients and their models.
fn inner_texts(prefix: &str, value: &Value, violations: &mut Violations) {
    visit(value, &mut Vec::new(), &mut |path, text, role| {
        let place = || {
            let mut place = prefix.to_owned();
            let name = (role == Role::MemberName).then_some(Segment::Member(text));
            for segment in path.iter().copied().chain(name) {
                match segment {
                    Segment::Member(name) => place.extend([".", name]),
                    Segment::Item(index) => place.extend(["[", &index.to_string(), "]"]),
                }
            }
            place
        };
        one_text(place, text, TextKind::ForModels, violations);
    });
}

/// The description with only the publisher's own extension in `_meta`, as the official registry stores it.
pub(super) fn without_foreign_meta(server: &Map<String, Value>) -> Map<String, Value> {
    let mut own = server.clone();
    let extension = own.remove("_meta").and_then(|mut meta| meta.as_object_mut()?.remove(EXTENSION));
    if let Some(extension) = extension {
        own.insert("_meta".to_owned(), json!({ EXTENSION: extension }));
    }
    own
}

/// `namespace/name`, each part at least two characters that begin and end with a letter or digit.
fn name(server: &Map<String, Value>, violations: &mut Violations) {
    let Some(name) = server.get("name").and_then(Value::as_str) else { return };
    let fault = match name.split_once('/') {
        None => Some("it has no slash".to_owned()),
        Some((_, rest)) if rest.contains('/') => Some("it has more than one slash".to_owned()),
        Some((namespace, _)) if !is_part(namespace, ".-") => {
            Some(format!("the namespace \"{}\" is not allowed", shorten(namespace, 80)))
        }
        Some((_, name)) if !is_part(name, "._-") => {
            Some(format!("the part \"{}\" is not allowed", shorten(name, 80)))
        }
        Some(_) => None,
    };
    if let Some(fault) = fault {
        let message = format!(
            "Write a reversed domain, one slash and a name, such as \"io.github.user/weather\". Each part needs at \
             least two letters or digits, and can have dots and hyphens between them. The problem here: {fault}."
        );
        violations.add("name", "invalid-server-name", message);
    }
}

/// Whether one part of a name is valid; `inside` are the further characters allowed except at its ends.
fn is_part(part: &str, inside: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric();
    part.len() >= 2
        && part.starts_with(plain)
        && part.ends_with(plain)
        && part.chars().all(|c| plain(c) || inside.contains(c))
}

/// Whether this is a valid server name: a reverse domain, one slash, and a name, in at most 200 characters.
pub fn is_name(name: &str) -> bool {
    let parts = name.split_once('/');
    name.len() <= 200 && parts.is_some_and(|(space, leaf)| is_part(space, ".-") && is_part(leaf, "._-"))
}

/// Whether a display name has the form of a server name, but is not the listing's own server name. Such a name claims
/// the namespace of another owner. A namespace without a dot, as in `TCP/IP`, contains no domain.
pub fn is_name_of_another(name: &str, own: Option<&str>) -> bool {
    let name = name.trim();
    let has_domain = name.split_once('/').is_some_and(|(namespace, _)| namespace.contains('.'));
    has_domain && is_name(name) && own != Some(name)
}

/// A repository at GitHub or GitLab; one whose fields are all empty counts as absent.
fn repository(server: &Map<String, Value>, violations: &mut Violations) {
    let Some(repository) = server.get("repository").and_then(Value::as_object) else { return };
    let field = |name: &str| repository.get(name).and_then(Value::as_str).unwrap_or_default();
    let (source, url) = (field("source"), field("url"));
    if source.is_empty() && url.is_empty() {
        return;
    }
    let is_valid = match source {
        "github" => is_repository(url, "github.com", 2..=2),
        "gitlab" => is_repository(url, "gitlab.com", 2..=20),
        _ => false,
    };
    if !is_valid {
        let message = format!(
            "Use a repository at GitHub (source \"github\", https://github.com/owner/repository) or GitLab (source \
             \"gitlab\"). In this document, source is \"{}\" and url is \"{}\".",
            shorten(source, 40),
            shorten(url, 120)
        );
        violations.add("repository.url", "invalid-repository-url", message);
    }
    let subfolder = field("subfolder");
    if !subfolder.is_empty() && !is_subfolder(subfolder) {
        let message = format!(
            "\"{}\" is not a plain path in the repository. Write a path such as src/server, without the segments `.` \
             and `..`.",
            shorten(subfolder, 80)
        );
        violations.add("repository.subfolder", "invalid-subfolder-path", message);
    }
}

/// Whether a URL is `http(s)://(www.)host/a/b` with as many path segments as `depth` allows.
fn is_repository(url: &str, host: &str, depth: std::ops::RangeInclusive<usize>) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or_default();
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    let Some(path) = rest.strip_prefix(host).and_then(|path| path.strip_prefix('/')) else { return false };
    let segments: Vec<&str> = path.strip_suffix('/').unwrap_or(path).split('/').collect();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    depth.contains(&segments.len()) && segments.iter().all(|part| !part.is_empty() && part.chars().all(plain))
}

/// Whether a path is relative and plain.
fn is_subfolder(path: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    path.split('/').all(|part| !matches!(part, "" | "." | "..") && part.chars().all(plain))
}

/// An absolute https URL; in development also http on this machine, as for remotes.
fn website(server: &Map<String, Value>, reach: Reach, violations: &mut Violations) {
    let Some(url) = text(server.get("websiteUrl")) else { return };
    let is_local = names_host(url) && Url::parse(url).is_ok_and(|url| template::is_local(&url));
    if reach == Reach::Development && is_local {
        return;
    }
    let rules = ["invalid-website-url", "website-url-must-be-absolute", "website-url-invalid-scheme"];
    link("websiteUrl", url, rules, violations);
}

/// Checks a link; `rules` are the codes for unreadable, relative, and not https.
fn link(path: &str, url: &str, rules: [&'static str; 3], violations: &mut Violations) {
    let (rule, words) = match Url::parse(url) {
        Ok(parsed) if parsed.scheme() != "https" => (rules[2], "must begin with https://"),
        Ok(_) if names_host(url) => return,
        Ok(_) | Err(url::ParseError::RelativeUrlWithoutBase) => {
            (rules[1], "must be an absolute URL that begins with https://")
        }
        Err(_) => (rules[0], "is not a valid URL"),
    };
    violations.add(path, rule, format!("\"{}\" {words}.", shorten(url, 120)));
}

/// Whether `//` follows the scheme. Without it the URL still parses (WHATWG URL, "special authority slashes"), but as a
/// link on a page of the same scheme it leads to a path of that page's own host.
fn names_host(url: &str) -> bool {
    url.split_once(':').is_some_and(|(_, rest)| rest.starts_with("//"))
}

fn extension(server: &Map<String, Value>, violations: &mut Violations) {
    let Some(extension) = server.get("_meta").and_then(|meta| meta.get(EXTENSION)) else { return };
    let bytes = extension.to_string().len();
    if bytes > MAX_EXTENSION_BYTES {
        let message = format!(
            "An extension of a publisher can have at most {MAX_EXTENSION_BYTES} bytes. This extension has {bytes} \
             bytes. Shorten it."
        );
        violations.add(format!("_meta.{EXTENSION}"), "publisher-extension-too-large", message);
    }
}

#[cfg(test)]
mod tests;
