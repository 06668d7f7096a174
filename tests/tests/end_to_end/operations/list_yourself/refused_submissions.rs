//! What publish, score and every query refuse: each refusal names its field and says what to do, in words that stand
//! here, so that a change of them is seen. Under the rules of a public registry.

use std::fmt::Write as _;

use serde_json::{Value, json};
use tests::peers::agents;
use tests::test_registry::{TestOptions, TestRegistry};

/// One line for each request: what was sent, and what was said.
pub(super) async fn lines(
    registry: &TestRegistry,
    bodies: impl IntoIterator<Item = (String, Value)>,
) -> String {
    let mut lines = String::new();
    for (what, body) in bodies {
        let reply = registry.post("/api/publish", &body).await;
        assert!((400..500).contains(&reply.status), "{what} was not refused: {reply:?}");
        reply.assert_problem();
        assert!(reply.body["field"].is_string() || reply.status == 400, "{what}: no field in {reply:?}");
        let _ = writeln!(lines, "`{}`\n  {}", shown(&what), reply.refusal());
    }
    assert_eq!(registry.table().await.keys(), [""; 0], "what is refused leaves nothing");
    lines
}

/// A line that every terminal and every reader of this file shows alike.
fn shown(what: &str) -> String {
    let plain = |c: char| if matches!(c, ' '..='~') { c.to_string() } else { c.escape_unicode().to_string() };
    what.chars().take(100).map(plain).collect()
}

