use super::*;
use registry_model::protocol::SERVER_CARD_MEDIA_TYPE;

#[test]
fn facet_requests_are_parsed() {
    let described = jsonschema::validator_for(&schema()).unwrap();
    let read = |facets: Value| {
        let body = json!({ "resultType": { "facets": facets } });
        let read = facet_requests(&body);
        assert_eq!(described.is_valid(&body), read.is_ok(), "{body}");
        read
    };
    let both =
        read(json!([{ "field": "type" }, { "field": "trustManifest.attestations.type", "limit": 3.0 }]))
            .unwrap();
    assert_eq!((both[0].counted, both[0].limit, both[0].min_count), (Some(Facet::Kind), 20, 1));
    assert_eq!((both[1].counted, both[1].limit), (None, 3));
    for wrong in [
        json!([{ "field": "displayName" }]),
        json!([{ "field": "metadata.listing_id" }]),
        json!([{}]),
        json!(["type"]),
        json!({ "field": "type" }),
        json!(null),
        json!([{ "field": "type", "limit": 0 }]),
        json!([{ "field": "type", "limit": 1.5 }]),
        json!([{ "field": "type", "limit": -1.0 }]),
        json!([{ "field": "type", "minCount": "two" }]),
        Value::Array(vec![json!({ "field": "type" }); 21]),
    ] {
        assert!(read(wrong.clone()).is_err(), "{wrong}");
    }
}

#[test]
fn each_facet_is_counted_once() {
    let read = |facets: Value| facet_requests(&json!({ "resultType": { "facets": facets } })).unwrap();
    let mut repeated = vec![json!({ "field": "tags" }); 19];
    repeated.push(json!({ "field": "tags", "limit": 7 }));
    let requests = read(Value::Array(repeated));
    assert_eq!((requests.len(), requests[0].limit), (1, 7));
    assert_eq!(distinct_facets(&requests), [Facet::Tag]);
    let fields =
        ["type", "mediaType", "kind", "metadata.kind", "category", "metadata.category", "tags", "other"];
    let requests = read(fields.iter().map(|field| json!({ "field": field })).collect());
    assert_eq!(requests.len(), fields.len());
    assert_eq!(distinct_facets(&requests), [Facet::Kind, Facet::Category, Facet::Tag]);
}

#[test]
fn most_frequent_values_are_shown_and_other_values_are_counted() {
    let request = facet(&json!({ "field": "type", "limit": 1, "minCount": 2 })).unwrap();
    let counts = vec![("mcp".to_owned(), 5), ("agent".to_owned(), 3), ("else".to_owned(), 1)];
    assert_eq!(
        buckets(&request, Some(Arc::new(counts))),
        json!({ "buckets": [{ "value": SERVER_CARD_MEDIA_TYPE, "count": 5 }], "otherCount": 3 })
    );
    assert_eq!(buckets(&request, None)["buckets"], json!([]));
}
