//! How far the registry reaches for what strangers name. A setting of the whole process, so that no caller can widen it.

/// How far the fetcher may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// The public internet over https, nothing else.
    Public,
    /// The same, and besides loopback (127.0.0.0/8, `::1`, `localhost`) over http or https on any port.
    /// Only the local server may choose it.
    Development,
}
