//! Tests publish requests whose body cannot be parsed. Each kind is refused quickly, with its own status.

use std::time::{Duration, Instant};

use tests::prelude::*;

/// A label, the content type, the body, and the expected status and code.
type Unreadable = (&'static str, Option<&'static str>, Vec<u8>, (u16, &'static str));

#[tokio::test]
async fn unreadable_body_is_refused_with_the_matching_status() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    let json = Some("application/json");
    let padded = |size: usize| format!("{{\"url\":\"https://a.example.org/\"}}{}", " ".repeat(size - 32));
    let hidden = br#"{"a": {"$serde_json::private::RawValue": "[[1]]"}}"#;
    let table: [Unreadable; 10] = [
        ("empty", json, vec![], (400, "malformed")),
        ("not UTF-8", json, b"{\"url\": \"\xff\xfe\"}".to_vec(), (400, "malformed")),
        ("a hundred thousand arrays", json, vec![b'['; 100_000], (400, "malformed")),
        ("deep objects", json, "{\"a\":".repeat(10_000).into_bytes(), (400, "malformed")),
        ("levels within a text", json, hidden.to_vec(), (400, "malformed")),
        ("text", Some("text/plain"), b"{}".to_vec(), (415, "not_json")),
        ("no type", None, b"{}".to_vec(), (415, "not_json")),
        ("a byte over 256 KiB", json, padded(256 * 1024 + 1).into_bytes(), (413, "too_large")),
        ("one megabyte of zeros", json, vec![b'0'; 1 << 20], (413, "too_large")),
        ("a number without end", json, vec![b'9'; 200_000], (400, "malformed")),
    ];
    for (what, kind, body, (status, code)) in table {
        let began = Instant::now();
        let reply = registry.post_raw("/api/publish", kind, body).await;
        assert_eq!((reply.status, &reply.body["code"]), (status, &json!(code)), "{what}: {reply:?}");
        reply.assert_problem();
        assert!(began.elapsed() < Duration::from_secs(10), "{what} took {:?}", began.elapsed());
    }
    for kind in ["application/json; charset=utf-8", "Application/JSON", "application/vnd.mcp+json"] {
        registry.post_raw("/api/publish", Some(kind), r#"{"url": "https://a.example.org/"}"#).await.ok();
    }
    let largest = registry.post_raw("/api/publish", json, padded(256 * 1024)).await;
    assert_eq!(largest.status, 200, "a body of exactly 256 KiB was refused");
}
