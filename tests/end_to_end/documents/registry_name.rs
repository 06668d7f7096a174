//! Tests the registry's own name: its entry for MCP registries, the proof of its domain, and its DNS
//! discovery record. The record is read from the name servers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tests::peers::name_server::{DnsAnswer, NameServer};
use tests::prelude::*;

use crate::fixtures::{members, shown};

const BASE: &str = "https://registry.example.com";
const DISCOVERY: &str = "_mcp.registry.example.com.";
const DOMAIN: &str = "registry.example.com.";
const DNS_STATUS: &str = "/api/dns/mcp-status";
const PUBLISH_STATUS: &str = "/api/mcp-registry/publish-status";
/// How long a DNS answer is cached.
const DNS_CACHE_TIME: Duration = Duration::from_secs(60);

/// A registry with a domain, and a name server for that domain.
struct DomainRegistry {
    registry: TestRegistry,
    name_server: NameServer,
    dns_answers: Arc<Mutex<[DnsAnswer; 2]>>,
}

impl DomainRegistry {
    async fn start() -> Self {
        let dns_answers = Arc::new(Mutex::new([DnsAnswer::NoName, DnsAnswer::NoName]));
        let answers = Arc::clone(&dns_answers);
        let name_server = NameServer::start(move |name| {
            let answers = answers.lock().unwrap().clone();
            match name {
                DOMAIN => answers[0].clone(),
                DISCOVERY => answers[1].clone(),
                other => panic!("unexpected DNS query for {other}"),
            }
        })
        .await;
        let options = TestOptions::default()
            .with_setting("BASE_URL", BASE)
            .with_setting("DNS_SERVER", name_server.address);
        Self { registry: TestRegistry::start_with(options).await, name_server, dns_answers }
    }

    /// Sets the DNS answers for the domain and for `_mcp.<domain>`, then reads a document.
    async fn get_with_dns(&self, answers: [DnsAnswer; 2], path: &str) -> Value {
        *self.dns_answers.lock().unwrap() = answers;
        self.registry.advance(DNS_CACHE_TIME);
        self.registry.get(path).await.ok()
    }
}

fn txt(texts: &[&str]) -> DnsAnswer {
    DnsAnswer::Txt(texts.iter().map(|text| (*text).to_owned()).collect())
}

#[tokio::test]
async fn discovery_record_is_compared_item_by_item() {
    let setup = DomainRegistry::start().await;
    let status = async |answer: DnsAnswer| setup.get_with_dns([DnsAnswer::NoName, answer], DNS_STATUS).await;
    let missing = status(DnsAnswer::NoName).await;
    let expected = missing["expected_txt"].as_str().unwrap();
    let names = ["state", "live", "format", "answers", "items", "error"];
    let all = [&names[..], &["name", "expected_txt", "instructions"]].concat();
    let mut compared = json!({ "missing": members(&missing, &all) });
    for (record, answer) in [
        ("same", txt(&["v=spf1 -all", expected])),
        ("different", txt(&[&expected.replace("cap=registry", "cap=mirror")])),
        ("failure", DnsAnswer::Failure),
        ("garbage", DnsAnswer::Garbage(&[0xff; 40])),
    ] {
        compared[record] = members(&status(answer).await, &names);
    }
    insta::assert_snapshot!(shown(&setup.registry, &compared));
    let long = status(txt(&["x".repeat(5000).as_str(); 30])).await;
    assert!(long.to_string().len() < 10_000, "long DNS records are not truncated");
}

#[tokio::test]
async fn dns_is_queried_once_a_minute() {
    let setup = DomainRegistry::start().await;
    for path in [DNS_STATUS, PUBLISH_STATUS, DNS_STATUS] {
        assert_eq!(setup.registry.get(&format!("{path}?{}", path.len())).await.status, 200);
    }
    let mut queries = setup.name_server.asked();
    queries.sort_unstable();
    assert_eq!(queries, [format!("UDP TXT {DISCOVERY}"), format!("UDP TXT {DOMAIN}")]);
    let first = setup.registry.get(DNS_STATUS).await;
    let again = setup.registry.get_with(DNS_STATUS, ("if-none-match", first.header("etag"))).await;
    assert_eq!((again.status, again.header("cache-control")), (304, "public, max-age=60"));
    setup.registry.advance(DNS_CACHE_TIME);
    setup.registry.get(DNS_STATUS).await;
    assert_eq!(setup.name_server.asked().len(), 4);
}

