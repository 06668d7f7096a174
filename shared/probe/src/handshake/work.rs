//! How much work the answers of one peer may be, over a whole probe. All probes of a sweep share a thread and its
//! memory, so no peer has more than its part of either, and what is long is read beside that thread.

use std::future;
use std::panic;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// The most bytes of answers that a probe reads, decompressed.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// The most JSON values that it makes of them; an event of a stream counts for one.
const MOST_VALUES: usize = 100_000;

/// A body up to this length is read at once: sending it to another thread would take longer.
const SHORT: usize = 32 * 1024;

/// How many long bodies are read at the same time, in the whole process: each may hold all its values meanwhile.
static READERS: Semaphore = Semaphore::const_new(2);

/// What is left for a probe.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    /// Bytes of answers.
    pub(super) bytes: usize,
    /// JSON values.
    pub(super) values: usize,
}

impl Default for Work {
    fn default() -> Self {
        Self { bytes: MOST_BYTES, values: MOST_VALUES }
    }
}

/// Whether reading so many bytes would keep other probes waiting.
pub(super) const fn is_long(bytes: usize) -> bool {
    bytes > SHORT
}

/// Runs `read` beside the thread that all probes share.
pub(super) async fn aside<T: Send + 'static>(read: impl FnOnce() -> T + Send + 'static) -> T {
    let _reader = READERS.acquire().await;
    match spawn_blocking(read).await {
        Ok(read) => read,
        Err(error) if error.is_panic() => panic::resume_unwind(error.into_panic()),
        // The process ends, and with it whoever waits here.
        Err(_) => future::pending().await,
    }
}
