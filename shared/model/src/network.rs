//! Which addresses a process may connect to. This is set once for the whole process, so that no caller can
//! allow more addresses.

use std::net::SocketAddr;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// The public internet over https only.
    Public,
    /// In addition, loopback (127.0.0.0/8, `::1`, `localhost`) over http or https on any port. Only the local server
    /// and tests use this value.
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
