//! What a handshake is given: whom to probe, and how far to go.
//! Apart from the run, because each protocol reads it and none may depend on the others.

use registry_fetch::Target;
use registry_model::{DeclaredTransport, Kind};

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
    /// Whether it may be of `kind` although it was published as the other. Some URLs leave no doubt.
    pub(super) fn may_be(&self, kind: Kind) -> bool {
        let path = self.url.url().path().trim_end_matches('/');
        let says_otherwise = match kind {
            Kind::Agent => path.ends_with("/mcp") || path.ends_with("/sse"),
            Kind::Mcp => path.ends_with(".json"),
        };
        !self.is_proven && !says_otherwise
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// No request leaves a trace at a peer that understands the question.
    Question,
    /// In addition one harmless text message to an agent, and `initialize` to an MCP server of the newest era: for
    /// the first activation and the weekly recheck (design §5 Handshake).
    Message,
}
