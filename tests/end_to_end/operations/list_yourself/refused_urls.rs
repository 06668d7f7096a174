//! Tests URLs that a public registry does not probe. The snapshots group the URLs by the text of the refusal.

use serde_json::{Value, json};
use tests::test_registry::{TestOptions, TestRegistry};

use super::refusals::refusals;

async fn refused_urls(urls: &[&str]) -> String {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    refusals(&registry, urls.iter().map(|url| ((*url).to_owned(), json!({ "url": url })))).await
}

#[tokio::test]
async fn url_must_be_absolute() {
    let refused = refused_urls(&[
        "",
        "   ",
        "agent.example.org/card.json",
        "//agent.example.org/card.json",
        "/card.json",
        "https://",
    ])
    .await;
    insta::assert_snapshot!(refused, @"
    422 not_a_url `url`: `url`: This is not an absolute URL. Send a URL such as https://agents.example.org/.well-known/agent-card.json.
      ``
      `   `
      `agent.example.org/card.json`
      `//agent.example.org/card.json`
      `/card.json`
      `https://`
    ");
}

#[tokio::test]
async fn only_https_urls_are_accepted() {
    let refused = refused_urls(&[
        "http://agent.example.org/card.json",
        "ftp://agent.example.org/card.json",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:application/json,{}",
        "gopher://agent.example.org/",
    ])
    .await;
    insta::assert_snapshot!(refused, @"
    422 not_https `url`: `url`: Only https URLs are accepted. Serve the card or endpoint over https, and send the https URL.
      `http://agent.example.org/card.json`
      `ftp://agent.example.org/card.json`
      `file:///etc/passwd`
      `javascript:alert(1)`
      `data:application/json,{}`
      `gopher://agent.example.org/`
    ");
}

#[tokio::test]
async fn url_must_not_contain_credentials() {
    let refused =
        refused_urls(&["https://user@agent.example.org/", "https://user:secret@agent.example.org/"]).await;
    insta::assert_snapshot!(refused, @"
    422 user_info_in_url `url`: `url`: The URL contains a user name or password. Send the URL without the part before the @.
      `https://user@agent.example.org/`
      `https://user:secret@agent.example.org/`
    ");
}

#[tokio::test]
async fn ip_address_is_refused_in_every_notation() {
    let refused = refused_urls(&[
        "https://127.0.0.1/",
        "https://127.1/",
        "https://0x7f.0.0.1/",
        "https://0x7f000001/",
        "https://2130706433/",
        "https://017700000001/",
        "https://0177.0.0.1/",
        "https://127.0.0.1./",
        "https://１２７.０.０.１/",
        "https://%31%32%37.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[fe80::1%25eth0]/",
        "https://[2606:4700::1111]/",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://192.168.1.1:8443/",
        "https://8.8.8.8/",
        "https://0/",
    ])
    .await;
    insta::assert_snapshot!(refused, @r"
    422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
      `https://127.0.0.1/`
      `https://127.1/`
      `https://0x7f.0.0.1/`
      `https://0x7f000001/`
      `https://2130706433/`
      `https://017700000001/`
      `https://0177.0.0.1/`
      `https://127.0.0.1./`
      `https://\u{ff11}\u{ff12}\u{ff17}.\u{ff10}.\u{ff10}.\u{ff11}/`
      `https://%31%32%37.0.0.1/`
      `https://[::1]/`
      `https://[::ffff:10.0.0.1]/`
      `https://[fe80::1%25eth0]/`
      `https://[2606:4700::1111]/`
      `https://10.0.0.1/`
      `https://169.254.169.254/latest/meta-data/`
      `https://192.168.1.1:8443/`
      `https://8.8.8.8/`
      `https://0/`
    ");
}

#[tokio::test]
async fn host_names_for_private_or_test_use_are_refused() {
    let refused = refused_urls(&[
        "https://localhost/",
        "https://LOCALHOST./",
        "https://agent.localhost/",
        "https://router.local/",
        "https://metadata.google.internal/",
        "https://api.default.svc/",
        "https://nas.home/",
        "https://agent.example/",
        "https://agent.test/",
        "https://x.invalid/",
        "https://1.0.0.10.in-addr.arpa/",
        "https://hidden.onion/",
        "https://intranet/",
    ])
    .await;
    insta::assert_snapshot!(refused, @"
    422 reserved_name `url`: `url`: The host name is reserved for private or test use. Give a URL with a public host name.
      `https://localhost/`
      `https://LOCALHOST./`
      `https://agent.localhost/`
      `https://router.local/`
      `https://metadata.google.internal/`
      `https://api.default.svc/`
      `https://nas.home/`
      `https://agent.example/`
      `https://agent.test/`
      `https://x.invalid/`
      `https://1.0.0.10.in-addr.arpa/`
      `https://hidden.onion/`
      `https://intranet/`
    ");
}

#[tokio::test]
async fn host_name_must_be_valid() {
    let refused = refused_urls(&[
        "https://agent..example.org/",
        "https://*.example.org/",
        "https://{tenant}.example.org/",
    ])
    .await;
    insta::assert_snapshot!(refused, @"
    422 bad_host_name `url`: `url`: The host name is not a valid DNS name. Check its spelling, and fill in any placeholder.
      `https://agent..example.org/`
      `https://*.example.org/`
      `https://{tenant}.example.org/`
    ");
}

#[tokio::test]
async fn only_ports_443_and_8443_are_accepted() {
    let refused = refused_urls(&[
        "https://-.example.org:99999/",
        "https://agent.example.org:80/",
        "https://agent.example.org:22/",
        "https://agent.example.org:6379/",
        "https://agent.example.org:0/",
    ])
    .await;
    insta::assert_snapshot!(refused, @"
    422 port_not_allowed `url`: `url`: Only the ports 443 and 8443 are accepted. Use one of these ports.
      `https://-.example.org:99999/`
      `https://agent.example.org:80/`
      `https://agent.example.org:22/`
      `https://agent.example.org:6379/`
      `https://agent.example.org:0/`
    ");
}

#[tokio::test]
async fn url_with_control_characters_is_refused() {
    let refused = refused_urls(&[
        "https://agent.example.org/a\u{0}b",
        "https://agent.example.org/a\r\nHost: evil",
        "https://agent.\texample.org/",
    ])
    .await;
    insta::assert_snapshot!(refused, @r"
    422 control_character `url`: `url`: The URL contains a control character. Remove the character.
      `https://agent.example.org/a\u{0}b`
      `https://agent.example.org/a\u{d}\u{a}Host: evil`
      `https://agent.\u{9}example.org/`
    ");
}

#[tokio::test]
async fn urls_over_2048_bytes_and_too_long_host_names_are_refused() {
    let long = |length: usize| format!("https://agent.example.org/{}", "x".repeat(length - 26));
    let label = format!("https://{}.example.org/", "a".repeat(64));
    let name = format!("https://{}example.org/", "a.".repeat(130));
    let refused = refused_urls(&[&long(2049), &long(100_000), &label, &name]).await;
    insta::assert_snapshot!(refused, @"
    422 url_too_long `url`: `url`: The URL is longer than 2048 bytes. Give a shorter one.
      `https://agent.example.org/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`
      `https://agent.example.org/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`
    422 bad_host_name `url`: `url`: The host name is not a valid DNS name. Check its spelling, and fill in any placeholder.
      `https://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.example.org/`
      `https://a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.`
    ");
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    assert_eq!(registry.publish(&json!({ "url": long(2048) })).await["status"], "queued");
}

/// A server description with one remote.
fn server_json(remote: &str) -> Value {
    json!({ "name": "org.example/adder", "description": "Adds.", "version": "1.0.0",
        "remotes": [{ "type": "streamable-http", "url": remote }] })
}

/// The remotes in a description follow the same rules as published URLs; the refusal names the field.
#[tokio::test]
async fn remotes_in_a_description_follow_the_rules_of_urls() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    let label = "a".repeat(64);
    let labels = "a.".repeat(2000);
    let mut refused = String::new();
    for url in [
        "https://10.0.0.1/mcp",
        "https://0x7f.1/mcp",
        "https://2130706433/mcp",
        "https://[2606:4700::1111]/mcp",
        "https://[::ffff:10.0.0.1]/mcp",
        "https://8.8.8.8/{tenant}/mcp",
        "https://metadata.google.internal/",
        "https://adder.test/",
        "https://intranet/",
        "https://adder.example.org:22/",
        "https://user:secret@adder.example.org/mcp",
        "https://user@adder.example.org/{tenant}",
        "https://agent..example.org/",
        &format!("https://{label}.example.org/"),
        &format!("https://{labels}example.org/"),
        &format!("https://{}example.org/", &labels[..2000]),
        &format!("https://{labels}{{tenant}}.example.org/"),
        &format!("https://adder.example.org/{}", "x".repeat(2100)),
    ] {
        let mut body = server_json(url);
        body["remotes"][0]["variables"] = json!({ "tenant": {} });
        let reply = registry.post("/api/publish", &body).await;
        reply.assert_problem();
        assert_eq!((reply.status, &reply.body["field"]), (422, &json!("remotes[0].url")), "{url}: {reply:?}");
        assert_eq!(reply.body["code"], "invalid_server_description", "{url}");
        let shown: String = url.chars().take(60).collect();
        refused += &format!("{} {shown}\n", reply.body["violations"][0]["rule"].as_str().unwrap());
    }
    insta::assert_snapshot!(refused, @"
    ip_literal https://10.0.0.1/mcp
    invalid-remote-url https://0x7f.1/mcp
    invalid-remote-url https://2130706433/mcp
    ip_literal https://[2606:4700::1111]/mcp
    ip_literal https://[::ffff:10.0.0.1]/mcp
    ip_literal https://8.8.8.8/{tenant}/mcp
    reserved_name https://metadata.google.internal/
    reserved_name https://adder.test/
    reserved_name https://intranet/
    port_not_allowed https://adder.example.org:22/
    user_info_in_url https://user:secret@adder.example.org/mcp
    user_info_in_url https://user@adder.example.org/{tenant}
    bad_host_name https://agent..example.org/
    bad_host_name https://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
    url_too_long https://a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.
    bad_host_name https://a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.
    url_too_long https://a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.
    url_too_long https://adder.example.org/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    ");
}

/// The second remote is not probed, but it is returned to clients.
#[tokio::test]
async fn every_remote_of_a_description_is_checked() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    let mut body = server_json("https://adder.example.org/mcp");
    body["remotes"].as_array_mut().unwrap().push(json!({ "type": "sse", "url": "https://10.0.0.1/sse" }));
    let reply = registry.post("/api/publish", &body).await;
    assert_eq!((reply.status, &reply.body["field"]), (422, &json!("remotes[1].url")), "{reply:?}");
    body["remotes"][1]["url"] = json!("https://{tenant}.example.org/sse");
    body["remotes"][1]["variables"] = json!({ "tenant": {} });
    assert_eq!(registry.publish(&body).await["status"], "queued");
}

/// Longer links could exceed the size of a table item.
#[tokio::test]
async fn links_over_2048_bytes_are_refused() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    let long = |length: usize| format!("https://adder.example.org/{}", "x".repeat(length - 26));
    let mut body = server_json("https://adder.example.org/mcp");
    body["websiteUrl"] = json!(long(2049));
    let reply = registry.post("/api/publish", &body).await;
    assert_eq!((reply.status, &reply.body["field"]), (422, &json!("websiteUrl")), "{reply:?}");
    body["websiteUrl"] = json!(long(2048));
    assert_eq!(registry.publish(&body).await["status"], "queued");
    let mut templated = server_json("");
    templated["name"] = json!("org.example/multiplier");
    templated["remotes"][0]["url"] = json!(format!("https://{}{{tenant}}.example.org/mcp", "a.".repeat(980)));
    templated["remotes"][0]["variables"] = json!({ "tenant": {} });
    assert_eq!(
        registry.publish(&templated).await["status"],
        "queued",
        "a template that is not probed was checked by more than its length"
    );
}
