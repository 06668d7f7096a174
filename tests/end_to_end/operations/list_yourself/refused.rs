//! Tests publish requests that are refused: unreadable bodies, invalid fields, and URLs that a public registry does not
//! probe. The snapshots group the inputs by the text of the refusal.

use std::time::{Duration, Instant};

use tests::prelude::*;

use crate::fixtures::{refused_bodies, server_json};

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

const URL: &str = "https://agent.example.org/agent-card.json";

/// What a body must contain, the type of each field, and the rules of texts and addresses.
#[tokio::test]
async fn invalid_body_is_refused_with_its_field_and_rule() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    let bodies = [
        json!({}),
        json!({ "name": "Adder", "contact_email": "a@example.org" }),
        json!({ "uri": URL }),
        json!([URL]),
        json!(URL),
        json!(null),
        json!(7),
        json!({ "agent_card_url": URL, "mcp_url": "https://agent.example.org/mcp" }),
        agents::card_at("Adder", "https://agent.example.org/rpc"),
    ];
    let refused = refused_bodies(&registry, "/api/publish", &json!({}), bodies).await;
    let fields = [
        json!({ "url": 5 }),
        json!({ "server_json": "a text" }),
        json!({ "server_json": { "name": "org.example/adder" } }),
        json!({ "name": "" }),
        json!({ "name": "x".repeat(121) }),
        json!({ "source": "x".repeat(201) }),
        json!({ "source": "line\nline" }),
        json!({ "contact_email": "nobody" }),
        json!({ "contact_email": "a b@example.org" }),
        json!({ "contact_email": "a@example.org\r\nBcc: b@example.org" }),
        json!({ "contact_email": format!("{}@example.org", "a".repeat(65)) }),
    ];
    let of_fields = refused_bodies(&registry, "/api/publish", &json!({ "url": URL }), fields).await;
    insta::assert_snapshot!(refused + &of_fields);
    assert_eq!(registry.table().await.keys(), [""; 0], "a refused body wrote to the table");
}

/// One URL of each rule. `fuzz/spellings.txt` contains the many ways to write such URLs.
#[tokio::test]
async fn url_that_cannot_be_probed_is_refused_with_its_rule() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    let long = |length: usize| format!("https://agent.example.org/{}", "x".repeat(length - 26));
    let urls = [
        "agent.example.org/card.json",
        "http://agent.example.org/card.json",
        "agent.example.org:8443/card.json",
        "https://user:secret@agent.example.org/",
        "https://0x7f.0.0.1/",
        "https://metadata.google.internal/",
        "https://agent..example.org/",
        "https://agent.example.org:22/",
        "https://agent.example.org/a\r\nHost: evil",
        &long(2049),
    ];
    let urls = urls.map(|url| json!({ "url": url }));
    insta::assert_snapshot!(refused_bodies(&registry, "/api/publish", &json!({}), urls).await);
    assert_eq!(registry.table().await.keys(), [""; 0], "a refused URL wrote to the table");
    assert_eq!(registry.publish(&json!({ "url": long(2048) })).await["status"], "queued");
}

/// The remotes in a description follow the same rules as published URLs; the refusal names the field.
#[tokio::test]
async fn all_remotes_in_a_description_follow_the_rules_of_urls() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    let labels = "a.".repeat(2000);
    let mut refused = String::new();
    for url in [
        "https://10.0.0.1/mcp",
        "https://2130706433/mcp",
        "https://8.8.8.8/{tenant}/mcp",
        "https://metadata.google.internal/",
        "https://adder.example.org:22/",
        "https://user@adder.example.org/{tenant}",
        "https://agent..example.org/",
        &format!("https://{labels}{{tenant}}.example.org/"),
        &format!("https://adder.example.org/{{tenant}}?key=ghp_{}", "a1".repeat(18)),
    ] {
        let mut body = server_json("org.example/adder", url);
        body["remotes"][0]["variables"] = json!({ "tenant": {} });
        let reply = registry.post("/api/publish", &body).await;
        reply.assert_invalid("remotes[0].url");
        assert_eq!(reply.body["code"], "invalid_server_description", "{url}");
        let shown: String = url.chars().take(60).collect();
        refused += &format!("{} {shown}\n", reply.body["violations"][0]["rule"].as_str().unwrap());
    }
    insta::assert_snapshot!(refused);
    // The second remote is not probed, but it is returned to clients.
    let mut body = server_json("org.example/adder", "https://adder.example.org/mcp");
    body["remotes"].as_array_mut().unwrap().push(json!({ "type": "sse", "url": "https://10.0.0.1/sse" }));
    registry.post("/api/publish", &body).await.assert_invalid("remotes[1].url");
    body["remotes"][1]["url"] = json!("https://{tenant}.example.org/sse");
    body["remotes"][1]["variables"] = json!({ "tenant": {} });
    assert_eq!(registry.publish(&body).await["status"], "queued");
}
