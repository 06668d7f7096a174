//! Sends the mixed load to the packaged binaries. A stand-in for the Lambda runtime runs them. It takes the routes from
//! the gateway, and the schedules and rules from the template. HTTP endpoints replace the table and the event bus.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt as _;
use local::engine::Data;
use local::functions::Job;
use local::scheduler::{RunningScheduler, Scheduler};
use local::{Embedded, PartitionMeter, gateway};
use registry::model::{Clock, ListingId};
use serde_json::{Value, json};
use tests::aws_endpoints::{DynamoDb, EventBridge};
use tests::template::Template;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::Failure;
use crate::instances::Instances;
use crate::mixed_load::{Load, number};
use crate::processes;
use crate::report::Report;
use crate::watch::Process;

/// Each function and its number of instances. They share one table, which is in the process of the client.
const FUNCTIONS: [(&str, usize); 14] = [
    ("listings", 4),
    ("pages", 2),
    ("products", 2),
    ("protocol", 2),
    ("a2a", 2),
    ("publish", 2),
    ("talk", 1),
    ("well-known", 1),
    ("probe-tick", 2),
    ("search-index", 1),
    ("tell-subscribers", 1),
    ("weekly-recheck", 1),
    ("payment-webhook", 1),
    ("daily-connector", 1),
];
/// Functions that probe. They must not send requests to other hosts, so their base URL is the host of the published
/// listings: the registry does not probe its own host, and such probes end without a name look-up.
const PROBING: [&str; 2] = ["probe-tick", "weekly-recheck"];
const PUBLISHED_AT: &str = "https://agents.example.net";
/// Default of `LOAD_PACKAGED_RATE`, in requests per second.
const RATE: f64 = 40.0;
/// Partition keys in the report.
const HOTTEST_KEYS: usize = 5;
const TICK_SECONDS: &str = "20";

/// Measures the load with the table in `data`.
///
/// # Errors
/// The stack does not start, or a reply before the load is wrong.
pub(crate) async fn measure(
    report: &mut Report,
    data: &Path,
    ids: &Arc<[ListingId]>,
    minutes: f64,
) -> Result<(), Failure> {
    let rate = number("LOAD_PACKAGED_RATE", RATE);
    let instances: usize = FUNCTIONS.iter().map(|(_, instances)| instances).sum();
    report.part(format!(
        "{minutes} minutes at {rate} requests/s on {instances} instances of the packaged functions, {} listings",
        ids.len()
    ));
    let folder = processes::target_folder()?.join("lambda");
    let missing = FUNCTIONS.iter().find(|(name, _)| !folder.join(name).join("bootstrap").is_file());
    if let Some((name, _)) = missing {
        report.not_measured(format!("the packaged {name}"), "not built: `make build` builds it", "0 errors");
        return Ok(());
    }
    let stack = Stack::start(&folder, data).await?;
    let load = Load { address: stack.address, rate, minutes, watched: stack.processes(&Template::read()?) };
    load.run(report, ids, &[PUBLISHED_AT.to_owned()]).await?;
    for key in stack.partitions.hottest(HOTTEST_KEYS) {
        let text = format!("read {:.0}/s, write {:.0}/s", key.peak_read, key.peak_write);
        report.info(format!("hot key {}", key.key), text);
    }
    report.must("throttled accesses", stack.partitions.throttles() == 0, stack.partitions.throttles(), "0");
    Ok(())
}

/// A deployment on this machine. It ends on drop.
struct Stack {
    address: SocketAddr,
    /// The throughput of the partition keys, with the limits of DynamoDB.
    partitions: PartitionMeter,
    functions: Vec<Instances>,
    _schedules: RunningScheduler,
}

impl Stack {
    async fn start(folder: &Path, data: &Path) -> Result<Self, Failure> {
        let partitions = PartitionMeter::new(1.0, Clock::System);
        let engine = Embedded::open(&Data::File(data.to_path_buf()), &Clock::System)?;
        let engine = engine.with_partitions(partitions.clone());
        let (table, bus) = (DynamoDb::serve(engine.clone()).await?, EventBridge::serve().await?);
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let mut functions = Vec::new();
        for (name, instances) in FUNCTIONS {
            let own = format!("http://{address}");
            let base_url = if PROBING.contains(&name) { PUBLISHED_AT } else { &own };
            let mut environment = vec![
                ("TABLE_NAME", "registry"),
                ("BUS_NAME", "bus"),
                ("BASE_URL", base_url),
                ("RUST_LOG", "error"),
                // Otherwise a tick would be in the slot of the previous one.
                ("PROBE_TICK_SECONDS", TICK_SECONDS),
                ("LIST_ITSELF", "off"),
                ("GITHUB_RAW_URL", "off"),
                ("DNS_SERVER", "off"),
                ("CALLER_REQUESTS_PER_SECOND", "1000"),
                ("CALLER_REQUESTS_AT_ONCE", "10000"),
                ("AWS_ENDPOINT_URL_DYNAMODB", &table.url),
                ("AWS_ENDPOINT_URL_EVENTBRIDGE", &bus.url),
            ];
            for rate in processes::unlimited_rates() {
                environment.push(rate);
            }
            let binary = folder.join(name).join("bootstrap");
            functions.push((name, Instances::start(name, &binary, &environment, instances).await?));
        }
        let template = local::Template::own()?;
        let jobs: BTreeMap<&'static str, Job> =
            functions.iter().map(|(name, instances)| (*name, instances.job())).collect();
        let router = gateway::router_of_packaged(&template, &jobs)?;
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        tokio::spawn(axum::serve(listener, service).into_future());
        let tick = Duration::from_secs(TICK_SECONDS.parse()?);
        let scheduler = Scheduler::new(&template, &jobs, tick, Clock::System)?;
        let functions = functions.into_iter().map(|(_, instances)| instances).collect();
        Ok(Self { address, partitions, functions, _schedules: scheduler.start(delivered(bus), engine) })
    }

    fn processes(&self, template: &Template) -> Vec<Process> {
        self.functions.iter().flat_map(|function| function.processes(template)).collect()
    }
}

/// The events of the bus, in the format that rules receive.
fn delivered(bus: EventBridge) -> mpsc::UnboundedReceiver<Value> {
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while !sender.is_closed() {
            for entry in bus.take_entries() {
                let detail: Value =
                    serde_json::from_str(entry["Detail"].as_str().unwrap_or_default()).unwrap_or_default();
                let event = json!({ "version": "0", "id": "1", "detail-type": entry["DetailType"],
                    "source": entry["Source"], "time": Clock::System.now(), "detail": detail });
                let _ended = sender.send(event);
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    receiver
}
