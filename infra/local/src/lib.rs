//! The registry on one machine: the same functions that run on Lambda, behind the template's routes, over a
//! DynamoDB engine in this process, with the template's schedules and bus. Tests start one per case.

pub mod engine;
pub mod functions;
pub mod gateway;
mod lock;
pub mod mirror;
pub mod scheduler;
pub mod takedown;
pub mod template;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use axum::Router;
use axum::serve::ListenerExt;
use futures::future::BoxFuture;
use registry::app::App;
use registry::events::Bus;
use registry::model::{Clock, Random};
use registry::settings::Settings;
use registry::store::{Store, table};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::lock::Lock;

pub use engine::instrumented::Observer;
pub use engine::{Data, Embedded};
pub use gateway::Transport;
pub use lock::LockError;
pub use template::Template;

/// How long open connections may take after the stop.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// How a registry is started on this machine.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen on; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Where the table is.
    pub data: Data,
    /// Every limit; `base_url` is replaced where [`Options::own_base_url`] says so.
    pub settings: Settings,
    /// Uses the address it listens on as its base URL, for callers that reach it directly.
    pub own_base_url: bool,
    /// How requests reach the functions.
    pub transport: Transport,
    /// Fires schedules, delivers events of the bus and removes expired items. Without it nothing moves by itself:
    /// a test calls the functions and reads [`Local::events`].
    pub schedules: bool,
    /// Tests replace it by a manual clock.
    pub clock: Clock,
    /// Tests replace it by a seeded generator.
    pub random: Random,
    /// Counts the calls to the table and injects faults.
    pub observer: Option<Observer>,
    /// Caches what was read from the table until it is written, since no other process writes it. Without the cache
    /// every read queries the table, as on AWS.
    pub remembers: bool,
}

impl Options {
    /// A registry for tests: a free port on loopback, a table in memory, and nothing that moves by itself.
    #[must_use]
    pub fn still(settings: Settings) -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            data: Data::Memory,
            settings,
            own_base_url: true,
            transport: Transport::Direct,
            schedules: false,
            clock: Clock::System,
            random: Random::System,
            observer: None,
            remembers: true,
        }
    }
}

/// Why a registry does not start on this machine.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address is taken, or not this machine's.
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, std::io::Error),
    /// The data cannot be opened.
    #[error("cannot open the data: {0}")]
    Engine(#[from] engine::EngineError),
    /// The data is another registry's.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The table cannot be made.
    #[error("cannot make the table: {0}")]
    Table(Box<aws_sdk_dynamodb::Error>),
    /// The template cannot be played.
    #[error(transparent)]
    Template(#[from] template::TemplateError),
    /// Its routes cannot be served.
    #[error(transparent)]
    Gateway(#[from] gateway::GatewayError),
    /// Its schedules or rules cannot be served.
    #[error(transparent)]
    Job(#[from] scheduler::UnknownJob),
}

/// A registry that runs on this machine. Dropping it ends it at once; [`Local::stop`] lets it finish.
#[derive(Debug)]
pub struct Local {
    /// Where it listens.
    pub address: SocketAddr,
    /// The app that all functions share.
    pub app: App,
    /// The engine below it.
    pub engine: Embedded,
    /// What was sent to the bus, where nothing is delivered by itself ([`Options::schedules`]).
    pub events: Option<mpsc::UnboundedReceiver<Value>>,
    server: Server,
    scheduler: Option<scheduler::RunningScheduler>,
    _lock: Option<Lock>,
}

impl Local {
    /// Starts a registry. When this is done, it answers. Boxed, so that the whole of it is compiled once, here.
    ///
    /// # Errors
    /// Says which part cannot be had, and why.
    pub fn start(options: Options) -> BoxFuture<'static, Result<Self, StartError>> {
        Box::pin(async move {
            let template = Template::own()?;
            let engine = Embedded::open(&options.data, &options.clock)?;
            let lock = match &options.data {
                Data::Memory => None,
                Data::File(path) => Some(Lock::on(path)?),
            };
            let client = match options.observer {
                None => engine::client(engine.clone()),
                Some(observer) => {
                    engine::client(engine::instrumented::InstrumentedEngine::new(engine.clone(), observer))
                }
            };
            let refused = |error| StartError::Listen(options.listen, error);
            let listener = TcpListener::bind(options.listen).await.map_err(refused)?;
            let address = listener.local_addr().map_err(refused)?;
            let mut settings = options.settings;
            if options.own_base_url {
                settings.base_url = base_url(address);
            }
            table::ensure(&client, &settings.table_name)
                .await
                .map_err(|error| StartError::Table(error.into()))?;

            let tick = settings.tick();
            let store = if options.remembers {
                Store::sole_writer(client, &settings.table_name)
            } else {
                Store::new(client, &settings.table_name)
            };
            let (bus, events) = Bus::local();
            let app = App::new(settings, store, bus, options.clock.clone(), options.random);
            let router = gateway::router(&template, &functions::http(&app), options.transport)?;
            let scheduler =
                scheduler::Scheduler::new(&template, &functions::jobs(&app), tick, options.clock)?;
            let (scheduler, events) = if options.schedules {
                (Some(scheduler.start(events, engine.clone())), None)
            } else {
                (None, Some(events))
            };
            let server = Server::start(listener, router);
            Ok(Self { address, app, engine, events, server, scheduler, _lock: lock })
        })
    }

    /// The URL of a path of this registry on this machine.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", base_url(self.address))
    }

    /// Accepts no more requests and waits for running requests and jobs, ten seconds in all.
    pub async fn stop(self) {
        self.server.stop().await;
        if let Some(scheduler) = self.scheduler {
            scheduler.stop().await;
        }
    }
}

/// An unspecified address cannot be connected to, so loopback is shown instead.
fn base_url(address: SocketAddr) -> String {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    format!("http://{}", SocketAddr::new(ip, address.port()))
}

#[derive(Debug)]
struct Server {
    stop: oneshot::Sender<()>,
    task: Aborting,
}

/// A tokio task outlives its handle unless it is aborted.
#[derive(Debug)]
struct Aborting(JoinHandle<()>);

impl Drop for Aborting {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Server {
    fn start(listener: TcpListener, router: Router) -> Self {
        let (stop, stopped) = oneshot::channel();
        // Small answers would wait for the acknowledgement of the one before.
        let listener = listener.tap_io(|stream| {
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "a connection keeps Nagle's algorithm");
            }
        });
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        let task = tokio::spawn(async move {
            let asked_to_stop = async { drop(stopped.await) };
            let served = axum::serve(listener, service).with_graceful_shutdown(asked_to_stop).await;
            if let Err(error) = served {
                tracing::error!(%error, "the server ended");
            }
        });
        Self { stop, task: Aborting(task) }
    }

    async fn stop(mut self) {
        if self.stop.send(()).is_ok()
            && tokio::time::timeout(SHUTDOWN_TIMEOUT, &mut self.task.0).await.is_err()
        {
            tracing::warn!("connections were still open at the end");
        }
    }
}

#[cfg(test)]
mod tests;
