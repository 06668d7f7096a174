//! Tests the store on two engines: the embedded engine, and the DynamoDB endpoint in `SECOND_ENGINE`
//! (`tests/proxies/second_engine/run` starts moto). The same tests must have the same results, so that the store does not
//! depend on the behavior of one emulator. Also tests signing with a key service (keys in memory, and the KMS of the second
//! engine): the private keys are then not in the table.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use jiff::SignedDuration;
use local::engine::{self, Data, Embedded, json_response};
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use registry::app::App;
use registry::app::private_key::{Algorithm, KeyService, KeyServiceError, ServiceKey};
use registry::events::Bus;
use registry::features::{self, RawArguments};
use registry::listing::active_page::{self, ActivePosition, KindPosition, PageQuery};
use registry::log::{Inclusion, sequence};
use registry::model::{
    Caller, Clock, FeedItem, Lane, LimitedAction, LimitedTarget, Listing, Moment, Random, Rate,
};
use registry::settings::{Mode, Settings};
use registry::store::{Allowance, Caps, Claim, DueClass, Scope, Share, Store, UsedUp, table};
use registry::trust::keys;
use tests::fixtures;
use tests::prelude::*;
use tests::test_registry::{NOON, listing_queued_event, plain_client};

/// An app for each available engine, with a table of its own.
async fn apps() -> Vec<(&'static str, App)> {
    let embedded = engine::client(Embedded::open(&Data::Memory, &Clock::System).unwrap());
    let mut apps = vec![("embedded", app(embedded).await)];
    if let Ok(endpoint) = std::env::var("SECOND_ENGINE") {
        apps.push(("second", app(engine::client(Endpoint(endpoint))).await));
    }
    apps
}

/// Sends the requests of the SDK to another engine.
#[derive(Clone, Debug)]
struct Endpoint(String);

impl HttpConnector for Endpoint {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let body = request.body().bytes().unwrap_or_default().to_vec();
        let headers = request.headers().iter().filter(|(name, _)| !["host", "content-length"].contains(name));
        let sent = plain_client().post(&self.0).body(body);
        let sent = headers.fold(sent, |sent, (name, value)| sent.header(name, value));
        let failed = |error: reqwest::Error| ConnectorError::io(error.into());
        HttpConnectorFuture::new(async move {
            let answer = sent.send().await.map_err(failed)?;
            json_response(answer.status().as_u16(), answer.text().await.map_err(failed)?)
        })
    }
}

