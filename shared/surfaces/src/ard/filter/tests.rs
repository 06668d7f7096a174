use super::*;

fn entry() -> Value {
    json!({
        "identifier": "urn:air:acme.dev:mcp:weather", "tags": ["Weather", "maps"], "version": "1.2.0",
        "metadata": { "probe_score": 90 }, "trustManifest": { "attestations": [{ "type": "SOC2" }, { "type": "X" }] },
    })
}

#[test]
fn each_filter_path_must_have_one_of_the_given_values() {
    for (filter, is_match) in [
        (json!({}), true),
        (json!({ "tags": ["weather"] }), true),
        (json!({ "tags": "weather" }), true),
        (json!({ "tags": ["news", "maps"] }), true),
        (json!({ "tags": ["WEATHER"] }), true),
        (json!({ "tags": ["news"] }), false),
        (json!({ "tags": [] }), false),
        (json!({ "publisher": "acme.dev", "version": ["1.2.0"] }), true),
        (json!({ "publisher": "acme.dev", "version": ["1.3.0"] }), false),
        (json!({ "metadata.probe_score": [90] }), true),
        (json!({ "trustManifest.attestations.type": ["X"] }), true),
        (json!({ "no.such.path": ["x"] }), false),
    ] {
        assert_eq!(Filter::read(&filter).unwrap().matches(&entry()), is_match, "{filter}");
    }
}

#[test]
fn invalid_filter_is_rejected() {
    for filter in
        [json!([]), json!("type"), json!({ "type": {} }), json!({ "type": [null] }), json!({ "": "x" })]
    {
        assert!(Filter::read(&filter).is_err(), "{filter}");
    }
}

#[test]
fn filter_size_is_limited() {
    let paths = |count: usize| {
        let others = (1..count).map(|n| (format!("metadata.p{n}"), json!("x")));
        Value::Object(others.chain([("type".to_owned(), json!(SERVER_CARD_MEDIA_TYPE))]).collect())
    };
    let long = |chars: usize| json!({ "tags": ["é".repeat(chars)] });
    let path = |chars: usize| Value::Object([("x".repeat(chars), json!("x"))].into_iter().collect());
    let values = |count: usize| json!({ "tags": vec!["x"; count] });
    for (largest, too_large, advice) in [
        (paths(8), paths(9), "Remove"),
        (values(64), values(65), "another request"),
        (long(200), long(201), "Shorten"),
        (path(200), path(201), "Shorten"),
    ] {
        assert!(Filter::read(&largest).is_ok(), "{largest}");
        let problem = Filter::read(&too_large).unwrap_err();
        assert!(problem.detail.contains(advice), "{}", problem.detail);
        assert!(problem.detail.len() < 400, "{}", problem.detail);
    }
}

#[test]
fn conditions_of_a_list_filter_are_parsed() {
    let read = |text: &str| ListFilter::read(text).unwrap();
    let both = read("type = 'application/mcp-server-card+json' AND createdAfter > '2026-01-01'");
    assert_eq!(both.kinds(), Kinds::Only(Kind::Mcp));
    assert_eq!(both.created_after, Some("2026-01-01T00:00:00Z".parse().unwrap()));
    let both = read("updatedAfter=2026-01-01T10:00:00+02:00 and displayName:\"Weather, Maps\"");
    assert_eq!(both.updated_after, Some("2026-01-01T08:00:00Z".parse().unwrap()));
    assert_eq!(both.names, [["weather", "maps"]]);
    assert!(read("publisherId = 'acme.dev,b.dev' & metadata.category = other").looks_at_entries());
    assert!(!read("  ").looks_at_entries());
}

#[test]
fn invalid_list_filter_is_rejected() {
    for text in [
        "type",
        "type =",
        "= 'x'",
        "type 'x'",
        "type = 'x",
        "type = 'x' OR type = 'y'",
        "type = 'x' AND",
        "secret = 'x'",
        "createdAfter > 'yesterday'",
        "type > 'x'",
        "updatedAt = '2026-01-01'",
        "metadata. = 'x'",
        "NOT type = 'x'",
        "*",
        "🦀 = 'x'",
        "'; DROP TABLE x; --",
    ] {
        assert!(ListFilter::read(text).is_err(), "{text}");
    }
    assert!(ListFilter::read(&"x".repeat(3000)).is_err());
}
