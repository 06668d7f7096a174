//! The loopback ports that the harness opened. The fetcher refuses all other ports in a test, so that no test depends on
//! a server of another process, such as a registry on port 8080.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use registry::fetch::limit_local_ports;
use tokio::net::TcpListener;

static OPENED: Mutex<Option<HashSet<u16>>> = Mutex::new(None);

/// Listens on a free port of this loopback address.
pub async fn listen(address: &str) -> std::io::Result<TcpListener> {
    let listener = TcpListener::bind((address, 0)).await?;
    allow(listener.local_addr()?.port());
    Ok(listener)
}

/// Lets the fetcher send requests to a port that this process opened.
pub fn allow(port: u16) {
    guard();
    OPENED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().insert(port);
}

/// From now on, the fetcher sends no request to a port that is not allowed.
pub fn guard() {
    limit_local_ports(is_allowed);
}

/// Whether this process opened the port, now or earlier.
pub fn is_allowed(port: u16) -> bool {
    let opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    opened.as_ref().is_some_and(|ports| ports.contains(&port))
}
