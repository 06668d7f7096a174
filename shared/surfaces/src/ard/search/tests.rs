use super::*;

#[test]
fn search_request_is_parsed() {
    let read = Request::read(&json!({
        "query": { "text": " weather\u{0} tools ", "filter": { "type": ["application/mcp-server-card+json"] } },
        "federation": "referrals", "pageSize": 900, "pageToken": Cursor(HitsBefore(10)).to_string(),
    }));
    let read = read.unwrap();
    assert_eq!(
        (read.text.as_str(), read.limit, read.skip, read.federation),
        ("weather tools", 100, 10, FederationMode::Referrals)
    );
    let plain = Request::read(&json!({ "query": { "text": "x" }, "pageToken": null })).unwrap();
    assert_eq!((plain.limit, plain.skip, plain.federation), (10, 0, FederationMode::Auto));
}

#[test]
fn invalid_search_request_is_rejected() {
    let described = jsonschema::validator_for(&schema()).unwrap();
    assert!(described.is_valid(&json!({ "query": { "text": "x" }, "pageToken": null })));
    let with = |member: &str, value: Value| {
        let mut body = json!({ "query": { "text": "x" } });
        body[member] = value;
        body
    };
    for body in [
        json!({ "query": {} }),
        json!({ "query": { "text": " " } }),
        json!({ "query": { "text": 5 } }),
        json!({ "query": { "text": "x", "filter": "type" } }),
        json!({ "query": { "text": "x".repeat(20_001) } }),
        with("federation", json!("all")),
        with("federation", json!(true)),
        with("pageSize", json!(0)),
        with("pageSize", json!(-1)),
        with("pageSize", json!("ten")),
        with("pageToken", json!(7)),
    ] {
        assert!(Request::read(&body).is_err() && !described.is_valid(&body), "{body}");
    }
    for body in [json!({ "query": { "text": " \u{7} " } }), with("pageToken", json!("nonsense"))] {
        assert!(Request::read(&body).is_err(), "{body}");
    }
}
