//! Tests HTTP behavior of every document and every read operation: HEAD, conditional requests, compression and CORS.

use std::collections::BTreeSet;
use std::io::Read as _;

use flate2::read::GzDecoder;
use http::{HeaderMap, Method, StatusCode, header};
use registry::features::{CATALOGUE, RouteInput};
use tests::prelude::*;
use tests::test_registry::plain_client;

use super::all_protocols::{example, query};
use crate::fixtures::{all_documents, live_pair};

const ORIGIN: (&str, &str) = ("origin", "https://page.example.org");

/// A reply without decoding.
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

/// Sends requests to a registry; does not follow redirects or decode bodies.
struct RawClient<'a>(reqwest::Client, &'a TestRegistry);

impl<'a> RawClient<'a> {
    fn of(registry: &'a TestRegistry) -> Self {
        Self(plain_client(), registry)
    }

    async fn request(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Answer {
        let request = self.0.request(method, self.1.url(path));
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        Answer { status, headers, body: response.bytes().await.unwrap().to_vec() }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_support_head_and_conditional_requests() {
    let pair = live_pair().await;
    let client = RawClient::of(&pair.registry);
    for (document, path) in all_documents(&pair).await {
        let get = client.request(Method::GET, &path, &[]).await;
        assert_eq!(get.status, 200, "{path}");
        assert_eq!(get.header(header::CONTENT_TYPE), document.media_type, "{path}");
        assert_eq!(get.header(header::CONTENT_LENGTH), get.body.len().to_string(), "{path}");
        let caching = match document.max_age_s {
            None | Some(0) => "no-cache".to_owned(),
            Some(seconds) => format!("public, max-age={seconds}"),
        };
        let rule = get.header(header::CACHE_CONTROL);
        // A full tile never changes.
        assert_eq!(rule.strip_suffix(", immutable").unwrap_or(rule), caching, "{path}");
        let tag = get.header(header::ETAG);
        assert!(tag.starts_with("W/\"") && tag.ends_with('"'), "{path}: {tag}");

        let head = client.request(Method::HEAD, &path, &[]).await;
        assert_eq!((head.status, head.body.len()), (StatusCode::OK, 0), "{path}");
        let without_volatile = |headers: &HeaderMap| {
            let mut headers = headers.clone();
            // Through an event of API Gateway, a response to HEAD has no length.
            for name in ["date", "x-request-id", "content-length"] {
                headers.remove(name);
            }
            headers
        };
        assert_eq!(without_volatile(&head.headers), without_volatile(&get.headers), "{path}");

        for cached in [tag, "*", &format!("\"other\", {}", tag.trim_start_matches("W/"))] {
            let again = client.request(Method::GET, &path, &[("if-none-match", cached)]).await;
            assert_eq!((again.status, again.body.len()), (StatusCode::NOT_MODIFIED, 0), "{path}: {cached}");
            for name in [header::ETAG, header::CACHE_CONTROL, header::VARY] {
                assert_eq!(again.header(&name), get.header(&name), "{path}");
            }
        }
        let other = client.request(Method::GET, &path, &[("if-none-match", "W/\"other\"")]).await;
        assert_eq!(other.body, get.body, "{path}");
    }
}

/// Long documents are compressed if the caller accepts it, for GET and in the headers of HEAD.
#[tokio::test(flavor = "multi_thread")]
async fn long_documents_use_an_accepted_compression() {
    let pair = live_pair().await;
    let client = RawClient::of(&pair.registry);
    let mut long = 0;
    for (_, path) in all_documents(&pair).await {
        let plain = client.request(Method::GET, &path, &[]).await;
        for accepted in ["gzip", "gzip, deflate, br", "gzip;q=0.1, br;q=1"] {
            let accept = [("accept-encoding", accepted)];
            let packed = client.request(Method::GET, &path, &accept).await;
            let head = client.request(Method::HEAD, &path, &accept).await;
            assert_eq!(packed.header(header::ETAG), plain.header(header::ETAG), "{path}");
            let encoding = packed.header(header::CONTENT_ENCODING);
            assert_eq!(head.header(header::CONTENT_ENCODING), encoding, "{path}");
            if packed.headers.get(header::CONTENT_ENCODING).is_none() {
                assert!(plain.body.len() < 8192, "{path} is long");
                continue;
            }
            long += 1;
            assert_eq!(packed.header(header::CONTENT_ENCODING), "gzip", "{path}");
            assert!(packed.header(header::VARY).contains("accept-encoding"), "{path}");
            assert!(plain.header(header::VARY).contains("accept-encoding"), "{path}");
            let length = head.headers.get(header::CONTENT_LENGTH);
            assert!(length.is_none(), "{path}: HEAD builds no body, so it has no length");
            assert!(packed.body.len() * 2 < plain.body.len(), "{path}: {}", packed.body.len());
            assert_eq!(unpacked(&packed), plain.body, "{path}");
        }
    }
    assert!(long > 12, "{long}");
}

fn unpacked(answer: &Answer) -> Vec<u8> {
    let mut body = Vec::new();
    GzDecoder::new(answer.body.as_slice()).read_to_end(&mut body).unwrap();
    body
}

/// The headers of an answer that tell a browser what pages of other origins may do.
fn cors_headers(answer: &Answer) -> String {
    let names = answer.headers.keys().filter(|name| name.as_str().starts_with("access-control-"));
    let lines: BTreeSet<String> = names.map(|name| format!("{name}: {}\n", answer.header(name))).collect();
    lines.into_iter().collect()
}

/// A page must not claim to be the proxy, and a browser must not add credentials by itself.
#[tokio::test(flavor = "multi_thread")]
async fn web_pages_of_any_origin_can_call_every_path() {
    let pair = live_pair().await;
    let client = RawClient::of(&pair.registry);
    let operations =
        CATALOGUE.iter().flat_map(|operation| operation.routes).map(|route| route.path.to_owned());
    let documents = all_documents(&pair).await.into_iter().map(|(_, path)| path);
    let others = ["/mcp", "/api/a2a", "/v0.1/servers", "/api/ard/search", "/no/such/path"].map(str::to_owned);
    let preflight = [
        ORIGIN,
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization,content-type"),
    ];
    let mut allowed = BTreeSet::new();
    for path in documents.chain(operations).chain(others) {
        let permission = client.request(Method::OPTIONS, &path, &preflight).await;
        assert!(permission.status.is_success() && permission.body.is_empty(), "{path}");
        let answer = client.request(Method::HEAD, &path, &[ORIGIN]).await;
        assert_eq!(answer.header("x-request-id").len(), 32, "{path}");
        assert_eq!(answer.header(header::X_CONTENT_TYPE_OPTIONS), "nosniff", "{path}");
        allowed.insert(format!("preflight\n{}answer\n{}", cors_headers(&permission), cors_headers(&answer)));
        assert_eq!(allowed.len(), 1, "{path} has other headers: {allowed:#?}");
    }
    insta::assert_snapshot!(allowed.pop_first().unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn head_and_get_match_for_every_read_operation() {
    let pair = live_pair().await;
    let client = RawClient::of(&pair.registry);
    for entry in CATALOGUE {
        for route in entry.routes.iter().filter(|route| !route.is_post() && !route.acts) {
            let path = format!("{}?{}", route.path, query(&example(&pair, entry)));
            let get = client.request(Method::GET, &path, &[]).await;
            let head = client.request(Method::HEAD, &path, &[]).await;
            assert_eq!((head.status, head.body.len()), (get.status, 0), "{path}");
            assert!(!get.status.is_server_error(), "{path}");
            for name in [header::CONTENT_TYPE, header::CACHE_CONTROL] {
                assert_eq!(head.header(&name), get.header(&name), "{path}");
            }
            let tag = get.header(header::ETAG);
            let caching = get.header(header::CACHE_CONTROL);
            if caching.contains("max-age") || caching == "no-cache" {
                let again = client.request(Method::GET, &path, &[("if-none-match", tag)]).await;
                assert_eq!((again.status, again.body.len()), (StatusCode::NOT_MODIFIED, 0), "{path}");
            } else {
                assert_eq!((tag, caching), ("", "no-store"), "{path} must not be cached");
            }
        }
    }
}

/// Link checkers send HEAD to every URL of a row.
#[tokio::test(flavor = "multi_thread")]
async fn head_request_orders_no_demo_and_visits_no_inbox() {
    for path in ["/api/products/demo", "/api/talk"] {
        let pair = live_pair().await;
        let client = RawClient::of(&pair.registry);
        let path = format!("{path}?listing_id={}", pair.agent);
        let before = pair.registry.table().await;
        let head = client.request(Method::HEAD, &path, &[]).await;
        assert_eq!(head.status, StatusCode::METHOD_NOT_ALLOWED, "{path}");
        assert_eq!(head.header(header::ALLOW), "GET,POST", "{path}");
        assert_eq!(before.difference(&pair.registry.table().await), [""; 0], "{path}");
        assert_eq!(client.request(Method::GET, &path, &[]).await.status, 200, "{path}");
        assert_ne!(before.difference(&pair.registry.table().await), [""; 0], "{path}");
    }
}

/// A cache answers all callers with what it kept, and the registry does not learn of these requests.
#[test]
fn only_reads_that_are_the_same_for_all_callers_may_be_kept() {
    let mut kept = 0;
    for entry in CATALOGUE {
        for route in entry.routes.iter().filter(|route| route.max_age_s.is_some()) {
            kept += 1;
            assert!(!route.is_post() && !route.acts, "{}", route.path);
            assert!(entry.effect.read_only && !entry.effect.open_world, "{}", route.path);
            // The rule of a family's endpoint would apply to all operations that share it.
            assert!(matches!(route.input, RouteInput::Query), "{}", route.path);
        }
    }
    assert!(kept >= 7, "{kept}");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_without_a_rule_must_not_be_stored() {
    let pair = live_pair().await;
    let client = RawClient::of(&pair.registry);
    let json = [("accept", "application/json")];
    let gets = "/ /no/such/path /api/publish /mcp /api/a2a /api/a2a/tasks/x /api/ard/agents \
                /v0.1/servers/none/versions /badge/1";
    let posts = "/mcp /api/a2a /api/ard/search /v0.1/publish /api/products/checkout/webhook";
    let gets = gets.split(' ').map(|path| (Method::GET, path));
    for (method, path) in gets.chain(posts.split(' ').map(|path| (Method::POST, path))) {
        let headers = if path == "/" { &json[..] } else { &[] };
        let answer = client.request(method.clone(), path, headers).await;
        assert_eq!(answer.header(header::CACHE_CONTROL), "no-store", "{method} {path}: {}", answer.status);
        assert!(answer.headers.get_all(header::VARY).iter().count() <= 1, "{method} {path}");
    }
}

#[tokio::test]
async fn required_proxy_cannot_be_bypassed() {
    let secret = "s".repeat(32);
    let options =
        TestOptions::default().with_setting("PROXY_SECRET", &secret).with_setting("PROXY_REQUIRED", "on");
    for options in [options.clone(), options.without_events()] {
        let registry = TestRegistry::start_with(options).await;
        for path in ["/", "/api/listings/active", "/v0.1/servers", "/no/such/path"] {
            for headers in [&[][..], &[("x-proxy-secret", "guessed")]] {
                let refused = RawClient::of(&registry).request(Method::GET, path, headers).await;
                let problem: Value = serde_json::from_slice(&refused.body).unwrap();
                assert_eq!(refused.status, StatusCode::FORBIDDEN);
                assert_eq!(problem["code"], "not_through_proxy");
            }
            let answered =
                RawClient::of(&registry).request(Method::GET, path, &[("x-proxy-secret", &secret)]).await;
            assert_eq!(answered.status, if path.starts_with("/no") { 404 } else { 200 }, "{path}");
        }
    }
}
