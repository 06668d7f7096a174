//! The supported revisions of MCP and where their behaviour differs. The newest has neither handshake nor session
//! and is an era of its own; the older ones differ by the protocol version header.

use registry::model::protocol::MCP_REVISIONS;

/// A revision with the `initialize` handshake, the oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Handshake {
    /// 2024-11-05: its clients reach us over the transport of the next one.
    November2024,
    /// 2025-03-26: the only one with batches.
    March2025,
    /// 2025-06-18: structured content, and the header.
    June2025,
    /// 2025-11-25: bad arguments are a tool's error.
    November2025,
}

impl Handshake {
    const ALL: [(Self, &'static str); 4] = [
        (Self::November2024, "2024-11-05"),
        (Self::March2025, "2025-03-26"),
        (Self::June2025, "2025-06-18"),
        (Self::November2025, "2025-11-25"),
    ];

    pub(crate) fn of(date: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, known)| *known == date).map(|(revision, _)| revision)
    }

    pub(crate) fn date(self) -> &'static str {
        Self::ALL.into_iter().find(|(revision, _)| *revision == self).map_or("", |(_, date)| date)
    }

    /// The revision of a request without a header (MCP 2025-06-18, transports, "Protocol Version Header").
    pub(crate) const DEFAULT: Self = Self::March2025;

    /// The answer to an `initialize` for `date`: the same revision where it is supported, else the newest that has a
    /// handshake.
    pub(crate) fn agreed(date: &str) -> Self {
        Self::of(date).filter(|_| MCP_REVISIONS.contains(&date)).unwrap_or(Self::November2025)
    }
}

/// The two ways of talking to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// Since 2026-07-28: requests are independent of each other.
    Modern,
    /// With a handshake.
    Legacy(Handshake),
}

impl Era {
    /// Whether bad arguments are the tool's error, which a model can correct, or a protocol error.
    pub(crate) fn shows_bad_arguments_to_the_model(self) -> bool {
        match self {
            Self::Modern => true,
            Self::Legacy(revision) => revision >= Handshake::November2025,
        }
    }
}

#[cfg(test)]
mod tests {
    use registry::model::protocol::MCP_NEWEST_REVISION;

    use super::*;

    #[test]
    fn a_handshake_never_leads_to_the_revision_without_one() {
        assert_eq!(Handshake::agreed(MCP_NEWEST_REVISION), Handshake::November2025);
        assert_eq!(Handshake::agreed("2099-01-01"), Handshake::November2025);
        assert_eq!(Handshake::agreed("2024-11-05"), Handshake::November2025);
        for date in &MCP_REVISIONS[1..] {
            assert_eq!(Handshake::agreed(date).date(), *date);
        }
    }

    #[test]
    fn bad_arguments_are_reported_as_each_revision_wants() {
        assert!(Era::Modern.shows_bad_arguments_to_the_model());
        assert!(Era::Legacy(Handshake::November2025).shows_bad_arguments_to_the_model());
        assert!(!Era::Legacy(Handshake::June2025).shows_bad_arguments_to_the_model());
    }
}
