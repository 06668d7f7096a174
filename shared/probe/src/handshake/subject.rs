//! What a handshake is given: whom to probe, and how far to go.
//! Apart from the run, because each protocol reads it and none may depend on the others.

use registry_fetch::Target;
use registry_model::{DeclaredTransport, Kind};

/// One agent or MCP server, as far as it is known before the probe.
#[derive(Clone, Debug)]
pub struct Subject {
    /// What it was published as; `None` where the probe has to find out.
    pub kind: Option<Kind>,
    /// The kind is proven: it is Live as that. Else it is what a stranger said, and the probe may find the other.
    pub is_proven: bool,
    /// The URL of the card, of the site, or of the MCP endpoint.
    pub url: Target,
    /// How far to go.
    pub depth: Depth,
    /// The protocol version of the last successful probe: its dialect or era is tried first.
    pub last_era: Option<String>,
    /// The transport that its description declares.
    pub declared: DeclaredTransport,
}

impl Subject {
    /// Whether it may be of `kind` although it was published as the other. A URL that says itself what it is leaves no
    /// doubt.
    pub(super) fn may_be(&self, kind: Kind) -> bool {
        let path = self.url.url().path().trim_end_matches('/');
        let says_otherwise = match kind {
            Kind::Agent => path.ends_with("/mcp") || path.ends_with("/sse"),
            Kind::Mcp => path.ends_with(".json"),
        };
        !self.is_proven && !says_otherwise
    }
}

/// How far a probe goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Nothing that leaves a trace at the peer, as long as it understands the question.
    Question,
    /// Also one harmless text message to an agent, and `initialize` to an MCP server of the newest era: for the
    /// first activation and the weekly recheck (design §5 Handshake).
    Message,
}
