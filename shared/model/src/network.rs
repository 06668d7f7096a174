//! Which addresses a process may connect to. Set once for the process, so that no caller can allow more.

use std::net::SocketAddr;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// The public internet over https only.
    Public,
    /// Also loopback (127.0.0.0/8, `::1`, `localhost`) over http or https on any port; for the local server and tests.
    Development,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameServers {
    /// Those of the system's resolver configuration.
    System,
    Only(SocketAddr),
    /// None: no TXT record is looked up.
    Off,
}
