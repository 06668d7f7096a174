//! What a handshake is about: the peer as it is known before, and how far to go.

use registry_fetch::Target;
use registry_model::{DeclaredTransport, Kind, names_mcp_endpoint};

/// What a handshake starts with: the peer as it is known before, and how far to go.
#[derive(Clone, Debug)]
pub struct Subject {
    /// As published; `None` if the probe has to find out.
    pub kind: Option<Kind>,
    /// The listing is Live with this kind. Otherwise the kind is a claim, and the probe may find the other kind.
    pub is_proven: bool,
    /// The URL of the card, of the site, or of the MCP endpoint.
    pub url: Target,
    pub depth: Depth,
    /// The protocol version of the last successful probe; it is tried first.
    pub last_era: Option<String>,
    pub declared: DeclaredTransport,
}

impl Subject {
    /// Whether the peer may be of `kind` although it was published as the other kind. Some URLs leave no doubt.
    pub(super) fn may_be(&self, kind: Kind) -> bool {
        let says_otherwise = match kind {
            Kind::Agent => names_mcp_endpoint(self.url.as_str()),
            Kind::Mcp => !self.may_be_at_endpoint(),
        };
        !self.is_proven && !says_otherwise
    }

    /// Whether the URL may be that of an endpoint; a document only names one.
    pub(super) fn may_be_at_endpoint(&self) -> bool {
        !self.url.url().path().trim_end_matches('/').ends_with(".json")
    }

    /// The URL names only a host.
    pub(super) fn is_site(&self) -> bool {
        self.url.url().path() == "/" && self.url.url().query().is_none()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// If the peer understands the task query, no request leaves a trace at the peer: for the score of any URL, and for the
    /// light handshake that renews the proof of an agent.
    Question,
    /// In addition one harmless text message to an agent, and `initialize` to an MCP server of the newest era: for
    /// the first activation, the recheck, and about once a week (`specification.md#handshake`).
    Message,
}
