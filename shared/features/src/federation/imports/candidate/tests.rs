use super::*;

fn bodies(document: Value) -> Vec<Value> {
    candidates(document).into_iter().flat_map(|candidate| candidate.bodies).collect()
}

#[test]
fn cards_of_every_form_of_directory_are_found() {
    for list in [
        json!(["https://a.example/card.json", 0, null, []]),
        json!({ "agents": [{ "wellKnownURI": "https://a.example/card.json" }] }),
        json!([{ "name": "A", "agentCardUrl": "https://a.example/card.json", "url": "https://a.example" }]),
    ] {
        assert_eq!(bodies(list.clone()), [json!({ "url": "https://a.example/card.json" })], "{list}");
    }
}

#[test]
fn server_is_found_with_and_without_a_wrapper() {
    let bare =
        json!({ "name": "org.example/a", "description": "A.", "version": "1.0.0", "_meta": { "x": 1 } });
    let official = json!({ OFFICIAL: { "status": "active", "isLatest": true } });
    let wrapped = json!({ "server": bare, "_meta": official });
    let body = json!({ "server_json": bare });
    for document in [
        bare.clone(),
        json!([bare]),
        json!({ "servers": [wrapped], "metadata": {} }),
        json!({ "servers": [bare] }),
    ] {
        assert_eq!(bodies(document.clone()), std::slice::from_ref(&body), "{document}");
    }
    let odd = json!({ "name": "org.example/a", "server": { "name": "other" } });
    assert_eq!(bodies(odd.clone()), [json!({ "server_json": odd })]);
    assert_eq!(bodies(json!(7)), [json!({ "server_json": 7 })], "the registry refuses it");
    assert!(candidates(json!({ "servers": null })).is_empty());
}

#[test]
fn deleted_deprecated_and_old_versions_are_not_published() {
    let official = |official: Value| json!({ "server": { "name": "a/b" }, "_meta": { OFFICIAL: official } });
    for row in [
        official(json!({ "status": "deleted" })),
        official(json!({ "status": "deprecated", "isLatest": true })),
        official(json!({ "status": "active", "isLatest": false })),
        json!({ "name": "a/b", "status": "deleted" }),
        json!({ "name": "a/b", "_meta": { OFFICIAL: { "is_latest": false } } }),
    ] {
        let found = candidates(json!([row]));
        assert_eq!((found.len(), found[0].name.as_str(), found[0].bodies.len()), (1, "a/b", 0), "{row}");
    }
}
