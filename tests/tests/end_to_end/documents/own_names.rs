//! What the registry says of its own name: its entry at MCP registries, the proofs of its domain, and its record in the
//! DNS, which is what the name servers say and nothing else.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tests::peers::name_server::{DnsAnswer, NameServer};
use tests::peers::{Peer, PeerRequest, empty, json_answer};
use tests::test_registry::{TestOptions, TestRegistry};

const BASE: &str = "https://registry.example.com";
const DISCOVERY: &str = "_mcp.registry.example.com.";
const DOMAIN: &str = "registry.example.com.";
const DNS_STATUS: &str = "/api/dns/mcp-status";
const PUBLISH_STATUS: &str = "/api/mcp-registry/publish-status";
/// For how long an answer of the DNS is kept.
const KEPT: Duration = Duration::from_secs(60);

/// A registry at a domain, and what the DNS says of the names that it asks for.
struct Stage {
    registry: TestRegistry,
    name_server: NameServer,
    said: Arc<Mutex<[DnsAnswer; 2]>>,
}

impl Stage {
    async fn set() -> Self {
        let said = Arc::new(Mutex::new([DnsAnswer::NoName, DnsAnswer::NoName]));
        let answers = Arc::clone(&said);
        let name_server = NameServer::start(move |name| {
            let answers = answers.lock().unwrap().clone();
            match name {
                DOMAIN => answers[0].clone(),
                DISCOVERY => answers[1].clone(),
                other => panic!("{other} was asked for"),
            }
        })
        .await;
        let options = TestOptions::default()
            .with_setting("BASE_URL", BASE)
            .with_setting("DNS_SERVER", name_server.address);
        Self { registry: TestRegistry::start_with(options).await, name_server, said }
    }

    /// What a document says once the DNS says this of the domain and of `_mcp.` before it.
    async fn after(&self, answers: [DnsAnswer; 2], path: &str) -> Value {
        *self.said.lock().unwrap() = answers;
        self.registry.advance(KEPT);
        let reply = self.registry.get(path).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.body
    }
}

fn txt(texts: &[&str]) -> DnsAnswer {
    DnsAnswer::Txt(texts.iter().map(|text| (*text).to_owned()).collect())
}

#[tokio::test]
async fn the_discovery_record_is_looked_up_and_compared_item_by_item() {
    let stage = Stage::set().await;
    let none = || DnsAnswer::NoName;
    let missing = stage.after([none(), none()], DNS_STATUS).await;
    assert_eq!(
        (&missing["state"], &missing["live"], &missing["format"]),
        (&json!("missing"), &json!(false), &json!("none"))
    );
    assert_eq!(missing["name"], "_mcp.registry.example.com");
    let expected = missing["expected_txt"].as_str().unwrap().to_owned();
    let card =
        format!("v=mcp1; url={BASE}/.well-known/mcp/server-card.json; proto=streamable-http; pk=ed25519:");
    assert!(expected.starts_with(&card), "{expected}");
    assert!(expected.ends_with("; scope=tools,resources; cap=registry; priority=10"), "{expected}");
    assert!(missing["instructions"][0].as_str().unwrap().contains(&expected), "{missing}");

    let live = stage.after([none(), txt(&["v=spf1 -all", &expected])], DNS_STATUS).await;
    assert_eq!((&live["state"], &live["live"]), (&json!("matches"), &json!(true)), "{live}");
    assert_eq!(live["answers"], json!(["v=spf1 -all", expected]));
    assert!(live["items"].as_array().unwrap().iter().all(|item| item["matches"] == true), "{live}");

    let other = expected.replace("cap=registry", "cap=mirror");
    let differs = stage.after([none(), txt(&[&other])], DNS_STATUS).await;
    assert_eq!((&differs["state"], &differs["live"]), (&json!("differs"), &json!(false)));
    let wrong: Vec<&Value> =
        differs["items"].as_array().unwrap().iter().filter(|item| item["matches"] == false).collect();
    assert_eq!(
        wrong,
        [&json!({ "key": "cap", "expected": "registry", "found": "mirror", "matches": false })]
    );

    for broken in [DnsAnswer::Failure, DnsAnswer::Garbage(&[0xff; 40])] {
        let unknown = stage.after([none(), broken], DNS_STATUS).await;
        assert_eq!((&unknown["state"], &unknown["format"]), (&json!("unknown"), &Value::Null), "{unknown}");
        assert_eq!((&unknown["live"], &unknown["answers"]), (&json!(false), &json!([])));
        assert!(unknown["error"].as_str().unwrap().starts_with("The DNS gave no usable answer"), "{unknown}");
    }
    let long = stage.after([none(), txt(&["x".repeat(5000).as_str(); 30])], DNS_STATUS).await;
    assert!(long.to_string().len() < 10_000, "what the DNS says cannot flood the answer");
}

