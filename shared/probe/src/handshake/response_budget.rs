//! Limits how much a probe reads of the answers of one peer. All probes of a sweep share one thread and the memory of
//! the process. So each peer has a budget for bytes and for values, and long bodies are read on another thread.

use std::future;
use std::panic;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

const MAX_BYTES: usize = 4 * 1024 * 1024;

/// An event of a stream counts as at least one.
const MAX_VALUES: usize = 100_000;

/// The number of long bodies that the whole process reads at the same time. Each may use memory for all its values.
static READERS: Semaphore = Semaphore::const_new(2);

#[derive(Clone, Copy, Debug)]
pub(super) struct ResponseBudget {
    pub(super) bytes: usize,
    pub(super) values: usize,
}

impl Default for ResponseBudget {
    fn default() -> Self {
        Self { bytes: MAX_BYTES, values: MAX_VALUES }
    }
}

pub(super) const fn is_long(bytes: usize) -> bool {
    // Up to this length, moving a body to another thread would take longer than reading it.
    bytes > 32 * 1024
}

/// Runs `read` on another thread, because all probes share this one.
pub(super) async fn on_other_thread<T: Send + 'static>(read: impl FnOnce() -> T + Send + 'static) -> T {
    let reader = READERS.acquire().await;
    // The probe may end before its thread.
    let counted = move || {
        let read = read();
        drop(reader);
        read
    };
    match spawn_blocking(counted).await {
        Ok(read) => read,
        Err(error) if error.is_panic() => panic::resume_unwind(error.into_panic()),
        // The process is shutting down.
        Err(_) => future::pending().await,
    }
}
