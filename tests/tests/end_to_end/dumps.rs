//! Tests the daily dump: what it contains, how it is published, and how a registry is rebuilt from it.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use local::engine::instrumented::Fault;
use registry::dump::{self, DumpLimits};
use registry::model::sha256_hex;
use serde_json::{Value, json};
use tests::peers::{Peer, agents, json_answer, servers, sign_in};
use tests::test_registry::{DAY, HOUR, TestOptions, TestRegistry, client};

use crate::schedules::evidence_log::{leaves, verified_proof};

/// One listing in each part (the first part also has the header), and one part in each run.
const SMALLEST: DumpLimits = DumpLimits { listings: 1, bytes: usize::MAX, time: Duration::ZERO };

/// The peers of the listings of each kind.
struct Peers {
    agent: Peer,
    open: Peer,
    described: Peer,
    authorization: Peer,
    gated: Peer,
    packages: Peer,
}

impl Peers {
    async fn start() -> Self {
        let authorization = Peer::start(sign_in::authorization_server).await;
        Self {
            agent: Peer::start(agents::newest).await,
            open: Peer::start(servers::modern).await,
            described: Peer::start(servers::legacy).await,
            gated: Peer::start(sign_in::gated(&authorization.origin)).await,
            packages: Peer::start(|_| json_answer(200, &json!({ "mcpName": "org.example/packaged" }))).await,
            authorization,
        }
    }

    /// A registry that knows the package registry.
    fn options(&self) -> TestOptions {
        let options = TestOptions::default().with_setting("DUMP_LICENSE", "CC0-1.0");
        options.with_setting("PACKAGE_REGISTRIES", format!("npm={}", self.packages.origin)).delivered_once()
    }

    async fn publish_all(&self) -> TestRegistry {
        let registry = TestRegistry::start_with(self.options()).await;
        self.publish(&registry).await;
        registry
    }

    /// An agent, a server by its URL, a server with a `server.json`, one that joins the listing of its URL, one that asks
    /// for a sign-in, and one that only has a package.
    async fn publish(&self, registry: &TestRegistry) {
        let server = |name: &str, url: String| {
            json!({ "name": format!("org.example/{name}"), "title": "Files", "description": "Reads files.",
                "version": "1.2.0", "remotes": [{ "type": "streamable-http", "url": url }],
                "_meta": { "io.modelcontextprotocol.registry/publisher-provided": { "build": name } } })
        };
        registry.publish_card(&self.agent.card()).await;
        registry.publish_mcp(&self.open.url("/mcp")).await;
        registry.publish_mcp(&self.open.url("/joined/mcp")).await;
        registry.publish(&server("described", self.described.url("/mcp"))).await;
        registry.publish(&server("joined", self.open.url("/joined/mcp"))).await;
        registry.publish(&server("gated", self.gated.url("/mcp"))).await;
        let package = json!({ "registryType": "npm", "identifier": "notes", "version": "1.0.0", "transport": { "type": "stdio" } });
        registry
            .publish(
                &json!({ "name": "org.example/packaged", "description": "Stores notes.", "version": "1.0.0",
            "packages": [package] }),
            )
            .await;
        registry.deliver_events().await;
        registry.index().await;
        assert_eq!(registry.live_counts().await, (1, 3), "{}", self.authorization.origin);
    }
}

async fn dumps(registry: &TestRegistry) -> Value {
    // The list is reused for five minutes.
    registry.advance(Duration::from_secs(300));
    registry.settle();
    let reply = registry.get("/dumps.json").await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.body
}

