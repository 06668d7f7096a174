//! Measures the table cost of each operation. This test compares the costs with `shared/features/src/economy/costs.json`,
//! which the operation `cost_model` returns. Set `UPDATE=1` to rewrite the file.

use std::fs;
use std::path::Path;

use registry::economy::route_costs::{MeasuredCost, measured};
use registry::error::Problem;
use registry::features::{AnyOperation, CATALOGUE, RawArguments, named};
use registry::model::{BearerDigest, Caller};
use registry::settings::Prices;
use tests::peers::stripe::Stripe;
use tests::prelude::*;

use crate::fixtures::own_words;

pub(crate) const OPERATOR_TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// These operations need a peer registry. Without one they are refused, and their cost shows the error code.
const NEEDS_PEER: [&str; 2] = ["federation_pull", "federation_push"];

/// The peers that all small registries share.
pub(crate) struct SharedPeers {
    agents: Peer,
    servers: Peer,
    stripe: Stripe,
}

impl SharedPeers {
    pub(crate) async fn start() -> Self {
        Self {
            agents: Peer::start(agents::fleet).await,
            servers: Peer::start(servers::modern).await,
            stripe: Stripe::start().await,
        }
    }
}

/// A registry with five Live listings: an agent and a server without activity, an agent that took its demo, and two that
/// also gave feedback, so that payments are open.
pub(crate) struct SmallRegistry {
    pub(crate) registry: TestRegistry,
    pub(crate) agent: ListingId,
    server: ListingId,
    demoed: ListingId,
    order: Value,
    token: Value,
    /// A signed statement about the agent, or null if the catalogue has no `attest`.
    attestation: Value,
}

impl SmallRegistry {
    pub(crate) async fn start(peers: &SharedPeers) -> Self {
        let options = TestOptions::default()
            .with_rates()
            .delivered_once()
            // A fixed URL, because its length changes the size of stored items.
            .with_setting("BASE_URL", "https://registry.example.org")
            .with_setting("OPERATOR_TOKEN", OPERATOR_TOKEN)
            .with_setting("PAYMENTS", "on")
            .with(|settings| settings.payments_open_after = 1);
        let registry = TestRegistry::start_with(peers.stripe.options(options)).await;
        peers.stripe.keep_time(&registry.app.clock);
        let agents = registry.publish_fleet(&peers.agents, 0..3).await;
        let server = registry.publish_mcp(&peers.servers.url("/0/mcp")).await;
        let completed = registry.publish_mcp(&peers.servers.url("/1/mcp")).await;
        assert_eq!(registry.delivered_counts().await, (3, 2));
        let [agent, demoed, seated] = agents.try_into().unwrap();
        let (order, token, attestation) = (Value::Null, Value::Null, Value::Null);
        let mut small = Self { registry, agent, server, demoed, order, token, attestation };
        small.order = small.demo(&small.demoed).await["order_id"].clone();
        for id in [&seated, &completed] {
            let draft = small.demo(id).await["next_steps"]["example_body"].clone();
            small.token = small.call("leave_feedback", own_words(&draft)).await["access_token"].clone();
        }
        if let Some(attest) = named("attest") {
            let about = json!({ "type": "liveness", "listing_id": small.agent });
            small.attestation = small.run(attest, about).await["attestation"].clone();
        }
        // Loads the search index first: loading it is part of a cold start and is not measured here.
        small.call("ard_search", json!({ "q": "add two numbers" })).await;
        small
    }

    async fn demo(&self, id: &ListingId) -> Value {
        self.call("take_demo", json!({ "listing_id": id })).await
    }

    async fn call(&self, name: &str, arguments: Value) -> Value {
        self.run(named(name).unwrap(), arguments).await
    }

    async fn run(&self, operation: &AnyOperation, arguments: Value) -> Value {
        let answer = self.try_run(operation, arguments.clone()).await;
        answer.unwrap_or_else(|problem| panic!("{} refused {arguments}: {problem:?}", operation.name))
    }

    async fn try_run(&self, operation: &AnyOperation, arguments: Value) -> Result<Value, Problem> {
        let bearer = Some(BearerDigest::of(OPERATOR_TOKEN));
        let caller = Caller { address: Some([127, 0, 0, 1].into()), bearer };
        operation.run(self.registry.app.clone(), caller, RawArguments::Json(arguments)).await
    }

