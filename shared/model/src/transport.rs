//! The transport that a server description declares for a remote. Probed first, and compared with what is found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The transport that a server description declares for a remote (`remotes[].type`).
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