/// Downloads the parts of a dump and checks their hashes; returns the lines.
async fn lines(dump: &Value) -> Vec<Value> {
    let (mut file, mut hashes) = (Vec::new(), String::new());
    for part in dump["parts"].as_array().unwrap() {
        let answer = client().get(part["url"].as_str().unwrap()).send().await.unwrap();
        let headers =
            ["content-type", "cache-control"].map(|name| answer.headers()[name].to_str().unwrap().to_owned());
        assert_eq!(headers, ["application/gzip", "public, max-age=691200, immutable"]);
        let bytes = answer.bytes().await.unwrap();
        assert_eq!((&json!(sha256_hex(&bytes)), &json!(bytes.len())), (&part["sha256"], &part["bytes"]));
        hashes.push_str(&format!("{}\n", part["sha256"].as_str().unwrap()));
        file.extend_from_slice(&bytes);
    }
    assert_eq!(json!(sha256_hex(hashes)), dump["sha256"]);
    let mut text = String::new();
    MultiGzDecoder::new(&file[..]).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn dump_contains_every_listed_listing_as_the_api_shows_it() {
    let peers = Peers::start().await;
    let registry = TestRegistry::start_with(peers.options()).await;
    registry.reach_out().await;
    assert_eq!(dumps(&registry).await["dumps"], json!([]), "a registry without listings has no dump");
    peers.publish(&registry).await;
    registry.publish_card(&Peer::start(agents::only(404)).await.card()).await;
    registry.deliver_events().await;
    registry.tick().await;
    let report = registry.reach_out().await["dump"].clone();
    assert_eq!(report, json!({ "day": "2026-11-20", "parts": 1, "published": true }));

    let list = dumps(&registry).await;
    let dump = &list["dumps"][0];
    assert_eq!((&dump["listings"], &dump["license"]), (&json!(6), &json!("CC0-1.0")));
    let lines = lines(dump).await;
    let validator = jsonschema::validator_for(&registry.get("/dumps/schema.json").await.body).unwrap();
    for line in &lines {
        assert!(validator.is_valid(line), "{line}");
    }
    let log = registry.get("/log").await.body;
    let header = json!({ "schema": registry.url("/dumps/schema.json"), "license": "CC0-1.0", "registry": registry.url(""),
        "brand": registry.app.settings.brand, "begun_at": dump["begun_at"],
        "log": { "origin": log["origin"], "tree_size": 5, "root_hash": log["root_hash"] } });
    assert_eq!(lines[0], header);

    let rows = registry.get("/api/listings/active").await.body;
    let rows: Vec<&Value> =
        ["agents", "mcps"].iter().flat_map(|kind| rows[kind].as_array().unwrap()).collect();
    let servers = registry.get("/v0.1/servers?access=all").await.body["servers"].as_array().unwrap().clone();
    assert_eq!((rows.len(), servers.len(), lines.len()), (4, 5, 7));
    for line in &lines[1..] {
        let id = &line["listing"]["listing_id"];
        if let Some(row) = rows.iter().find(|row| row["listing_id"] == *id) {
            for (name, value) in line["listing"].as_object().unwrap() {
                // Ages grow.
                let without_age = |value: &Value| {
                    let mut value = value.clone();
                    value.as_object_mut().map(|members| members.remove("age_hours"));
                    value
                };
                assert_eq!(without_age(value), without_age(&row[name]), "{name}");
            }
        }
        if line["listing"]["kind"] == "mcp" {
            let entry = json!({ "server": line["server"], "_meta": line["_meta"] });
            assert!(servers.contains(&entry), "{entry} is not in {servers:?}");
        }
        let status = registry.get(&format!("/api/listings/status?id={}", id.as_str().unwrap())).await.body;
        assert_eq!(line["log"], status["log"]);
    }
    drop(peers);
}

#[tokio::test]
async fn checksum_of_the_dump_is_in_the_evidence_log_and_signed() {
    let peers = Peers::start().await;
    let registry = peers.publish_all().await;
    registry.reach_out().await;
    let list = dumps(&registry).await;
    assert!(list["dumps"][0].get("leaf_index").is_none(), "{list}");
    registry.tick().await;
    let list = dumps(&registry).await;
    let dump = &list["dumps"][0];
    let proof = verified_proof(&registry, &format!("index={}", dump["leaf_index"])).await;
    assert_eq!(
        proof["leaf"],
        json!({ "v": 1, "at": dump["published_at"], "event": "dump", "evidence": dump["sha256"] })
    );
    assert_eq!(dump["proof_url"], registry.url(&format!("/log/proof?index={}", dump["leaf_index"])));

    let jws: Vec<&str> = list["jws"].as_str().unwrap().split('.').collect();
    let read = |part: &str| -> Value {
        use base64::Engine as _;
        serde_json::from_slice(&base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(part).unwrap())
            .unwrap()
    };
    assert_eq!(read(jws[0])["typ"], "dump+jwt");
    let signed = &read(jws[1])["dump"];
    assert_eq!((&signed["sha256"], &signed["day"]), (&dump["sha256"], &dump["day"]));
    let keys = registry.get("/.well-known/jwks.json").await.body;
    assert_eq!(keys["keys"][0]["kid"], read(jws[0])["kid"]);
    let verified = registry.call_tool("verify_attestation", &json!({ "jws": list["jws"] })).await;
    assert_eq!(verified["valid"], false, "a signed dump passes for an attestation: {verified}");
}

#[tokio::test(flavor = "multi_thread")]
async fn second_delivery_writes_nothing_and_the_next_day_has_its_own_dump() {
    let peers = Peers::start().await;
    let registry = peers.publish_all().await;
    let (one, other) = (DumpLimits::default(), DumpLimits::default());
    let both = futures::join!(dump::run(&registry.app, &one), dump::run(&registry.app, &other));
    assert!(both.0.is_ok() && both.1.is_ok(), "{both:?}");
    registry.tick().await;
    let before = registry.table().await;
    registry.reach_out().await;
    let kinds = ["DUMP", "LOG#"];
    let written = registry.table().await;
    for kind in kinds {
        assert_eq!(written.items_under(kind).len(), before.items_under(kind).len(), "{kind}");
    }
    let of_dumps = leaves(&registry).await.into_iter().filter(|leaf| leaf["event"] == "dump").count();
    assert_eq!((of_dumps, dumps(&registry).await["dumps"].as_array().unwrap().len()), (1, 1));

    registry.advance(DAY);
    registry.reach_out().await;
    let list = dumps(&registry).await;
    let days: Vec<&Value> = list["dumps"].as_array().unwrap().iter().map(|dump| &dump["day"]).collect();
    assert_eq!(days, ["2026-11-21", "2026-11-20"]);
    let first = list["dumps"][1]["parts"][0]["url"].as_str().unwrap().to_owned();
    registry.advance(DAY * 8 - HOUR);
    registry.sweep_expired();
    assert_eq!(dumps(&registry).await["dumps"].as_array().unwrap().len(), 1);
    assert_eq!(client().get(first).send().await.unwrap().status(), 404);
}

#[tokio::test]
async fn interrupted_dump_continues_and_is_never_visible_in_part() {
    let peers = Peers::start().await;
    let registry = peers.publish_all().await;
    let mut runs = 0;
    let whole = loop {
        // Two of three runs die: when they store a part, and when they store their progress or publish.
        let failing: &[&str] = [&["PutItem"][..], &["UpdateItem", "TransactWriteItems"], &[]][runs % 3];
        for operation in failing {
            registry.observer.faults.arm(operation, Fault::ServiceError, 20);
        }
        let ended = dump::run(&registry.app, &SMALLEST).await;
        registry.observer.faults.disarm();
        runs += 1;
        let list = dumps(&registry).await;
        if list["dumps"] != json!([]) {
            break list["dumps"][0].clone();
        }
        assert_eq!(ended.is_err(), !failing.is_empty(), "run {runs}: {ended:?}");
        assert!(runs < 40, "the dump is never complete");
    };
    let lines = lines(&whole).await;
    assert_eq!(
        (lines.len(), whole["parts"].as_array().unwrap().len(), &whole["listings"]),
        (7, 6, &json!(6))
    );
    let mut ids: BTreeMap<String, usize> = BTreeMap::new();
    for line in &lines[1..] {
        *ids.entry(line["listing"]["listing_id"].to_string()).or_default() += 1;
    }
    assert!(ids.len() == 6 && ids.values().all(|count| *count == 1), "{ids:?}");
    assert!(registry.table().await.items_under("DUMPS").len() == 1, "the progress is left");
    drop(peers);
}

#[tokio::test]
async fn registry_without_a_license_publishes_no_dump() {
    let (registry, peers) = (TestRegistry::start().await, Peers::start().await);
    registry.publish_card(&peers.agent.card()).await;
    registry.deliver_events().await;
    assert_eq!(registry.reach_out().await["dump"], Value::Null);
    let list = dumps(&registry).await;
    assert_eq!((&list["license"], &list["dumps"], &list["jws"]), (&Value::Null, &json!([]), &Value::Null));
    assert!(list["note"].as_str().unwrap().contains("DUMP_LICENSE"), "{list}");
    for name in ["x.jsonl.gz", &format!("{}.jsonl.gz", sha256_hex("")), "latest.jsonl.gz", &sha256_hex("")] {
        assert_eq!(registry.get(&format!("/dumps/{name}")).await.body["code"], "no_such_dump", "{name}");
    }
}
