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
fn simple_index_is_read_at_the_page_of_the_project() {
    for base in ["https://packages.example/simple", "https://packages.example/simple/"] {
        let url = metadata_url(base, &package("pypi", "Acme__Notes", Some("1.0.0")));
        assert_eq!(url.as_deref(), Some("https://packages.example/simple/acme-notes/"));
    }
}

#[test]
fn files_are_those_of_the_version() {
    let names =
        ["acme_notes-1.0.0-py3-none-any.whl", "acme-notes-1.0.0.tar.gz", "acme_notes-1.0.1.zip", "x.egg"];
    let page = json!({ "files": names.map(|name| json!({ "filename": name })) });
    assert_eq!(files(&page, Some("1.0.0")).len(), 2);
    assert_eq!(files(&page, Some("1.0.1"))[0]["filename"], "acme_notes-1.0.1.zip");
    assert!(files(&page, Some("1.0")).is_empty());
    assert_eq!(files(&page, None).len(), 3);
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
