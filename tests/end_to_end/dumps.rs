//! Tests the daily dump: what it contains, how it is published, and how a registry is rebuilt from it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::time::Duration;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use axum::response::IntoResponse as _;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64URL;
use flate2::read::MultiGzDecoder;
use local::mirror::Job;
use registry::federation::dump::{self, DumpLimits};
use registry::model::{Clock, LimitedAction, sha256_hex};
use tests::peers::sign_in;
use tests::prelude::*;
use tests::test_registry::client;

use crate::fixtures::{live_agent, values_of};
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

    let dump = dumps(&registry).await["dumps"][0].clone();
    assert_members(&dump, &json!({ "listings": 6, "license": "CC0-1.0" }));
    let lines = lines(&dump).await;
    let validator = jsonschema::validator_for(&registry.get("/dumps/schema.json").await.body).unwrap();
    for line in &lines {
        assert!(validator.is_valid(line), "{line}");
    }
    let log = registry.get("/log").await.body;
    let header = json!({ "schema": registry.url("/dumps/schema.json"), "license": "CC0-1.0", "registry": registry.url(""),
        "brand": registry.app.settings.brand, "begun_at": dump["begun_at"],
        "log": { "origin": log["origin"], "tree_size": 5, "root_hash": log["root_hash"] } });
    assert_eq!(lines[0], header);

    let list = registry.get("/api/listings/active").await.body;
    let rows = ["agents", "mcps"].iter().flat_map(|kind| list[kind].as_array().unwrap());
    let rows: BTreeMap<String, Value> =
        rows.map(|row| (row["listing_id"].to_string(), without_age(row))).collect();
    let servers = registry.get("/v0.1/servers?access=all").await.body["servers"].as_array().unwrap().clone();
    assert_eq!((rows.len(), servers.len(), lines.len()), (4, 5, 7));
    for line in &lines[1..] {
        let (listing, id) = (without_age(&line["listing"]), &line["listing"]["listing_id"]);
        if let Some(row) = rows.get(&id.to_string()) {
            assert_members(row, &listing);
        }
        if listing["kind"] == "mcp" {
            let entry = json!({ "server": line["server"], "_meta": line["_meta"] });
            assert!(servers.contains(&entry), "{entry} is not in {servers:?}");
        }
        let status = registry.get(&format!("/api/listings/status?id={}", id.as_str().unwrap())).await.body;
        assert_eq!(line["log"], status["log"]);
    }
    drop(peers);
}

