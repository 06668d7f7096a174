//! Tests the daily dump: what it contains, how it is published, and how a registry is rebuilt from it.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::time::Duration;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use axum::response::IntoResponse as _;
use flate2::read::MultiGzDecoder;
use local::mirror::Job;
use registry::federation::dump::{self, DumpLimits};
use registry::model::{Clock, LimitedAction, sha256_hex};
use tests::peers::sign_in;
use tests::prelude::*;
use tests::test_registry::client;

use crate::mirror::{counts, job, mirror};
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
        let packaged = json!({ "name": "org.example/packaged", "description": "Stores notes.",
            "version": "1.0.0", "packages": [package] });
        registry.publish(&packaged).await;
        assert_eq!(registry.delivered_counts().await, (1, 3), "{}", self.authorization.origin);
    }
}

pub(crate) async fn dumps(registry: &TestRegistry) -> Value {
    // The list is reused for five minutes.
    registry.advance(Duration::from_secs(300));
    registry.settle();
    registry.get("/dumps.json").await.ok()
}

/// Downloads the parts of a dump and checks their hashes; returns the lines.
pub(crate) async fn lines(dump: &Value) -> Vec<Value> {
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
    let leaf = json!({ "v": 1, "at": dump["published_at"], "event": "dump", "evidence": dump["sha256"] });
    assert_eq!(proof["leaf"], leaf);
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
    let parts = whole["parts"].as_array().unwrap();
    assert_eq!((lines.len(), parts.len(), &whole["listings"]), (7, 6, &json!(6)));
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

/// Members of a line that are the registry's own: times, measured durations, its log and its address.
const OWN: [&str; 11] = [
    "publishedAt",
    "updatedAt",
    "last_checked",
    "probed_at",
    "live_since",
    "at",
    "age_hours",
    "latency_ms",
    "liveness",
    "log",
    "status_url",
];

fn without_own(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().filter(|(name, _)| !OWN.contains(&name.as_str()));
            members.map(|(name, value)| (name.clone(), without_own(value))).collect()
        }
        Value::Array(items) => items.iter().map(without_own).collect(),
        other => other.clone(),
    }
}