impl HttpClient for Endpoint {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

async fn app(client: aws_sdk_dynamodb::Client) -> App {
    static SERIAL: AtomicU32 = AtomicU32::new(0);
    let name = format!("registry-{}-{}", std::process::id(), SERIAL.fetch_add(1, Ordering::SeqCst));
    table::ensure(&client, &name).await.unwrap();
    table::ensure(&client, &name).await.unwrap();
    // Its own listings would be at the default address, where another registry may run.
    let lookup = |setting: &str| ["RATE_LIMITS", "LIST_ITSELF"].contains(&setting).then(|| "off".to_owned());
    tests::ports::guard();
    let settings = Settings::from_env(Mode::Development, lookup).unwrap();
    let store = Store::new(client, &name);
    let clock = Clock::manual(NOON.parse().unwrap());
    App::new(settings, store, Bus::Silent, clock, Random::seeded(7))
}

fn now() -> Moment {
    NOON.parse().unwrap()
}

async fn call(app: &App, operation: &str, arguments: Value) -> Value {
    let operation = features::named(operation).unwrap();
    operation.run(app.clone(), Caller::default(), RawArguments::Json(arguments)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn listing_is_inserted_once() {
    for (engine, app) in apps().await {
        let (submission, listing) = fixtures::submitted_listing(&app, Kind::Agent, 1);
        let news = fixtures::feed_item("listing_queued", &listing, now());
        let insert = || app.store.insert(&listing, None, &submission.contact, &news, None);
        let done = join_all((0..8).map(|_| insert())).await;
        let first = done.iter().filter(|done| matches!(done, Ok(true))).count();
        assert_eq!(first, 1, "{engine}: {done:?}");
        assert!(done.iter().all(Result::is_ok), "{engine}: {done:?}");
        // The store sets `hosted` when it has indexed the hosts.
        let listing = Listing { hosted: true, ..listing };
        assert_eq!(app.store.listing(&listing.id).await.unwrap(), Some(listing.clone()), "{engine}");
        let named = app.store.listings_named(&listing.texts.name.to_uppercase()).await.unwrap();
        assert_eq!(named, std::slice::from_ref(&listing), "{engine}");
        assert_eq!(app.store.feed(None, 10).await.unwrap(), (vec![news.clone()], None), "{engine}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn due_listing_is_reserved_only_once() {
    for (engine, app) in apps().await {
        let (submission, listing) = fixtures::submitted_listing(&app, Kind::Mcp, 1);
        let id = listing.id.clone();
        let news = fixtures::feed_item("listing_queued", &listing, now());
        app.store.insert(&listing, None, &submission.contact, &news, None).await.unwrap();
        let due = async || app.store.due(DueClass::NeverProbed, now(), None).await.unwrap().0;
        assert_eq!(due().await.iter().map(|due| &due.id).collect::<Vec<_>>(), [&id], "{engine}");
        let marks: Vec<String> = (0..8).map(|mark| format!("mark-{mark}")).collect();
        let claim = |mark, at| Claim {
            id: &id,
            mark,
            now: at,
            lease_ms: 60_000,
            min_interval_ms: 360_000,
            live_due: at,
        };
        let claims: Vec<Claim<'_>> = marks.iter().map(|mark| claim(mark, now())).collect();
        let claims = join_all(claims.iter().map(|claim| app.store.claim(claim))).await;
        let granted: Vec<_> = claims.into_iter().filter_map(Result::unwrap).collect();
        assert_eq!(granted.len(), 1, "{engine}");
        assert_eq!(due().await, [], "{engine}: a claimed listing is not due");

        app.store.release(&granted[0], now()).await.unwrap();
        assert!(app.store.claim(&claim("next", now())).await.unwrap().is_some(), "{engine}: released");
        app.store.release(&granted[0], now()).await.unwrap();
        let later = now() + SignedDuration::from_millis(60_001);
        assert!(app.store.claim(&claim("other", now())).await.unwrap().is_none(), "{engine}: an old mark");
        assert!(app.store.claim(&claim("other", later)).await.unwrap().is_some(), "{engine}: expired");
        let unknown: ListingId = "mcp-unknown".parse().unwrap();
        let unknown = Claim { id: &unknown, ..claim("other", now()) };
        assert!(app.store.claim(&unknown).await.unwrap().is_none(), "{engine}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn probe_budget_is_granted_up_to_the_cap() {
    let (caps, any) = (Caps { window: 10, hour: 15, day: 100 }, Share::default());
    for (engine, app) in apps().await {
        let taken = join_all((0..8).map(|_| app.store.take_probes(3, &any, caps, now()))).await;
        let taken: u32 = taken.into_iter().map(Result::unwrap).sum();
        assert!((9..=10).contains(&taken), "{engine}: {taken}");
        let state = app.store.budget(now()).await.unwrap();
        assert_eq!((state.window.used, state.hour.used, state.day.used), (taken, taken, taken), "{engine}");
        let next = now() + SignedDuration::from_secs(120);
        let granted = app.store.take_probes(9, &any, caps, next).await.unwrap();
        assert_eq!(granted, 15 - taken, "{engine}: the hourly cap is smaller");
        assert_eq!(app.store.take_probes(1, &any, caps, next).await.unwrap(), 0, "{engine}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn actions_are_accepted_up_to_the_rate_limit() {
    let rate = Rate { caller: 4, target: 4, everybody: 3000 };
    for (engine, app) in apps().await {
        let allowance =
            |caller, host| Allowance { action: LimitedAction::Publish, caller, target: Some(host), rate };
        let mut results = Vec::new();
        let acts = ["ax", "ax", "ax", "ay", "ay", "bx", "bx", "bx", "bx", "cx"];
        for (caller, host) in acts.map(|act| act.split_at(1)) {
            let refusal = app.store.count_action(allowance(caller, host), now()).await.unwrap();
            results.push(refusal.map(|used_up| used_up.scope));
        }
        let [caller, host] = [Some(Scope::Caller), Some(Scope::Target(LimitedTarget::Host))];
        let expected = [None, None, None, None, caller, None, None, None, host, None];
        assert_eq!(results, expected, "{engine}");
        let later = now() + SignedDuration::from_hours(1);
        assert_eq!(app.store.count_action(allowance("a", "x"), later).await.unwrap(), None, "{engine}");

        let small = Rate { caller: 60, target: 60, everybody: 12 };
        let act = Allowance { action: LimitedAction::Demo, caller: "e", target: None, rate: small };
        for _ in 0..7 {
            assert_eq!(app.store.count_action(act, now()).await.unwrap(), None, "{engine}");
        }
        for _ in 0..2 {
            let refused = app.store.count_action(act, now()).await.unwrap();
            assert_eq!(refused, Some(UsedUp { scope: Scope::Everybody, wait: 300 }), "{engine}");
        }
        let later = now() + SignedDuration::from_mins(5);
        assert_eq!(app.store.count_action(act, later).await.unwrap(), None, "{engine}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn time_slot_is_taken_once() {
    for (engine, app) in apps().await {
        let taken = join_all((0..8).map(|_| app.store.take_slot("probe-tick", 7, now()))).await;
        assert_eq!(taken.into_iter().filter(|taken| *taken.as_ref().unwrap()).count(), 1, "{engine}");
        assert!(app.store.take_slot("probe-tick", 8, now()).await.unwrap(), "{engine}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_contain_each_listing_once() {
    for (engine, app) in apps().await {
        let mut all = fixtures::insert_live_listings(&app, Kind::Agent, 7).await;
        all.extend(fixtures::insert_live_listings(&app, Kind::Mcp, 5).await);
        all.sort();
        for limit in [1, 2, 3, 7, 50] {
            let (mut listed, mut cursor) = (Vec::new(), ActivePosition::default());
            while (&cursor.agents, &cursor.mcps) != (&KindPosition::End, &KindPosition::End) {
                let page = active_page::Page::read(&app, &PageQuery { only: None, from: cursor, limit })
                    .await
                    .unwrap();
                listed.extend(page.agents.into_iter().chain(page.mcps).map(|listing| listing.id));
                cursor = page.next;
            }
            listed.sort();
            assert_eq!(listed, all, "{engine}, {limit} per page");
        }
    }
}

/// Publishes, probes, rechecks, demotes and restores listings with the same peers on every engine.
#[tokio::test(flavor = "multi_thread")]
async fn listing_life_cycle_is_the_same_on_every_engine() {
    let mut records: Vec<(&str, Vec<String>)> = Vec::new();
    let (agent, server) = (Peer::start(agents::newest).await, Peer::start(servers::legacy).await);
    for (engine, app) in apps().await {
        agent.answer_with(agents::newest);
        let mut record = Vec::new();
        let bodies = [
            json!({ "agent_card_url": agent.card(), "contact_email": "a@example.org", "name": "Before" }),
            json!({ "mcp_url": server.url("/mcp") }),
            json!({ "agent_card_url": agent.url("/missing/agent-card.json") }),
            json!({ "server_json": { "name": "org.example/local", "description": "Runs locally.", "version": "1.0.0" } }),
        ];
        let mut ids = Vec::new();
        for body in bodies {
            let answer = call(&app, "list_yourself", body.clone()).await;
            ids.push(tests::test_registry::id_of(&answer));
            record.push(answer.to_string());
            record.push(call(&app, "list_yourself", body).await["status"].to_string());
        }
        app.clock.advance(std::time::Duration::from_secs(1));
        probe_tick::handle(&app, listing_queued_event(&ids[0])).await.unwrap();
        let tick = probe_tick::handle(&app, json!({ "detail-type": "probe-tick" })).await.unwrap();
        record.push(format!("{} {} {}", tick["claimed"], tick["ok"], tick["rejected"]));
        let record_states = async |record: &mut Vec<String>| {
            for id in &ids {
                let status = call(&app, "check_status", json!({ "id": id })).await;
                record.push(tests::test_registry::snapshot_of(&status, &[]));
            }
            record.push(format!("{:?}", app.store.live().await.unwrap()));
            record.push(format!("{:?}", app.store.week(app.clock.now()).await.unwrap()));
            record.push(format!("{:?}", app.store.tally(app.clock.now()).await.unwrap()));
            record.push(format!("{:?}", app.store.rechecks_due(app.clock.now()).await.unwrap()));
        };
        record_states(&mut record).await;
        assert_eq!(app.store.live().await.unwrap().agents, 1, "{engine}");
        for invited in [2, 0] {
            let report = daily_connector::handle(&app, Value::Null).await.unwrap();
            assert_eq!(report["invited"], invited, "{engine}: {report}");
            record.push(report.to_string());
        }
        let choice = json!({ "listing_id": ids[1] });
        record.push(call(&app, "outreach_opt_out", choice).await.to_string());
        record.push(call(&app, "demo_nudge", json!({})).await.to_string());

        agent.answer_with(agents::only(404));
        app.clock.advance(std::time::Duration::from_secs(7 * 86_400));
        for _ in 0..3 {
            weekly_recheck::handle(&app, Value::Null).await.unwrap();
            app.clock.advance(std::time::Duration::from_secs(3600));
        }
        record_states(&mut record).await;
        let listing = app.store.listing(&ids[0]).await.unwrap().unwrap();
        assert_eq!((listing.lane, app.store.live().await.unwrap().agents), (Lane::Demoted, 0), "{engine}");

        agent.answer_with(agents::newest);
        call(&app, "list_yourself", json!({ "agent_card_url": agent.card() })).await;
        probe_tick::handle(&app, listing_queued_event(&ids[0])).await.unwrap();
        record_states(&mut record).await;
        let (feed, _) = app.store.feed(None, 50).await.unwrap();
        record.extend(feed.iter().map(|item| format!("{} {} {}", item.at, item.what, item.text)));
        records.push((engine, record));
    }
    let (_, first) = &records[0];
    for (engine, record) in &records {
        assert_eq!(record, first, "{engine}");
    }
}

/// More than one tile of 256, so that a second tile and the next level begin.
const LEAVES: usize = 290;
/// Leaves on the second engine: moto copies its whole table for every transaction.
const LEAVES_ON_SECOND: usize = 70;
const SEQUENCERS: usize = 4;

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_sequencers_add_every_leaf_once() {
    for (engine, app) in apps().await {
        let leaves = if engine == "embedded" { LEAVES } else { LEAVES_ON_SECOND };
        let ids: Vec<ListingId> = (0..leaves)
            .map(|number| ListingId::of_name(Kind::Mcp, &format!("org.example/s{number}")))
            .collect();
        let item = |id: &ListingId| FeedItem {
            what: "listing_overdue".to_owned(),
            at: now(),
            listing_id: Some(id.clone()),
            kind: Some(Kind::Mcp),
            name: id.to_string(),
            text: String::new(),
            severity: None,
        };
        let items: Vec<FeedItem> = ids.iter().map(item).collect();
        // Leaves arrive while others are added. A sequencer that loses a race may return `busy`.
        for chunk in items.chunks(leaves.div_ceil(3)) {
            let written = app.store.record_overdue(chunk);
            let (written, _) = tokio::join!(written, join_all((0..SEQUENCERS).map(|_| sequence(&app))));
            written.unwrap();
        }
        for _ in 0..50 {
            let reports = join_all((0..SEQUENCERS).map(|_| sequence(&app))).await;
            if reports.iter().all(|report| report.as_ref().is_ok_and(|report| report.leaves == 0)) {
                break;
            }
        }
        assert_eq!(app.store.pending_leaves().await.unwrap().leaves.len(), 0, "{engine}");
        let tree = app.store.log_tree().await.unwrap().unwrap();
        assert_eq!(tree.size, leaves as u64, "{engine}");

        let mut seen = BTreeSet::new();
        for index in 0..tree.size {
            // `Inclusion::at` checks the proof against the signed root.
            let inclusion = Inclusion::at(&app, index).await.unwrap().unwrap();
            assert_eq!((inclusion.index, &inclusion.tree), (index, &tree), "{engine}");
            assert!(seen.insert(inclusion.leaf), "{engine}: {index} is a duplicate");
        }
        for id in &ids {
            let index = app.store.decision_index(id, Some(now())).await.unwrap().unwrap();
            let inclusion = Inclusion::at(&app, index).await.unwrap().unwrap();
            assert!(inclusion.leaf.contains(&format!("\"{id}\"")), "{engine}: {}", inclusion.leaf);
        }
        // The sequencer recognizes a repeated decision.
        app.store.record_overdue(&items[..5]).await.unwrap();
        assert_eq!(app.store.pending_leaves().await.unwrap().leaves.len(), 5, "{engine}");
        assert_eq!(sequence(&app).await.unwrap().leaves, 0, "{engine}");
        assert_eq!(app.store.pending_leaves().await.unwrap().leaves.len(), 0, "{engine}");
        assert_eq!(app.store.log_tree().await.unwrap(), Some(tree.clone()), "{engine}");
        assert!(Inclusion::at(&app, tree.size).await.unwrap().is_none(), "{engine}");
    }
}

/// Keeps one P-256 key.
#[derive(Debug)]
struct MemoryKeys(SigningKey);

impl KeyService for MemoryKeys {
    fn public_key<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<ServiceKey, KeyServiceError>> {
        // RFC 5480 §2: the algorithm, then the uncompressed point.
        let info = "3059301306072a8648ce3d020106082a8648ce3d030107034200";
        let mut public: Vec<u8> =
            (0..info.len()).step_by(2).map(|at| u8::from_str_radix(&info[at..at + 2], 16).unwrap()).collect();
        public.extend_from_slice(self.0.verifying_key().to_sec1_point(false).as_bytes());
        async move { Ok(ServiceKey { id: format!("{id}-1"), public }) }.boxed()
    }

    fn sign<'a>(
        &'a self,
        id: &'a str,
        algorithm: Algorithm,
        message: &'a [u8],
    ) -> BoxFuture<'a, Result<Vec<u8>, KeyServiceError>> {
        let signature: Signature = self.0.sign(message);
        let known = id == "key-1" && algorithm == Algorithm::Es256;
        let answer = known.then(|| signature.to_der().as_bytes().to_vec());
        async move { answer.ok_or_else(|| KeyServiceError(format!("no key {id}").into())) }.boxed()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn attestations_are_signed_in_the_key_service() {
    for (engine, app) in apps().await {
        let service: Arc<dyn KeyService> = Arc::new(MemoryKeys(SigningKey::from_slice(&[7; 32]).unwrap()));
        let lookup = |name: &str| match name {
            "RATE_LIMITS" => Some("off".to_owned()),
            "SIGNING_KEY_ID" => Some("key".to_owned()),
            _ => None,
        };
        let settings = Settings::from_env(Mode::Development, lookup).unwrap();
        let clock = Clock::manual(NOON.parse().unwrap());
        let (store, random) = (app.store.clone(), Random::seeded(7));
        let app = App::new(settings, store, Bus::Silent, clock, random).with_key_service(Some(service));

        let listing = &fixtures::insert_live_listings(&app, Kind::Mcp, 1).await[0];
        let answer = call(&app, "attest", json!({ "listing_id": listing })).await;
        let jws = &answer["attestation"]["jws"];
        let verified = call(&app, "verify_attestation", json!({ "jws": jws })).await;
        assert_eq!(verified["valid"], true, "{engine}: {verified}");
        let published = json!(keys::published(&app).await.unwrap());
        assert_eq!(published["keys"][0]["kid"], answer["attestation"]["kid"], "{engine}");

        let stored = app.store.signing_keys().await.unwrap();
        assert!(stored.iter().all(|key| key.secret.starts_with("service:")), "{engine}: a stored secret");
        let error = keys::rotate(&app).await.unwrap_err();
        assert_eq!(error.code.as_str(), "same_key", "{engine}: the key service has no new key yet");
    }
}
