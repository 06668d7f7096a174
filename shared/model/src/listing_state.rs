//! The kind of a listing (`specification.md#kinds`), its lane (`specification.md#lanes`), and other
//! attributes that have a fixed set of values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use super::Moment;

string_enum! {
    /// The two kinds of peer that the registry lists.
    #[derive(JsonSchema)]
    pub enum Kind {
        /// An agent that speaks A2A.
        Agent = "agent",
        /// An MCP server.
        Mcp = "mcp",
    }
}

/// Whether the path of a URL is a usual one of MCP endpoints: its publisher means no agent.
pub fn names_mcp_endpoint(url: &str) -> bool {
    let is_usual = |url: Url| {
        let path = url.path().trim_end_matches('/');
        path.ends_with("/mcp") || path.ends_with("/sse")
    };
    Url::parse(url).is_ok_and(is_usual)
}

string_enum! {
    /// The state of a listing. Only a probe, the owner of the listing and the operator can change it.
    #[derive(JsonSchema)]
    pub enum Lane {
        /// Waits for a probe: the first, a requested one, or one after an unclear result or an expired proof.
        Queued = "queued",
        /// Live: a handshake was `ok` with clean checks, and no later failure is confirmed.
        Active = "active",
        /// The handshake was not `ok`, or a check failed; the reasons say how to fix it.
        NeedsFix = "needs_fix",
        /// Not Live: an MCP server that asks for a sign-in. Its metadata names an authorization server that is reachable and
        /// correct. The weekly recheck proves this again.
        Gated = "gated",
        /// Never Live: an MCP server that runs on the machine of its user. Its packages exist and contain its name.
        Package = "package",
        /// Never Live: a server with packages only, and the registry cannot check all of them.
        Unchecked = "unchecked",
        /// Was Live or gated, but a check failed, or probes confirmed that its weekly recheck failed.
        Demoted = "demoted",
        /// Taken down by its proven owner or by the operator of the registry. It can be restored.
        Withdrawn = "withdrawn",
    }
}

impl Lane {
    /// Whether a probe proved the listing, and the weekly recheck proves it again.
    pub const fn is_proven(self) -> bool {
        matches!(self, Self::Active | Self::Gated)
    }
}

/// Why a server description contains nothing that can be probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Obstacle {
    /// It has packages and no remote.
    StdioOnly,
    TemplatedUrl,
    /// A required header has no value, because it is a secret of the user.
    NeedsSecret,
}

/// The transport that a server description declares (`remotes[].type`). It is probed first and compared with the one found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DeclaredTransport {
    /// Streamable HTTP: one path that takes POST.
    StreamableHttp,
    /// The deprecated HTTP+SSE.
    Sse,
    /// None was declared.
    #[default]
    Unknown,
}

/// The proof that the name of a server description belongs to its owner. Without one the name is only a claim, since
/// anyone can write any name into a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameProof {
    pub how: NameProofMethod,
    pub at: Moment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NameProofMethod {
    /// The URL of the remote server is on the domain in the name (the name contains the domain in reverse order). This
    /// does not show who published the listing.
    Domain,
    /// The server.json in the repository of the owner of the name contains this name and this remote server.
    Repository,
    /// The publisher signed with a key. The key is in a TXT record of the domain in the name.
    Dns,
    /// The publisher signed with a key. The domain in the name serves the key by HTTPS.
    Http,
    /// The publisher sent a token of a workflow in a repository of the GitHub account to which the name belongs.
    Github,
}

impl NameProofMethod {
    /// Whether it also proves that the publisher speaks for the name, and so may replace another publisher's texts.
    pub const fn is_of_publisher(self) -> bool {
        match self {
            Self::Domain => false,
            Self::Repository | Self::Dns | Self::Http | Self::Github => true,
        }
    }

    /// Whether the caller itself signed or sent a token of its own. A repository proves its texts, but anyone can send its name.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::Dns | Self::Http | Self::Github)
    }
}

/// Which of several listings has the right to a name, where it is not the one whose id is made from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NameHold {
    /// It proved the name, which another listing only claimed.
    Held,
    /// It only claimed the name, or proved it earlier, and another listing proved it.
    Yielded,
}
