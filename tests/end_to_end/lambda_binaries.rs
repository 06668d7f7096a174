//! Runs the packaged binaries of `make build` as Lambda does, with the sample events. The binaries must start
//! and reply, and may access only what the template allows. `make smoke` sets `LAMBDA_BINARIES` to the folder
//! of the binaries.

use std::path::{Path, PathBuf};

use aws_sdk_dynamodb::types::AttributeValue;
use local::engine::{self, Data, Embedded};
use registry::model::{Clock, Lane};
use registry::publish::submission::{PublishRequest, Submission};
use registry::settings::{Mode, Settings};
use registry::store::{Store, table};
use tests::aws_endpoints::{Act, DynamoDb, EventBridge};
use tests::fixtures::feed_item;
use tests::prelude::*;
use tests::runtime_api::Function;
use tests::template::{TEMPLATE, sample_event};

const BASE_URL: &str = "https://registry.example.org";

/// The host in `events/publish.json`. As the base URL of a function it is not probed
/// (`specification.md#guarded-fetcher`), so the probe fails without a name look-up.
const PEER: &str = "https://agent.example.com";

struct Stack {
    binaries: PathBuf,
    table: DynamoDb,
    bus: EventBridge,
    client: aws_sdk_dynamodb::Client,
}

struct Running<'a> {
    stack: &'a Stack,
    name: &'a str,
    function: Function,
}

impl Stack {
    async fn start(binaries: PathBuf) -> Self {
        let engine = Embedded::open(&Data::Memory, &Clock::System).unwrap();
        let client = engine::client(engine.clone());
        table::ensure(&client, "table").await.unwrap();
        Self { binaries, table: DynamoDb::serve(engine).await, bus: EventBridge::serve().await, client }
    }

    async fn run<'a>(&'a self, name: &'a str, base_url: &str) -> Running<'a> {
        let environment = [
            ("TABLE_NAME", "table"),
            ("BUS_NAME", "bus"),
            ("BASE_URL", base_url),
            ("RUST_LOG", "warn"),
            ("SETTINGS", "CALLER_REQUESTS_PER_SECOND=1000"),
            ("AWS_ENDPOINT_URL_DYNAMODB", &self.table.url),
            ("AWS_ENDPOINT_URL_EVENTBRIDGE", &self.bus.url),
        ];
        let binary = Path::new(&self.binaries).join(name).join("bootstrap");
        let function = Function::start(&binary, &environment).await;
        Running { stack: self, name, function }
    }

    /// Makes an agent Live without a probe, and marks it for the index as a verdict does.
    async fn make_live(&self, card_url: &str, name: &str, description: &str) {
        let settings = Settings::from_env(Mode::Public, |_| None).unwrap();
        let fields =
            PublishRequest { agent_card_url: Some(card_url.to_owned()), ..PublishRequest::default() };
        let submission = Submission::parse(fields, settings.reach()).unwrap();
        let (id, _) = submission.ids();
        let now = Clock::System.now();
        let mut listing = submission.listing(id, now);
        listing.texts.name = name.to_owned();
        listing.texts.description = Some(description.to_owned());
        (listing.lane, listing.proof.live_since, listing.proof.last_ok_at) =
            (Lane::Active, Some(now), Some(now));
        let news = feed_item("listing_live", &listing, now);
        let store = Store::new(self.client.clone(), "table");
        store.insert(&listing, None, &submission.contact, &news, None).await.unwrap();
        assert_eq!(store.mark_listed_dirty(|_| true, now).await.unwrap(), 1);
    }

    /// An attribute of a listing's core item in the table.
    async fn attribute(&self, listing_id: &str, name: &str) -> Option<String> {
        let key = |text: String| AttributeValue::S(text);
        let request = self.client.get_item().table_name("table").consistent_read(true);
        let request =
            request.key("pk", key(format!("LISTING#{listing_id}"))).key("sk", key("CORE".to_owned()));
        let item =
            request.send().await.unwrap().item.unwrap_or_else(|| panic!("{listing_id} is not in the table"));
        item.get(name).and_then(|value| value.as_s().ok()).cloned()
    }
}