#[tokio::test]
async fn domain_is_proven_by_the_key_that_signs_requests() {
    let setup = DomainRegistry::start().await;
    let proof = setup.registry.get("/.well-known/mcp-registry-auth").await;
    assert_eq!(proof.header("content-type"), "text/plain; charset=utf-8");
    let record = proof.body.as_str().unwrap();
    let directory = setup.registry.get("/.well-known/http-message-signatures-directory").await.body;
    let key = directory["keys"][0]["x"].as_str().unwrap().replace('-', "+").replace('_', "/");
    assert_eq!(record, format!("v=MCPv1; k=ed25519; p={key}="));

    let missing = setup.get_with_dns([txt(&["v=spf1 -all"]), DnsAnswer::NoName], PUBLISH_STATUS).await;
    assert_members(&missing["dns"], &json!({ "state": "missing", "expected_txt": record }));
    let proven = setup.get_with_dns([txt(&["v=spf1 -all", record]), DnsAnswer::NoName], PUBLISH_STATUS).await;
    assert_eq!(proven["dns"]["state"], "matches");
    let failing = setup.get_with_dns([DnsAnswer::Failure, DnsAnswer::NoName], PUBLISH_STATUS).await;
    assert_eq!(failing["dns"]["state"], "unknown");

    // No registry was searched, so these members are empty.
    assert_members(&proven, &json!({ "listed": null, "published_name": null, "searches": [] }));
    assert_eq!(proven["recommended_names"], json!(["com.example.registry/registry"]));
    let login = r#"mcp-publisher login http --domain=registry.example.com --private-key="$PRIVATE_KEY""#;
    assert_eq!(proven["publish_steps"][2]["command"], login);
    let table = setup.registry.table().await;
    let secret = table.items_under("KEY#MESSAGE")[0]["secret"].as_str().unwrap().to_owned();
    assert!(!proven.to_string().contains(&secret), "the private key was returned");
}

#[tokio::test]
async fn registry_without_a_domain_sends_no_dns_query() {
    let name_server = NameServer::start(|name| panic!("unexpected DNS query for {name}")).await;
    let registry = TestRegistry::start_with_setting("DNS_SERVER", name_server.address).await;
    let status = registry.get(DNS_STATUS).await.body;
    assert_eq!((&status["state"], &status["source"]), (&json!("no_domain"), &json!("nobody")), "{status}");
    assert_eq!((&status["name"], &status["live"]), (&json!("_mcp.127.0.0.1"), &json!(false)));
    let publishing = registry.get(PUBLISH_STATUS).await.body;
    assert_eq!(publishing["publish_steps"].as_array().unwrap().len(), 1, "{publishing}");
}

#[tokio::test]
async fn peer_registries_are_searched_for_this_registry() {
    let server = json!({ "name": "127.0.0.1/registry", "description": "Lists.", "version": "1.0.0" });
    let peer = Peer::start(move |request| match request.path.as_str() {
        "/v0.1/servers" => json_answer(200, &json!({ "servers": [{ "server": server }] })),
        _ => empty(404),
    })
    .await;
    let registry = TestRegistry::start_with_setting("FEDERATION_PEERS", &peer.origin).await;
    assert_eq!(registry.reach_out().await["peers_asked"], 1);
    let status = registry.get(PUBLISH_STATUS).await.body;
    let search = &status["searches"][0];
    assert_eq!((&search["registry"], &search["lists_this"]), (&json!(peer.origin), &json!(true)), "{status}");
    assert_eq!(status["listed"], Value::Null, "a listing on another registry counts as official");
    let card = registry.get("/.well-known/mcp/server-card.json").await.body;
    assert_eq!(card["mirrors"], json!([peer.origin]), "{card}");
}

#[tokio::test]
async fn https_proof_is_not_public_at_another_port() {
    for (base, is_public) in [(BASE, true), ("https://registry.example.com:8443", false)] {
        let options = TestOptions::default().with_setting("BASE_URL", base).with_setting("DNS_SERVER", "off");
        let status = TestRegistry::start_with(options).await.get(PUBLISH_STATUS).await.ok();
        assert_eq!(status["http"]["is_public"], is_public, "{base}");
        assert_eq!(status["publish_steps"].as_array().map(Vec::len), Some(7), "{base}");
    }
}
