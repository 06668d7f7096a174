//! Bulk import: every server description of a file or another registry goes through the publish operation of a
//! registry. It sends requests only to hosts that the operator named, so it does without the guarded fetcher.

mod counts;
mod http_client;
mod job;
mod loopback;
mod origin;
mod outcome;
mod position;
mod progress;
mod rate_limiter;
mod refusal_log;
mod retry_after;
mod retrying_client;
mod run;
mod sanitize;
mod sender;
mod server_entry;
mod source;
mod state;

pub use counts::{Counts, RefusalGroup};
pub use job::{End, Job, MirrorError, Summary};
pub use origin::{Origin, OriginError};
pub use progress::Progress;
pub use retrying_client::RequestError;
pub use run::run;
pub use sender::SendError;
pub use source::SourceError;
pub use state::StateError;
