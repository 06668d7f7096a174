//! The handshake: a short conversation with a stranger's agent or MCP server, and what it proves.
//! Only questions that cost the peer nothing, and at most one message; never a tool call, never a session ended.

mod a2a;
mod bounds;
mod conversation;
mod detect_kind;
mod envelope;
mod findings;
pub mod jsonrpc;
mod mcp;
mod message;
#[cfg(test)]
mod peer;
mod preflight;
mod run;
pub mod sse;
mod subject;
#[cfg(test)]
mod tests;
mod work;

pub use message::{Delivery, Recipient, send_message};
pub use preflight::{PreflightResult, preflight};
pub use run::probe;
pub(super) use run::probe_in_turn;
pub use subject::{Depth, Subject};
