//! Limits the request rate of all concurrent requests together. A `Retry-After` header pauses all of these
//! requests, because any further request would only make the wait longer.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

#[derive(Debug)]
pub(super) struct RateLimiter {
    interval: Duration,
    next: Mutex<Instant>,
}

impl RateLimiter {
    pub(super) fn new(interval: Duration) -> Self {
        Self { interval, next: Mutex::new(Instant::now()) }
    }

    /// Tries again after each wait, because a pause may have been set in the meantime.
    pub(super) async fn acquire(&self) {
        while let Some(next) = self.try_acquire() {
            sleep_until(next).await;
        }
    }

    /// `None` when acquired, otherwise the time of the next try.
    fn try_acquire(&self) -> Option<Instant> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if *next > now {
            return Some(*next);
        }
        *next = now + self.interval;
        None
    }

    /// Returns false if about the same pause was set before, so that it is reported only once.
    pub(super) fn pause_until(&self, end: Instant) -> bool {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = end > *next + Duration::from_secs(1).max(self.interval);
        *next = end.max(*next);
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn concurrent_requests_share_one_rate_limit_and_one_pause() {
        let rate_limiter = RateLimiter::new(Duration::from_millis(200));
        let start = Instant::now();
        futures::future::join_all((0..6).map(|_| rate_limiter.acquire())).await;
        assert_eq!(start.elapsed().as_millis() / 100, 10, "{:?}", start.elapsed());
        assert!(rate_limiter.pause_until(Instant::now() + Duration::from_secs(30)));
        assert!(!rate_limiter.pause_until(Instant::now() + Duration::from_secs(30)), "same pause");
        rate_limiter.acquire().await;
        assert!(start.elapsed() >= Duration::from_secs(31), "{:?}", start.elapsed());
    }
}
