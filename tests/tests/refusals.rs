//! What publish, score and every query refuse: each refusal names its field and says what to do, in words that stand
//! here, so that a change of them is seen. Under the rules of a public registry.

use std::fmt::Write as _;

use serde_json::{Value, json};
use tests::peers::agents;
use tests::world::{Wish, World};

/// One line for each request: what was sent, and what was said.
async fn lines(world: &World, bodies: impl IntoIterator<Item = (String, Value)>) -> String {
    let mut lines = String::new();
    for (what, body) in bodies {
        let reply = world.post("/api/publish", &body).await;
        assert!((400..500).contains(&reply.status), "{what} was not refused: {reply:?}");
        reply.assert_problem();
        assert!(reply.body["field"].is_string() || reply.status == 400, "{what}: no field in {reply:?}");
        let _ = writeln!(lines, "`{}`\n  {}", shown(&what), reply.refusal());
    }
    assert_eq!(world.table().await.keys(), [""; 0], "what is refused leaves nothing");
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
    let world = World::with(Wish::public()).await;
    let told = lines(
        &world,
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
    let world = World::with(Wish::public()).await;
    let long = |length: usize| format!("https://agent.example.org/{}", "x".repeat(length - 26));
    let label = format!("https://{}.example.org/", "a".repeat(64));
    let name = format!("https://{}example.org/", "a.".repeat(130));
    let told = lines(&world, urls(&[&long(2049), &long(100_000), &label, &name])).await;
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
    assert_eq!(world.publish(&json!({ "url": long(2048) })).await["status"], "queued");
}

#[tokio::test]
async fn fields_that_cannot_be_taken() {
    let world = World::with(Wish::public()).await;
    let url = "https://agent.example.org/agent-card.json";
    let with = |field: &str, value: Value| {
        let mut body = json!({ "url": url });
        body[field] = value.clone();
        (format!("{field}: {value}"), body)
    };
    let told = lines(
        &world,
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

#[tokio::test]
async fn server_descriptions_that_break_a_rule_have_it_named() {
    let world = World::with(Wish::public()).await;
    let sound = json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": "org.example/adder", "description": "Adds what it is given.", "version": "1.0.0",
        "remotes": [{ "type": "streamable-http", "url": "https://adder.example.org/mcp" }],
    });
    let broken = |changes: Value| {
        let mut document = sound.clone();
        for (name, value) in changes.as_object().unwrap() {
            match value {
                Value::Null => drop(document.as_object_mut().unwrap().shift_remove(name)),
                value => document[name] = value.clone(),
            }
        }
        (changes.to_string(), document)
    };
    let remote = |url: &str| json!({ "remotes": [{ "type": "streamable-http", "url": url }] });
    let package = |changes: Value| {
        let mut package = json!({ "registryType": "npm", "identifier": "@example/adder", "version": "1.0.0",
            "transport": { "type": "stdio" } });
        package.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        json!({ "packages": [package] })
    };
    let told = lines(&world, [
        broken(json!({ "name": null })),
        broken(json!({ "description": null })),
        broken(json!({ "version": null })),
        broken(json!({ "name": "adder" })),
        broken(json!({ "name": "org.example/a/b" })),
        broken(json!({ "name": "-org/adder" })),
        broken(json!({ "name": 7 })),
        broken(json!({ "description": "x".repeat(101) })),
        broken(json!({ "description": "" })),
        broken(json!({ "version": "latest" })),
        broken(json!({ "version": "^1.2.3" })),
        broken(json!({ "title": "  " })),
        broken(json!({ "websiteUrl": "/docs" })),
        broken(json!({ "websiteUrl": "http://adder.example.org" })),
        broken(json!({ "repository": { "source": "github", "url": "https://example.org/a/b" } })),
        broken(json!({ "repository": { "source": "github", "url": "https://github.com/a/b", "subfolder": "../c" } })),
        broken(json!({ "icons": [{ "src": "http://adder.example.org/icon.png" }] })),
        broken(json!({ "remotes": "https://adder.example.org/mcp" })),
        broken(json!({ "remotes": [{ "type": "websocket", "url": "wss://adder.example.org/" }] })),
        broken(json!({ "remotes": [{ "type": "streamable-http" }] })),
        broken(remote("http://adder.example.org/mcp")),
        broken(remote("https://localhost/mcp")),
        broken(remote("https://127.0.0.1/mcp")),
        broken(remote("https://{tenant}.example.org/mcp")),
        broken(remote("not a url")),
        broken(package(json!({ "version": "latest" }))),
        broken(package(json!({ "registryType": null }))),
        broken(package(json!({ "registryType": "mcpb", "identifier": "https://example.org/a.mcpb" }))),
        broken(package(json!({ "transport": { "type": "streamable-http" } }))),
        broken(json!({ "_meta": { "io.modelcontextprotocol.registry/publisher-provided": { "x": "y".repeat(5000) } } })),
        broken(json!({ "packages": [{ "registry_name": "npm", "name": "adder", "version": "1.0.0" }], "remotes": null })),
    ])
    .await;
    insta::assert_snapshot!(told, @r#"
    `{"name":null}`
      422 invalid_server_description `name`: The server description breaks 1 rule(s). name: `name` is missing.
    `{"description":null}`
      422 invalid_server_description `description`: The server description breaks 1 rule(s). description: `description` is missing.
    `{"version":null}`
      422 invalid_server_description `version`: The server description breaks 1 rule(s). version: `version` is missing.
    `{"name":"adder"}`
      422 invalid_server_description `name`: The server description breaks 1 rule(s). name: A name is a reverse domain, one slash and a name, such as "io.github.user/weather"; each part has at least two letters or digits, with dots and hyphens inside. Here it has no slash.
    `{"name":"org.example/a/b"}`
      422 invalid_server_description `name`: The server description breaks 1 rule(s). name: A name is a reverse domain, one slash and a name, such as "io.github.user/weather"; each part has at least two letters or digits, with dots and hyphens inside. Here it has more than one slash.
    `{"name":"-org/adder"}`
      422 invalid_server_description `name`: The server description breaks 1 rule(s). name: A name is a reverse domain, one slash and a name, such as "io.github.user/weather"; each part has at least two letters or digits, with dots and hyphens inside. Here the namespace "-org" is not allowed.
    `{"name":7}`
      422 invalid_server_description `name`: The server description breaks 1 rule(s). name: It must be a text.
    `{"description":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`
      422 invalid_server_description `description`: The server description breaks 1 rule(s). description: It has 101 characters; at most 100 are allowed.
    `{"description":""}`
      422 invalid_server_description `description`: The server description breaks 1 rule(s). description: It is empty: write something, or leave it out where it is optional.
    `{"version":"latest"}`
      422 invalid_server_description `version`: The server description breaks 1 rule(s). version: "latest" is reserved: name one version, such as "1.0.2".
    `{"version":"^1.2.3"}`
      422 invalid_server_description `version`: The server description breaks 1 rule(s). version: "^1.2.3" is a range of versions: name one, such as "1.0.2".
    `{"title":"  "}`
      422 invalid_server_description `title`: The server description breaks 1 rule(s). title: Give a title with words in it, or leave it out.
    `{"websiteUrl":"/docs"}`
      422 invalid_server_description `websiteUrl`: The server description breaks 1 rule(s). websiteUrl: "/docs" must be a whole address that begins with https://.
    `{"websiteUrl":"http://adder.example.org"}`
      422 invalid_server_description `websiteUrl`: The server description breaks 1 rule(s). websiteUrl: "http://adder.example.org" must begin with https://.
    `{"repository":{"source":"github","url":"https://example.org/a/b"}}`
      422 invalid_server_description `repository.url`: The server description breaks 1 rule(s). repository.url: Name a repository at GitHub (source "github", https://github.com/owner/repository) or at GitLab (source "gitlab"). Here source is "github" and url "https://example.org/a/b".
    `{"repository":{"source":"github","url":"https://github.com/a/b","subfolder":"../c"}}`
      422 invalid_server_description `repository.subfolder`: The server description breaks 1 rule(s). repository.subfolder: "../c" is no plain path inside the repository: write it like src/server, without . and .. in it.
    `{"icons":[{"src":"http://adder.example.org/icon.png"}]}`
      422 invalid_server_description `icons[0].src`: The server description breaks 1 rule(s). icons[0].src: "http://adder.example.org/icon.png" must begin with https://.
    `{"remotes":"https://adder.example.org/mcp"}`
      422 invalid_server_description `remotes`: The server description breaks 1 rule(s). remotes: It must be a list.
    `{"remotes":[{"type":"websocket","url":"wss://adder.example.org/"}]}`
      422 invalid_server_description `remotes[0].type`: The server description breaks 1 rule(s). remotes[0].type: "websocket" is no transport of remotes; it may be streamable-http or sse.
    `{"remotes":[{"type":"streamable-http"}]}`
      422 invalid_server_description `remotes[0].url`: The server description breaks 1 rule(s). remotes[0].url: Name the address of the server, such as https://example.com/mcp.
    `{"remotes":[{"type":"streamable-http","url":"http://adder.example.org/mcp"}]}`
      422 invalid_server_description `remotes[0].url`: The server description breaks 1 rule(s). remotes[0].url: "http://adder.example.org/mcp" must begin with https://.
    `{"remotes":[{"type":"streamable-http","url":"https://localhost/mcp"}]}`
      422 invalid_server_description `remotes[0].url`: The server description breaks 1 rule(s). remotes[0].url: "https://localhost/mcp" is the reader's own machine: name the public address.
    `{"remotes":[{"type":"streamable-http","url":"https://127.0.0.1/mcp"}]}`
      422 invalid_server_description `remotes[0].url`: The server description breaks 1 rule(s). remotes[0].url: "https://127.0.0.1/mcp" is the reader's own machine: name the public address.
    `{"remotes":[{"type":"streamable-http","url":"https://{tenant}.example.org/mcp"}]}`
      422 invalid_server_description `remotes[0].url`: The server description breaks 1 rule(s). remotes[0].url: Declare in `variables` of this remote what its address refers to: tenant.
    `{"remotes":[{"type":"streamable-http","url":"not a url"}]}`
      422 invalid_server_description `remotes[0].url`: The server description breaks 1 rule(s). remotes[0].url: "not a url" is no address that begins with https://.
    `{"packages":[{"registryType":"npm","identifier":"@example/adder","version":"latest","transport":{"ty`
      422 invalid_server_description `packages[0].version`: The server description breaks 1 rule(s). packages[0].version: "latest" is reserved: name one version, such as "1.0.2".
    `{"packages":[{"registryType":null,"identifier":"@example/adder","version":"1.0.0","transport":{"type`
      422 invalid_server_description `packages[0].registryType`: The server description breaks 1 rule(s). packages[0].registryType: It must be a text.
    `{"packages":[{"registryType":"mcpb","identifier":"https://example.org/a.mcpb","version":"1.0.0","tra`
      422 invalid_server_description `packages[0].fileSha256`: The server description breaks 1 rule(s). packages[0].fileSha256: A package of type mcpb needs the SHA-256 of its file, so that clients can verify what they download.
    `{"packages":[{"registryType":"npm","identifier":"@example/adder","version":"1.0.0","transport":{"typ`
      422 invalid_server_description `packages[0].transport.url`: The server description breaks 1 rule(s). packages[0].transport.url: Name the address at which the package listens, such as http://localhost:8080/mcp.
    `{"_meta":{"io.modelcontextprotocol.registry/publisher-provided":{"x":"yyyyyyyyyyyyyyyyyyyyyyyyyyyyyy`
      422 invalid_server_description `_meta.io.modelcontextprotocol.registry/publisher-provided`: The server description breaks 1 rule(s). _meta.io.modelcontextprotocol.registry/publisher-provided: What the publisher adds may have 4096 bytes; this has 5008.
    `{"packages":[{"registry_name":"npm","name":"adder","version":"1.0.0"}],"remotes":null}`
      422 invalid_server_description `packages[0].registry_name`: The server description breaks 3 rule(s). packages[0].registry_name: Written for a draft before the schema of 2025-07-09: `registry_name` is now `registryType` (2025-12-11), here and wherever else it stands. packages[0].name: Written for a draft before the schema of 2025-07-09: `name` is now `identifier` (2025-12-11), here and wherever else it stands. packages[0].transport: `transport` is missing.
    "#);
    assert_eq!(world.publish(&sound).await["status"], "queued", "the sound one is taken");
}

#[tokio::test]
async fn queries_that_cannot_be_taken() {
    let world = World::with(Wish::public()).await;
    let mut told = String::new();
    for (path, status) in [
        ("/api/listings/status", 422),
        ("/api/listings/status?id=agtpub_00000000000000000000", 404),
        ("/api/listings/status?id=%27%20OR%201=1", 404),
        ("/api/listings/status?id=", 404),
        ("/api/listings/status?name=Nobody", 404),
        ("/api/listings/active?limit=0", 422),
        ("/api/listings/active?limit=101", 422),
        ("/api/listings/active?limit=-1", 422),
        ("/api/listings/active?limit=many", 422),
        ("/api/listings/active?limit=99999999999999999999", 422),
        ("/api/listings/active?kind=robot", 422),
        ("/api/listings/active?cursor=abc", 422),
        ("/api/feed?limit=0", 422),
        ("/api/feed?cursor=%00", 422),
        ("/api/score?url=", 422),
        ("/api/score?url=http%3A%2F%2F127.0.0.1%2F", 422),
        ("/api/score?url=https%3A%2F%2F169.254.169.254%2F", 422),
        ("/badge/gold", 404),
        ("/badge/clean.svg?id=agtpub_00000000000000000000", 404),
        ("/badge/clean.svg?id=..%2F..%2Fetc", 404),
        ("/no/such/path", 404),
    ] {
        let reply = world.get(path).await;
        assert_eq!(reply.status, status, "{path}: {reply:?}");
        reply.assert_problem();
        assert!(status != 422 || reply.body["field"].is_string(), "{path}: no field in {reply:?}");
        let next =
            reply.body["next"]["action"].as_str().map(|next| format!(" -> {next}")).unwrap_or_default();
        let _ = writeln!(told, "{path}\n  {}{next}", reply.refusal());
    }
    insta::assert_snapshot!(told, @"
    /api/listings/status
      422 which_listing `id`: Say which listing: its `id` (the listing_id that publish answered) or its `name`.
    /api/listings/status?id=agtpub_00000000000000000000
      404 listing_not_found `-`: No listing `agtpub_00000000000000000000` is known here. -> publish
    /api/listings/status?id=%27%20OR%201=1
      404 listing_not_found `-`: No listing `' OR 1=1` is known here. -> publish
    /api/listings/status?id=
      404 listing_not_found `-`: No listing `` is known here. -> publish
    /api/listings/status?name=Nobody
      404 listing_not_found `-`: No listing `Nobody` is known here. -> publish
    /api/listings/active?limit=0
      422 out_of_range `limit`: `limit` must be a whole number from 1 to 100.
    /api/listings/active?limit=101
      422 out_of_range `limit`: `limit` must be a whole number from 1 to 100.
    /api/listings/active?limit=-1
      422 invalid_argument `limit`: `limit`: invalid digit found in string.
    /api/listings/active?limit=many
      422 invalid_argument `limit`: `limit`: invalid digit found in string.
    /api/listings/active?limit=99999999999999999999
      422 invalid_argument `limit`: `limit`: number too large to fit in target type.
    /api/listings/active?kind=robot
      422 invalid_argument `kind`: `kind`: unknown variant `robot`, expected one of `agent`, `mcp`, `all`.
    /api/listings/active?cursor=abc
      422 bad_cursor `cursor`: `cursor` must be the next_cursor of an earlier page; leave it out for the first page.
    /api/feed?limit=0
      422 out_of_range `limit`: `limit` must be a whole number from 1 to 100.
    /api/feed?cursor=%00
      422 bad_cursor `cursor`: `cursor` must be the next_cursor of an earlier page; leave it out for the first page.
    /api/score?url=
      422 not_a_url `url`: `url`: This is not an absolute URL. Give one like https://agents.example.org/.well-known/agent-card.json.
    /api/score?url=http%3A%2F%2F127.0.0.1%2F
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    /api/score?url=https%3A%2F%2F169.254.169.254%2F
      422 ip_literal `url`: `url`: The host is an IP address. Give a URL with a public host name.
    /badge/gold
      404 no_such_badge `-`: There is no such badge. The badges are mcp, agent, listed, clean, verified, live.
    /badge/clean.svg?id=agtpub_00000000000000000000
      404 listing_not_found `-`: No listing `agtpub_00000000000000000000` is known here. -> publish
    /badge/clean.svg?id=..%2F..%2Fetc
      404 listing_not_found `-`: No listing `../../etc` is known here. -> publish
    /no/such/path
      404 no_such_path `-`: Nothing stands at `/no/such/path`. -> discover
    ");
}

#[tokio::test]
async fn an_argument_that_is_missing_or_given_twice_is_named() {
    let world = World::with(Wish::public()).await;
    for (path, field) in [
        ("/api/score", "url"),
        ("/api/score?url=https://a.example.org&url=https://b.example.org", "url"),
        ("/api/listings/active?limit=1&limit=2", "limit"),
        ("/api/listings/status?name=a&name=b", "name"),
    ] {
        let reply = world.get(path).await;
        reply.assert_problem();
        assert_eq!((reply.status, &reply.body["field"]), (422, &json!(field)), "{path}: {reply:?}");
    }
}
