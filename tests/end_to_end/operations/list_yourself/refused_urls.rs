//! Tests URLs that a public registry does not probe. The snapshots group the URLs by the text of the refusal.

use tests::prelude::*;

use crate::fixtures::{refused_bodies, server_json};

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
async fn remotes_in_a_description_follow_the_rules_of_urls() {
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
}

/// The second remote is not probed, but it is returned to clients.
#[tokio::test]
async fn every_remote_of_a_description_is_checked() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    let mut body = server_json("org.example/adder", "https://adder.example.org/mcp");
    body["remotes"].as_array_mut().unwrap().push(json!({ "type": "sse", "url": "https://10.0.0.1/sse" }));
    registry.post("/api/publish", &body).await.assert_invalid("remotes[1].url");
    body["remotes"][1]["url"] = json!("https://{tenant}.example.org/sse");
    body["remotes"][1]["variables"] = json!({ "tenant": {} });
    assert_eq!(registry.publish(&body).await["status"], "queued");
}