/// Ages grow.
fn without_age(listing: &Value) -> Value {
    let mut listing = listing.clone();
    for member in listing.as_object_mut().unwrap().values_mut().filter_map(Value::as_object_mut) {
        member.remove("age_hours");
    }
    listing
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
    let index = format!("index={}", dump["leaf_index"]);
    let leaf = json!({ "v": 1, "at": dump["published_at"], "event": "dump", "evidence": dump["sha256"] });
    assert_eq!(verified_proof(&registry, &index).await["leaf"], leaf);
    assert_eq!(dump["proof_url"], registry.url(&format!("/log/proof?{index}")));

    let parts = list["jws"].as_str().unwrap().split('.').map(|part| BASE64URL.decode(part).unwrap());
    let parts: Vec<Value> = parts.take(2).map(|part| serde_json::from_slice(&part).unwrap()).collect();
    let keys = registry.get("/.well-known/jwks.json").await.body;
    assert_members(&parts[0], &json!({ "typ": "dump+jwt", "kid": keys["keys"][0]["kid"] }));
    assert_members(&parts[1]["dump"], &json!({ "sha256": dump["sha256"], "day": dump["day"] }));
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
    let written = registry.table().await;
    for kind in ["DUMP", "LOG#"] {
        assert_eq!(written.items_under(kind).len(), before.items_under(kind).len(), "{kind}");
    }
    let days = async || values_of(&dumps(&registry).await["dumps"], "day");
    let of_dumps = leaves(&registry).await.into_iter().filter(|leaf| leaf["event"] == "dump").count();
    assert_eq!((of_dumps, days().await.len()), (1, 1));

    registry.advance(DAY);
    registry.reach_out().await;
    assert_eq!(days().await, ["2026-11-21", "2026-11-20"]);
    let first = dumps(&registry).await["dumps"][1]["parts"][0]["url"].as_str().unwrap().to_owned();
    registry.advance(DAY * 8 - HOUR);
    registry.sweep_expired();
    assert_eq!(days().await, ["2026-11-21"]);
    assert_eq!(client().get(first).send().await.unwrap().status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_dump_continues_is_never_visible_in_part_and_can_be_mirrored_from_a_file() {
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
    let ids: BTreeSet<String> =
        lines[1..].iter().map(|line| line["listing"]["listing_id"].to_string()).collect();
    let parts = whole["parts"].as_array().unwrap();
    assert_eq!((lines.len(), ids.len(), parts.len(), &whole["listings"]), (7, 6, 6, &json!(6)));
    assert!(registry.table().await.items_under("DUMPS").len() == 1, "the progress is left");

    // The parts can be mirrored from a file.
    let mut file = Vec::new();
    for part in parts {
        let answer = client().get(part["url"].as_str().unwrap()).send().await.unwrap();
        file.extend_from_slice(&answer.bytes().await.unwrap());
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump.jsonl.gz");
    std::fs::write(&path, file).unwrap();
    let (counted, end) = mirror(&job(path.to_str().unwrap(), &registry.url(""))).await;
    // Publishing a Live listing again is accepted; a gated one is skipped. The dump contains one listing twice.
    assert_eq!((counts(counted), end), ([5, 0, 1], Ok(())));
    drop(peers);
}

#[tokio::test]
async fn registry_without_a_license_publishes_no_dump() {
    let (registry, _peer, _) = live_agent().await;
    registry.index().await;
    assert_eq!(registry.reach_out().await["dump"], Value::Null);
    let list = dumps(&registry).await;
    assert_members(&list, &json!({ "license": null, "dumps": [], "jws": null }));
    assert_contains(&list["note"].to_string(), &["DUMP_LICENSE"]);
    for name in ["x.jsonl.gz", &format!("{}.jsonl.gz", sha256_hex("")), "latest.jsonl.gz", &sha256_hex("")] {
        registry.get(&format!("/dumps/{name}")).await.assert_refused(404, "no_such_dump");
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
    let log_key = Some(original.get("/log").await.body["vkey"].as_str().unwrap().to_owned());
    let job =
        Job { log_key, resume: Some(state.clone()), ..job(&original.url("/dumps.json"), &rebuilt.url("")) };
    let (counted, end) = mirror(&job).await;
    assert_eq!((counts(counted), end), ([6, 0, 0], Ok(())));

    rebuilt.deliver_events().await;
    rebuilt.reach_out().await;
    let expected = listings(&original).await;
    let is_joined =
        |(_, line): &(_, &Value)| line["listing"]["name_standing"]["name"] == "org.example/joined";
    let (joined, _) = expected.iter().find(is_joined).unwrap();
    assert!(joined.starts_with("agtpub_"), "{joined}");
    assert_eq!(listings(&rebuilt).await, expected);

    // A second run sends everything again, and one that continues sends the rest.
    let before = rebuilt.table().await.items_under("LISTING#").len();
    let text = json!({ "from": job.from, "to": job.to,
        "state": { "cursor": format!("{} 0", dump["sha256"].as_str().unwrap()), "handled": 4 },
        "report": { "published": 0, "refused": 0, "skipped": 0, "failed": 0 } });
    std::fs::write(&state, text.to_string()).unwrap();
    for (job, sent) in [(&job, 2), (&Job { resume: None, ..job.clone() }, 6)] {
        assert_eq!(counts(mirror(job).await.0).iter().sum::<usize>(), sent);
    }
    assert_eq!(rebuilt.table().await.items_under("LISTING#").len(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn dump_that_the_log_does_not_prove_is_refused() {
    let peers = Peers::start().await;
    let (original, target) = (peers.publish_all().await, Peer::start(|_| empty(500)).await);
    original.reach_out().await;
    original.tick().await;
    let list = dumps(&original).await;
    let dump = &list["dumps"][0];
    let [url, hash] = ["url", "sha256"].map(|member| dump["parts"][0][member].as_str().unwrap());
    // Not over HTTP: a part that was served stays cached.
    let part = original.app.store.dump_part(hash).await.unwrap().unwrap();
    let proof = original.get(&format!("/log/proof?index={}", dump["leaf_index"])).await.body;
    let mut damaged = part.clone();
    *damaged.last_mut().unwrap() ^= 1;

    let mut of_damaged = list.clone();
    of_damaged["dumps"][0]["parts"][0]["sha256"] = json!(sha256_hex(&damaged));
    let mut with_sum = of_damaged.clone();
    with_sum["dumps"][0]["sha256"] = json!(sha256_hex(format!("{}\n", sha256_hex(&damaged))));
    let mut pending = list.clone();
    pending["dumps"][0].as_object_mut().unwrap().remove("leaf_index");
    let key = "registry.example.org/log+c9b2ed5b+AcVm5UKJg5rOz1VWyPqNCXFGCKPLRTRj6nzuTTrE8h8n";
    for (list, part, log_key, words) in [
        (&list, &damaged, None, "SHA-256"),
        (&of_damaged, &damaged, None, "do not match the checksum"),
        (&with_sum, &damaged, None, "another checksum"),
        (&list, &part, Some(key.to_owned()), "key of the log"),
        (&pending, &part, None, "not in the evidence log yet"),
    ] {
        let (list, part, proof) = (list.clone(), part.clone(), proof.clone());
        let source = Peer::start(move |request| match request.path.as_str() {
            "/dumps.json" => json_answer(200, &list),
            path if path.starts_with("/dumps/") => part.clone().into_response(),
            _ => json_answer(200, &proof),
        });
        let source = source.await;
        let job = Job { log_key, ..job(&source.url("/dumps.json"), &target.origin) };
        assert_contains(&mirror(&job).await.1.unwrap_err(), &[words]);
    }
    let later = Clock::manual(original.now() + jiff::SignedDuration::from_hours(73));
    let late = Job { clock: later, ..job(&original.url("/dumps.json"), &target.origin) };
    assert_contains(&mirror(&late).await.1.unwrap_err(), &["older than three days"]);
    assert!(target.requests().is_empty(), "something was sent");

    // The part of the original that is damaged in the table is not served.
    let bytes = AttributeValue::B(Blob::new(damaged));
    original.overwrite(&format!("DUMP#{hash}"), "000", "bytes", bytes).await;
    original.settle();
    assert_eq!(client().get(url).send().await.unwrap().status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_of_dumps_are_counted_and_not_read_for_a_caller_who_has_them() {
    let peers = Peers::start().await;
    let options = peers.options().with_rate(LimitedAction::Dump, |rate| rate.caller = 1);
    let registry = TestRegistry::start_with(options).await;
    peers.publish(&registry).await;
    registry.reach_out().await;
    let url = dumps(&registry).await["dumps"][0]["parts"][0]["url"].as_str().unwrap().to_owned();
    let etag = client().get(&url).send().await.unwrap().headers()["etag"].clone();
    let another = registry.url(&format!("/dumps/{}.jsonl.gz", "0".repeat(64)));
    for (request, status) in [
        (client().get(&another), 429),
        (client().get(&another).header("if-none-match", &etag), 429),
        (client().get(&url).header("if-none-match", &etag), 304),
    ] {
        assert_eq!(request.send().await.unwrap().status(), status);
    }
}