impl Running<'_> {
    /// Invokes the function with an event, and checks its table accesses against its policy.
    async fn invoke(&self, event: Value) -> Value {
        let answer = self.function.invoke(event).await;
        let answer = answer.unwrap_or_else(|failure| panic!("{} failed: {failure:?}", self.name));
        for act in self.stack.table.take_acts() {
            assert!(TEMPLATE.permits(self.name, &act), "forbidden to {}: {act:?}", self.name);
        }
        answer
    }

    /// Status and JSON body of the reply to an HTTP event.
    async fn http(&self, event: Value) -> (u64, Value) {
        let answer = self.invoke(event).await;
        assert!(answer["headers"]["x-request-id"].is_string(), "{answer}");
        assert_eq!(answer["isBase64Encoded"], false, "{answer}");
        let body = answer["body"].as_str().unwrap();
        let body = serde_json::from_str(body).unwrap_or_else(|_| Value::String(body.to_owned()));
        (answer["statusCode"].as_u64().unwrap(), body)
    }
}

fn binaries() -> PathBuf {
    let folder = std::env::var_os("LAMBDA_BINARIES");
    folder.unwrap_or_else(|| panic!("LAMBDA_BINARIES: the folder of the binaries")).into()
}

/// The weights have 17 MB, most of a package.
#[test]
#[ignore = "needs the packaged binaries: `make smoke` builds them and sets LAMBDA_BINARIES"]
fn only_functions_that_read_the_index_contain_the_language_model() {
    let weights = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/encoder/assets/weights.bin");
    let weights = std::fs::read(weights).unwrap();
    let part = &weights[weights.len() / 2..][..64];
    let read = Act { action: "dynamodb:BatchGetItem", index: None, partition: "INDEX#00".to_owned() };
    for function in TEMPLATE.functions().into_keys() {
        let binary = std::fs::read(binaries().join(function).join("bootstrap")).unwrap();
        let contains = binary.windows(part.len()).any(|bytes| bytes == part);
        assert_eq!(contains, TEMPLATE.permits(function, &read), "{function}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packaged binaries: `make smoke` builds them and sets LAMBDA_BINARIES"]
async fn packaged_binaries_can_publish_probe_and_show_a_listing() {
    let stack = Stack::start(binaries()).await;

    let publish = stack.run("publish", BASE_URL).await;
    let (status, published) = publish.http(sample_event("publish")).await;
    assert_eq!(status, 200, "{published}");
    assert_eq!((&published["ok"], &published["lane"]), (&json!(true), &json!("queued")), "{published}");
    let mut queued = sample_event("listing-queued");
    let listing_id = published["listing_id"].as_str().unwrap().to_owned();
    assert_eq!(queued["detail"]["listing_id"], listing_id);
    assert!(stack.attribute(&listing_id, "gsi2pk").await.is_some(), "the listing is not in the due queue");

    let sent = stack.bus.take_entries();
    let [entry] = sent.as_slice() else { panic!("expected one event: {sent:?}") };
    assert_eq!((&entry["EventBusName"], &entry["Source"]), (&json!("bus"), &queued["source"]));
    assert_eq!(entry["DetailType"], queued["detail-type"]);
    queued["detail"] = serde_json::from_str(entry["Detail"].as_str().unwrap()).unwrap();

    let mut form = sample_event("publish");
    form["requestContext"]["http"]["method"] = json!("GET");
    let (status, problem) = publish.http(form).await;
    assert_eq!((status, &problem["code"]), (405, &json!("method_not_allowed")), "{problem}");

    let tick = stack.run("probe-tick", PEER).await;
    tick.invoke(queued).await;
    assert_eq!(stack.attribute(&listing_id, "lane").await.as_deref(), Some("needs_fix"));
    tick.invoke(sample_event("probe-tick")).await;
    let recheck = stack.run("weekly-recheck", PEER).await;
    recheck.invoke(sample_event("weekly-recheck")).await;

    let listings = stack.run("listings", BASE_URL).await;
    let (status, listing) = listings.http(sample_event("status")).await;
    assert_eq!((status, &listing["lane"]), (200, &json!("needs_fix")), "{listing}");
    assert!(listing["reasons"][0]["fix"].is_string(), "{listing}");
    let (status, active) = listings.http(sample_event("active")).await;
    assert_eq!((status, &active["agents"], &active["mcps"]), (200, &json!([]), &json!([])), "{active}");
    let well_known = stack.run("well-known", BASE_URL).await;
    for (function, event, expected, part) in [
        (&listings, "feed", 200, listing_id.as_str()),
        (&listings, "probes", 200, "\"last_tick_at\":\"20"),
        (&listings, "badge", 200, "<svg"),
        (&well_known, "discovery", 200, BASE_URL),
        (&well_known, "unknown-path", 404, "no_such_path"),
        (&well_known, "page-home", 200, "<!doctype html>"),
        (&well_known, "page-list", 200, "<!doctype html>"),
        (&well_known, "page-for-agents", 200, "<!doctype html>"),
        (&well_known, "page-products", 200, "<!doctype html>"),
    ] {
        let (status, answer) = function.http(sample_event(event)).await;
        assert_eq!(status, expected, "{event}: {answer}");
        assert_contains(&answer.to_string(), &[part]);
    }

    // A Live listing that was not probed; the index function adds it to the index.
    stack.make_live("https://nimbus.example.com/card.json", "Nimbus", "Forecasts the weather.").await;
    let index = stack.run("search-index", BASE_URL).await;
    index.invoke(sample_event("listing-live")).await;
    index.invoke(sample_event("search-index")).await;
    // `listings` has cached the manifest of the index for a second.
    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
    let (status, found) = listings.http(sample_event("ard-search")).await;
    assert_eq!((status, &found["results"][0]["displayName"]), (200, &json!("Nimbus")), "{found}");
    let protocol = stack.run("protocol", BASE_URL).await;
    let mut call = sample_event("protocol");
    let mut body: Value = serde_json::from_str(call["body"].as_str().unwrap()).unwrap();
    body["params"]["name"] = json!("ard_search");
    body["params"]["arguments"] = json!({ "q": "weather forcast" });
    call["headers"]["mcp-name"] = json!("ard_search");
    call["body"] = json!(body.to_string());
    let (status, answer) = protocol.http(call).await;
    assert_eq!((status, &answer["result"]["structuredContent"]["hits"][0]["name"]), (200, &json!("Nimbus")));
    let a2a = stack.run("a2a", BASE_URL).await;
    let mut send = sample_event("a2a");
    let body = send["body"].as_str().unwrap().replace("which MCP servers are live?", "search for weather");
    send["body"] = json!(body);
    let (status, answer) = a2a.http(send).await;
    assert_eq!(status, 200, "{answer}");
    assert!(answer.to_string().contains("Nimbus"), "{answer}");

    // Without a base URL a function takes its address from the first event.
    let unnamed = stack.run("well-known", "").await;
    let (_, discovery) = unnamed.http(sample_event("discovery")).await;
    let own = "https://a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com/";
    assert!(discovery.to_string().contains(own), "{discovery}");

    let scored = stack.run("publish", PEER).await;
    let (status, score) = scored.http(sample_event("score")).await;
    assert!(status == 200 || status == 422, "{status} {score}");
}

/// The requests of the load, by function.
const LOAD: [(&str, &[&str]); 6] = [
    (
        "listings",
        &[
            "status",
            "active",
            "feed",
            "badge",
            "match",
            "ard-search",
            "agents-search",
            "mcp-registry",
            "probes",
        ],
    ),
    ("well-known", &["discovery", "page-home", "page-list", "page-products", "unknown-path", "agent-card"]),
    ("products", &["collections"]),
    ("talk", &["talk-feed"]),
    ("protocol", &["mcp", "protocol", "server-card"]),
    ("a2a", &["a2a", "a2a-rest"]),
];

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the packaged binaries: `make smoke` builds them and sets LAMBDA_BINARIES"]
async fn packaged_functions_bear_a_load_without_errors_or_growing_memory() {
    const REQUESTS: usize = 3000;
    let stack = Stack::start(binaries()).await;
    stack.make_live("https://nimbus.example.com/card.json", "Nimbus", "Forecasts the weather.").await;
    stack.run("search-index", BASE_URL).await.invoke(sample_event("search-index")).await;
    for (name, events) in LOAD {
        let function = stack.run(name, BASE_URL).await;
        let events: Vec<Value> = events.iter().map(|event| sample_event(event)).collect();
        let (mut slowest, mut before) = (std::time::Duration::ZERO, 0);
        for number in 0..REQUESTS {
            // After the caches and pools have filled.
            if number == REQUESTS / 2 {
                before = function.function.memory_pages();
            }
            let began = std::time::Instant::now();
            let answer = function.invoke(events[number % events.len()].clone()).await;
            let status = answer["statusCode"].as_u64().unwrap();
            assert!(status < 429, "{name}: {answer}");
            slowest = slowest.max(began.elapsed());
        }
        let after = function.function.memory_pages();
        println!("{name}: {REQUESTS} requests, slowest {slowest:?}, {} MB", after * 4 / 1024);
        assert!(after * 100 < before * 110, "{name} grew from {before} to {after} pages");
    }
}
