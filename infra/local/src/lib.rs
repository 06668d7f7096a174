//! The registry on one machine. It runs the same functions as Lambda, with the same routes, schedules and
//! events, and with a DynamoDB engine in this process. Each test starts its own registry.

pub mod engine;
pub mod functions;
pub mod gateway;
mod lock;
pub mod mirror;
mod monitor;
pub mod scheduler;
mod server;
pub mod takedown;

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use futures::future::BoxFuture;
use registry::app::App;
use registry::events::{Bus, Event, What};
use registry::model::{Clock, Random};
use registry::probe;
use registry::rest::CallerLimit;
use registry::settings::Settings;
use registry::store::{DueClass, Store, StoreError, table};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::lock::Lock;
use crate::server::Server;

pub use engine::{Data, Embedded};
pub use lock::LockError;

#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen on; port 0 picks a free port.
    pub listen: SocketAddr,
    pub data: Data,
    /// [`Options::own_base_url`] replaces its `base_url`.
    pub settings: Settings,
    /// Uses the address that it listens on as the base URL.
    pub own_base_url: bool,
    /// Fires schedules, delivers the events of the bus and removes expired items. Without it, a test calls the
    /// functions itself and reads [`Local::events`].
    pub schedules: bool,
    pub clock: Clock,
    pub random: Random,
    /// Tests replace parts of a registry.
    pub parts: Arc<dyn Parts>,
}

/// The parts of a registry that its caller can replace. Tests count the calls to the table, inject faults into them, and
/// send requests to functions as events of API Gateway.
pub trait Parts: fmt::Debug + Send + Sync {
    /// The table in an engine. The clock is that of the registry.
    fn store(&self, engine: Embedded, table_name: &str, _clock: &Clock) -> Store {
        Store::sole_writer(engine::client(engine), table_name)
    }

    /// The function with this name, as the gateway calls it.
    fn function(&self, _name: &'static str, function: Router) -> Router {
        function
    }
}

#[derive(Clone, Copy, Debug)]
struct OwnParts;

impl Parts for OwnParts {}

impl Options {
    /// A free port on loopback, a table in memory, no schedules.
    pub fn new(settings: Settings) -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            data: Data::Memory,
            settings,
            own_base_url: true,
            schedules: false,
            clock: Clock::System,
            random: Random::System,
            parts: Arc::new(OwnParts),
        }
    }
}

/// Why the registry cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, std::io::Error),
    #[error("cannot open the data: {0}")]
    Engine(#[from] engine::EngineError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("cannot create the table: {0}")]
    Table(Box<aws_sdk_dynamodb::Error>),
    #[error("cannot delete what earlier versions stored: {0}")]
    Retired(#[from] StoreError),
}

/// A running registry. Dropping it aborts all its work; [`Local::stop`] lets the work finish.
#[derive(Debug)]
pub struct Local {
    pub address: SocketAddr,
    /// Shared by all functions.
    pub app: App,
    pub engine: Embedded,
    /// The events on the bus, if [`Options::schedules`] is off.
    pub events: Option<mpsc::Receiver<Value>>,
    server: Server,
    scheduler: Option<scheduler::RunningScheduler>,
    _lock: Option<Lock>,
}

impl Local {
    /// Starts a registry; it accepts requests when this returns. Boxed, so that only this crate compiles the large future.
    pub fn start(options: Options) -> BoxFuture<'static, Result<Self, StartError>> {
        Box::pin(async move {
            let engine = Embedded::open(&options.data, &options.clock)?;
            let lock = match &options.data {
                Data::Memory => None,
                Data::File(path) => Some(Lock::on(path)?),
            };
            let listen_error = |error| StartError::Listen(options.listen, error);
            let listener = TcpListener::bind(options.listen).await.map_err(listen_error)?;
            let address = listener.local_addr().map_err(listen_error)?;
            if let Some(lock) = &lock {
                lock.name(&base_url(address));
            }
            let mut settings = options.settings;
            if options.own_base_url {
                settings.base_url = base_url(address);
            }
            table::ensure(&engine::client(engine.clone()), &settings.table_name)
                .await
                .map_err(|error| StartError::Table(error.into()))?;

            let store = options.parts.store(engine.clone(), &settings.table_name, &options.clock);
            store.delete_retired_items().await?;
            let (bus, events) = Bus::local();
            let app = App::new(settings, store, bus, options.clock.clone(), options.random);
            let connections = app.settings.connections;
            let limits = gateway::BodyLimits {
                proxy: app.settings.proxy.clone(),
                read_timeout: connections.read_timeout(),
                caller: app.settings.caller_rate.map(|rate| CallerLimit::new(rate, app.clock.clone())),
                random: app.random.clone(),
            };
            let mut functions = functions::http(&app);
            for (name, function) in &mut functions {
                function.router = options.parts.function(name, std::mem::take(&mut function.router));
            }
            let router = gateway::router(functions, &limits);
            let monitor = monitor::Monitor::default();
            let router = monitor.with_pages(router, app.clone());
            let (scheduler, events) = if options.schedules {
                let mut jobs = functions::jobs(&app);
                for function in jobs.values_mut() {
                    function.job = monitor.watched(Arc::clone(&function.job));
                }
                let mut scheduler = scheduler::start(jobs, &options.clock, events, engine.clone());
                scheduler.also(queue_waiting(app.clone()));
                (Some(scheduler), None)
            } else {
                (None, Some(events))
            };
            let server = Server::start(listener, router, connections);
            Ok(Self { address, app, engine, events, server, scheduler, _lock: lock })
        })
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", base_url(self.address))
    }

    /// Accepts no more requests and waits for running requests and jobs, at most ten seconds.
    pub async fn stop(self) {
        self.server.stop().await;
        if let Some(scheduler) = self.scheduler {
            scheduler.stop().await;
        }
    }
}

/// Sends the events of listings that still wait for their first probe. On AWS a queue keeps these events; on one machine
/// they end with the process. The second time is for listings that the killed process was probing: their claims have ended
/// by then.
async fn queue_waiting(app: App) {
    queue_again(&app).await;
    tokio::time::sleep(probe::LEASE).await;
    queue_again(&app).await;
}

async fn queue_again(app: &App) {
    let (mut sent, mut from) = (0, None);
    // The ticks probe the others.
    while sent < 10_000 {
        let (listings, next) = match app.store.due(DueClass::NeverProbed, app.clock.now(), from).await {
            Ok(page) => page,
            Err(error) => {
                tracing::warn!(%error, "failed to read the listings that wait; the tick probes them");
                return;
            }
        };
        sent += listings.len();
        for listing in listings {
            app.bus.send(&Event::of(&listing, What::Queued, listing.schedule.due_at)).await;
        }
        from = next;
        if from.is_none() {
            break;
        }
    }
    if sent > 0 {
        tracing::info!(listings = sent, "queued again for their first probe");
    }
}

/// Replaces an unspecified address by loopback, because clients cannot connect to it.
fn base_url(address: SocketAddr) -> String {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    format!("http://{}", SocketAddr::new(ip, address.port()))
}

#[cfg(test)]
mod tests;
