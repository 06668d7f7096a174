//! What HTTP itself promises, for every document and every operation that is read by GET: HEAD, conditional and
//! compressed answers, and pages of any origin that ask.

use std::io::Read as _;

use flate2::read::GzDecoder;
use http::{HeaderMap, Method, StatusCode, header};
use registry::operations::{AnyOperation, CATALOGUE, RouteInput};
use serde_json::Value;
use tests::test_registry::{TestRegistry, plain_client};

use crate::fixtures::{LivePair, all_documents, live_pair};

const ORIGIN: (&str, &str) = ("origin", "https://page.example.org");

/// An answer as it came.
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: impl AsRef<str>) -> &str {
        self.headers.get(name.as_ref()).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// Asks without a redirect being followed, or a body decoded.
struct Asking {
    http: reqwest::Client,
    base: String,
}

impl Asking {
    fn of(registry: &TestRegistry) -> Self {
        Self { http: plain_client(), base: registry.url("").trim_end_matches('/').to_owned() }
    }

    async fn ask(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Answer {
        let request = self.http.request(method, format!("{}{path}", self.base));
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        Answer { status, headers, body: response.bytes().await.unwrap().to_vec() }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_document_is_asked_for_by_head_and_by_its_entity_tag() {
    let pair = live_pair().await;
    let asking = Asking::of(&pair.registry);
    for (document, path) in all_documents(&pair).await {
        let get = asking.ask(Method::GET, &path, &[]).await;
        assert_eq!(get.status, 200, "{path}");
        assert_eq!(get.header(header::CONTENT_TYPE), document.media_type, "{path}");
        assert_eq!(get.header(header::CONTENT_LENGTH), get.body.len().to_string(), "{path}");
        let caching = match document.max_age_s {
            None | Some(0) => "no-cache".to_owned(),
            Some(seconds) => format!("public, max-age={seconds}"),
        };
        assert_eq!(get.header(header::CACHE_CONTROL), caching, "{path}");
        let tag = get.header(header::ETAG);
        assert!(tag.starts_with("W/\"") && tag.ends_with('"'), "{path}: {tag}");

        let head = asking.ask(Method::HEAD, &path, &[]).await;
        assert_eq!((head.status, head.body.len()), (StatusCode::OK, 0), "{path}");
        let different = |headers: &HeaderMap| {
            let mut headers = headers.clone();
            for name in ["date", "x-request-id"] {
                headers.remove(name);
            }
            headers
        };
        assert_eq!(different(&head.headers), different(&get.headers), "{path}");

        for held in [tag, "*", &format!("\"other\", {}", tag.trim_start_matches("W/"))] {
            let again = asking.ask(Method::GET, &path, &[("if-none-match", held)]).await;
            assert_eq!((again.status, again.body.len()), (StatusCode::NOT_MODIFIED, 0), "{path}: {held}");
            for name in [header::ETAG, header::CACHE_CONTROL] {
                assert_eq!(again.header(&name), get.header(&name), "{path}");
            }
        }
        let other = asking.ask(Method::GET, &path, &[("if-none-match", "W/\"other\"")]).await;
        assert_eq!(other.body, get.body, "{path}");
    }
}

/// What is long is sent compressed to whoever takes that, by GET and, without the body, by HEAD.
#[tokio::test(flavor = "multi_thread")]
async fn every_long_document_is_compressed_as_the_caller_takes_it() {
    let pair = live_pair().await;
    let asking = Asking::of(&pair.registry);
    let mut long = 0;
    for (_, path) in all_documents(&pair).await {
        let plain = asking.ask(Method::GET, &path, &[]).await;
        for (accepted, encoding) in
            [("gzip", "gzip"), ("br", "br"), ("gzip, deflate, br", "br"), ("gzip;q=1, br;q=0.1", "gzip")]
        {
            let accept = [("accept-encoding", accepted)];
            let packed = asking.ask(Method::GET, &path, &accept).await;
            let head = asking.ask(Method::HEAD, &path, &accept).await;
            assert_eq!(packed.header(header::ETAG), plain.header(header::ETAG), "{path}");
            assert_eq!(
                head.header(header::CONTENT_ENCODING),
                packed.header(header::CONTENT_ENCODING),
                "{path}"
            );
            if packed.headers.get(header::CONTENT_ENCODING).is_none() {
                assert!(plain.body.len() < 8192, "{path} is long");
                continue;
            }
            long += 1;
            assert_eq!(packed.header(header::CONTENT_ENCODING), encoding, "{path}");
            assert!(packed.header(header::VARY).contains("accept-encoding"), "{path}");
            assert!(plain.header(header::VARY).contains("accept-encoding"), "{path}");
            assert!(head.headers.get(header::CONTENT_LENGTH).is_none(), "{path}: of no body that was made");
            assert!(packed.body.len() * 2 < plain.body.len(), "{path}: {}", packed.body.len());
            assert_eq!(unpacked(&packed), plain.body, "{path}");
        }
    }
    assert!(long > 12, "{long}");
}

fn unpacked(answer: &Answer) -> Vec<u8> {
    let mut body = Vec::new();
    match answer.header(header::CONTENT_ENCODING) {
        "gzip" => GzDecoder::new(answer.body.as_slice()).read_to_end(&mut body).unwrap(),
        "br" => brotli::Decompressor::new(answer.body.as_slice(), 4096).read_to_end(&mut body).unwrap(),
        other => panic!("{other}"),
    };
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_any_origin_may_ask_for_anything() {
    let pair = live_pair().await;
    let asking = Asking::of(&pair.registry);
    let operations =
        CATALOGUE.iter().flat_map(|operation| operation.routes).map(|route| route.path.to_owned());
    let documents = all_documents(&pair).await.into_iter().map(|(_, path)| path);
    let others = ["/mcp", "/api/a2a", "/v0.1/servers", "/api/ard/search", "/no/such/path"].map(str::to_owned);
    for path in documents.chain(operations).chain(others) {
        let preflight = [
            ORIGIN,
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", "content-type"),
        ];
        let allowed = asking.ask(Method::OPTIONS, &path, &preflight).await;
        assert!(allowed.status.is_success() && allowed.body.is_empty(), "{path}: {}", allowed.status);
        assert_eq!(allowed.header(header::ACCESS_CONTROL_ALLOW_ORIGIN), "*", "{path}");
        let methods = allowed.header(header::ACCESS_CONTROL_ALLOW_METHODS);
        for method in ["GET", "HEAD", "POST", "OPTIONS"] {
            assert!(methods.split(',').any(|allowed| allowed.trim() == method), "{path}: {methods}");
        }
        let answer = asking.ask(Method::HEAD, &path, &[ORIGIN]).await;
        assert_eq!(answer.header(header::ACCESS_CONTROL_ALLOW_ORIGIN), "*", "{path}");
        let exposed = answer.header(header::ACCESS_CONTROL_EXPOSE_HEADERS);
        for name in ["etag", "link", "location", "retry-after", "x-request-id"] {
            assert!(exposed.split(',').any(|exposed| exposed.trim() == name), "{path}: {exposed}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_that_is_read_answers_head_as_get() {
    let pair = live_pair().await;
    let asking = Asking::of(&pair.registry);
    for entry in CATALOGUE.iter().filter(|entry| entry.effect.read_only) {
        for route in entry.routes.iter().filter(|route| !route.is_post()) {
            let query = match route.input {
                RouteInput::QueryByAction => String::new(),
                _ => query(&pair, entry),
            };
            let path = format!("{}?{query}", route.path);
            let get = asking.ask(Method::GET, &path, &[]).await;
            let head = asking.ask(Method::HEAD, &path, &[]).await;
            assert_eq!((head.status, head.body.len()), (get.status, 0), "{path}");
            assert!(!get.status.is_server_error(), "{path}");
            for name in [header::CONTENT_TYPE, header::CACHE_CONTROL] {
                assert_eq!(head.header(&name), get.header(&name), "{path}");
            }
            let tag = get.header(header::ETAG);
            let caching = get.header(header::CACHE_CONTROL);
            if caching.contains("max-age") || caching == "no-cache" {
                let again = asking.ask(Method::GET, &path, &[("if-none-match", tag)]).await;
                assert_eq!((again.status, again.body.len()), (StatusCode::NOT_MODIFIED, 0), "{path}");
            } else {
                assert_eq!(tag, "", "{path} may not be kept");
            }
        }
    }
}

/// A client that checks links may ask by HEAD whatever a row names.
#[tokio::test(flavor = "multi_thread")]
async fn no_demo_is_taken_by_head() {
    let pair = live_pair().await;
    let asking = Asking::of(&pair.registry);
    let path = format!("/api/products/demo?listing_id={}", pair.agent);
    let before = pair.registry.table().await;
    let head = asking.ask(Method::HEAD, &path, &[]).await;
    assert_eq!((head.status, head.header(header::ALLOW)), (StatusCode::METHOD_NOT_ALLOWED, "GET,POST"));
    assert_eq!(before.difference(&pair.registry.table().await), [""; 0]);
    assert_eq!(asking.ask(Method::GET, &path, &[]).await.status, 200);
    assert_ne!(before.difference(&pair.registry.table().await), [""; 0]);
}

/// The example of an operation as a query, about a listing that is there.
fn query(pair: &LivePair, entry: &AnyOperation) -> String {
    let example: Value = serde_json::from_str(entry.example).unwrap();
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in example.as_object().unwrap() {
        match (name.as_str(), value) {
            ("listing_id" | "id", _) => query.append_pair(name, pair.agent.as_str()),
            (_, Value::String(text)) => query.append_pair(name, text),
            (_, other) => query.append_pair(name, &other.to_string()),
        };
    }
    query.finish()
}
