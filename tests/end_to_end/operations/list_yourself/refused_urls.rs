//! Tests URLs that a public registry does not probe. The snapshots group the URLs by the text of the refusal.

use serde_json::json;
use tests::test_registry::{TestOptions, TestRegistry};

use super::refusals::refusals;
use crate::fixtures::server_json;

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
    let refused = refusals(&registry, urls.map(|url| (url.to_owned(), json!({ "url": url })))).await;
    insta::assert_snapshot!(refused, @r"
    422 not_a_url `url`: `url`: This is not an absolute URL. Send the whole URL, with https://.
      `agent.example.org/card.json`
    422 not_https `url`: `url`: The URL does not begin with https://. Send the https URL of the card or endpoint.
      `http://agent.example.org/card.json`
      `agent.example.org:8443/card.json`
    422 user_info_in_url `url`: `url`: The URL contains a user name or password. Send the URL without the part before the @.
      `https://user:secret@agent.example.org/`
    422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
      `https://0x7f.0.0.1/`
    422 reserved_name `url`: `url`: The host name is reserved for private or test use. Give a URL with a public host name.
      `https://metadata.google.internal/`
    422 bad_host_name `url`: `url`: The host name is not a valid DNS name. Check its spelling, and fill in any placeholder.
      `https://agent..example.org/`
    422 port_not_allowed `url`: `url`: Only the ports 443 and 8443 are accepted. Use one of these ports.
      `https://agent.example.org:22/`
    422 control_character `url`: `url`: The URL contains a control character. Remove the character.
      `https://agent.example.org/a\u{d}\u{a}Host: evil`
    422 url_too_long `url`: `url`: The URL is longer than 2048 bytes. Give a shorter one.
      `https://agent.example.org/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`
    ");
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
    insta::assert_snapshot!(refused, @"
    ip_literal https://10.0.0.1/mcp
    invalid-remote-url https://2130706433/mcp
    ip_literal https://8.8.8.8/{tenant}/mcp
    reserved_name https://metadata.google.internal/
    port_not_allowed https://adder.example.org:22/
    user_info_in_url https://user@adder.example.org/{tenant}
    bad_host_name https://agent..example.org/
    url_too_long https://a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.
    secret https://adder.example.org/{tenant}?key=ghp_a1a1a1a1a1a1a1a1a
    ");
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
