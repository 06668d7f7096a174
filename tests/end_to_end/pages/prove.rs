//! Tests `/prove`: the page shows the places of the listing's domain, and its script works unchanged.

use std::fs;
use std::process::Command;

use axum::response::IntoResponse as _;
use tests::peers::domains::TextSite;
use tests::prelude::*;

use crate::fixtures::{server_json, unescaped};

async fn page(registry: &TestRegistry, path: &str) -> String {
    unescaped(&registry.text(path).await)
}

#[tokio::test]
async fn page_names_the_places_of_the_listing_and_its_script() {
    let registry = TestRegistry::start_with_setting("DNS_SERVER", "127.0.0.1:9").await;
    let id = registry.publish_mcp("https://mcp.example.com/mcp").await;
    let text = page(&registry, &format!("/prove?id={id}")).await;
    assert_contains(&text, &["TXT record at mcp.example.com", "/.well-known/jwks.json"]);
    let base = &registry.app.settings.base_url;
    assert_contains(&text, &[&format!("listing='{id}'"), &format!("registry='{base}'")]);
    assert_contains(&text, &["prove.sh withdraw", "prove.sh read_feedback", "prove.sh opt_in"]);
    assert_contains(&page(&registry, "/prove").await, &["listing='<listing_id>'"]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs bash, curl and OpenSSL 3"]
async fn script_of_the_page_works_unchanged() {
    let site = TextSite::start("/127.0.0.1/auth", "").await;
    let options = TestOptions::default().with_domain_proofs(&site.peer.origin);
    let registry = TestRegistry::start_with(options).await;
    let server = Peer::start(servers::modern).await;
    let id = id_of(&registry.publish(&server_json("org.example/adder", &server.url("/mcp"))).await);
    registry.deliver_events().await;
    let text = page(&registry, &format!("/prove?id={id}")).await;
    let block =
        |from: &str| text.split_once(from).unwrap().1.split_once("</code></pre>").unwrap().0.to_owned();

    let folder = std::env::temp_dir().join(format!("prove-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("prove.sh"), block("<pre><code id=\"script\">")).unwrap();
    let bash = |arguments: &[&str]| {
        let output = Command::new("bash").args(arguments).current_dir(&folder).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.success(), format!("{text}{}", String::from_utf8_lossy(&output.stderr)))
    };
    let key = format!("openssl genpkey{}", block("<pre><code>openssl genpkey"));
    let (made, printed) = bash(&["-c", &key]);
    let line = printed.lines().find(|line| line.starts_with("v=MCPv1")).unwrap_or_default();
    assert!(made && !line.is_empty(), "{printed}");
    site.serve(line);
    for (arguments, part) in [
        (&["prove.sh", "bind"][..], "\"bound\":true"),
        (&["prove.sh", "rename", "Sums \"and\" more \\ é"], "Sums \\\"and\\\" more"),
        (&["prove.sh", "withdraw"], "\"lane\":\"withdrawn\""),
        (&["prove.sh", "restore"], "\"done\":true"),
        (&["prove.sh", "reprobe"], "\"done\":true"),
        (&["prove.sh", "opt_in"], "\"done\":true"),
    ] {
        let (done, printed) = bash(arguments);
        assert!(done && printed.contains(part), "{arguments:?}: {printed}");
    }
    assert!(!bash(&["prove.sh", "restore"]).0, "a refusal must be an error");
    // A registry that relays the challenge of another registry, or of another act, gets no signature.
    let base = registry.url("");
    for text in [format!("https://other.example\\nwithdraw {id}"), format!("{base}\\nrename {id} to x")] {
        let answer = format!("{{\"nonce\":\"0\",\"text\":\"{text}\\n0\\n2026-11-20T12:15:00Z\"}}");
        let relay = Peer::start(move |_| answer.clone().into_response()).await;
        let script = block("<pre><code id=\"script\">")
            .replace("curl -sS \"$registry", &format!("curl -sS \"{}", relay.origin));
        fs::write(folder.join("relayed.sh"), script).unwrap();
        let (done, printed) = bash(&["relayed.sh", "withdraw"]);
        assert!(!done && printed.contains("Nothing was signed") && relay.requests().len() == 1, "{printed}");
    }
    fs::remove_dir_all(&folder).unwrap();
}