/// The listings of the latest dump by id.
async fn listings(registry: &TestRegistry) -> BTreeMap<String, Value> {
    let lines = lines(&dumps(registry).await["dumps"][0]).await.into_iter().skip(1);
    lines
        .map(|line| (line["listing"]["listing_id"].as_str().unwrap().to_owned(), without_own(&line)))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn registry_rebuilt_from_a_dump_equals_the_original() {
    let peers = Peers::start().await;
    let (original, rebuilt) = (peers.publish_all().await, TestRegistry::start_with(peers.options()).await);
    original.reach_out().await;
    original.tick().await;
    let dump = dumps(&original).await["dumps"][0].clone();
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.json");
    let vkey = original.get("/log").await.body["vkey"].as_str().unwrap().to_owned();
    let job = Job {
        log_key: Some(vkey),
        resume: Some(state.clone()),
        ..job(&original.url("/dumps.json"), &rebuilt.url(""))
    };
    let (counted, end) = mirror(&job).await;
    assert_eq!((counts(counted), end), ([6, 0, 0], Ok(())));

    rebuilt.deliver_events().await;
    rebuilt.reach_out().await;
    let (expected, found) = (listings(&original).await, listings(&rebuilt).await);
    let joined =
        expected.values().find(|line| line["listing"]["name_standing"]["name"] == "org.example/joined");
    let joined = joined.unwrap();
    let id = joined["listing"]["listing_id"].as_str().unwrap();
    assert!(id.starts_with("agtpub_"), "{joined}");
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (id, line) in &expected {
        assert_eq!(found[id], *line, "{id}");
    }

    // A second run sends everything again, and one that continues sends the rest.
    let before = rebuilt.table().await.items_under("LISTING#").len();
    let text = json!({ "from": job.from, "to": job.to,
        "state": { "cursor": format!("{} 0", dump["sha256"].as_str().unwrap()), "handled": 4 },
        "report": { "published": 0, "refused": 0, "skipped": 0, "failed": 0 } });
    std::fs::write(&state, text.to_string()).unwrap();
    assert_eq!(counts(mirror(&job).await.0).iter().sum::<usize>(), 2);
    assert_eq!(counts(mirror(&Job { resume: None, ..job.clone() }).await.0).iter().sum::<usize>(), 6);
    assert_eq!(rebuilt.table().await.items_under("LISTING#").len(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn dump_that_the_log_does_not_prove_is_refused() {
    let peers = Peers::start().await;
    let (original, target) = (peers.publish_all().await, Peer::start(|_| empty(500)).await);
    original.reach_out().await;
    original.tick().await;
    let list = dumps(&original).await;
    let dump = list["dumps"][0].clone();
    let url = dump["parts"][0]["url"].as_str().unwrap();
    let part = dump["parts"][0]["sha256"].as_str().unwrap();
    // Not over HTTP: a part that was served stays cached.
    let part = original.app.store.dump_part(part).await.unwrap().unwrap();
    let proof = original.get(&format!("/log/proof?index={}", dump["leaf_index"])).await.body;
    let refusal = async |list: &Value, part: &[u8], log_key: Option<&str>| {
        let (list, part, proof) = (list.clone(), part.to_vec(), proof.clone());
        let source = Peer::start(move |request| match request.path.as_str() {
            "/dumps.json" => json_answer(200, &list),
            path if path.starts_with("/dumps/") => part.clone().into_response(),
            _ => json_answer(200, &proof),
        });
        let source = source.await;
        let log_key = log_key.map(str::to_owned);
        let (_, end) = mirror(&Job { log_key, ..job(&source.url("/dumps.json"), &target.origin) }).await;
        end.unwrap_err()
    };
    let mut damaged = part.clone();
    *damaged.last_mut().unwrap() ^= 1;
    assert!(refusal(&list, &damaged, None).await.contains("SHA-256"));

    let mut other = list.clone();
    let hash = sha256_hex(&damaged);
    other["dumps"][0]["parts"][0]["sha256"] = json!(hash);
    assert!(refusal(&other, &damaged, None).await.contains("do not match the checksum"));
    other["dumps"][0]["sha256"] = json!(sha256_hex(format!("{hash}\n")));
    assert!(refusal(&other, &damaged, None).await.contains("another checksum"));
    let key = "registry.example.org/log+c9b2ed5b+AcVm5UKJg5rOz1VWyPqNCXFGCKPLRTRj6nzuTTrE8h8n";
    assert!(refusal(&list, &part, Some(key)).await.contains("key of the log"));
    let mut pending = list.clone();
    pending["dumps"][0].as_object_mut().unwrap().remove("leaf_index");
    assert!(refusal(&pending, &part, None).await.contains("not in the evidence log yet"));
    let later = Clock::manual(original.now() + jiff::SignedDuration::from_hours(73));
    let late = Job { clock: later, ..job(&original.url("/dumps.json"), &target.origin) };
    assert!(mirror(&late).await.1.unwrap_err().contains("older than three days"));
    assert!(target.requests().is_empty(), "something was sent");

    // The part of the original that is damaged in the table is not served.
    let bytes = AttributeValue::B(Blob::new(damaged));
    original
        .overwrite(&format!("DUMP#{}", dump["parts"][0]["sha256"].as_str().unwrap()), "000", "bytes", bytes)
        .await;
    original.settle();
    assert_eq!(client().get(url).send().await.unwrap().status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_of_dumps_are_counted_and_not_read_for_a_caller_who_has_them() {
    let peers = Peers::start().await;
    let once =
        peers.options().with_rates().with(|settings| settings.rate_mut(LimitedAction::Dump).caller = 1);
    let registry = TestRegistry::start_with(once).await;
    peers.publish(&registry).await;
    registry.reach_out().await;
    let url = dumps(&registry).await["dumps"][0]["parts"][0]["url"].as_str().unwrap().to_owned();
    let first = client().get(&url).send().await.unwrap();
    let another = registry.url(&format!("/dumps/{}.jsonl.gz", "0".repeat(64)));
    let answers = [
        client().get(&another).send().await.unwrap(),
        client().get(&another).header("if-none-match", &first.headers()["etag"]).send().await.unwrap(),
        client().get(&url).header("if-none-match", &first.headers()["etag"]).send().await.unwrap(),
    ];
    assert_eq!(answers.map(|answer| answer.status().as_u16()), [429, 429, 304]);
}

#[tokio::test(flavor = "multi_thread")]
async fn downloaded_dump_can_be_mirrored_from_a_file() {
    let peers = Peers::start().await;
    let original = peers.publish_all().await;
    while dumps(&original).await["dumps"] == json!([]) {
        drop(dump::run(&original.app, &SMALLEST).await.unwrap());
    }
    let mut file = Vec::new();
    for part in dumps(&original).await["dumps"][0]["parts"].as_array().unwrap() {
        let answer = client().get(part["url"].as_str().unwrap()).send().await.unwrap();
        file.extend_from_slice(&answer.bytes().await.unwrap());
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump.jsonl.gz");
    std::fs::write(&path, file).unwrap();
    let (counted, end) = mirror(&job(path.to_str().unwrap(), &original.url(""))).await;
    // Publishing a Live listing again is accepted; a gated one is skipped. The dump contains one listing twice.
    assert_eq!((counts(counted), end), ([5, 0, 1], Ok(())));
}
