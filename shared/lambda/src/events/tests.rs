use super::*;

/// The path and query that a function gets for a `rawPath`.
fn target(raw_path: &str) -> String {
    let event = serde_json::json!({
        "version": "2.0", "routeKey": "$default", "rawPath": raw_path, "rawQueryString": "q=%25+1",
        "headers": { "host": "registry.example.org" }, "isBase64Encoded": false,
        "requestContext": {
            "accountId": "123456789012", "apiId": "abc123", "domainName": "registry.example.org", "requestId": "1",
            "http": { "method": "GET", "path": raw_path, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "x" },
            "routeKey": "$default", "stage": "$default", "time": "x", "timeEpoch": 1,
        },
    });
    let payload: LambdaRequest = serde_json::from_value(event).unwrap();
    let event = with_encoded_path(LambdaEvent::new(payload, lambda_http::Context::default()));
    let (parts, _) = lambda_http::Request::from(event.payload).into_parts();
    let mut request = Request::from_parts(parts, axum::body::Body::empty());
    restore_path(&mut request);
    request.uri().path_and_query().unwrap().to_string()
}

#[test]
fn path_is_encoded_once() {
    for (raw_path, expected) in [
        ("/badge/live.svg", "/badge/live.svg"),
        ("/@a/(b)+c;d=e,f'*!$&~", "/@a/(b)+c;d=e,f'*!$&~"),
        ("/50% off", "/50%25%20off"),
        ("/%2F", "/%252F"),
        ("/a#b", "/a%23b"),
        ("/ä\\\"", "/%C3%A4%5C%22"),
        ("/a/../b/./c", "/a/../b/./c"),
        ("//a", "//a"),
    ] {
        assert_eq!(target(raw_path), format!("{expected}?q=%25+1"), "{raw_path}");
    }
}

#[test]
fn repeated_headers_are_joined_except_cookies() {
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("link", "</a>; rel=\"x\""),
        ("vary", "accept"),
        ("link", "</b>; rel=\"y\""),
        ("set-cookie", "a=1"),
        ("vary", "accept-encoding"),
        ("set-cookie", "b=2"),
        ("etag", "\"1\""),
    ] {
        headers.append(name, HeaderValue::from_static(value));
    }
    join_repeated(&mut headers);
    let values = |name: &str| headers.get_all(name).iter().cloned().collect::<Vec<_>>();
    assert_eq!(values("link"), ["</a>; rel=\"x\", </b>; rel=\"y\""]);
    assert_eq!(values("vary"), ["accept, accept-encoding"]);
    assert_eq!(values("set-cookie"), ["a=1", "b=2"]);
    assert_eq!(values("etag"), ["\"1\""]);
}
