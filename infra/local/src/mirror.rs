//! Bulk import: publishes every server description from a file or from another registry. It sends requests
//! only to hosts that the operator named, so it does not need the guarded fetcher.

mod counts;
pub(crate) mod http_client;
mod job;
mod origin;
mod progress;
mod rate_limiter;
mod refusal_log;
mod retrying_client;
mod run;
mod sanitize;
mod sender;
mod server_entry;
mod source;
mod state;

pub use counts::{Counts, RefusalGroup};
pub use http_client::tls;
pub use job::{End, Job, MirrorError, Summary};
pub use origin::{Origin, OriginError};
pub use progress::Progress;
pub use retrying_client::RequestError;
pub use run::run;
pub use sender::SendError;
pub use source::SourceError;
pub use state::StateError;
