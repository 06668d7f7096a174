//! The handshake: a short conversation with an unknown agent or MCP server, and what this conversation
//! proves. It consists of requests that cost the peer nothing, and at most one message. A handshake never
//! calls a tool and never ends a session.

mod a2a;
mod conversation;
mod detect_kind;
mod findings;
pub mod jsonrpc;
mod mcp;
mod payment_terms;
mod preflight;
mod run;
pub mod sse;
mod subject;
#[cfg(test)]
mod tests;
mod transcript;

pub(super) use findings::Findings;

pub use a2a::{Delivery, Recipient, send_message};
pub(crate) use conversation::Slots;
pub use preflight::{PreflightResult, preflight};
pub(super) use run::{probe_in_sweep, probe_with_transcript};
pub use subject::{Depth, Subject};
pub use transcript::without_values;