fn urls<'a>(urls: &'a [&'a str]) -> impl Iterator<Item = (String, Value)> + 'a {
    urls.iter().map(|url| ((*url).to_owned(), json!({ "url": url })))
}

#[tokio::test]
async fn addresses_that_no_registry_may_call() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    let told = lines(
        &registry,
        urls(&[
            "",
            "   ",
            "agent.example.org/card.json",
            "//agent.example.org/card.json",
            "/card.json",
            "http://agent.example.org/card.json",
            "ftp://agent.example.org/card.json",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "data:application/json,{}",
            "gopher://agent.example.org/",
            "https://user@agent.example.org/",
            "https://user:secret@agent.example.org/",
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
            "https://agent..example.org/",
            "https://*.example.org/",
            "https://{tenant}.example.org/",
            "https://-.example.org:99999/",
            "https://agent.example.org:80/",
            "https://agent.example.org:22/",
            "https://agent.example.org:6379/",
            "https://agent.example.org:0/",
            "https://agent.example.org/a\u{0}b",
            "https://agent.example.org/a\r\nHost: evil",
            "https://agent.\texample.org/",
            "https://",
        ]),
    )
    .await;
    insta::assert_snapshot!(told, @r"
    ``
      422 not_a_url `url`: `url`: This is not an absolute URL. Give one like https://agents.example.org/.well-known/agent-card.json.
    `   `
      422 not_a_url `url`: `url`: This is not an absolute URL. Give one like https://agents.example.org/.well-known/agent-card.json.
    `agent.example.org/card.json`
      422 not_a_url `url`: `url`: This is not an absolute URL. Give one like https://agents.example.org/.well-known/agent-card.json.
    `//agent.example.org/card.json`
      422 not_a_url `url`: `url`: This is not an absolute URL. Give one like https://agents.example.org/.well-known/agent-card.json.
    `/card.json`
      422 not_a_url `url`: `url`: This is not an absolute URL. Give one like https://agents.example.org/.well-known/agent-card.json.
    `http://agent.example.org/card.json`
      422 not_https `url`: `url`: Only https URLs are taken. Serve it over https and give that URL.
    `ftp://agent.example.org/card.json`
      422 not_https `url`: `url`: Only https URLs are taken. Serve it over https and give that URL.
    `file:///etc/passwd`
      422 not_https `url`: `url`: Only https URLs are taken. Serve it over https and give that URL.
    `javascript:alert(1)`
      422 not_https `url`: `url`: Only https URLs are taken. Serve it over https and give that URL.
    `data:application/json,{}`
      422 not_https `url`: `url`: Only https URLs are taken. Serve it over https and give that URL.
    `gopher://agent.example.org/`
      422 not_https `url`: `url`: Only https URLs are taken. Serve it over https and give that URL.
    `https://user@agent.example.org/`
      422 user_info_in_url `url`: `url`: The URL holds a user name or password. Give it without the part before the @.
    `https://user:secret@agent.example.org/`
      422 user_info_in_url `url`: `url`: The URL holds a user name or password. Give it without the part before the @.
    `https://127.0.0.1/`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://127.1/`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://0x7f.0.0.1/`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://0x7f000001/`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://2130706433/`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://017700000001/`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://0177.0.0.1/`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://127.0.0.1./`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://\u{ff11}\u{ff12}\u{ff17}.\u{ff10}.\u{ff10}.\u{ff11}/`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://%31%32%37.0.0.1/`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://[::1]/`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://[::ffff:10.0.0.1]/`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://[fe80::1%25eth0]/`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://[2606:4700::1111]/`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://10.0.0.1/`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://169.254.169.254/latest/meta-data/`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://192.168.1.1:8443/`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://8.8.8.8/`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://0/`
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    `https://localhost/`
      422 reserved_name `url`: `url`: The host name is reserved for private or test use. Give a URL with a public host name.
    `https://LOCALHOST./`
      422 reserved_name `url`: `url`: The host name is reserved for private or test use. Give a URL with a public host name.
    `https://agent.localhost/`
      422 reserved_name `url`: `url`: The host name is reserved for private or test use. Give a URL with a public host name.
    `https://router.local/`
      422 reserved_name `url`: `url`: The host name is reserved for private or test use. Give a URL with a public host name.
    `https://metadata.google.internal/`
      422 reserved_name `url`: `url`: The host name is reserved for private or test use. Give a URL with a public host name.
    `https://api.default.svc/`
      422 reserved_name `url`: `url`: The host name is reserved for private or test use. Give a URL with a public host name.
    `https://nas.home/`
      422 reserved_name `url`: `url`: The host name is reserved for private or test use. Give a URL with a public host name.
    `https://agent.example/`
      422 reserved_name `url`: `url`: The host name is reserved for private or test use. Give a URL with a public host name.
    `https://agent.test/`
      422 reserved_name `url`: `url`: The host name is reserved for private or test use. Give a URL with a public host name.
    `https://x.invalid/`
      422 reserved_name `url`: `url`: The host name is reserved for private or test use. Give a URL with a public host name.
    `https://1.0.0.10.in-addr.arpa/`
      422 reserved_name `url`: `url`: The host name is reserved for private or test use. Give a URL with a public host name.
    `https://hidden.onion/`
      422 reserved_name `url`: `url`: The host name is reserved for private or test use. Give a URL with a public host name.
    `https://intranet/`
      422 reserved_name `url`: `url`: The host name is reserved for private or test use. Give a URL with a public host name.
    `https://agent..example.org/`
      422 bad_host_name `url`: `url`: The host name is not a valid DNS name. Check its spelling, and fill in any placeholder.
    `https://*.example.org/`
      422 bad_host_name `url`: `url`: The host name is not a valid DNS name. Check its spelling, and fill in any placeholder.
    `https://{tenant}.example.org/`
      422 bad_host_name `url`: `url`: The host name is not a valid DNS name. Check its spelling, and fill in any placeholder.
    `https://-.example.org:99999/`
      422 port_not_allowed `url`: `url`: Only ports 443 and 8443 are taken. Serve it on one of them.
    `https://agent.example.org:80/`
      422 port_not_allowed `url`: `url`: Only ports 443 and 8443 are taken. Serve it on one of them.
    `https://agent.example.org:22/`
      422 port_not_allowed `url`: `url`: Only ports 443 and 8443 are taken. Serve it on one of them.
    `https://agent.example.org:6379/`
      422 port_not_allowed `url`: `url`: Only ports 443 and 8443 are taken. Serve it on one of them.
    `https://agent.example.org:0/`
      422 port_not_allowed `url`: `url`: Only ports 443 and 8443 are taken. Serve it on one of them.
    `https://agent.example.org/a\u{0}b`
      422 control_character `url`: `url`: There is a control character in the URL. Remove it.
    `https://agent.example.org/a\u{d}\u{a}Host: evil`
      422 control_character `url`: `url`: There is a control character in the URL. Remove it.
    `https://agent.\u{9}example.org/`
      422 control_character `url`: `url`: There is a control character in the URL. Remove it.
    `https://`
      422 not_a_url `url`: `url`: This is not an absolute URL. Give one like https://agents.example.org/.well-known/agent-card.json.
    ");
}

#[tokio::test]
async fn names_of_any_length_and_the_longest_url() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    let long = |length: usize| format!("https://agent.example.org/{}", "x".repeat(length - 26));
    let label = format!("https://{}.example.org/", "a".repeat(64));
    let name = format!("https://{}example.org/", "a.".repeat(130));
    let told = lines(&registry, urls(&[&long(2049), &long(100_000), &label, &name])).await;
    insta::assert_snapshot!(told, @"
    `https://agent.example.org/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`
      422 url_too_long `url`: `url`: The URL is longer than 2048 bytes. Give a shorter one.
    `https://agent.example.org/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`
      422 url_too_long `url`: `url`: The URL is longer than 2048 bytes. Give a shorter one.
    `https://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.example.org/`
      422 bad_host_name `url`: `url`: The host name is not a valid DNS name. Check its spelling, and fill in any placeholder.
    `https://a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.`
      422 bad_host_name `url`: `url`: The host name is not a valid DNS name. Check its spelling, and fill in any placeholder.
    ");
    assert_eq!(registry.publish(&json!({ "url": long(2048) })).await["status"], "queued");
}

#[tokio::test]
async fn fields_that_cannot_be_taken() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    let url = "https://agent.example.org/agent-card.json";
    let with = |field: &str, value: Value| {
        let mut body = json!({ "url": url });
        body[field] = value.clone();
        (format!("{field}: {value}"), body)
    };
    let told = lines(
        &registry,
        [
            ("nothing".to_owned(), json!({})),
            ("only a name".to_owned(), json!({ "name": "Adder", "contact_email": "a@example.org" })),
            ("unknown fields only".to_owned(), json!({ "uri": url })),
            ("a list".to_owned(), json!([url])),
            ("a text".to_owned(), json!(url)),
            ("null".to_owned(), json!(null)),
            ("a number".to_owned(), json!(7)),
            with("url", json!(5)),
            with("url", json!([url])),
            with("url", json!({ "href": url })),
            (
                "two things at once".to_owned(),
                json!({ "agent_card_url": url, "mcp_url": "https://agent.example.org/mcp" }),
            ),
            with("server_json", json!({ "name": "org.example/adder" })),
            with("server_json", json!("a text")),
            with("agent_card_url", json!("http://agent.example.org/")),
            with("mcp_url", json!("https://10.0.0.1/mcp")),
            with("name", json!("")),
            with("name", json!("x".repeat(121))),
            with("name", json!("a\u{7}b")),
            with("name", json!("safe\u{202e}cod.exe")),
            with("name", json!({ "en": "Adder" })),
            with("source", json!("x".repeat(201))),
            with("source", json!("line\nline")),
            with("contact_email", json!("nobody")),
            with("contact_email", json!("a b@example.org")),
            with("contact_email", json!("a@example.org\r\nBcc: b@example.org")),
            with("contact_email", json!(format!("{}@example.org", "a".repeat(65)))),
            ("an agent card".to_owned(), agents::card_at("Adder", "https://agent.example.org/rpc")),
        ],
    )
    .await;
    insta::assert_snapshot!(told, @r#"
    `nothing`
      422 nothing_to_list `url`: Send what to list: {"url": "https://your.host/.well-known/agent-card.json"}, an agent_card_url, an mcp_url, or a server description (server.json) as the body.
    `only a name`
      422 nothing_to_list `url`: Send what to list: {"url": "https://your.host/.well-known/agent-card.json"}, an agent_card_url, an mcp_url, or a server description (server.json) as the body.
    `unknown fields only`
      422 nothing_to_list `url`: Send what to list: {"url": "https://your.host/.well-known/agent-card.json"}, an agent_card_url, an mcp_url, or a server description (server.json) as the body.
    `a list`
      400 malformed `-`: The arguments must be a JSON object.
    `a text`
      400 malformed `-`: The arguments must be a JSON object.
    `null`
      400 malformed `-`: The arguments must be a JSON object.
    `a number`
      400 malformed `-`: The arguments must be a JSON object.
    `url: 5`
      422 invalid_argument `url`: `url`: invalid type: integer `5`, expected a string.
    `url: ["https://agent.example.org/agent-card.json"]`
      422 invalid_argument `url`: `url`: invalid type: sequence, expected a string.
    `url: {"href":"https://agent.example.org/agent-card.json"}`
      422 invalid_argument `url`: `url`: invalid type: map, expected a string.
    `two things at once`
      422 one_at_a_time `url`: Send one thing to list: an agent_card_url, an mcp_url, a url, or a server description.
    `server_json: {"name":"org.example/adder"}`
      422 one_at_a_time `url`: Send one thing to list: an agent_card_url, an mcp_url, a url, or a server description.
    `server_json: "a text"`
      422 invalid_argument `server_json`: `server_json`: invalid type: string "a text", expected a map.
    `agent_card_url: "http://agent.example.org/"`
      422 not_https `agent_card_url`: `agent_card_url`: Only https URLs are taken. Serve it over https and give that URL.
    `mcp_url: "https://10.0.0.1/mcp"`
      422 ip_literal `mcp_url`: `mcp_url`: The host is an IP address. Give a URL with a public host name.
    `name: ""`
      422 bad_length `name`: `name` must have 1 to 120 characters; leave it out if there is nothing to say.
    `name: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`
      422 bad_length `name`: `name` must have 1 to 120 characters; leave it out if there is nothing to say.
    `name: "a\u0007b"`
      422 control_characters `name`: `name` holds control or direction characters; send plain text.
    `name: "safe\u{202e}cod.exe"`
      422 control_characters `name`: `name` holds control or direction characters; send plain text.
    `name: {"en":"Adder"}`
      422 invalid_argument `name`: `name`: invalid type: map, expected a string.
    `source: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`
      422 bad_length `source`: `source` must have 1 to 200 characters; leave it out if there is nothing to say.
    `source: "line\nline"`
      422 control_characters `source`: `source` holds control or direction characters; send plain text.
    `contact_email: "nobody"`
      422 bad_email `contact_email`: `contact_email` must be an address such as you@example.com; leave it out if you want no mail.
    `contact_email: "a b@example.org"`
      422 bad_email `contact_email`: `contact_email` must be an address such as you@example.com; leave it out if you want no mail.
    `contact_email: "a@example.org\r\nBcc: b@example.org"`
      422 control_characters `contact_email`: `contact_email` holds control or direction characters; send plain text.
    `contact_email: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@example.org"`
      422 bad_email `contact_email`: `contact_email` must be an address such as you@example.com; leave it out if you want no mail.
    `an agent card`
      422 card_without_its_url `agent_card_url`: This is an agent card itself. Send where it is served: {"agent_card_url": "https://your.host/.well-known/agent-card.json"}.
    "#);
}

/// Remotes inside a valid description are addresses of strangers too.
#[tokio::test]
async fn a_remote_in_a_description_is_not_a_way_around_the_rules() {
    let registry = TestRegistry::start_with(TestOptions::public()).await;
    for url in [
        "https://10.0.0.1/mcp",
        "https://169.254.169.254/",
        "https://metadata.google.internal/",
        "https://adder.example.org:22/",
    ] {
        let body = json!({ "name": "org.example/adder", "description": "Adds.", "version": "1.0.0",
            "remotes": [{ "type": "streamable-http", "url": url }] });
        let reply = registry.post("/api/publish", &body).await;
        if reply.status == 200 {
            let id = tests::test_registry::id_of(&reply.body);
            registry.deliver_events().await;
            assert_eq!(registry.reason_codes(&id).await, ["url_refused"], "{url}");
            assert_eq!(registry.status(&id).await["evidence"]["signals"], json!(["not_asked"]), "{url}");
        } else {
            assert_eq!(
                (reply.status, &reply.body["field"]),
                (422, &json!("remotes[0].url")),
                "{url}: {reply:?}"
            );
        }
    }
}
