//! Whom the registry asks of the DNS beside the addresses of hosts. A setting of the whole process, so that a test can
//! answer for the DNS and no caller can.

use std::net::SocketAddr;

/// The name servers that are asked for TXT records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameServers {
    /// Those of the system's resolver configuration.
    System,
    /// This one.
    Only(SocketAddr),
    /// None: no name is asked for.
    Off,
}