    /// The example of an operation, with real listings, tokens and addresses in it.
    pub(crate) fn arguments(&self, operation: &AnyOperation, peers: &SharedPeers) -> Value {
        let mut arguments: Value = serde_json::from_str(operation.example).unwrap();
        let subject = if operation.name == "leave_feedback" { &self.demoed } else { &self.agent };
        let others = [&self.server, &self.demoed];
        let mut example_ids: Vec<String> = Vec::new();
        replace_texts("", &mut arguments, &mut |name, text| match name {
            "token" | "access_token" => self.token.clone(),
            "idempotency_key" => json!("6a0e7f0c-2f5d-4a44-9a0e-6a7b1e1c9d10"),
            "order_id" => self.order.clone(),
            "jws" => self.attestation["jws"].clone(),
            "attestation_id" => self.attestation["id"].clone(),
            "url" => json!(peers.agents.url("/new/card.json")),
            _ if text.parse::<ListingId>().is_err() || !is_id(text) => json!(text),
            _ => {
                let index = example_ids.iter().position(|id| id == text).unwrap_or(example_ids.len());
                if index == example_ids.len() {
                    example_ids.push(text.to_owned());
                }
                json!(if index == 0 { subject } else { others[(index - 1) % 2] })
            }
        });
        arguments
    }

    async fn measure(&self, operation: &AnyOperation, arguments: Value) -> MeasuredCost {
        let observer = &self.registry.observer;
        let before = observer.tally.snapshot();
        observer.meter.start();
        let answer = self.try_run(operation, arguments.clone()).await;
        let units = observer.meter.stop();
        let refused = answer.err().map(|problem| problem.code.as_str().to_owned());
        let may_refuse = NEEDS_PEER.contains(&operation.name);
        assert!(refused.is_none() || may_refuse, "{} refused {arguments}: {refused:?}", operation.name);
        MeasuredCost {
            operation: operation.name.to_owned(),
            table_operations: observer.tally.since(&before).total(),
            read_units: units.read,
            write_units: units.write,
            refused,
        }
    }
}

fn is_id(text: &str) -> bool {
    ["agtpub_", "agent-", "mcp-"].iter().any(|kind| text.starts_with(kind))
}

/// Replaces every text in `value` by the result of `replacement`, which receives the member name and the text.
fn replace_texts(name: &str, value: &mut Value, replacement: &mut impl FnMut(&str, &str) -> Value) {
    match value {
        Value::String(text) => *value = replacement(name, text),
        Value::Object(members) => {
            members.iter_mut().for_each(|(name, member)| replace_texts(name, member, replacement));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| replace_texts("", item, replacement)),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cost_model_matches_measured_costs() {
    let peers = SharedPeers::start().await;
    // Read-only operations share a registry; each writing operation has its own.
    let for_reads = SmallRegistry::start(&peers).await;
    let mut measured_now = Vec::new();
    for operation in CATALOGUE {
        if operation.effect.read_only {
            measured_now.push(for_reads.measure(operation, for_reads.arguments(operation, &peers)).await);
        } else {
            let for_writes = SmallRegistry::start(&peers).await;
            measured_now.push(for_writes.measure(operation, for_writes.arguments(operation, &peers)).await);
            for_writes.registry.stop().await;
        }
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/features/src/economy/costs.json");
    if std::env::var_os("UPDATE").is_some() {
        let lines: Vec<String> =
            measured_now.iter().map(|cost| format!("  {}", serde_json::to_string(cost).unwrap())).collect();
        fs::write(file, format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
        return;
    }
    let recorded = measured().unwrap();
    let changed: Vec<String> = measured_now
        .iter()
        .filter(|cost| !recorded.contains(cost))
        .map(|cost| {
            let recorded_cost = recorded.iter().find(|recorded| recorded.operation == cost.operation);
            format!("{cost:?}, recorded {recorded_cost:?}")
        })
        .collect();
    assert!(changed.is_empty(), "costs changed; run with UPDATE=1 to record them:\n{}", changed.join("\n"));
    assert_eq!(recorded.len(), measured_now.len(), "a recorded operation is gone; run with UPDATE=1");
}

#[tokio::test]
async fn prices_come_from_the_settings() {
    let options = TestOptions::default().with(|settings| {
        settings.prices = Prices { read_units: 1_000_000, write_units: 2_000_000, requests: 0 }
    });
    let registry = TestRegistry::start_with(options).await;
    let model = registry.call_tool("cost_model", &json!({})).await;
    assert_eq!(model["prices"]["usd_per_million_write_units"], 2.0);
    let operations = model["operations"].as_array().unwrap();
    assert_eq!(operations.len(), CATALOGUE.len());
    for cost in operations {
        let number = |name: &str| cost[name].as_f64().unwrap();
        let price = number("read_units") + 2.0 * number("write_units");
        assert!((number("usd_per_million_calls") - price).abs() < 1e-6, "{cost}");
        let writes = model["real_marginal_cost"].as_array().unwrap().contains(&cost["operation"]);
        assert_eq!(writes, number("write_units") > 0.0, "{cost}");
    }
}
