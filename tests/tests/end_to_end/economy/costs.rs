//! What each operation costs at the table, measured: `shared/src/economy/costs.json` holds what this test reads off the
//! meter, and the operation `cost_model` tells it. `UPDATE=1` writes the file anew.

use std::fs;
use std::path::Path;

use registry::economy::cost_model::{MeasuredCost, measured};
use registry::error::Problem;
use registry::model::{BearerDigest, Caller, ListingId};
use registry::operations::{AnyOperation, CATALOGUE, RawArguments, named};
use serde_json::{Value, json};
use tests::peers::stripe::Stripe;
use tests::peers::{Peer, agents, servers};
use tests::test_registry::{TestOptions, TestRegistry};

const OPERATOR_TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// What needs another registry: a registry without peers refuses it, and the cost says so.
const REFUSED: [&str; 2] = ["federation_pull", "federation_push"];

/// Where all small registries find their peers.
struct World {
    agents: Peer,
    servers: Peer,
    stripe: Stripe,
}

/// A registry with four Live listings: an agent and a server that did nothing, an agent that took its demo, and two that
/// also gave feedback, so that payments are open.
struct SmallRegistry {
    registry: TestRegistry,
    agent: ListingId,
    server: ListingId,
    demoed: ListingId,
    order: Value,
    token: Value,
    /// A signed statement about the agent, where the catalogue signs any.
    attestation: Value,
}

impl SmallRegistry {
    async fn start(world: &World) -> Self {
        let options = TestOptions::default()
            .without_read_cache()
            .with_rates()
            // Of the same length wherever it listens, for what is stored of it.
            .with_setting("BASE_URL", "https://registry.example.org")
            .with_setting("OPERATOR_TOKEN", OPERATOR_TOKEN)
            .with_setting("PAYMENTS_OPEN_AFTER", 1);
        let registry = TestRegistry::start_with(world.stripe.options(options)).await;
        world.stripe.keep_time(&registry.app.clock);
        let mut agents = Vec::new();
        for number in 0..3 {
            agents.push(registry.publish_card(&world.agents.url(&format!("/{number}/card.json"))).await);
        }
        let server = registry.publish_mcp(&world.servers.url("/0/mcp")).await;
        let completed = registry.publish_mcp(&world.servers.url("/1/mcp")).await;
        registry.deliver_events().await;
        assert_eq!(registry.live_counts().await, (3, 2));
        let [agent, demoed, seated] = agents.try_into().unwrap();
        let (order, token, attestation) = (Value::Null, Value::Null, Value::Null);
        let mut small = Self { registry, agent, server, demoed, order, token, attestation };
        small.order = small.demo(&small.demoed).await["order_id"].clone();
        for id in [&seated, &completed] {
            let draft = small.demo(id).await["next_steps"]["example_body"].clone();
            small.token = small.call("leave_feedback", draft).await["access_token"].clone();
        }
        if let Some(attest) = named("attest") {
            let about = json!({ "type": "liveness", "listing_id": small.agent });
            small.attestation = small.run(attest, about).await["attestation"].clone();
        }
        // A function that serves searches has its index; what it costs to load it is the cost of a cold start.
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
        (operation.run)(self.registry.app.clone(), caller, RawArguments::Json(arguments)).await
    }

    /// The example of an operation with the listings, tokens and addresses that there are.
    fn arguments(&self, operation: &AnyOperation, world: &World) -> Value {
        let mut arguments: Value = serde_json::from_str(operation.example).unwrap();
        let subject = if operation.name == "leave_feedback" { &self.demoed } else { &self.agent };
        let others = [&self.server, &self.demoed];
        let mut known: Vec<String> = Vec::new();
        real(&mut arguments, &mut |name, text| match name {
            "token" | "access_token" => self.token.clone(),
            "order_id" => self.order.clone(),
            "jws" => self.attestation["jws"].clone(),
            "attestation_id" => self.attestation["id"].clone(),
            "url" => json!(world.agents.url("/new/card.json")),
            _ if text.parse::<ListingId>().is_err() || !is_id(text) => json!(text),
            _ => {
                let place = known.iter().position(|id| id == text).unwrap_or(known.len());
                if place == known.len() {
                    known.push(text.to_owned());
                }
                json!(if place == 0 { subject } else { others[(place - 1) % 2] })
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
        let refused = answer.err().map(|problem| problem.code.to_owned());
        let may_refuse = REFUSED.contains(&operation.name);
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

/// Puts what `of` says in the place of every text, by the name that it stands under.
fn real(value: &mut Value, of: &mut impl FnMut(&str, &str) -> Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                match member {
                    Value::String(text) => *member = of(name, text),
                    Value::Array(items) => {
                        for item in items.iter_mut() {
                            match item {
                                Value::String(text) => *item = of("", text),
                                other => real(other, of),
                            }
                        }
                    }
                    other => real(other, of),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| real(item, of)),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_cost_model_tells_is_what_was_measured() {
    let world = World {
        agents: Peer::start(agents::fleet).await,
        servers: Peer::start(servers::modern).await,
        stripe: Stripe::start().await,
    };
    // What reads leaves a registry as it is; what writes has one of its own.
    let read_from = SmallRegistry::start(&world).await;
    let mut found = Vec::new();
    for operation in CATALOGUE {
        if operation.effect.read_only {
            found.push(read_from.measure(operation, read_from.arguments(operation, &world)).await);
        } else {
            let written_to = SmallRegistry::start(&world).await;
            found.push(written_to.measure(operation, written_to.arguments(operation, &world)).await);
            written_to.registry.stop().await;
        }
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/src/economy/costs.json");
    if std::env::var_os("UPDATE").is_some() {
        let lines: Vec<String> =
            found.iter().map(|cost| format!("  {}", serde_json::to_string(cost).unwrap())).collect();
        fs::write(file, format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
        return;
    }
    let known = measured().unwrap();
    let changed: Vec<String> = found
        .iter()
        .filter(|cost| !known.contains(cost))
        .map(|cost| {
            let before = known.iter().find(|known| known.operation == cost.operation);
            format!("{cost:?}, before {before:?}")
        })
        .collect();
    assert!(changed.is_empty(), "costs changed; UPDATE=1 keeps them:\n{}", changed.join("\n"));
    assert_eq!(known.len(), found.len(), "an operation is gone: UPDATE=1");
}

#[tokio::test]
async fn prices_are_those_of_the_settings() {
    let options = TestOptions::default()
        .with_setting("PRICE_PER_MILLION_READ_UNITS", 1_000_000)
        .with_setting("PRICE_PER_MILLION_WRITE_UNITS", 2_000_000)
        .with_setting("PRICE_PER_MILLION_REQUESTS", 0);
    let registry = TestRegistry::start_with(options).await;
    let told = registry.call_tool("cost_model", &json!({})).await;
    assert_eq!(told["prices"]["usd_per_million_write_units"], 2.0);
    let operations = told["operations"].as_array().unwrap();
    assert_eq!(operations.len(), CATALOGUE.len());
    for cost in operations {
        let number = |name: &str| cost[name].as_f64().unwrap();
        let price = number("read_units") + 2.0 * number("write_units");
        assert!((number("usd_per_million_calls") - price).abs() < 1e-6, "{cost}");
        let writes = told["real_marginal_cost"].as_array().unwrap().contains(&cost["operation"]);
        assert_eq!(writes, number("write_units") > 0.0, "{cost}");
    }
}
