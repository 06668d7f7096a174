//! The supported revisions of MCP and their differences. The newest revision has no handshake and no session.
//! It is called the "modern" era. The older revisions are called the "legacy" era. They use the protocol
//! version header in different ways.

use registry_model::protocol::MCP_REVISIONS;
use registry_model::string_enum;

string_enum! {
    /// A revision with the `initialize` handshake, by its date; the oldest first.
    pub(super) enum Handshake {
        /// Its clients use the transport of the next revision.
        November2024 = "2024-11-05",
        /// The only one with batches.
        March2025 = "2025-03-26",
        /// Structured content and the version header.
        June2025 = "2025-06-18",
        /// Bad arguments are a result with `isError`.
        November2025 = "2025-11-25",
    }
}

impl Handshake {
    /// The revision of a request without a header (MCP 2025-06-18, transports, "Protocol Version Header").
    pub(super) const DEFAULT: Self = Self::March2025;

    /// The answer to an `initialize` for `date`: that revision if it is supported, else the newest with a handshake.
    pub(super) fn agreed(date: &str) -> Self {
        Self::named(date).filter(|_| MCP_REVISIONS.contains(&date)).unwrap_or(Self::November2025)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// Since 2026-07-28: requests are independent of each other.
    Modern,
    /// Revisions with a handshake.
    Legacy(Handshake),
}

impl Era {
    /// Whether bad arguments are a result with `isError`, which a model can correct, or a protocol error.
    pub(super) fn reports_bad_arguments_as_results(self) -> bool {
        match self {
            Self::Modern => true,
            Self::Legacy(revision) => revision >= Handshake::November2025,
        }
    }
}

#[cfg(test)]
mod tests {
    use registry_model::protocol::MCP_NEWEST_REVISION;

    use super::*;

    #[test]
    fn initialize_never_selects_the_newest_revision() {
        assert_eq!(Handshake::agreed(MCP_NEWEST_REVISION), Handshake::November2025);
        assert_eq!(Handshake::agreed("2099-01-01"), Handshake::November2025);
        assert_eq!(Handshake::agreed("2024-11-05"), Handshake::November2025);
        for date in &MCP_REVISIONS[1..] {
            assert_eq!(Handshake::agreed(date).as_str(), *date);
        }
    }
}
