//! How much work the answers of one peer may be, over a whole probe. All probes of a sweep share a thread and its
//! memory, so no peer has more than its part of either, and what is long is read beside that thread.

use std::future;
use std::panic;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Decompressed.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// An event of a stream counts as at least one.
const MOST_VALUES: usize = 100_000;

/// Up to this length, moving a body to another thread would take longer than reading it.
const SHORT: usize = 32 * 1024;

/// Long bodies read at the same time, in the whole process: each may use memory for all its values.
static READERS: Semaphore = Semaphore::const_new(2);

#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    pub(super) bytes: usize,
    pub(super) values: usize,
}

impl Default for Work {
    fn default() -> Self {
        Self { bytes: MOST_BYTES, values: MOST_VALUES }
    }
}

pub(super) const fn is_long(bytes: usize) -> bool {
    bytes > SHORT
}

/// Runs `read` on another thread, because all probes share this one.
pub(super) async fn aside<T: Send + 'static>(read: impl FnOnce() -> T + Send + 'static) -> T {
    let _reader = READERS.acquire().await;
    match spawn_blocking(read).await {
        Ok(read) => read,
        Err(error) if error.is_panic() => panic::resume_unwind(error.into_panic()),
        // The process ends, and with it whoever waits here.
        Err(_) => future::pending().await,
    }
}
