//! The HTTP server. It limits how many connections are open, in total and from one address, and how long a
//! client may take to send a request. So clients that send slowly, or never finish, cannot keep others out.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use registry::error::chain;
use registry::model::Caller;
use registry::settings::ConnectionLimits;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt as _;

/// How long open connections may take after the stop.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection ends after this time, even if its client keeps sending requests.
const CONNECTION_LIFETIME: Duration = Duration::from_secs(600);

/// How long a running request may take after the end of its connection's lifetime.
const LAST_RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);

/// One network may have at most one of this many parts of the connections that are still free.
const SHARES: u32 = 16;

#[derive(Debug)]
pub(crate) struct Server {
    stop: watch::Sender<bool>,
    /// One task; the set aborts it when it is dropped.
    task: JoinSet<()>,
}

impl Server {
    pub(crate) fn start(listener: TcpListener, router: Router, limits: ConnectionLimits) -> Self {
        let (stop, stopped) = watch::channel(false);
        let mut task = JoinSet::new();
        task.spawn(accept(listener, router, limits, stopped));
        Self { stop, task }
    }

    pub(crate) async fn stop(mut self) {
        if self.stop.send(true).is_ok()
            && tokio::time::timeout(SHUTDOWN_TIMEOUT, self.task.join_next()).await.is_err()
        {
            tracing::warn!("some connections were still open after the stop; closing them");
        }
    }
}

async fn accept(
    listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    mut stopped: watch::Receiver<bool>,
) {
    let slots = ConnectionSlots::new(limits);
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            _ = stopped.changed() => break,
            accepted = listener.accept() => accepted,
        };
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, peer)) => match slots.take(peer) {
                Some(slot) => {
                    connections.spawn(serve(stream, peer, router.clone(), limits, stopped.clone(), slot));
                }
                None => tracing::debug!("connection refused: too many are open"),
            },
            Err(error) => {
                tracing::debug!(%error, "cannot accept a connection");
                // For example, there are no more file descriptors.
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

async fn serve(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    limits: ConnectionLimits,
    mut stopped: watch::Receiver<bool>,
    _slot: ConnectionSlot,
) {
    // Otherwise a small answer waits for the acknowledgement of the previous one.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request)
    });
    // Otherwise a client that reads nothing would keep its answer in memory.
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.read_timeout()));
    // The time also limits how long an idle connection stays open.
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.read_timeout())
            .serve_connection(TokioIo::new(Box::pin(stream)), service)
    );
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = async { tokio::select! {
            _ = stopped.wait_for(|stopped| *stopped) => {}
            () = tokio::time::sleep(CONNECTION_LIFETIME) => {}
        } } => {
            connection.as_mut().graceful_shutdown();
            tokio::time::timeout(LAST_RESPONSE_TIMEOUT, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        tracing::debug!(error = chain(&error), "a connection failed");
    }
}

/// Counts the open connections.
#[derive(Clone, Debug)]
struct ConnectionSlots {
    limits: ConnectionLimits,
    /// By the network of the client.
    open: Arc<Mutex<Open>>,
}

#[derive(Debug, Default)]
struct Open {
    total: u32,
    by_network: HashMap<String, u32>,
}

/// The slot of one open connection; it becomes free when this is dropped.
#[derive(Debug)]
struct ConnectionSlot {
    network: String,
    open: Arc<Mutex<Open>>,
}

impl ConnectionSlots {
    fn new(limits: ConnectionLimits) -> Self {
        Self { limits, open: Arc::default() }
    }

    /// `None` if too many connections are open.
    fn take(&self, peer: SocketAddr) -> Option<ConnectionSlot> {
        let network = Caller { address: Some(peer.ip()), bearer: None }.name();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let of_network = open.by_network.get(&network).copied().unwrap_or_default();
        if open.total >= self.limits.total || of_network >= self.limit_of_network(open.total) {
            return None;
        }
        open.total += 1;
        open.by_network.insert(network.clone(), of_network + 1);
        Some(ConnectionSlot { network, open: Arc::clone(&self.open) })
    }

    /// How many connections one network may have, of `open` in total. The fewer are free, the lower the limit, so that
    /// networks with many connections cannot take the last ones.
    fn limit_of_network(&self, open: u32) -> u32 {
        let ConnectionLimits { total, per_address, .. } = self.limits;
        // In development, every client is this machine.
        if per_address >= total {
            return total;
        }
        (total.saturating_sub(open) / SHARES).clamp(1, per_address)
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.total = open.total.saturating_sub(1);
        if let Some(count) = open.by_network.get_mut(&self.network) {
            *count -= 1;
            if *count == 0 {
                open.by_network.remove(&self.network);
            }
        }
    }
}

#[cfg(test)]
mod tests;
