//! Tests what reaches a function, and what reaches the client, if requests are sent as events.

use axum::extract::Request;
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

use super::*;

/// Returns the request in headers, and its body.
async fn echo(request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let CallerAddress(caller) = parts.extensions.get().unwrap();
    let line = format!("{} {} {:?}", parts.method, parts.uri.path(), parts.uri.query());
    let mut headers = HeaderMap::new();
    headers.insert("x-request", line.parse().unwrap());
    headers.insert("x-caller", caller.to_string().parse().unwrap());
    for name in ["x-seen", "cookie"] {
        headers.insert(name, values(&parts.headers, &name.parse().unwrap()).join(",").parse().unwrap());
    }
    headers.append(header::LINK, "</a>; rel=a".parse().unwrap());
    headers.append(header::LINK, "</b>; rel=b".parse().unwrap());
    headers.append(header::SET_COOKIE, "a=1".parse().unwrap());
    headers.append(header::SET_COOKIE, "b=2".parse().unwrap());
    // As bytes, with a content type: without one, the adapter sends text.
    (StatusCode::ACCEPTED, headers, to_bytes(body, usize::MAX).await.unwrap()).into_response()
}

async fn send(function: Router, uri: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Response<Bytes> {
    let mut request = Request::builder().method(Method::PUT).uri(uri).header(header::HOST, "here");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.extension(CallerAddress([192, 0, 2, 7].into())).body(Body::from(body)).unwrap();
    let (parts, body) = function.oneshot(request).await.unwrap().into_parts();
    Response::from_parts(parts, body.collect().await.unwrap().to_bytes())
}

#[tokio::test]
async fn events_contain_the_whole_request_and_response() {
    for (content_type, body) in [
        ("application/octet-stream", (0..=255).collect()),
        ("application/json", br#"{"text":"\u00e4 \ud83e\udd80 \"quoted\""}"#.to_vec()),
        ("application/json", "{\"text\":\"ä 🦀\"}".as_bytes().to_vec()),
        ("application/problem+json", b"{}".to_vec()),
        ("text/plain", Vec::new()),
    ] {
        let headers =
            [("content-type", content_type), ("x-seen", "one"), ("x-seen", "two"), ("cookie", "c=3; d=4")];
        let function = by_events(Router::new().fallback(echo));
        let reply = send(function, "/echo?a=1&a=2&q=%C3%A4+b&empty=", &headers, body.clone()).await;
        assert_eq!((reply.status(), reply.body()), (StatusCode::ACCEPTED, &Bytes::from(body)));
        let headers = reply.headers();
        assert_eq!(headers["x-request"], "PUT /echo Some(\"a=1&a=2&q=%C3%A4+b&empty=\")");
        assert_eq!(headers["x-seen"], "one,two");
        assert_eq!(headers["cookie"], "c=3; d=4");
        assert_eq!(headers["x-caller"], "192.0.2.7");
        assert_eq!(values(headers, &header::SET_COOKIE), ["a=1", "b=2"]);
        assert_eq!(values(headers, &header::LINK), ["</a>; rel=a, </b>; rel=b"]);
    }
}

/// HTTP APIs decode the path once. Only `%2F` and `%3F` cannot be restored.
#[tokio::test]
async fn path_of_an_event_is_encoded_again() {
    for (path, expected) in [
        ("/deep/50%25%20off", "/deep/50%25%20off"),
        ("/deep/%252F%2541", "/deep/%252F%2541"),
        ("/deep/%C3%A4%23b", "/deep/%C3%A4%23b"),
        ("/deep/../a/./b", "/deep/../a/./b"),
        ("/deep/%41", "/deep/A"),
        ("/deep/a%2Fb/c", "/deep/a/b/c"),
        ("/deep/a%3Fb", "/deep/a"),
    ] {
        let function = by_events(Router::new().fallback(echo));
        let reply = send(function, &format!("{path}?q=%25"), &[], Vec::new()).await;
        assert_eq!(reply.headers()["x-request"], format!("PUT {expected} Some(\"q=%25\")"), "{path}");
    }
}

#[tokio::test]
async fn large_answer_and_failed_function_are_server_errors() {
    let large = by_events(Router::new().fallback(|| async { vec![b'x'; RESPONSE_LIMIT + 1] }));
    let fails = of_job(Arc::new(|_| async { Err("out of memory".to_owned()) }.boxed()));
    for function in [large, fails] {
        let reply = send(function, "/", &[], Vec::new()).await;
        assert_eq!((reply.status(), reply.body().len()), (StatusCode::INTERNAL_SERVER_ERROR, 0));
    }
}