#[tokio::test]
async fn the_dns_is_asked_once_a_minute_whoever_asks() {
    let stage = Stage::set().await;
    for path in [DNS_STATUS, PUBLISH_STATUS, DNS_STATUS] {
        assert_eq!(stage.registry.get(&format!("{path}?{}", path.len())).await.status, 200);
    }
    let mut asked = stage.name_server.asked();
    asked.sort_unstable();
    assert_eq!(asked, [format!("UDP TXT {DISCOVERY}"), format!("UDP TXT {DOMAIN}")]);
    let first = stage.registry.get(DNS_STATUS).await;
    let again = stage.registry.get_with(DNS_STATUS, ("if-none-match", first.header("etag"))).await;
    assert_eq!((again.status, again.header("cache-control")), (304, "public, max-age=60"));
    stage.registry.advance(KEPT);
    stage.registry.get(DNS_STATUS).await;
    assert_eq!(stage.name_server.asked().len(), 4);
}

#[tokio::test]
async fn the_domain_is_proven_by_the_key_that_signs_requests() {
    let stage = Stage::set().await;
    let proof = stage.registry.get("/.well-known/mcp-registry-auth").await;
    assert_eq!(proof.header("content-type"), "text/plain; charset=utf-8");
    let record = proof.body.as_str().unwrap();
    let directory = stage.registry.get("/.well-known/http-message-signatures-directory").await.body;
    let key = directory["keys"][0]["x"].as_str().unwrap().replace('-', "+").replace('_', "/");
    assert_eq!(record, format!("v=MCPv1; k=ed25519; p={key}="));

    let missing = stage.after([txt(&["v=spf1 -all"]), DnsAnswer::NoName], PUBLISH_STATUS).await;
    assert_eq!(
        (&missing["dns"]["state"], &missing["dns"]["expected_txt"]),
        (&json!("missing"), &json!(record))
    );
    let proven = stage.after([txt(&["v=spf1 -all", record]), DnsAnswer::NoName], PUBLISH_STATUS).await;
    assert_eq!(proven["dns"]["state"], "matches");
    let failing = stage.after([DnsAnswer::Failure, DnsAnswer::NoName], PUBLISH_STATUS).await;
    assert_eq!(failing["dns"]["state"], "unknown");

    // Nobody was asked what it lists, so nothing is said of that.
    assert_eq!(
        (&proven["listed"], &proven["published_name"], &proven["searches"]),
        (&Value::Null, &Value::Null, &json!([]))
    );
    assert_eq!(proven["recommended_names"], json!(["com.example.registry/registry"]));
    assert_eq!(
        proven["publish_steps"][2]["command"],
        "mcp-publisher login http --domain=registry.example.com --private-key=\"$PRIVATE_KEY\""
    );
    let table = stage.registry.table().await;
    let secret = table.items_under("KEY#MESSAGE")[0]["secret"].as_str().unwrap().to_owned();
    assert!(!proven.to_string().contains(&secret), "the private key stays where it is");
}

#[tokio::test]
async fn a_registry_without_a_domain_asks_no_name_server() {
    let name_server = NameServer::start(|name| panic!("{name} was asked for")).await;
    let options = TestOptions::default().with_setting("DNS_SERVER", name_server.address);
    let registry = TestRegistry::start_with(options).await;
    let status = registry.get(DNS_STATUS).await.body;
    assert_eq!((&status["state"], &status["source"]), (&json!("no_domain"), &json!("nobody")), "{status}");
    assert_eq!((&status["name"], &status["live"]), (&json!("_mcp.127.0.0.1"), &json!(false)));
    let publishing = registry.get(PUBLISH_STATUS).await.body;
    assert_eq!(publishing["publish_steps"].as_array().unwrap().len(), 1, "{publishing}");
}

#[tokio::test]
async fn another_registry_is_asked_whether_it_lists_this_one() {
    let listing = |asked: &PeerRequest| match asked.path.as_str() {
        "/v0.1/servers" => json_answer(
            200,
            &json!({ "servers": [{ "server": { "name": "127.0.0.1/registry", "description": "Lists.", "version": "1.0.0" } }] }),
        ),
        _ => empty(404),
    };
    let peer = Peer::start(listing).await;
    let options = TestOptions::default().with_setting("FEDERATION_PEERS", &peer.origin);
    let registry = TestRegistry::start_with(options).await;
    assert_eq!(registry.reach_out().await["peers_asked"], 1);
    let status = registry.get(PUBLISH_STATUS).await.body;
    let search = &status["searches"][0];
    assert_eq!((&search["registry"], &search["lists_this"]), (&json!(peer.origin), &json!(true)), "{status}");
    assert_eq!(status["listed"], Value::Null, "it is not the official registry");
}

#[tokio::test]
async fn the_own_server_json_is_as_the_official_schema_wants() {
    let schema: Value = serde_json::from_str(include_str!("../../../fixtures/server.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    assert!(!schema.is_valid(&json!({ "name": "x" })), "the schema is in force");
    for base in [BASE, "http://127.0.0.1:8080"] {
        let registry = TestRegistry::start_with(TestOptions::default().with_setting("BASE_URL", base)).await;
        let document = registry.get("/api/mcp-registry/server.json").await.body;
        if let Err(error) = schema.validate(&document) {
            panic!("{error} at {}", error.instance_path());
        }
        let card = registry.get("/mcp/server-card").await.body;
        for member in ["name", "title", "version", "description", "websiteUrl"] {
            assert_eq!(document[member], card[member], "{member}");
        }
        assert_eq!(document["remotes"][0]["url"], card["remotes"][0]["url"]);
    }
}
