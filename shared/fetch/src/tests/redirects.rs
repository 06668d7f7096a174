//! Tests with redirects to private addresses, redirects to other origins, redirects in a loop, and redirects
//! of requests with a body. Each peer counts the requests that it gets. So the tests also check that no
//! request is sent after a redirect was refused.

use serde_json::json;

use super::*;
use crate::{Follow, TargetError};

fn redirect(status: u16, location: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status} Elsewhere\r\nlocation: {location}\r\nset-cookie: a=b\r\ncontent-length: 0\r\n\r\n"
    )
    .into_bytes()
}

async fn redirecting(status: u16, location: &str) -> Peer {
    Peer::sending(redirect(status, location)).await
}

const OK: &str = "HTTP/1.1 200 OK\r\n\r\n{}";

#[tokio::test]
async fn fetch_does_not_follow_redirects_to_private_addresses() {
    for (location, rule) in [
        ("http://10.0.0.1/", TargetError::IpLiteral),
        ("http://169.254.169.254/latest/meta-data/", TargetError::IpLiteral),
        ("https://[fd00:ec2::254]/", TargetError::IpLiteral),
        ("http://0xa9fea9fe/", TargetError::IpLiteral),
        ("https://metadata.google.internal/", TargetError::ReservedName),
        ("//user@127.0.0.1/", TargetError::UserInfo),
    ] {
        assert_eq!(error_after(redirect(302, location)).await, FetchError::Blocked(rule), "{location}");
    }
    for location in ["file:///etc/passwd", "gopher://127.0.0.1:6379/_x", "http://example.org/", "https://"] {
        assert_eq!(error_after(redirect(302, location)).await, FetchError::BadRedirect, "{location}");
    }
    assert_eq!(error_after("HTTP/1.1 302 Found\r\n\r\n").await, FetchError::BadRedirect);
}

#[tokio::test]
async fn fetch_stops_in_a_redirect_loop() {
    let peer = redirecting(301, "/card").await;
    assert_eq!(fetched(&peer).await.unwrap_err(), FetchError::TooManyRedirects);
    assert_eq!(peer.requests().len(), 4, "the first request and three hops");
}

#[tokio::test]
async fn fetch_returns_a_redirect_that_it_does_not_follow() {
    let peer = redirecting(302, "http://10.0.0.1/").await;
    let answer = fetcher().send(get(peer.at("/")).with_follow(Follow::Never)).await.unwrap();
    assert_eq!((answer.status.as_u16(), answer.header("location")), (302, Some("http://10.0.0.1/")));
    let posted = fetcher().send(Request::post_json(peer.at("/"), &json!({}))).await.unwrap();
    assert_eq!(posted.status.as_u16(), 302);
}

#[tokio::test]
async fn fetch_sends_no_headers_of_the_first_origin_to_another_origin() {
    let second = Peer::sending(OK).await;
    let first = redirecting(302, &format!("{}/there", second.base)).await;
    let request =
        get(first.at("/here?token=1")).with_header("x-secret", "s").with_header("authorization", "s");
    assert_eq!(fetcher().send(request).await.unwrap().target, second.at("/there"));
    let (before, after) = (first.requests().remove(0), second.requests().remove(0).to_ascii_lowercase());
    assert!(before.contains("x-secret: s") && after.starts_with("get /there "));
    for word in ["x-secret", "authorization", "cookie", "referer", "token"] {
        assert!(!after.contains(word), "{word} in {after}");
    }
    assert!(after.contains("accept: application/json") && after.contains("user-agent: test/1.0"));
}

#[tokio::test]
async fn fetch_keeps_headers_but_no_cookies_within_the_origin() {
    let peer = Peer::serving(|connection, path| {
        let answer = if path == "/card" { redirect(302, "/b") } else { OK.into() };
        send_all(connection, answer.into())
    })
    .await;
    fetcher().send(get(peer.at("/card")).with_header("x-key", "k")).await.unwrap();
    let second = peer.requests().remove(1).to_ascii_lowercase();
    assert!(second.contains("x-key: k") && !second.contains("cookie"), "{second}");
}

#[tokio::test]
async fn fetch_repeats_a_post_only_once_and_within_the_origin() {
    let peer = Peer::serving(|connection, path| {
        let answer = match path.as_str() {
            "/mcp" => redirect(307, "/mcp/"),
            "/twice" => redirect(308, "/mcp"),
            _ => OK.into(),
        };
        send_all(connection, answer.into())
    })
    .await;
    let answer = fetcher().send(Request::post_json(peer.at("/mcp"), &json!({"id": 7}))).await.unwrap();
    assert_eq!((answer.status.as_u16(), answer.target), (200, peer.at("/mcp/")));
    let second = peer.requests().remove(1);
    assert!(second.starts_with("POST /mcp/ ") && second.ends_with("{\"id\":7}"), "{second}");
    let twice = fetcher().send(Request::post_json(peer.at("/twice"), &json!({}))).await;
    assert_eq!(twice.unwrap_err(), FetchError::TooManyRedirects);
}

#[tokio::test]
async fn fetch_does_not_repeat_a_post_at_another_origin() {
    let other = Peer::sending(OK).await;
    for status in [307, 308] {
        let peer = redirecting(status, &format!("{}/mcp", other.base)).await;
        let posted = fetcher().send(Request::post_json(peer.at("/mcp"), &json!({"secret": 1}))).await;
        assert_eq!(posted.unwrap_err(), FetchError::BadRedirect);
    }
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn fetch_deadline_includes_redirects() {
    let peer = Peer::serving(|connection, _| async move {
        tokio::time::sleep(Duration::from_millis(150)).await;
        send_all(connection, redirect(302, "/again").into()).await;
    })
    .await;
    let after = Duration::from_millis(350);
    let request = get(peer.at("/")).with_deadline(after).with_follow(Follow::Hops(200));
    assert_eq!(fetcher().send(request).await.unwrap_err(), FetchError::Timeout { after });
}
